"""Shafiei (2010), figures 5.2 to 5.5: CFR players that look ahead to different depths.

The figures have no numbers printed with them; the text says which depth did best. With a start
clock of 30 seconds that was 7 in nine rounds of rock-paper-scissors and 3 in Goofspiel; with 60 the
deeper players got better. In rock-paper-scissors regrets begin with the first move, as his do,
since uniform random play is an equilibrium.
Departures: clocks are divided, see `against_uct`, by more in rock-paper-scissors, by as much as
leaves every player the time to look as far ahead as it is asked. The whole of that game takes 2.3
thousandths of a second to find, and an iteration 0.03 of them, so that it gets a few hundred before
play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

from fogspiel.lab.framework.matches import play_pair
from fogspiel.lab.framework.presentation import columns, figure, half_interval, mean
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


def cells(settings: Settings) -> list[Cell]:
    """All pairs of depths in each figure."""
    return [
        (game, start, shallow, deep)
        for game, start in FIGURES
        for shallow, deep in combinations(settings[f"{SHORT[game]}_depths"], 2)
    ]


def run(
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


def plot(records: Sequence[Document], path: Path) -> None:
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


STUDY = Study(
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
    cells=cells,
    run=run,
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
    plot=plot,
)
