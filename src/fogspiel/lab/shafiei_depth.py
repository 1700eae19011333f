"""Shafiei (2010), figures 5.2 to 5.5: CFR players that look ahead to different depths.

The figures have no numbers printed with them; the text says which depth did best. With a start
clock of 30 seconds that was 7 in nine rounds of rock-paper-scissors and 3 in Goofspiel; with 60 the
deeper players got better.
Departures: clocks are divided, see `shafiei_players`, by more in rock-paper-scissors, where less
time is enough to look as far ahead as is asked. In that game three depths play, the ones that the
text names and one step: his players begin it with the first move, since even play is an
equilibrium; ours begin evenly, so that depth has nothing to add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

from fogspiel.lab.drawing import draw
from fogspiel.lab.duels import duel
from fogspiel.lab.shafiei_players import CFR, clocks, shown_mean
from fogspiel.lab.sources import SHAFIEI
from fogspiel.lab.study import Document, Settings, Study
from fogspiel.lab.tables import markdown

PLAY_SECONDS = 10.0
FIGURES: Mapping[tuple[str, float], str] = {
    ("repeated_rps_9", 30.0): "figure 5.2, 9 round RPS",
    ("goofspiel_5", 30.0): "figure 5.3, 5 card Goofspiel",
    ("repeated_rps_9", 60.0): "figure 5.4, 9 round RPS",
    ("goofspiel_5", 60.0): "figure 5.5, 5 card Goofspiel",
}
SHORT: Mapping[str, str] = {"repeated_rps_9": "rps", "goofspiel_5": "goofspiel"}
"""Of the games, as settings name them: each has its depths and a divisor of clocks."""


def parts(settings: Settings) -> list[str]:
    """A part for each figure and pair of depths."""
    return [
        f"{game} {start:g} {shallow} {deep}"
        for game, start in FIGURES
        for shallow, deep in combinations(settings[f"{SHORT[game]}_depths"], 2)
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    game, start, shallow, deep = part.split()
    played = duel(
        game,
        [f"{CFR}:{shallow}", f"{CFR}:{deep}"],
        games=settings["matches"],
        # Draws of their own: with shared ones, the luck of one pair would be that of all.
        seed=seed + crc32(part.encode()),
        allowance=clocks(float(start), PLAY_SECONDS, settings[f"{SHORT[game]}_divisor"]),
        swap=True,
    )
    depths = [int(shallow), int(deep)]
    return [{**played, "depths": depths, "published_start_seconds": float(start)}]


def table(records: Sequence[Document]) -> str:
    """What the deeper player got."""
    head = ["figure (2010)", "start clock (2010)", "depth", "against depth", "points of the deeper"]
    rows = list[list[str]]()
    for record in records:
        shallow, deep = record["depths"]
        start = record["published_start_seconds"]
        row = [
            FIGURES[record["game"], start],
            f"{start:g} s",
            str(deep),
            str(shallow),
            shown_mean(record["totals"][1]),
        ]
        rows.append(row)
    return markdown(head, rows)


def plot(records: Sequence[Document], path: Path) -> None:
    """A panel for each figure, a line for each depth: points by the depth of the opponent."""
    keys = [(record["game"], record["published_start_seconds"]) for record in records]
    shown = [key for key in FIGURES if key in keys]

    def fill(panels: Sequence[Any]) -> None:
        for panel, key in zip(panels, shown, strict=True):
            own = [record for record, its in zip(records, keys, strict=True) if its == key]
            for depth in sorted({depth for record in own for depth in record["depths"]}):
                points = sorted(_points(own, depth))
                panel.errorbar(*zip(*points, strict=True), marker="o", markersize=3, capsize=2,
                               linewidth=1, label=f"depth {depth}")  # fmt: skip
            panel.axhline(50.0, color="black", linewidth=0.3)
            panel.set_title(FIGURES[key], loc="left")
            panel.set_xlabel(f"depth of the opponent (start clock {key[1]:g} s)")
            panel.legend(frameon=False, ncols=2)
        panels[0].set_ylabel("points")

    draw(path, (3.2 * len(shown), 3.0), len(shown), fill)


def _points(records: Sequence[Document], depth: int) -> list[tuple[int, float, float]]:
    """Depth of the opponent, mean, half of its interval."""
    points = []
    for record in records:
        if depth in record["depths"]:
            place = record["depths"].index(depth)
            tally = record["totals"][place]
            low, high = tally["ci95"] or (tally["mean_goal"],) * 2
            points.append((record["depths"][1 - place], tally["mean_goal"], (high - low) / 2))
    return points


STUDY = Study(
    name="shafiei-depth",
    title="CFR players of different depth",
    source=f"{SHAFIEI}, figures 5.2 to 5.5",
    settings={
        "rps_depths": (1, 7, 9),
        "goofspiel_depths": (1, 2, 3, 4, 5),
        "matches": 100,
        "rps_divisor": 500,
        "goofspiel_divisor": 300,
    },
    quick={"rps_depths": (), "goofspiel_depths": (1, 5), "matches": 2, "goofspiel_divisor": 1_000},
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
