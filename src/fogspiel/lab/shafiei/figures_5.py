"""Shafiei (2010), table 5.1 and figures 5.1 to 5.5: how fast CFR converges, how deep players look.

- Table 5.1 and figure 5.1: the speed at which plain CFR converges. His measure is the mean squared
  difference between the average behaviour so far and the one that the same run ends with (equation
  5.1); it ends when no probability changes by more than epsilon from one iteration to the next
  (5.3), here also after a number of iterations. Beside it we give exploitability, which he
  recommends and did not compute: how much the players could gain on average, in points of 100.
  Departure: behaviour is compared with the end at iterations on a logarithmic scale and, up to the
  bounds of the table, at every one. Seconds are processor time.
- Figures 5.2 to 5.5: CFR players that look ahead to different depths. The figures have no numbers
  printed with them; the text says which depth did best. With a start clock of 30 seconds that was 7
  in nine rounds of rock-paper-scissors and 3 in Goofspiel; with 60 the deeper players got better.
  In rock-paper-scissors regrets begin with the first move, as his do, since uniform random play is
  an equilibrium.
  Departures: clocks are divided, see `against_uct`, by more in rock-paper-scissors, by as much as
  leaves every player the time to look as far ahead as it is asked. The whole of that game takes 2.3
  thousandths of a second to find, and an iteration 0.03 of them, so that it gets a few hundred
  before play.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.matches import play_pair
from fogspiel.lab.framework.presentation import Filling, columns, figure, half_interval, mean
from fogspiel.lab.framework.study import (
    SHAFIEI,
    Cell,
    Document,
    Settings,
    Study,
    cell_seed,
    grouped,
)
from fogspiel.lab.shafiei.against_uct import CFR, PLAY_SECONDS, clocks
from fogspiel.players.protocol import Agent
from fogspiel.players.solving.entries import regrets_ahead
from fogspiel.players.solving.lookahead import LookaheadPlayer
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


TABLE_5_1: Mapping[str, Table51Row] = {
    "biased_rps": Table51Row("biased RPS", 10, 9, (17, 87), (0.0, 0.0)),
    "repeated_rps_9": Table51Row("9 round RPS", 220, 55, (45, 236), (0.0, 0.02), first_moves=True),
    "goofspiel_5": Table51Row("5 card Goofspiel", 2_936, 138, (1_114, 29_730), (1.16, 31.09)),
}
BOUNDS = (0.01, 0.001)
GROWTH = 1.25  #: Between two points of the curve, and two looks whether behaviour still changes


def run_convergence(settings: Settings, seed: int, game: str) -> Document:
    """The row of a game, with its curve. Nothing is random here."""
    row = TABLE_5_1[game]
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


def plot_convergence(records: Sequence[Document], path: Path) -> None:
    """Draw figure 5.1, and the same for exploitability."""
    with figure(path, (9, 3.5), 2) as panels:
        for panel, measure in zip(panels, ("error", "exploitability"), strict=True):
            for record in records:
                points = [point for point in record["curve"] if point[measure] > 0.0]
                panel.loglog(
                    [point["iteration"] for point in points],
                    [point[measure] for point in points],
                    label=TABLE_5_1[record["game"]].title,
                )
            panel.set_xlabel("iterations")
            panel.set_ylabel(measure)
            panel.grid(linewidth=0.3)
        panels[0].legend(frameon=False)


CONVERGENCE = Study(
    name="shafiei-5-1",
    what="Speed of convergence of plain CFR",
    source=f"{SHAFIEI}, table 5.1 and figure 5.1",
    settings={"games": tuple(TABLE_5_1), "epsilon": 1e-6, "iterations": 2_000_000},
    quick={"games": ("biased_rps", "repeated_rps_9"), "epsilon": 1e-4, "iterations": 5_000},
    cells=lambda settings: [(name,) for name in TABLE_5_1 if name in settings["games"]],
    run=run_convergence,
    table=columns(
        ("game", lambda record: TABLE_5_1[record["game"]].title),
        ("nodes (2010)", "{published_nodes:,}, {published_ends} ends"),
        ("nodes", "{nodes:,}, {ends} ends"),
        (f"to {BOUNDS[0]} (2010)", "{published_iterations[0]:,} in {published_seconds[0]:g} s"),
        (f"to {BOUNDS[0]}", _reached_in(0)),
        (f"to {BOUNDS[1]} (2010)", "{published_iterations[1]:,} in {published_seconds[1]:g} s"),
        (f"to {BOUNDS[1]}", _reached_in(1)),
        ("exploitability there", _exploitability_there),
        ("compared with that after", "{ended_after:,}"),
    ),
    plot=plot_convergence,
)


FIGURES: Mapping[tuple[str, float], str] = {
    ("repeated_rps_9", 30.0): "figure 5.2, 9 round RPS",
    ("goofspiel_5", 30.0): "figure 5.3, 5 card Goofspiel",
    ("repeated_rps_9", 60.0): "figure 5.4, 9 round RPS",
    ("goofspiel_5", 60.0): "figure 5.5, 5 card Goofspiel",
}
SHORT: Mapping[str, str] = {"repeated_rps_9": "rps", "goofspiel_5": "goofspiel"}
"""Names of the games in settings: each has its depths, matches and a divisor of clocks."""
FIRST_MOVES = ("repeated_rps_9",)
"""Games in which regrets begin with the first move, and not uniformly."""


def depth_cells(settings: Settings) -> list[Cell]:
    """All pairs of depths in each figure."""
    return [
        (game, start, shallow, deep)
        for game, start in FIGURES
        for shallow, deep in combinations(settings[f"{SHORT[game]}_depths"], 2)
    ]


def run_depths(
    settings: Settings, seed: int, game: str, start: float, shallow: int, deep: int
) -> Document:
    """Matches between two depths."""
    beginning = " from the first move" if game in FIRST_MOVES else ""
    played = play_pair(
        game,
        [f"{CFR}:{depth}{beginning}" for depth in (shallow, deep)],
        games=settings[f"{SHORT[game]}_matches"],
        seed=cell_seed(seed, game, start, shallow, deep),
        allowance=clocks(start, PLAY_SECONDS, settings[f"{SHORT[game]}_divisor"]),
        swap=True,
        makers={
            f"{CFR}:{depth} from the first move": partial(_from_first_moves, depth)
            for depth in (shallow, deep)
        },
    )
    return {**played, "depths": [shallow, deep], "published_start_seconds": start}


def _from_first_moves(depth: int) -> Agent:
    return LookaheadPlayer(regrets_ahead(depth, first_moves=True))


def plot_depths(records: Sequence[Document], path: Path) -> None:
    """Draw a panel for each figure, a line for each depth: points by the opponent's depth."""
    by_figure = grouped(records, "game", "published_start_seconds")
    shown = [key for key in FIGURES if key in by_figure]
    with figure(path, (3.2 * len(shown), 3.6), len(shown)) as panels:
        for panel, key in zip(panels, shown, strict=True):
            own = by_figure[key]
            depths = sorted({depth for record in own for depth in record["depths"]})
            for place, depth in enumerate(depths):
                others, means, halves = zip(*sorted(_points(own, depth)), strict=True)
                # A little to the side, so that intervals do not lie on each other.
                aside = 0.07 * (place - (len(depths) - 1) / 2)
                panel.errorbar([other + aside for other in others], means, halves, marker="o",
                               markersize=3, elinewidth=0.5, linewidth=1,
                               label=f"depth {depth}")  # fmt: skip
            panel.axhline(50.0, color="black", linewidth=0.3)
            panel.set_ylim(10.0, 90.0)
            panel.set_xticks(depths)
            panel.set_title(FIGURES[key], loc="left")
            panel.set_xlabel(f"depth of the opponent (start clock {key[1]:g} s)")
            panel.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))
        panels[0].set_ylabel("points")


def _points(records: Sequence[Document], depth: int) -> list[tuple[int, float, float]]:
    """Depth of the opponent, mean, half of its interval."""
    points = []
    for record in records:
        if depth in record["depths"]:
            place = record["depths"].index(depth)
            tally = record["totals"][place]
            points.append((record["depths"][1 - place], tally["mean_goal"], half_interval(tally)))
    return points


DEPTHS = Study(
    name="shafiei-depth",
    what="CFR players of different depth",
    source=f"{SHAFIEI}, figures 5.2 to 5.5",
    settings={
        "rps_depths": tuple(range(1, 10)),
        "goofspiel_depths": (1, 2, 3, 4, 5),
        "rps_matches": 100,
        "goofspiel_matches": 100,
        "rps_divisor": 1_000,
        "goofspiel_divisor": 300,
    },
    quick={
        "rps_depths": (1, 9),
        "goofspiel_depths": (1, 5),
        "rps_matches": 2,
        "goofspiel_matches": 2,
    },
    cells=depth_cells,
    run=run_depths,
    table=columns(
        (
            "figure (2010)",
            lambda record: FIGURES[record["game"], record["published_start_seconds"]],
        ),
        ("start clock (2010)", "{published_start_seconds:g} s"),
        ("depth", "{depths[1]}"),
        ("against depth", "{depths[0]}"),
        ("points of the deeper", mean("totals", 1)),
    ),
    plot=plot_depths,
)
