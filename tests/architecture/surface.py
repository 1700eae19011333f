"""Contents of the reference: which public names stand on which page, and which members they show.

`descriptions` reads what their docstrings say.
"""

from __future__ import annotations

from collections.abc import Mapping

PAGES: Mapping[str, tuple[str, ...]] = {
    "games": (
        "load",
        "read",
        "bundled_games",
        "game_families",
        "Game",
        "PythonGame",
        "PlayoutReport",
        "GameInfo",
        "machine.analysis.sizes:GameSizes",
        "core.values:Unit",
        "GameEntry",
        "games.library:Fact",
    ),
    "rules": (
        "Rules",
        "CheckReport",
        "machine.audit.claims:Audit",
        "machine.audit.claims:Claim",
        "games.convert:Conversion",
        "finding_codes",
        "core.findings:CodeEntry",
    ),
    "histories": (
        "Role",
        "Move",
        "Percept",
        "History",
        "State",
        "View",
        "api.view:ViewStep",
        "api.known:Known",
        "Belief",
        "Histories",
    ),
    "strategies": (
        "Strategy",
        "Solution",
        "api.solution_rows:SolutionRow",
        "solve.result:Point",
        "api.solution_rows:StateRow",
        "Tree",
    ),
    "analysis": (
        "Analysis",
        "machine.analysis.features:GameKind",
        "api.analysis.analysis:IndependentParts",
        "solve.taxonomy.classify:Taxonomy",
        "solve.taxonomy.classify:PureEquilibrium",
        "solve.taxonomy.dominance:Dominant",
        "solvers",
        "solve.methods:SolveMethod",
        "Response",
        "api.analysis.responses:ResponseToUniform",
        "compare",
        "Comparison",
    ),
    "matches": (
        "Player",
        "Clock",
        "Match",
        "api.matches.match:MatchStep",
        "play.referee:Fault",
        "Series",
        "api.matches.series:SeriesRow",
        "available_players",
        "leaf_evaluations",
        "core.registry:Entry",
        "Classroom",
        "api.matches.classroom:Submission",
        "api.matches.classroom:FaultPosition",
        "Tournament",
        "api.matches.tournament_results:TournamentResults",
        "api.matches.tournament_results:TournamentMatch",
        "api.matches.tournament_results:StandingRow",
        "api.matches.tournament_results:RatingRow",
        "play.ratings.summary:Difference",
        "play.ratings.summary:Meeting",
        "play.tournament.schedule:FormatTable",
        "play.tournament.plan:TournamentPlan",
        "play.tournament.plan:PlayerPlan",
        "play.clocks:MatchClocks",
        "api.ggp.serving:PlayerServer",
        "api.ggp.managing:manage",
        "api.ggp.managing:ManagedMatches",
        "api.ggp.managing:ManagedPlayer",
    ),
    "searching": (
        "parts.Algorithm",
        "parts.ALGORITHMS",
        "api.searching.search_report:SearchReport",
        "parts.Searcher",
        "parts.selection_rule",
        "parts.evaluation",
        "parts.Ucb",
        "parts.EagerUcb",
        "parts.JointUcb",
        "parts.BestWorth",
        "parts.Exp3",
        "parts.RegretMatching",
        "parts.OutcomeSampling",
    ),
    "errors": (
        "FogspielError",
        "UsageError",
        "RulesError",
        "PlayError",
        "LimitError",
        "Finding",
        "Severity",
    ),
}
"""Pages of the reference with what each describes: names of `fogspiel`, and records that their
objects hand out, as `module:name`; those with a dot are in a namespace of `fogspiel`."""

SHOWN: Mapping[str, tuple[str, ...]] = {
    "Dominant": ("kind", "reason"),
    "PureEquilibrium": ("exists", "reason"),
    "SolveMethod": ("name", "what", "finds", "source", "anytime"),
    "Clock": ("of", "seconds_left", "is_over", "simulations", "deadline"),
    "Algorithm": ("keys", "rule", "only_observer", "plays_on", "one_learns", "together"),
    "Ucb": ("constant",),
    "EagerUcb": ("constant",),
    "JointUcb": ("constant",),
    "OutcomeSampling": ("constant", "slip"),
}
"""Members of classes of lower rooms, which have further ones for these rooms."""

INSIDE: Mapping[str, tuple[str, ...]] = {
    "Game": ("loaded", "vocabulary", "of_machine", "payoff_of_goal", "inference"),
    "History": ("joints", "joint_ids", "observations", "after_ids"),
    "View": ("observations", "texts"),
    "Player": ("agent",),
    "Searcher": ("agent", "setup"),
    "Strategy": ("of_roles", "by_ids"),
    "Solution": ("solved", "form"),
    "SeriesRow": ("of",),
    "Series": ("played",),
    "Tree": ("levels", "checked"),
    "TournamentResults": ("summary",),
    "TournamentMatch": ("of",),
    "StandingRow": ("of",),
    "MatchClocks": ("start_clock", "play_clock", "start_budget", "turn_budget"),
}
"""Members by which rooms of the package get at ids and records, and users need not."""

ALIASES = (
    "api.strategy:Mixed",
    "api.strategy:AnyStrategy",
    "api.belief:Opponents",
    "api.matches.player:AnyPlayer",
    "api.matches.entries:AnyGame",
    "api.matches.entries:AnyEntry",
    "api.matches.tournament_results:OnPlayed",
    "api.ggp.serving:OnEvent",
    "api.solving:OnPoint",
    "api.analysis.comparison:Comparable",
    "games.load:EngineChoice",
    "games.load:GameLanguage",
    "games.python_game:Term",
    "games.convert:Format",
    "api.rules.rules:RulesText",
)
"""Names of types in signatures that stand for several types."""

OPERATIONS: Mapping[str, str] = {
    "__len__": "len({})",
    "__iter__": "iter({})",
    "__contains__": "x in {}",
    "__getitem__": "{}[x]",
    "__call__": "{}(x)",
    "__str__": "str({})",
}
"""Operators with a meaning of their own, as users write them."""
