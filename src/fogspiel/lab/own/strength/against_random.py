"""Players against random play and TIIGR in the games in which Shodan was measured.

In latent tic-tac-toe and Meier the exact best answers to random play are known
(`solve/response/belief_mdp`). Against TIIGR both have the same budget, and both seats count
together. Settings name the players that are measured in each game; `matches` are for each seat.

Departure: clocks are numbers of simulations, so that a run can be repeated to the byte; on a quiet
core `ismcts` makes about 100,000 of them a second in latent tic-tac-toe.
"""

from __future__ import annotations

from collections.abc import Mapping

from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import columns, given, mean
from fogspiel.lab.framework.study import Cell, Document, Settings, Study

SEATS: Mapping[str, tuple[str, str]] = {
    "latent_tic_tac_toe": ("x", "o"),
    "meier": ("first", "second"),
}
BEST: Mapping[str, tuple[float, float]] = {
    # Exact best answers to random play, by seat: tests/solve/test_best_answer.py.
    "latent_tic_tac_toe": (97.65625, 81.21693),
    "meier": (98.04486, 95.27932),
}
SHODAN: Mapping[tuple[str, str], tuple[float, float]] = {
    # Cerny (2014), tables 6.2 to 6.5: means over four clocks, by seat.
    ("latent_tic_tac_toe", "random"): (85.83, 75.00),
    ("meier", "random"): (90.83, 88.33),
    ("latent_tic_tac_toe", "tiigr"): (72.50, 22.50),
    ("meier", "tiigr"): (93.33, 16.66),
}


def cells(settings: Settings) -> list[Cell]:
    """The players of each game against each opponent."""
    return [
        (game, player, opponent)
        for game in SEATS
        for player in settings[game]
        for opponent in settings["opponents"]
    ]


def run(settings: Settings, seed: int, game: str, player: str, opponent: str) -> Document:
    """Matches of a player in each seat, and in both together."""
    played = play_pair(
        game,
        [player, opponent],
        games=2 * settings["matches"],
        seed=seed,
        allowance=MatchClock(simulations=settings["simulations"]),
        swap=True,
    )
    own = {result["role"]: result for result in played["results"] if result["entry"] == 0}
    return {
        "game": game,
        "player": player,
        "opponent": opponent,
        "simulations": settings["simulations"],
        "seats": [own[role] for role in SEATS[game]],
        "total": played["totals"][0],
        "best": BEST[game] if opponent == "random" else None,
        "shodan_2014": SHODAN[game, opponent],
    }


STUDY = Study(
    name="against-random",
    what="Against random play and TIIGR",
    source="our own, beside J. Cerny (2014), tables 6.2 to 6.5 and 7.1",
    settings={
        "latent_tic_tac_toe": ("auto", "answer"),
        "meier": ("auto", "answer", "bayes"),
        "opponents": ("random", "tiigr"),
        "simulations": 20_000,
        "matches": 100,
    },
    quick={
        "latent_tic_tac_toe": ("answer",),
        "meier": ("answer",),
        "simulations": 100,
        "matches": 2,
    },
    cells=cells,
    run=run,
    table=columns(
        ("game", "{game}"),
        ("player", "{player}"),
        ("against", "{opponent}"),
        ("games", "{total[games]}"),
        ("first seat", mean("seats", 0)),
        ("second seat", mean("seats", 1)),
        ("both", mean("total")),
        ("Shodan (2014)", "{shodan_2014[0]:.1f}, {shodan_2014[1]:.1f}"),
        ("at best", given("best", "{0[0]:.2f}, {0[1]:.2f}")),
    ),
)
