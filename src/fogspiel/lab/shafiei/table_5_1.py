"""Shafiei (2010), table 5.1 and figure 5.1: how fast plain CFR converges.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.figures import draw
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import StateGraph, joint_graph


@dataclass(frozen=True, slots=True)
class Table51Row:
    """A row of the table."""

    title: str
    nodes: int
    ends: int
    iterations: tuple[int, int]
    """Until the error is below 0.01 and 0.001."""
    seconds: tuple[float, float]
    first_moves: bool = False
    """Whether behaviour begins with the first moves: even play is an equilibrium already."""


PUBLISHED: Mapping[str, Table51Row] = {
    "biased_rps": Table51Row("biased RPS", 10, 9, (17, 87), (0.0, 0.0)),
    "repeated_rps_9": Table51Row("9 round RPS", 220, 55, (45, 236), (0.0, 0.02), first_moves=True),
    "goofspiel_5": Table51Row("5 card Goofspiel", 2_936, 138, (1_114, 29_730), (1.16, 31.09)),
}
BOUNDS = (0.01, 0.001)
GROWTH = 1.25
"""Between two points of the curve, and two looks whether behaviour still changes."""


def parts(settings: Settings) -> list[str]:
    """The games that are asked for."""
    return [name for name in PUBLISHED if name in settings["games"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: the row of a game with its curve. Nothing is random here."""
    row = PUBLISHED[part]
    graph = joint_graph(load(part).machine)
    StateRegrets(graph).iterate(1)  # compiled before the clock starts
    final, iterations = _final(graph, row.first_moves, settings)
    curve = list(_curve(graph, row.first_moves, final, iterations))
    return [
        {
            "game": part,
            "nodes": len(graph),
            "ends": int((graph.state_payoffs >= 0).sum()),
            "published_nodes": row.nodes,
            "published_ends": row.ends,
            "published_iterations": row.iterations,
            "published_seconds": row.seconds,
            "ended_after": iterations,
            "reached": _reached(graph, row.first_moves, final, iterations),
            "curve": curve,
        }
    ]


def _final(
    graph: StateGraph, first_moves: bool, settings: Settings
) -> tuple[NDArray[np.float64], int]:
    """Where behaviour comes to rest, and after how many iterations."""
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


def table(records: Sequence[Document]) -> str:
    """Published figures and ours, row by row."""
    head = ["game", "nodes (2010)", "nodes"]
    for bound in BOUNDS:
        head += [f"to {bound} (2010)", f"to {bound}"]
    head += ["exploitability there", "compared with that after"]
    rows = list[list[str]]()
    for record in records:
        row = [
            PUBLISHED[record["game"]].title,
            f"{record['published_nodes']:,}, {record['published_ends']} ends",
            f"{record['nodes']:,}, {record['ends']} ends",
        ]
        for number in range(len(BOUNDS)):
            iterations = record["published_iterations"][number]
            row += [f"{iterations:,} in {record['published_seconds'][number]:g} s"]
            reached = record["reached"][number]
            row += [
                f"{reached['iterations']:,} in {reached['seconds']:.3f} s" if reached else "never"
            ]
        row += [_exploitability_there(record), f"{record['ended_after']:,}"]
        rows.append(row)
    return markdown(head, rows)


def _exploitability_there(record: Document) -> str:
    """At the last bound that was reached, as far as the curve tells: at its next point."""
    last = record["reached"][-1]
    later = [
        point for point in record["curve"] if last and point["iteration"] >= last["iterations"]
    ]
    return f"{later[0]['exploitability']:.3f}" if later else ""


def plot(records: Sequence[Document], path: Path) -> None:
    """Figure 5.1, and the same for exploitability."""

    def fill(panels: Sequence[Any]) -> None:
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

    draw(path, (9, 3.5), 2, fill)


STUDY = Study(
    name="shafiei-5-1",
    what="How fast plain counterfactual regrets converge",
    source=f"{SHAFIEI}, table 5.1 and figure 5.1",
    settings={"games": tuple(PUBLISHED), "epsilon": 1e-6, "iterations": 2_000_000},
    quick={"games": ("biased_rps", "repeated_rps_9"), "epsilon": 1e-4, "iterations": 5_000},
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
