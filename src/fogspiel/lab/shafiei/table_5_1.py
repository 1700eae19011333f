"""Shafiei (2010), table 5.1 and figure 5.1: the speed at which plain CFR converges.

His measure is the mean squared difference between the average behaviour so far and the one that the
same run ends with (equation 5.1); it ends when no probability changes by more than epsilon from one
iteration to the next (5.3), here also after a number of iterations. Beside it we give
exploitability, which he recommends and did not compute: how much the players could gain on average,
in points of 100.

Departure: behaviour is compared with the end at iterations on a logarithmic scale and, up to the
bounds of the table, at every one. Seconds are processor time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import Filling, columns, figure
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import StateGraph, build_state_graph


@dataclass(frozen=True, slots=True)
class Table51Row:
    """A row of the table."""

    title: str
    nodes: int
    ends: int
    iterations: tuple[int, int]  #: Iterations to an error below 0.01 and 0.001
    seconds: tuple[float, float]
    first_moves: bool = False
    """Whether regrets begin with the first moves, since uniform play is an equilibrium already."""


PUBLISHED: Mapping[str, Table51Row] = {
    "biased_rps": Table51Row("biased RPS", 10, 9, (17, 87), (0.0, 0.0)),
    "repeated_rps_9": Table51Row("9 round RPS", 220, 55, (45, 236), (0.0, 0.02), first_moves=True),
    "goofspiel_5": Table51Row("5 card Goofspiel", 2_936, 138, (1_114, 29_730), (1.16, 31.09)),
}
BOUNDS = (0.01, 0.001)
GROWTH = 1.25  #: Between two points of the curve, and two looks whether behaviour still changes


def run(settings: Settings, seed: int, game: str) -> Document:
    """The row of a game, with its curve. Nothing is random here."""
    row = PUBLISHED[game]
    graph = build_state_graph(load(game).machine)
    StateRegrets(graph).iterate(1)  # compiled before the clock starts
    final, iterations = _final(graph, row.first_moves, settings)
    return {
        "game": game,
        "nodes": len(graph),
        "ends": int((graph.state_payoffs >= 0).sum()),
        "published_nodes": row.nodes,
        "published_ends": row.ends,
        "published_iterations": row.iterations,
        "published_seconds": row.seconds,
        "ended_after": iterations,
        "reached": _reached(graph, row.first_moves, final, iterations),
        "curve": list(_curve(graph, row.first_moves, final, iterations)),
    }


def _final(
    graph: StateGraph, first_moves: bool, settings: Settings
) -> tuple[NDArray[np.float64], int]:
    """The converged average strategy, and the number of iterations that it took."""
    regrets = StateRegrets(graph, first_moves=first_moves)
    while regrets.iterations < settings["iterations"]:
        regrets.iterate(max(1, int(regrets.iterations * (GROWTH - 1))))
        before = regrets.average().probabilities
        regrets.iterate(1)
        if np.abs(regrets.average().probabilities - before).max() <= settings["epsilon"]:
            break
    return regrets.average().probabilities, regrets.iterations


def _curve(
    graph: StateGraph, first_moves: bool, final: NDArray[np.float64], iterations: int
) -> Iterator[Document]:
    """Error and exploitability at iterations on a logarithmic scale."""
    regrets = StateRegrets(graph, first_moves=first_moves)
    while regrets.iterations < iterations:
        step = max(1, int(regrets.iterations * (GROWTH - 1)))
        regrets.iterate(min(step, iterations - regrets.iterations))
        yield {
            "iteration": regrets.iterations,
            "error": float(((regrets.average().probabilities - final) ** 2).mean()),
            "exploitability": regrets.exploitability(),
        }


def _reached(
    graph: StateGraph, first_moves: bool, final: NDArray[np.float64], most: int
) -> list[Document | None]:
    """The first iteration at which the error is below each bound, and the time of all until it."""
    regrets = StateRegrets(graph, first_moves=first_moves)
    found: list[Document | None] = []
    seconds = 0.0
    for bound in BOUNDS:
        error = np.inf
        while error >= bound and regrets.iterations < most:
            began = time.process_time()
            regrets.iterate(1)
            seconds += time.process_time() - began
            error = float(((regrets.average().probabilities - final) ** 2).mean())
        reached = {"iterations": regrets.iterations, "seconds": round(seconds, 4)}
        found.append(reached if error < bound else None)
    return found


def _reached_in(number: int) -> Filling:
    """The iterations and seconds to one of the bounds."""

    def filling(record: Document) -> str:
        reached = record["reached"][number]
        return f"{reached['iterations']:,} in {reached['seconds']:.3f} s" if reached else "never"

    return filling


def _exploitability_there(record: Document) -> str:
    """Exploitability at the first point of the curve after the last bound was reached."""
    last = record["reached"][-1]
    later = [
        point for point in record["curve"] if last and point["iteration"] >= last["iterations"]
    ]
    return f"{later[0]['exploitability']:.3f}" if later else ""


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw figure 5.1, and the same for exploitability."""
    with figure(path, (9, 3.5), 2) as panels:
        for panel, measure in zip(panels, ("error", "exploitability"), strict=True):
            for record in records:
                points = [point for point in record["curve"] if point[measure] > 0.0]
                panel.loglog(
                    [point["iteration"] for point in points],
                    [point[measure] for point in points],
                    label=PUBLISHED[record["game"]].title,
                )
            panel.set_xlabel("iterations")
            panel.set_ylabel(measure)
            panel.grid(linewidth=0.3)
        panels[0].legend(frameon=False)


STUDY = Study(
    name="shafiei-5-1",
    what="How fast plain counterfactual regrets converge",
    source=f"{SHAFIEI}, table 5.1 and figure 5.1",
    settings={"games": tuple(PUBLISHED), "epsilon": 1e-6, "iterations": 2_000_000},
    quick={"games": ("biased_rps", "repeated_rps_9"), "epsilon": 1e-4, "iterations": 5_000},
    cells=lambda settings: [(name,) for name in PUBLISHED if name in settings["games"]],
    run=run,
    table=columns(
        ("game", lambda record: PUBLISHED[record["game"]].title),
        ("nodes (2010)", "{published_nodes:,}, {published_ends} ends"),
        ("nodes", "{nodes:,}, {ends} ends"),
        (f"to {BOUNDS[0]} (2010)", "{published_iterations[0]:,} in {published_seconds[0]:g} s"),
        (f"to {BOUNDS[0]}", _reached_in(0)),
        (f"to {BOUNDS[1]} (2010)", "{published_iterations[1]:,} in {published_seconds[1]:g} s"),
        (f"to {BOUNDS[1]}", _reached_in(1)),
        ("exploitability there", _exploitability_there),
        ("compared with that after", "{ended_after:,}"),
    ),
    plot=plot,
)
