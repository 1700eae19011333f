"""Shafiei (2010), table 5.4: three players of `smallest`, some by CFR and some by UCT.

His start clock of 3.5 minutes was just enough for CFR to build all states; with 10 minutes it had
time for iterations too.
Departures: clocks are divided, see `shafiei_players`, and then too short for all states: `cfr`
looks some steps ahead in every turn. He tells no number of games, and seats are as listed; ours
move on after every game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogspiel.lab.duels import duel
from fogspiel.lab.shafiei_players import CFR, UCT, clocks, shown_mean
from fogspiel.lab.sources import SHAFIEI
from fogspiel.lab.study import Document, Settings, Study
from fogspiel.lab.tables import markdown

GAME = "smallest"
PLAY_SECONDS = 10.0
TRUSTING = f"{CFR}:trust=1"
"""Answers habits of its opponents; ours."""
SEATINGS: Mapping[str, tuple[str, ...]] = {
    "CFR - UCT - UCT": (CFR, UCT, UCT),
    "UCT - CFR - CFR": (UCT, CFR, CFR),
    "trusting CFR - UCT - UCT": (TRUSTING, UCT, UCT),
}
PUBLISHED: Mapping[tuple[str, float], tuple[float, ...]] = {
    ("CFR - UCT - UCT", 210.0): (81.5, 50.1, 51.7),
    ("CFR - UCT - UCT", 600.0): (79.9, 46.6, 50.1),
    ("UCT - CFR - CFR", 210.0): (72.1, 68.3, 72.7),
    ("UCT - CFR - CFR", 600.0): (50.0, 79.8, 70.6),
}


def parts(settings: Settings) -> list[str]:
    """A part for each seating and start clock."""
    return [f"{seating}: {start:g}" for seating in SEATINGS for start in settings["start_clocks"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    seating, start = part.split(": ")
    played = duel(
        GAME,
        SEATINGS[seating],
        games=settings["matches"],
        seed=seed,
        allowance=clocks(float(start), PLAY_SECONDS, settings["divisor"]),
        swap=True,
    )
    return [
        {
            **played,
            "seating": seating,
            "published_start_seconds": float(start),
            "published": PUBLISHED.get((seating, float(start))),
        }
    ]


def table(records: Sequence[Document]) -> str:
    """Points of each of the three, as they are listed."""
    head = ["players", "start clock (2010)", "points (2010)", "player 1", "player 2", "player 3"]
    rows = list[list[str]]()
    for record in records:
        row = [
            record["seating"],
            f"{record['published_start_seconds'] / 60:g} min",
            ", ".join(f"{points:g}" for points in record["published"] or ()),
            *map(shown_mean, record["totals"]),
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
    name="shafiei-5-4",
    title="CFR against UCT with three players",
    source=f"{SHAFIEI}, table 5.4",
    settings={"start_clocks": (210.0, 600.0), "matches": 24, "divisor": 1_000},
    quick={"start_clocks": (210.0,), "matches": 3, "divisor": 10_000},
    parts=parts,
    run_part=run_part,
    table=table,
)
