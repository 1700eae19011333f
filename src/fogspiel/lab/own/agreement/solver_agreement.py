"""Whether all solvers come to the same value, on every bundled game that several of them fit.

Of every game: the linear program, double oracle, predictive CFR+, CFR+, and induction where nothing
is hidden, over the tree or over the states. Values are compared in goals, and each strategy is
judged by what it can lose, computed by one sweep that all solvers share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from fogspiel.core.findings import FogspielError
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import markdown
from fogspiel.lab.framework.study import Document, Settings, Study, grouped
from fogspiel.machine.protocol import Machine
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.methods import METHODS, solve
from fogspiel.solve.result import SolveLimits
from fogspiel.tree.build.build import build
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import build_state_graph

TOLERANCE = 1e-6  #: The precision of exact values, in goals of 100
ON_TREES = ("lp", "double-oracle", "pcfr+", "cfr+", "induction", "alpha-beta")
STATES = "induction-lp"


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Solve a game by each method that fits; no record where fewer than two do."""
    machine = load(game).machine
    records = [*_on_tree(machine, game, settings, seed), *_on_states(machine, game, settings)]
    return records if len(records) > 1 else []


def _on_tree(machine: Machine, part: str, settings: Settings, seed: int) -> Iterator[Document]:
    try:
        tree = build(machine, max_nodes=settings["max_nodes"])
    except FogspielError:
        return
    kind = kind_of(tree)
    for method in ON_TREES:
        if METHODS[method].misfit(kind) is None:
            yield _record(part, method, len(tree), _solver(tree, method, settings, seed))


def _solver(
    tree: GameTree, method: str, settings: Settings, seed: int
) -> Callable[[], tuple[float, float]]:
    limits = SolveLimits(seconds=settings["seconds"], target=TOLERANCE / 10)

    def run() -> tuple[float, float]:
        result = solve(tree, method, limits=limits, seed=seed)
        return result.values[0], result.exploitability

    return run


def _on_states(machine: Machine, part: str, settings: Settings) -> Iterator[Document]:
    try:
        graph = build_state_graph(machine, max_states=settings["max_nodes"])
        first = solve_states(graph)
    except FogspielError:
        return
    yield _record(part, STATES, len(graph), lambda: (first.values[0], first.exploitability))


def _record(part: str, method: str, size: int, run: Callable[[], tuple[float, float]]) -> Document:
    began = perf_counter()
    try:
        value, exploitability = run()
    except FogspielError as error:
        return {"game": part, "method": method, "size": size, "stopped": error.findings[0].code}
    return {
        "game": part,
        "method": method,
        "size": size,
        "value": value,
        "exploitability": exploitability,
        "seconds": round(perf_counter() - began, 3),
        "stopped": None,
    }


def table(records: Sequence[Document]) -> str:
    """A row for each game: the value, and how far each method is from the best of all."""
    methods = [*ON_TREES, STATES]
    rows = []
    for game, found in grouped(records, "game").items():
        own = {record["method"]: record for record in found}
        value = _value(found)
        row = [game, f"{max(record['size'] for record in found):,}", f"{value:.6f}"]
        rows.append([*row, *(_cell(own.get(method), value) for method in methods)])
    return markdown(["game", "nodes or states", "value, goals", *methods], rows)


def _value(records: Sequence[Document]) -> float:
    """The value that the least exploitable method found."""
    solved = [record for record in records if record["stopped"] is None]
    best = min(solved, key=lambda record: float(record["exploitability"]))
    return float(best["value"])


def _cell(record: Document | None, value: float) -> str:
    if record is None:
        return ""
    if record["stopped"] is not None:
        return str(record["stopped"])
    return f"{abs(record['value'] - value):.0e}, loses {max(record['exploitability'], 0.0):.0e}"


STUDY = Study(
    name="solver-agreement",
    what="Whether all solvers come to the same value",
    source="our own; each strategy is judged by its exact exploitability",
    settings={"games": (), "max_nodes": 3_000_000, "seconds": 60.0},
    quick={"games": ("kuhn_poker", "biased_rps"), "seconds": 5.0},
    cells=lambda settings: [(game,) for game in settings["games"] or bundled_games()],
    run=run,
    table=table,
)
