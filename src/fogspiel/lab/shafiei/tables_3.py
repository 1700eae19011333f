"""Shafiei (2010), tables 3.2 and 3.4: UCT in Connect4, and in biased rock-paper-scissors.

- Table 3.2: exploration constants in Connect4. His player makes one simulation after the other.
  Ours can make many at once, and those that reach a new state together try all of its moves
  whatever the constant: that alone explores enough for C = 1. So simulations are made one by one
  here, and many together for comparison.
  Departures: both have a number of simulations a move instead of a clock, so that a run can be
  repeated. He does not tell how many his player made in 10 seconds; several numbers are tried.
- Table 3.4: UCT for both players of biased rock-paper-scissors, step by step. After all nine joint
  moves were tried once, both players add 40·sqrt(ln N / C) to the mean of an action that was chosen
  C times in N steps, and take the best; ties go to the first. The table lists means, counts and
  sums. The counts cycle and come to a third each, which is no equilibrium.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock, duel_side_by_side, play_pair
from fogspiel.lab.framework.presentation import (
    columns,
    figure,
    given,
    half_interval,
    markdown,
    shown_mean,
)
from fogspiel.lab.framework.study import SHAFIEI, Cell, Document, Settings, Study, grouped
from fogspiel.lab.shafiei.against_uct import UCT
from fogspiel.solve.matrix import solve_matrix
from fogspiel.tree.state_graph import build_state_graph

GAME = "connect_four"
TABLE_3_2: Mapping[tuple[int, int], tuple[float, float]] = {
    # (C of the first player, C of the second): their points
    (1, 40): (12.0, 88.0),
    (1, 100): (21.0, 79.0),
    (40, 1): (93.5, 6.5),
    (40, 100): (67.0, 33.0),
    (100, 1): (91.5, 8.5),
    (100, 40): (34.0, 66.0),
}
ONE_BY_ONE, TOGETHER = "alone", "together"


def cells(settings: Settings) -> list[Cell]:
    """All ordered pairs of different constants with each number of simulations."""
    return [
        (first, second, simulations, way)
        for way, numbers in ((ONE_BY_ONE, "simulations"), (TOGETHER, "simulations_together"))
        for simulations in settings[numbers]
        for first, second in permutations(settings["constants"], 2)
    ]


def run_constants(
    settings: Settings, seed: int, first: int, second: int, simulations: int, way: str
) -> Document:
    """Matches between two constants."""
    games, own_seed = settings["matches"], seed + 1_000 * first + second
    if way == ONE_BY_ONE:
        played = duel_side_by_side(
            GAME, (first, second), games=games, simulations=simulations, seed=own_seed
        )
    else:
        played = play_pair(
            GAME,
            [f"{UCT}:c={first}", f"{UCT}:c={second}"],
            games=games,
            seed=own_seed,
            allowance=MatchClock(simulations=simulations),
        )
    return {
        **played,
        "constants": [first, second],
        "one_by_one": way == ONE_BY_ONE,
        "published": TABLE_3_2.get((first, second)),
    }


def constants_table(records: Sequence[Document]) -> str:
    """The first player's points: a row for each pair of constants, a column for each number."""
    by_way = grouped(records, "one_by_one", "simulations")
    found = {
        (way, *record["constants"]): shown_mean(record["totals"][0])
        for way, own in by_way.items()
        for record in own
    }
    rows = [
        [
            *map(str, pair),
            f"{TABLE_3_2[pair][0]:g}" if pair in TABLE_3_2 else "",
            *(found.get((way, *pair), "") for way in by_way),
        ]
        for pair in dict.fromkeys(tuple(record["constants"]) for record in records)
    ]
    rows.append(["distance", "", "0", *(f"{_distance(own):.1f}" for own in by_way.values())])
    head = ["C of the first player", "C of the second", "first player (2010)"]
    named = [f"{number:,} {'one by one' if alone else 'together'}" for alone, number in by_way]
    return markdown([*head, *named], rows)


def _distance(records: Sequence[Document]) -> float:
    """The mean difference of our points from the published ones."""
    gaps: list[float] = [
        abs(record["totals"][0]["mean_goal"] - record["published"][0])
        for record in records
        if record["published"]
    ]
    return sum(gaps) / max(1, len(gaps))


def plot_constants(records: Sequence[Document], path: Path) -> None:
    """Draw a panel for each constant of the first player: points by number of simulations."""
    alone = [record for record in records if record["one_by_one"]]
    firsts = list(dict.fromkeys(record["constants"][0] for record in alone))
    numbers = sorted({record["simulations"] for record in alone})
    with figure(path, (3.0 * len(firsts), 3.0), len(firsts)) as panels:
        for panel, first in zip(panels, firsts, strict=True):
            own = [record for record in alone if record["constants"][0] == first]
            for second in dict.fromkeys(each["constants"][1] for each in own):
                color = f"C{firsts.index(second)}"
                points = [_point(each) for each in own if each["constants"][1] == second]
                panel.errorbar(*zip(*points, strict=True), marker="o", markersize=3, capsize=2,
                               linewidth=1, color=color, label=f"C = {second}")  # fmt: skip
                if (first, second) in TABLE_3_2:
                    theirs = TABLE_3_2[first, second][0]
                    panel.axhline(theirs, color=color, linewidth=0.8, linestyle="dashed")
            panel.set_xscale("log")
            panel.set_xticks(numbers, [f"{number:,}" for number in numbers])
            panel.minorticks_off()
            panel.set_ylim(0.0, 100.0)
            panel.set_title(f"first player with C = {first}", loc="left")
            panel.set_xlabel("simulations a move, one by one (dashed: 2010)")
            panel.legend(frameon=False, title="against")
        panels[0].set_ylabel("points of the first player")


def _point(record: Document) -> tuple[int, float, float]:
    """Simulations, mean, half of its interval."""
    tally = record["totals"][0]
    return record["simulations"], tally["mean_goal"], half_interval(tally)


CONSTANTS = Study(
    name="shafiei-3-2",
    what="Exploration constants in Connect Four",
    source=f"{SHAFIEI}, table 3.2",
    settings={
        "constants": (1, 40, 100),
        "matches": 100,
        "simulations": (25, 50, 100, 200, 500),
        "simulations_together": (5_000,),
    },
    quick={
        "constants": (1, 40),
        "matches": 2,
        "simulations": (20,),
        "simulations_together": (20,),
    },
    cells=cells,
    run=run_constants,
    table=constants_table,
    plot=plot_constants,
)


ACTIONS = ("rock", "paper", "scissors")
TABLE_3_4: Sequence[tuple[int, tuple[float, float, float], tuple[int, int, int], str]] = (
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


def run_trace(settings: Settings, seed: int, _: str) -> list[Document]:
    """Trace the steps of the table, and some later ones. Nothing is random here."""
    goals = matrix()
    solution = solve_matrix(goals)
    sums, counts = goals.sum(axis=1), np.full(3, 3)
    published = {row[0]: row for row in TABLE_3_4}
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


def trace_table(records: Sequence[Document]) -> str:
    """Means, counts and the next choice, with the loss of playing in proportion to the counts."""
    if not records:
        return STEPS(records)
    shares = ", ".join(f"{share:.4f}" for share in records[0]["equilibrium"])
    return f"{STEPS(records)}\n\nThe equilibrium of rock, paper, scissors: {shares}."


def plot_trace(records: Sequence[Document], path: Path) -> None:
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


TRACE = Study(
    name="shafiei-3-4",
    what="UCT in biased rock-paper-scissors does not come to the equilibrium",
    source=f"{SHAFIEI}, table 3.4",
    settings={"steps": 1_000_000, "constant": 40.0},
    quick={"steps": 10_000},
    cells=lambda _: [("trace",)],
    run=run_trace,
    table=trace_table,
    plot=plot_trace,
)
