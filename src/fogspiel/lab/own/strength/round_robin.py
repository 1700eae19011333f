"""Every player against every other on many games, and `auto` among them.

What counts is the goal as a share of what the game pays, 0 to 100
(`search/evaluation/value_scale`), so that games can be put side by side. A player's score in a game
is the mean over its opponents, each as heavy; a role alone has none. Players that would fall back
on another one in a game are left out there. Clocks count processor time, so that all have the same
however much else the machine does. Each deal is played from every seat, so that luck is shared, and
every pair has deals of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.lab.own.strength.round_robin_table import table
from fogspiel.machine.protocol import Machine
from fogspiel.play.loop import roles_to_play
from fogspiel.play.series import Entrant, Series, play_series, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.search.evaluation.value_scale import value_scale

AUTO = "auto"
FIELDS: Mapping[str, Sequence[str]] = {
    "alone": (
        "random", "hyperplay", "sdpog", "norns", "norns-belief", "tiigr", "ismcts", "shodan", "oos",
        "bayes",
    ),
    "open": ("sm-uct", "sm-exp3", "sm-rm", "cfr", "sm-lp", "bayes"),
    "turns": ("uct", "sm-uct", "sm-rm", "cfr", "ismcts", "bayes"),
    "hidden": ("tiigr", "ismcts", "shodan", "oos", "bayes"),
}  # fmt: skip
"""Who takes part beside `auto`, by the kind of the game."""
SOLVERS = ("solved", "exploit:0.2")
FITTING: Mapping[str, Sequence[str]] = {
    "nim": ("parts",), "biased_rps": SOLVERS, "kuhn_poker": SOLVERS, "simple_poker": SOLVERS,
    "leduc_poker": SOLVERS,
}  # fmt: skip
"""Who takes part as well where the game falls apart, or can be solved on the clock: elsewhere these
would hand on to one of the others."""
KINDS: Mapping[str, str] = {
    "kuhn_poker": "hidden", "leduc_poker": "hidden", "liars_dice": "hidden", "meier": "hidden",
    "latent_tic_tac_toe": "hidden", "dark_hex_3": "hidden", "battleship_4": "hidden",
    "hidden_goofspiel_4": "hidden", "gops_4_10": "hidden", "simple_poker": "hidden",
    "biased_rps": "open", "goofspiel_5": "open", "simultaneous_tic_tac_toe": "open",
    "monty_hall": "alone", "exploding_bomb": "alone", "mastermind": "alone",
    "number_guessing_8": "alone",
    "tic_tac_toe": "turns", "nim": "turns", "connect_four": "turns",
}  # fmt: skip
LUCKY = (
    "kuhn_poker", "leduc_poker", "latent_tic_tac_toe", "dark_hex_3", "hidden_goofspiel_4",
    "gops_4_10", "simple_poker", "goofspiel_5", "simultaneous_tic_tac_toe", "connect_four",
)  # fmt: skip
"""Where much hangs on luck, on guessing right, or on a single slip: more matches are played."""
SHORT = ("liars_dice", "meier", "biased_rps", "monty_hall", "exploding_bomb")
"""Where it does, and a match takes few moves: still more."""


def parts(settings: Settings) -> list[str]:
    """One for each pair in each game; a player alone is a pair with itself."""
    names: list[str] = []
    for game in settings["games"]:
        field = [AUTO, *FIELDS[KINDS[game]], *FITTING.get(game, ())]
        if KINDS[game] == "alone":
            names += [f"{game} {player}" for player in field]
        else:
            names += [f"{game} {one} {other}" for one, other in combinations(field, 2)]
    return names


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: what each of the players got in every deal."""
    game, *players = part.split()
    shares = shares_by_deal(
        load(game).machine,
        players,
        matches=settings[_kind_of_matches(game)],
        seconds=settings["seconds"],
        seed=seed,
    )
    return [{"game": game, "kind": KINDS[game], "players": players, "shares": shares}]


def shares_by_deal(
    machine: Machine, players: Sequence[str], *, matches: int, seconds: float, seed: int
) -> list[list[float]]:
    """What each player got in each deal, from 0 to 100; all sit everywhere as often."""
    roles = len(roles_to_play(machine))
    found: list[list[float]] = [[] for _ in players]
    # With more roles than players, each is once the one that sits more often.
    lineups = [players] if roles == len(players) else [players, players[::-1]]
    for turn, lineup in enumerate(lineups):
        names = [lineup[seat % len(lineup)] for seat in range(roles)]
        entrants = [Entrant(name, partial(make_player, name)) for name in names]
        warm_up(machine, entrants)
        rounds = math.ceil(matches / roles / len(lineups))
        series = play_series(
            machine,
            entrants,
            games=roles * rounds,
            turn_budget=MatchClock(seconds=seconds, of_processor=True).turn,
            seed=_seed(seed, turn, players),
            swap=True,
            paired=True,
        )
        for own, name in zip(found, players, strict=True):
            own.extend(_of(machine, series, name))
    return [[round(share, 3) for share in own] for own in found]


def _kind_of_matches(game: str) -> str:
    """The setting that says how many matches a pair plays."""
    if game in SHORT:
        return "short_matches"
    return "lucky_matches" if game in LUCKY else "matches"


def _seed(seed: int, turn: int, players: Sequence[str]) -> int:
    named = crc32(" ".join(players).encode())
    return int(np.random.SeedSequence([seed, turn, named]).generate_state(1)[0])


def _of(machine: Machine, series: Series, name: str) -> list[float]:
    """The mean over the seats of a player, in each deal."""
    own: NDArray[np.bool_] = np.array([entrant == name for entrant in series.entrants])
    shares = 100.0 * value_scale(machine).values(series.goals)
    seats = own[series.seating]
    by_match = (shares * seats).sum(axis=1) / seats.sum(axis=1)
    means: list[float] = by_match.reshape(-1, shares.shape[1]).mean(axis=1).tolist()
    return means


STUDY = Study(
    name="round-robin",
    what="All against all",
    source="our own: whether `auto` chooses as well as the best of the players it chooses from",
    settings={
        "games": tuple(KINDS),
        "seconds": 0.5,
        "matches": 4,
        "lucky_matches": 8,
        "short_matches": 24,
    },
    quick={
        "games": ("kuhn_poker", "monty_hall"),
        "seconds": 0.02,
        "matches": 2,
        "lucky_matches": 2,
        "short_matches": 2,
    },
    parts=parts,
    run_part=run_part,
    table=table,
)
