"""The public surface as its docstrings tell it: what the reference shows, and tests ask for.

The examples of methods go on from that of their class: names that it binds are known there.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from docstrings import Docs, attributes_of, docs_of, readable

import fogspiel

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
objects hand out, as `module:name`."""

SHOWN: Mapping[str, tuple[str, ...]] = {
    "Dominant": ("kind", "reason"),
    "PureEquilibrium": ("exists", "reason"),
    "SolveMethod": ("name", "what", "finds", "source", "anytime"),
    "Clock": ("of", "seconds_left", "is_over", "simulations", "deadline"),
}
"""Members of classes of lower rooms, which have further ones for these rooms."""

INSIDE: Mapping[str, tuple[str, ...]] = {
    "Game": ("loaded", "vocabulary", "of_machine", "payoff_of_goal", "inference"),
    "History": ("joints", "joint_ids", "observations", "after_ids"),
    "View": ("observations", "texts"),
    "Player": ("agent",),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a function."""

    name: str  #: The name, with its stars
    type: str
    default: str | None  #: None if the argument has to be given
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A function, or a method, property, attribute or operator of a class."""

    kind: str  #: `function`, `method`, `property`, `attribute` or `operator`
    name: str
    docs: Docs
    type: str = ""  #: The type of its value, or of what it returns
    signature: str = ""  #: The arguments as they stand between parentheses
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A name of the reference with all that its docstrings say."""

    name: str
    found: Any
    docs: Docs
    call: Member | None = None  #: Itself, if it is a function
    members: tuple[Member, ...] = ()

    def of_kind(self, *kinds: str) -> list[Member]:
        """The members of some kinds, in the order of the source."""
        return [member for member in self.members if member.kind in kinds]


def described(page: str) -> Iterator[Described]:
    """Everything that a page of the reference describes."""
    for spec in PAGES[page]:
        yield describe(spec)


def describe(spec: str) -> Described:
    """A name of `fogspiel`, or `module:name` below it."""
    module, _, name = spec.rpartition(":")
    found = getattr(import_module(f"fogspiel.{module}") if module else fogspiel, name)
    if isinstance(found, type):
        members = tuple(
            member
            for member in _members(found)
            if member.name in SHOWN.get(name, (member.name,))
            and member.name not in INSIDE.get(name, ())
        )
        fields = [member.name for member in members if member.kind == "attribute"]
        return Described(
            name=name, found=found, docs=docs_of(found.__doc__, fields), members=members
        )
    call = _function("function", name, found)
    return Described(name=name, found=found, docs=call.docs, call=call)


def _function(kind: str, name: str, function: Callable[..., Any], owner: str = "") -> Member:
    """A function or a method, without the argument that stands for its object."""
    signature = inspect.signature(function)
    given = [p for p in signature.parameters.values() if p.name not in {"self", "cls"}]
    docs = docs_of(function.__doc__, [p.name for p in given])
    result = readable(signature.return_annotation)
    return Member(
        kind=kind,
        name=name,
        docs=docs,
        type="" if result == "None" else result.replace("Self", owner),
        signature=_shown(given),
        arguments=tuple(_argument(p, docs) for p in given),
    )


def _shown(given: list[inspect.Parameter]) -> str:
    """Arguments as they stand between parentheses, without their types."""
    bare = [
        p.replace(annotation=inspect.Parameter.empty, default=_Shown.of(p.default)) for p in given
    ]
    return str(inspect.Signature(bare))[1:-1]


class _Shown:
    """A default value as it is shown."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, value: object) -> object:
        """The same, or nothing where there is no default."""
        return value if value is inspect.Parameter.empty else cls(default_text(value))

    def __repr__(self) -> str:
        return self.text


def default_text(value: object) -> str:
    """A default value as it is written: large numbers with their digits in groups."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:_}"
    return repr(value)


def _argument(given: inspect.Parameter, docs: Docs) -> Argument:
    stars = {given.VAR_POSITIONAL.value: "*", given.VAR_KEYWORD.value: "**"}
    has_default = given.default is not given.empty
    return Argument(
        name=stars.get(given.kind.value, "") + given.name,
        type=readable(given.annotation),
        default=default_text(given.default) if has_default else None,
        meaning=docs.arguments.get(given.name, ""),
    )


def _members(found: type) -> Iterator[Member]:
    """The members of a class in the order of the source, with those of bases that no page has."""
    seen: set[str] = set()
    for own in found.__mro__:
        is_described = own is not found and own.__name__ in fogspiel.__all__
        if is_described or not own.__module__.startswith("fogspiel"):
            continue
        for name, kind, type_, docs in attributes_of(own):
            if name not in seen:
                seen.add(name)
                yield Member(kind=kind, name=name, type=type_, docs=docs)
        for name, member in vars(own).items():
            made = None if name in seen else _member(name, member, found.__name__)
            if made is not None:
                seen.add(name)
                yield made


def _member(name: str, member: object, owner: str) -> Member | None:
    """A property, method or operator of a class; None for anything else."""
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function is not None and not name.startswith("_"):
        return _function("property", name, function, owner)
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    if not inspect.isfunction(member):
        return None
    if name in OPERATIONS and member.__doc__:
        return _function("operator", name, member, owner)
    return None if name.startswith("_") else _function("method", name, member, owner)


def alias_meanings() -> Iterator[tuple[str, str, str]]:
    """Name, types and meaning of every type that stands for several."""
    for spec in ALIASES:
        module, _, name = spec.rpartition(":")
        found = import_module(f"fogspiel.{module}")
        tree = ast.parse(Path(str(found.__file__)).read_text(encoding="utf-8"))
        for statement, after in zip(tree.body, [*tree.body[1:], None], strict=True):
            targets = (
                statement.targets
                if isinstance(statement, ast.Assign)
                else [statement.target]
                if isinstance(statement, ast.AnnAssign)
                else []
            )
            if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                assert isinstance(statement, ast.Assign | ast.AnnAssign)
                assert statement.value is not None
                said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                meaning = inspect.cleandoc(str(after.value.value)) if said else ""  # type: ignore[union-attr]
                value = statement.value
                text = value.value if isinstance(value, ast.Constant) else ast.unparse(value)
                yield name, readable(str(text)), meaning
