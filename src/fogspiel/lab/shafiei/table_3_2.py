"""Shafiei (2010), table 3.2: exploration constants of UCT in Connect4.

His player makes one simulation after the other. Ours can make many at once, and those that reach a
new state together try all of its moves whatever the constant: that alone explores enough for C = 1.
So simulations are made one by one here, and many together for comparison.
Departures: both have a number of simulations a move instead of a clock, so that a run can be
repeated. He does not tell how many his player made in 10 seconds; several numbers are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path

from fogspiel.lab.framework.matches import MatchClock, duel_side_by_side, play_pair
from fogspiel.lab.framework.presentation import figure, half_interval, markdown, shown_mean
from fogspiel.lab.framework.study import SHAFIEI, Cell, Document, Settings, Study, grouped
from fogspiel.lab.shafiei.against_uct import UCT

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
ONE_BY_ONE, TOGETHER = "alone", "together"


def cells(settings: Settings) -> list[Cell]:
    """All ordered pairs of different constants with each number of simulations."""
    return [
        (first, second, simulations, way)
        for way, numbers in ((ONE_BY_ONE, "simulations"), (TOGETHER, "simulations_together"))
        for simulations in settings[numbers]
        for first, second in permutations(settings["constants"], 2)
    ]


def run(
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
        "published": PUBLISHED.get((first, second)),
    }


def table(records: Sequence[Document]) -> str:
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
            f"{PUBLISHED[pair][0]:g}" if pair in PUBLISHED else "",
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


def plot(records: Sequence[Document], path: Path) -> None:
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


def _point(record: Document) -> tuple[int, float, float]:
    """Simulations, mean, half of its interval."""
    tally = record["totals"][0]
    return record["simulations"], tally["mean_goal"], half_interval(tally)


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
    cells=cells,
    run=run,
    table=table,
    plot=plot,
)
