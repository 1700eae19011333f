"""`fogspiel analyze`: the size and the kind of a game, what it is worth, and what solves it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.analysis.solution import SolvedGame, solution_document
from fogspiel.cli.commands.analysis.solve import build_tree, default_target, run, solved_if_open
from fogspiel.cli.options import FiniteRange, GameChoice, game_options
from fogspiel.cli.output import busy, finding_record, json_option, print_json, print_table
from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, FogspielError, LimitError

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame
    from fogspiel.machine.analysis.features import GameKind
    from fogspiel.tree.game_tree import GameTree
    from fogspiel.tree.state_graph import StateGraph

MAX_NODES = 2_000_000
SECONDS = 20.0
PARTS_WORK, PARTS_STATES = 1_000_000, 20_000
"""Gates and states that are looked at to find independent parts."""
TAXONOMY_PARTS = 4
"""Programs that the taxonomy may need; together they may take as long as finding the value."""
SUMS = {
    "zero": "what one gains the others lose",
    "constant": "what one gains the others lose, up to a constant",
    "general": "players may gain or lose together",
    None: "not known",
}
CLASSES = {
    "dominant": "in dominant strategies",
    "pure": "a pure one",
    "mixed": "only mixed ones",
    "unknown": "of a class that was not found out",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """A game and its class, before anything is solved."""

    game: LoadedGame
    kind: GameKind  #: Holds the size of the tree, or an estimate if it was not built
    tree: GameTree | None  #: None beyond the limit on nodes
    limit: Finding | None  #: The reason why there is no tree
    states: int | None
    """The number of states of a game with simultaneous moves and no hidden information."""
    build_seconds: float


@click.command()
@click.argument("game")
@click.option("--max-nodes", type=click.IntRange(min=1), default=MAX_NODES, show_default=True)
@click.option(
    "--seconds", type=FiniteRange(min=0.001), default=SECONDS, show_default=True,
    help="Time to find the value, and as much for the class.",
)  # fmt: skip
@game_options
@json_option
def analyze(game: GameChoice, *, max_nodes: int, seconds: float, as_json: bool) -> None:
    """Tell how large GAME is, of what kind, what it is worth, and which method decides it.

    Where the tree is too large, it tells what random walks and the states can say without it.
    """
    document = document_of(survey(game.load().loaded, max_nodes), seconds)
    if as_json:
        print_json(document)
    else:
        _print(document)


def survey(game: LoadedGame, max_nodes: int) -> Subject:
    """Build what can be built, and walk where it cannot."""
    from fogspiel.machine.analysis.features import explore
    from fogspiel.tree.game_kind import estimate_size, kind_of

    with busy("exploring …"):
        seen = explore(game.machine, hides=game.hides)
    began = time.perf_counter()
    tree = limit = None
    try:
        tree = build_tree(game, max_nodes)
    except LimitError as error:
        limit = error.findings[0]
    seconds = time.perf_counter() - began
    return Subject(
        game=game,
        kind=estimate_size(game.machine, seen) if tree is None else kind_of(tree, seen),
        tree=tree,
        limit=limit,
        states=_open_states(game, max_nodes) if seen.simultaneous else None,
        build_seconds=seconds,
    )


def _open_states(game: LoadedGame, max_states: int) -> int | None:
    """The number of states; None where something is hidden, and beyond the limit."""
    from fogspiel.tree.state_graph import build_state_graph

    try:
        with busy("finding the states …"):
            return len(build_state_graph(game.machine, max_states=max_states))
    except FogspielError:
        return None


def document_of(subject: Subject, seconds: float) -> dict[str, Any]:
    """The JSON document."""
    game = subject.game
    classes = None if subject.tree is None else _taxonomy(subject.tree, seconds)
    has_pure = classes is not None and classes["class"] in {"dominant", "pure"}
    return {
        "game": game.name,
        "title": game.entry.title if game.entry else None,
        "roles": list(game.players),
        "engine": game.machine.engine,
        "kind": _kind(subject),
        "tree": _size(subject),
        "states": subject.states,
        "estimate": _estimate(subject),
        "parts": _parts(game),
        "limit": None if subject.limit is None else finding_record(subject.limit),
        "taxonomy": classes,
        "solution": _solution(subject, seconds),
        "procedure": _procedure(subject, has_pure=has_pure),
    }


def _kind(subject: Subject) -> dict[str, Any]:
    """The class of the game. What walks found is certain where it is true, the rest with a tree."""
    names = ("players", "chance", "simultaneous", "hidden_information", "perfect_information")
    return {
        **_fields(subject.kind, *names),
        # What a role did is part of what it knows, so that trees from rules have it.
        "perfect_recall": True,
        "sum": _sum(subject),
        "certain": subject.tree is not None,
    }


def _fields(kind: GameKind, *names: str) -> dict[str, Any]:
    return {name: getattr(kind, name) for name in names}


def _sum(subject: Subject) -> str | None:
    """The sum of all payoffs: `zero`, `constant` or `general`, by the unit of the game."""
    kind = subject.kind
    if not kind.payoff_sums and subject.tree is None:
        return None
    if kind.constant is None:
        return "general"
    unit = subject.game.tree_unit
    return "zero" if float(kind.constant) == kind.players * unit.offset else "constant"


def _size(subject: Subject) -> dict[str, Any] | None:
    tree, kind = subject.tree, subject.kind
    if tree is None:
        return None
    return {
        **_fields(kind, "nodes", "leaves", "infosets"),
        "sequences": dict(zip(tree.players, kind.sequences, strict=True)),
        "depth": kind.depth,
        "build_seconds": subject.build_seconds,
    }


def _estimate(subject: Subject) -> dict[str, Any] | None:
    if subject.tree is not None:
        return None
    return _fields(subject.kind, "log10_nodes", "walks", "mean_steps", "longest")


def _parts(game: LoadedGame) -> dict[str, Any] | None:
    """The independent parts; None where there are no gates to see them by, or too many."""
    from fogspiel.machine.analysis.independent_parts import parts_of
    from fogspiel.search.parts.impartial import impartial_sum

    with busy("looking for independent parts …"):
        parts = parts_of(game.machine, PARTS_WORK)
        if parts is None:
            return None
        start = game.machine.initial()
        found = impartial_sum(game.machine, start, Budget(simulations=PARTS_STATES))
    return {
        "count": parts.count,
        "relevant": int(parts.relevant.sum()),
        "grundy_number": None if found is None else found.number(start),
    }


def _taxonomy(tree: GameTree, seconds: float) -> dict[str, Any]:
    """Richards' classes: dominant strategies, a pure equilibrium, or only mixed ones."""
    from fogspiel.solve.taxonomy.classify import taxonomy

    with busy("looking for dominant and pure strategies …"):
        found = taxonomy(tree, seconds=seconds / TAXONOMY_PARTS)
    return {
        "class": found.game_class.value,
        "procedure": found.game_class.procedure,
        "dominant": {
            role: {"kind": own.kind.value, "reason": own.reason}
            for role, own in zip(tree.players, found.dominant, strict=True)
        },
        "pure_equilibrium": {"exists": found.pure.exists, "reason": found.pure.reason},
    }


def _solution(subject: Subject, seconds: float) -> dict[str, Any] | None:
    """The value by the method that `auto` takes, with its exploitability."""
    game, tree = subject.game, subject.tree
    found: SolvedGame[GameTree] | SolvedGame[StateGraph] | None = None
    if subject.states is not None:
        found = solved_if_open(game, subject.states, None)
    if found is None and tree is not None:
        solution = run(game, tree, "auto", default_target(game, tree), seconds, None, 0)
        found = SolvedGame(game=game, form=tree, solution=solution)
    if found is None:
        return None
    document = solution_document(found, [])
    return {key: document[key] for key in ("method", "unit", "values", "exploitability", "seconds")}


def _procedure(subject: Subject, *, has_pure: bool) -> dict[str, Any]:
    """The method that `auto` chooses for the game, the reason, and the other methods that fit."""
    from fogspiel.solve.induction.simultaneous import INDUCTION_LP
    from fogspiel.solve.methods import chosen_method, fitting, why_chosen

    kind = subject.kind
    fits = [] if subject.tree is None else [method.name for method in fitting(kind)]
    if subject.states is None:
        fits = [name for name in fits if name != INDUCTION_LP]
    elif kind.players == 2 and _sum(subject) in {"zero", "constant"}:
        reason = "moves are made at once and nothing is hidden, so each state is a matrix game"
        return {"method": INDUCTION_LP, "reason": reason, "fitting": fits or [INDUCTION_LP]}
    if subject.tree is None:
        return {"method": None, "reason": _without_tree(subject), "fitting": []}
    if has_pure and chosen_method(kind).name == "cfr":
        reason = "no method promises an equilibrium of such a game, but it has one without mixing"
        return {"method": "pure", "reason": reason, "fitting": fits}
    return {"method": chosen_method(kind).name, "reason": why_chosen(kind), "fitting": fits}


def _without_tree(subject: Subject) -> str:
    """The advice for a game whose tree is too large."""
    if subject.kind.hidden_information or subject.kind.simultaneous:
        return (
            "the tree is too large to be solved here: play needs search over what a role holds "
            "possible (see `fogspiel infoset`), or a smaller instance of the game"
        )
    return "the tree is too large to be solved here: play needs search, or a smaller instance"


def _print(document: dict[str, Any]) -> None:
    """Size, kind, value and method."""
    rows = [*_size_rows(document), *_kind_rows(document), *_value_rows(document)]
    print_table(document["title"] or document["game"], ("", ""), rows)
    if document["limit"] is not None:
        click.echo(f"{document['limit']['message']}; the kind was found by random walks:")
        click.echo("a yes is certain, a no means that none was met.")
    procedure = document["procedure"]
    if procedure["method"] is not None:
        click.echo(f"Solve it by {procedure['method']}: {procedure['reason']}.")
        others = [name for name in procedure["fitting"] if name != procedure["method"]]
        if others:
            click.echo(f"Also fitting: {', '.join(others)}.")
    else:
        click.echo(f"{procedure['reason'].capitalize()}.")


def _size_rows(document: dict[str, Any]) -> list[list[str]]:
    tree, estimate = document["tree"], document["estimate"]
    rows = [["roles", ", ".join(document["roles"])]]
    if tree is not None:
        sequences = ", ".join(f"{role} {count:,}" for role, count in tree["sequences"].items())
        rows += [
            ["nodes", f"{tree['nodes']:,}, of which {tree['leaves']:,} end the game"],
            ["infosets", f"{tree['infosets']:,}"],
            ["sequences", sequences],
            ["depth", f"{tree['depth']:,} moves"],
        ]
    if estimate is not None:
        steps = f"{estimate['mean_steps']:.1f} steps, {estimate['longest']} at most"
        rows += [
            ["nodes, estimated", f"about 10^{estimate['log10_nodes']:.1f}"],
            ["random games", steps],
        ]
    if document["states"] is not None:
        rows.append(["states", f"{document['states']:,}"])
    if document["parts"] is not None:
        rows.append(["independent parts", _parts_text(document["parts"])])
    return rows


def _parts_text(parts: dict[str, Any]) -> str:
    """The number of parts, of those that do not matter, and the Grundy number."""
    count, idle = parts["count"], parts["count"] - parts["relevant"]
    told = "none" if count < 2 else f"{count}, joined by goals and the end of the game alone"
    if idle:
        told += f"; {idle} of them do not matter" if count > 1 else "; it does not matter"
    if parts["grundy_number"] is not None:
        told += f"; a sum of impartial games, Grundy number {parts['grundy_number']}"
    return told


def _kind_rows(document: dict[str, Any]) -> list[list[str]]:
    kind = document["kind"]
    keys = ("chance", "simultaneous", "hidden_information", "perfect_recall")
    rows = [[_words(key), "yes" if kind[key] else "no"] for key in keys]
    return [*rows, ["payoffs", SUMS[kind["sum"]]]]


def _value_rows(document: dict[str, Any]) -> list[list[str]]:
    solution, taxonomy = document["solution"], document["taxonomy"]
    rows = []
    if taxonomy is not None:
        rows.append(["equilibria", CLASSES[taxonomy["class"]]])
        rows.append(["how to decide", taxonomy["procedure"]])
    if solution is not None:
        values = ", ".join(f"{role} {value:+.6f}" for role, value in solution["values"].items())
        rows.append(["value", f"{values} ({solution['unit']})"])
        rows.append(["exploitability", f"{solution['exploitability']:.2g} by {solution['method']}"])
    return rows


def _words(key: str) -> str:
    return {"simultaneous": "moves at the same time"}.get(key, key.replace("_", " "))
