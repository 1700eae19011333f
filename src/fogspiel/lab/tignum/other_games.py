"""What schemes are worth outside bridge: tignum with a methods file, without one, and others.

`tignum` plays by the methods that come with the game, `bare` by the same planner with every legal
move as a method, and all have the same number of simulations for a move. Both sit in either seat
as often. So what `tignum` gets more than `bare` from the same opponent is the gain by the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fogspiel.lab.framework.markdown import markdown, with_interval
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.plan.games.planning import ANY_MOVE
from fogspiel.players.planning.tignum import TignumPlayer
from fogspiel.players.protocol import Agent

BARE = "bare"


def _bare() -> Agent:
    return TignumPlayer(network=ANY_MOVE)


MAKERS: Mapping[str, Callable[[], Agent]] = {BARE: _bare}


def parts(settings: Settings) -> list[str]:
    """A game, a number of simulations, a player and an opponent each."""
    return [
        f"{game} {simulations} {player} {opponent}"
        for game in settings["games"]
        for simulations in settings["simulations"]
        for opponent in settings["opponents"]
        for player in settings["players"]
        if player != opponent
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: the player against the opponent, in both seats together."""
    game, simulations, player, opponent = part.split()
    played = play_pair(
        game,
        [player, opponent],
        games=2 * settings["matches"],
        seed=seed,
        allowance=MatchClock(simulations=int(simulations)),
        swap=True,
        makers=MAKERS,
    )
    (total,) = [result for result in played["totals"] if result["entry"] == 0]
    return [
        {
            "game": game,
            "simulations": int(simulations),
            "player": player,
            "opponent": opponent,
            "total": total,
        }
    ]


def table(records: Sequence[Document]) -> str:
    """A row for each opponent and budget, a column for each player, and what the methods gain."""
    cells = {(r["game"], r["simulations"], r["opponent"], r["player"]): r["total"] for r in records}
    players = list(dict.fromkeys(record["player"] for record in records))
    rows = list[list[str]]()
    for key in dict.fromkeys(key[:3] for key in cells):
        own = [cells.get((*key, player)) for player in players]
        games = max(total["games"] for total in own if total is not None)
        row = [key[0], f"{key[1]:,}", key[2], str(games)]
        rows.append(row + [_mean(total) for total in own])
    return markdown(["game", "simulations", "against", "games", *players], rows)


def _mean(total: Document | None) -> str:
    return "" if total is None else with_interval(total["mean_goal"], total["ci95"], 1)


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
    parts=parts,
    run_part=run_part,
    table=table,
)
