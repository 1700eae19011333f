"""Shafiei (2010), table 3.2: how much UCT should explore in Connect4.

His player makes one simulation after the other. Ours makes many at once if it is let, and those
that come upon a new state together try its moves evenly, whatever the constant: that alone explores
enough for C = 1. So simulations are made one by one here, and many together for comparison.
Departures: so many simulations a move for both instead of a clock, so that a run can be repeated.
He does not tell how many his player made in 10 seconds; several numbers are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fogspiel.lab.framework.figures import draw
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import MatchClock, duel_side_by_side, play_pair
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.common import UCT, shown_mean

GAME = "connect_four"
PUBLISHED: Mapping[tuple[int, int], tuple[float, float]] = {
    # (C of the first player, C of the second): their points
    (1, 40): (12.0, 88.0),
    (1, 100): (21.0, 79.0),
    (40, 1): (93.5, 6.5),
    (40, 100): (67.0, 33.0),
    (100, 1): (91.5, 8.5),
    (100, 40): (34.0, 66.0),
}
ALONE, TOGETHER = "alone", "together"
"""Simulations one by one, or many at once."""


def parts(settings: Settings) -> list[str]:
    """A part for each ordered pair of different constants and number of simulations."""
    constants = settings["constants"]
    return [
        f"{first} {second} {simulations} {way}"
        for way, numbers in ((ALONE, "simulations"), (TOGETHER, "simulations_together"))
        for simulations in settings[numbers]
        for first in constants
        for second in constants
        if first != second
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    first, second, simulations = map(int, part.split()[:3])
    is_alone = part.endswith(ALONE)
    games, own_seed = settings["matches"], seed + 1_000 * first + second
    if is_alone:
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
    published = PUBLISHED.get((first, second))
    return [
        {**played, "constants": [first, second], "one_by_one": is_alone, "published": published}
    ]


def table(records: Sequence[Document]) -> str:
    """The first player's points: a row for each pair of constants, a column for each number."""
    ways = _ways(records)
    cells = {(_way(record), tuple(record["constants"])): record for record in records}
    rows = list[list[str]]()
    for pair in dict.fromkeys(tuple(record["constants"]) for record in records):
        theirs = PUBLISHED.get(pair)
        found = [cells.get((way, pair)) for way in ways]
        rows.append(
            [
                *map(str, pair),
                f"{theirs[0]:g}" if theirs else "",
                *("" if own is None else shown_mean(own["totals"][0]) for own in found),
            ]
        )
    distances = [_distance(records, way) for way in ways]
    rows.append(["distance", "", "0", *(f"{own:.1f}" for own in distances)])
    head = ["C of the first player", "C of the second", "first player (2010)"]
    named = [f"{number:,} {'one by one' if alone else 'together'}" for alone, number in ways]
    return markdown([*head, *named], rows)


def plot(records: Sequence[Document], path: Path) -> None:
    """A panel for each constant of the first player: points by the number of simulations."""
    alone = [record for record in records if record["one_by_one"]]
    firsts = list(dict.fromkeys(record["constants"][0] for record in alone))
    numbers = sorted({record["simulations"] for record in alone})

    def fill(panels: Sequence[Any]) -> None:
        for panel, first in zip(panels, firsts, strict=True):
            own = [record for record in alone if record["constants"][0] == first]
            for second in dict.fromkeys(each["constants"][1] for each in own):
                color = f"C{firsts.index(second)}"
                points = [_point(each) for each in own if each["constants"][1] == second]
                panel.errorbar(*zip(*points, strict=True), marker="o", markersize=3, capsize=2,
                               linewidth=1, color=color, label=f"C = {second}")  # fmt: skip
                if (first, second) in PUBLISHED:
                    theirs = PUBLISHED[first, second][0]
                    panel.axhline(theirs, color=color, linewidth=0.8, linestyle="dashed")
            panel.set_xscale("log")
            panel.set_xticks(numbers, [f"{number:,}" for number in numbers])
            panel.minorticks_off()
            panel.set_ylim(0.0, 100.0)
            panel.set_title(f"first player with C = {first}", loc="left")
            panel.set_xlabel("simulations a move, one by one (dashed: 2010)")
            panel.legend(frameon=False, title="against")
        panels[0].set_ylabel("points of the first player")

    draw(path, (3.0 * len(firsts), 3.0), len(firsts), fill)


def _way(record: Document) -> tuple[bool, int]:
    return record["one_by_one"], record["simulations"]


def _ways(records: Sequence[Document]) -> list[tuple[bool, int]]:
    """Columns, in the order of the records."""
    return list(dict.fromkeys(map(_way, records)))


def _distance(records: Sequence[Document], way: tuple[bool, int]) -> float:
    """By how much points differ from the published ones, on average over the cells."""
    gaps: list[float] = [
        abs(record["totals"][0]["mean_goal"] - record["published"][0])
        for record in records
        if _way(record) == way and record["published"]
    ]
    return sum(gaps) / max(1, len(gaps))


def _point(record: Document) -> tuple[int, float, float]:
    """Simulations, mean, half of its interval."""
    tally = record["totals"][0]
    low, high = tally["ci95"] or (tally["mean_goal"],) * 2
    return record["simulations"], tally["mean_goal"], (high - low) / 2


STUDY = Study(
    name="shafiei-3-2",
    what="How much to explore in Connect4",
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
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
