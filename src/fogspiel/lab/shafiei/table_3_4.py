"""Shafiei (2010), table 3.4: UCT for both players of biased rock-paper-scissors, step by step.

After all nine joint moves were tried once, both players add 40·sqrt(ln N / C) to the mean of an
action that was chosen C times in N steps, and take the best; ties go to the first. The table lists
means, counts and sums. The counts cycle and come to a third each, which is no equilibrium.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import columns, figure, given
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.solve.matrix import solve_matrix
from fogspiel.tree.state_graph import build_state_graph

ACTIONS = ("rock", "paper", "scissors")
PUBLISHED: Sequence[tuple[int, tuple[float, float, float], tuple[int, int, int], str]] = (
    # step, means, counts, what both choose next
    (9, (58.33, 56.67, 35.00), (3, 3, 3), "rock"),
    (10, (56.25, 56.67, 35.00), (4, 3, 3), "paper"),
    (11, (56.25, 55.00, 35.00), (4, 4, 3), "rock"),
    (12, (55.00, 55.00, 35.00), (5, 4, 3), "paper"),
    (13, (55.00, 54.00, 35.00), (5, 5, 3), "rock"),
    (14, (54.17, 54.00, 35.00), (6, 5, 3), "paper"),
    (15, (54.17, 53.33, 35.00), (6, 6, 3), "rock"),
    (16, (53.57, 53.33, 35.00), (7, 6, 3), "paper"),
    (17, (53.57, 52.86, 35.00), (7, 7, 3), "rock"),
    (18, (53.13, 52.86, 35.00), (8, 7, 3), "paper"),
    (19, (53.13, 52.50, 35.00), (8, 8, 3), "rock"),
    (20, (52.78, 52.50, 35.00), (9, 8, 3), "paper"),
    (21, (52.78, 52.22, 35.00), (9, 9, 3), "rock"),
    (22, (52.50, 52.22, 35.00), (10, 9, 3), "paper"),
    (23, (52.50, 52.00, 35.00), (10, 10, 3), "scissors"),
    (24, (52.50, 52.00, 38.75), (10, 10, 4), "rock"),
    (25, (52.27, 52.00, 38.75), (11, 10, 4), "paper"),
    (26, (52.27, 51.82, 38.75), (11, 11, 4), "scissors"),
)
SHOWN_DIGITS = 2
LATER = (100, 1_000, 10_000, 100_000, 1_000_000)


def matrix() -> NDArray[np.float64]:
    """(3, 3) what the first player gets, by the rules of the bundled game."""
    graph = build_state_graph(load("biased_rps").machine)
    order = [[graph.actions(0, player).index(action) for action in ACTIONS] for player in (1, 2)]
    goals = graph.joint_values(0, _values(graph.payoffs, graph.state_payoffs))[:, :, 0]
    return goals[np.ix_(*order)]


def _values(payoffs: NDArray[np.float64], rows: NDArray[np.int32]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = payoffs[np.maximum(rows, 0)]
    return values


def run(settings: Settings, seed: int, _: str) -> list[Document]:
    """Trace the steps of the table, and some later ones. Nothing is random here."""
    goals = matrix()
    solution = solve_matrix(goals)
    sums, counts = goals.sum(axis=1), np.full(3, 3)
    published = {row[0]: row for row in PUBLISHED}
    records: list[Document] = []
    for step in range(9, settings["steps"] + 1):
        means = sums / counts
        bounds = means + settings["constant"] * np.sqrt(math.log(step) / counts)
        choice = int(bounds.argmax())
        if step in published or step in LATER:
            records.append(
                {
                    "step": step,
                    "means": means.tolist(),
                    "counts": counts.tolist(),
                    "bounds": bounds.tolist(),
                    "next": ACTIONS[choice],
                    "published": published.get(step),
                    "equal": _equal(published.get(step), means, counts, choice),
                    "equilibrium": solution.row.tolist(),
                    "loses": solution.value - float((counts / step @ goals).min()),
                }
            )
        # Both choose alike, and get the same.
        sums[choice] += goals[choice, choice]
        counts[choice] += 1
    return records


def _equal(
    row: tuple[int, tuple[float, float, float], tuple[int, int, int], str] | None,
    means: NDArray[np.float64],
    counts: NDArray[np.int64],
    choice: int,
) -> bool | None:
    """Whether a step is the published one, to the digits that are printed."""
    if row is None:
        return None
    close = np.abs(means - row[1]).max() <= 0.5 * 10**-SHOWN_DIGITS + 1e-9
    return bool(close and tuple(counts.tolist()) == row[2] and ACTIONS[choice] == row[3])


STEPS = columns(
    ("step", "{step:,}"),
    ("means", lambda record: ", ".join(f"{mean:.2f}" for mean in record["means"])),
    ("counts", lambda record: ", ".join(f"{count:,}" for count in record["counts"])),
    ("next", "{next}"),
    ("next (2010)", given("published", "{0[3]}")),
    ("as published", lambda record: {True: "yes", False: "no", None: ""}[record["equal"]]),
    ("shares lose", "{loses:.2f}"),
)


def table(records: Sequence[Document]) -> str:
    """Means, counts and the next choice, with the loss of playing in proportion to the counts."""
    if not records:
        return STEPS(records)
    shares = ", ".join(f"{share:.4f}" for share in records[0]["equilibrium"])
    return f"{STEPS(records)}\n\nThe equilibrium of rock, paper, scissors: {shares}."


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw the shares of the counts over the steps, and the equilibrium."""
    with figure(path, (6, 3.5)) as panels:
        steps = [record["step"] for record in records]
        for number, action in enumerate(ACTIONS):
            shares = [record["counts"][number] / record["step"] for record in records]
            (line,) = panels[0].semilogx(steps, shares, label=action)
            panels[0].axhline(
                records[0]["equilibrium"][number], color=line.get_color(), linestyle=":"
            )
        panels[0].set_xlabel("steps of UCT; dotted: equilibrium")
        panels[0].set_ylabel("share of the choices")
        panels[0].legend(frameon=False)


STUDY = Study(
    name="shafiei-3-4",
    what="UCT in biased rock-paper-scissors does not come to the equilibrium",
    source=f"{SHAFIEI}, table 3.4",
    settings={"steps": 1_000_000, "constant": 40.0},
    quick={"steps": 10_000},
    cells=lambda _: [("trace",)],
    run=run,
    table=table,
    plot=plot,
)
