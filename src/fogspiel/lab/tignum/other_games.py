"""The value of schemes outside bridge: tignum with a methods file, without one, and others.

`tignum` plays by the methods that come with the game, `bare` by the same planner with every legal
move as a method, and all have the same number of simulations for a move. Both sit in either seat
as often. So what `tignum` gets more than `bare` from the same opponent is the gain by the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import markdown, shown_mean
from fogspiel.lab.framework.study import Cell, Document, Settings, Study, grouped
from fogspiel.plan.games.planning import ANY_MOVE
from fogspiel.players.planning.tignum import TignumPlayer
from fogspiel.players.protocol import Agent

BARE = "bare"


def _bare() -> Agent:
    return TignumPlayer(network=ANY_MOVE)


MAKERS: Mapping[str, Callable[[], Agent]] = {BARE: _bare}


def cells(settings: Settings) -> list[Cell]:
    """Both players against all others, in each game with each number of simulations."""
    return [
        (game, simulations, player, opponent)
        for game in settings["games"]
        for simulations in settings["simulations"]
        for opponent in settings["opponents"]
        for player in settings["players"]
        if player != opponent
    ]


def run(
    settings: Settings, seed: int, game: str, simulations: int, player: str, opponent: str
) -> Document:
    """Matches of a player against an opponent, in both seats together."""
    played = play_pair(
        game,
        [player, opponent],
        games=2 * settings["matches"],
        seed=seed,
        allowance=MatchClock(simulations=simulations),
        swap=True,
        makers=MAKERS,
    )
    return {
        "game": game,
        "simulations": simulations,
        "player": player,
        "opponent": opponent,
        "total": played["totals"][0],
    }


def table(records: Sequence[Document]) -> str:
    """A row for each opponent and budget, a column for each player."""
    players = list(grouped(records, "player"))
    rows = []
    for key, own in grouped(records, "game", "simulations", "opponent").items():
        totals = {record["player"]: record["total"] for record in own}
        games = max(total["games"] for total in totals.values())
        means = [shown_mean(totals[name]) if name in totals else "" for name in players]
        rows.append([key[0], f"{key[1]:,}", key[2], str(games), *means])
    return markdown(["game", "simulations", "against", "games", *players], rows)


STUDY = Study(
    name="tignum-games",
    what="Schemes beside search",
    source="our own, after S. J. J. Smith and D. S. Nau (1993), for a game other than bridge",
    settings={
        "games": ("battleship_4",),
        "players": ("tignum", BARE),
        "opponents": (BARE, "ismcts", "auto", "random"),
        "simulations": (200, 1_000),
        "matches": 100,
    },
    quick={"opponents": (BARE, "random"), "simulations": (64,), "matches": 1},
    cells=cells,
    run=run,
    table=table,
)
