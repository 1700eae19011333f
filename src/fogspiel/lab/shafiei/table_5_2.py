"""Shafiei (2010), table 5.2: CFR against UCT where moves are made at once.

His CFR player had all states of each game.
Departures: clocks are divided, see `shafiei_players`, so that ours just finds all states before
play too. Beside it stands the player by matrix games, which he names as future work, in Goofspiel
with five cards and with some goals to risk for what UCT gives away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import play_pair
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.common import UCT, WHOLE_CFR, clocks, shown_mean


class Table52Row(NamedTuple):
    """A row of the published table."""

    title: str
    start_seconds: float
    points: float
    """Of CFR; UCT has the rest of 100."""


PLAY_SECONDS = 10.0
MAIN = "goofspiel_5"
"""Where his CFR player did best, and others are tried."""
PUBLISHED: Mapping[str, Table52Row] = {
    "repeated_rps_9": Table52Row("9 round RPS", 30.0, 52.0),
    "simultaneous_breakthrough": Table52Row("simultaneous breakthrough (3x5)", 30.0, 48.25),
    "simultaneous_tic_tac_toe": Table52Row("simultaneous tic-tac-toe", 30.0, 50.0),
    "goofspiel_5": Table52Row("Goofspiel (5 cards)", 30.0, 55.0),
    "goofspiel_7": Table52Row("Goofspiel (7 cards)", 60.0, 53.25),
}


def parts(settings: Settings) -> list[str]:
    """A part for each game, and one for each player beside CFR."""
    games = [game for game in PUBLISHED if game in settings["games"]]
    return [f"{game} {WHOLE_CFR}" for game in games] + [
        f"{MAIN} {own}" for own in settings["beside"]
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    game, player = part.split()
    row = PUBLISHED[game]
    played = play_pair(
        game,
        [player, UCT],
        games=settings["matches" if player == WHOLE_CFR else "matches_beside"],
        seed=seed,
        allowance=clocks(row.start_seconds, PLAY_SECONDS, settings["divisor"]),
        swap=True,
    )
    return [{**played, "player": player, "published": row.points if player == WHOLE_CFR else None}]


def table(records: Sequence[Document]) -> str:
    """Points of the player that does not search by UCT."""
    head = ["game", "player", "against UCT (2010)", "against UCT", "wins, draws, losses"]
    rows = list[list[str]]()
    for record in records:
        own = record["totals"][0]
        row = [
            PUBLISHED[record["game"]].title,
            f"`{record['player']}`",
            "" if record["published"] is None else f"{record['published']:g}",
            shown_mean(own),
            f"{own['wins']}, {own['draws']}, {own['losses']}",
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
    name="shafiei-5-2",
    what="CFR against UCT in games with simultaneous moves",
    source=f"{SHAFIEI}, table 5.2",
    settings={
        "games": tuple(PUBLISHED),
        "beside": ("sm-lp:safe=5",),
        "matches": 200,
        "matches_beside": 400,
        "divisor": 70,
    },
    quick={
        "games": ("goofspiel_5",),
        "matches": 2,
        "matches_beside": 2,
        "divisor": 500,
    },
    parts=parts,
    run_part=run_part,
    table=table,
)
