"""Shafiei (2010), table 3.2: how much UCT should explore in Connect4.

Departures: as many simulations a move for both instead of a clock, so that a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogspiel.lab.duels import Allowance, duel
from fogspiel.lab.shafiei_players import UCT, shown_mean
from fogspiel.lab.sources import SHAFIEI
from fogspiel.lab.study import Document, Settings, Study
from fogspiel.lab.tables import markdown

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


def parts(settings: Settings) -> list[str]:
    """A part for each ordered pair of different constants."""
    constants = settings["constants"]
    return [f"{first} {second}" for first in constants for second in constants if first != second]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    first, second = map(int, part.split())
    played = duel(
        GAME,
        [f"{UCT}:c={first}", f"{UCT}:c={second}"],
        games=settings["matches"],
        seed=seed + 1_000 * first + second,
        allowance=Allowance(simulations=settings["simulations"]),
    )
    published = PUBLISHED.get((first, second))
    return [{**played, "constants": [first, second], "published": published}]


def table(records: Sequence[Document]) -> str:
    """The first player's points, by both constants."""
    head = ["C of the first player", "C of the second", "first player (2010)", "first player",
            "wins, draws, losses"]  # fmt: skip
    rows = list[list[str]]()
    for record in records:
        first, second = record["constants"]
        own = record["totals"][0]
        theirs = record["published"]
        row = [
            str(first),
            str(second),
            f"{theirs[0]:g}" if theirs else "",
            shown_mean(own),
            f"{own['wins']}, {own['draws']}, {own['losses']}",
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
    name="shafiei-3-2",
    title="How much to explore in Connect4",
    source=f"{SHAFIEI}, table 3.2",
    settings={"constants": (1, 40, 100), "matches": 100, "simulations": 5_000},
    quick={"constants": (1, 40), "matches": 2, "simulations": 20},
    parts=parts,
    run_part=run_part,
    table=table,
)
