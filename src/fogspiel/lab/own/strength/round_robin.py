"""Every player against every other on many games, and `auto` among them.

What counts is the goal as a share of what the game pays, 0 to 100
(`search/evaluation/value_scale`), so that games can be put side by side. A player's score in a game
is the mean over its opponents, each as heavy; a role alone has none. Players that would fall back
on another one in a game are left out there. Clocks count processor time, so that all have the same
however much else the machine does. Each deal is played from every seat, so that luck is shared, and
every pair has deals of its own.

Intervals are Student's t: a pair plays few deals in some games. Variances of different pairs are
added up, with degrees of freedom after Welch and Satterthwaite (1946). Two players' difference
counts their own match for both: what one wins there the other loses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.values import student_half
from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock
from fogspiel.lab.framework.study import Cell, Document, Settings, Study, grouped
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.series import Entrant, Series, play_series, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.search.evaluation.value_scale import value_scale

AUTO = "auto"
FEWEST_DEALS = 6
"""All of them one way is surely no chance: half to the fifth is the first power below 5 %."""
FIELDS: Mapping[str, Sequence[str]] = {
    "alone": (
        "random", "hyperplay", "sdpog", "norns", "norns-belief", "tiigr", "ismcts", "shodan", "oos",
        "bayes",
    ),
    "open": ("sm-uct", "sm-exp3", "sm-rm", "cfr", "sm-lp", "bayes"),
    "turns": ("uct", "sm-uct", "sm-rm", "cfr", "ismcts", "bayes"),
    "hidden": ("tiigr", "ismcts", "shodan", "oos", "bayes"),
}  # fmt: skip
"""Players beside `auto`, by the kind of the game."""
SOLVERS = ("solved", "exploit:0.2")
FITTING: Mapping[str, Sequence[str]] = {
    "nim": ("parts",), "biased_rps": SOLVERS, "kuhn_poker": SOLVERS, "simple_poker": SOLVERS,
    "leduc_poker": SOLVERS,
}  # fmt: skip
"""More players where the game falls apart, or can be solved on the clock: elsewhere these would
hand on to one of the others."""
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
"""Games of luck, of guessing, or of single slips: more matches are played."""
SHORT = ("liars_dice", "meier", "biased_rps", "monty_hall", "exploding_bomb")
"""Such games of few moves: still more matches."""


def cells(settings: Settings) -> list[Cell]:
    """All pairs of players in each game; a player alone is a pair with itself."""
    found: list[Cell] = []
    for game in settings["games"]:
        field = [AUTO, *FIELDS[KINDS[game]], *FITTING.get(game, ())]
        if KINDS[game] == "alone":
            found += [(game, player) for player in field]
        else:
            found += [(game, *pair) for pair in combinations(field, 2)]
    return found


def run(settings: Settings, seed: int, game: str, *players: str) -> Document:
    """What each of the players got in every deal."""
    if game in SHORT:
        count = settings["short_matches"]
    else:
        count = settings["lucky_matches" if game in LUCKY else "matches"]
    shares = shares_by_deal(
        load(game).machine, players, matches=count, seconds=settings["seconds"], seed=seed
    )
    return {"game": game, "kind": KINDS[game], "players": list(players), "shares": shares}


def shares_by_deal(
    machine: Machine, players: Sequence[str], *, matches: int, seconds: float, seed: int
) -> list[list[float]]:
    """The points of each player in each deal, from 0 to 100; all sit everywhere as often."""
    roles = len(player_roles(machine))
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its variance."""

    mean: float
    parts: tuple[tuple[float, int], ...] = ()
    """Variance and degrees of freedom of each summand: one for each pair of players."""

    def half(self, comparisons: int = 1) -> float:
        """Half an interval of 95 %, with Bonferroni's correction for the number of comparisons."""
        variance = sum(own for own, _ in self.parts)
        if variance == 0.0:
            return 0.0
        freedom = variance**2 / sum(own**2 / degrees for own, degrees in self.parts)
        return student_half(math.sqrt(variance), freedom, comparisons=comparisons)

    def __str__(self) -> str:
        """Mean and half an interval."""
        return f"{self}"

    def __format__(self, sign: str) -> str:
        """Mean and half an interval; `+` shows the sign of a positive mean."""
        return f"{self.mean:{sign}.1f} ± {self.half():.1f}"


def scores(records: Sequence[Document], game: str) -> dict[str, Estimate]:
    """The mean of every player of a game over its opponents, the best first."""
    own = [record for record in records if record["game"] == game]
    players = dict.fromkeys(player for record in own for player in record["players"])
    found = {player: combined(own, {player: 1.0}) for player in players}
    return dict(sorted(found.items(), key=lambda entry: -entry[1].mean))


def combined(records: Sequence[Document], weights: Mapping[str, float]) -> Estimate:
    """The weighted sum of the scores of players of one game."""
    pairs = {player: sum(player in record["players"] for record in records) for player in weights}
    mean, parts = 0.0, list[tuple[float, int]]()
    for record in records:
        deals = np.zeros(len(record["shares"][0]))
        for player, own in zip(record["players"], record["shares"], strict=True):
            if player in weights:
                deals += weights[player] / pairs[player] * np.array(own)
        mean += float(deals.mean())
        if len(deals) > 1:
            parts.append((float(deals.var(ddof=1)) / len(deals), len(deals) - 1))
    return Estimate(mean, tuple(parts))


def table(records: Sequence[Document]) -> str:
    """`auto` beside the best other player of each game, then the means over games."""
    by_game = grouped(records, "game")
    games = {game: own for game, own in by_game.items() if _has_auto_and_others(own)}
    return "\n".join([*_games(games), "", *_players(games)])


def _has_auto_and_others(records: Sequence[Document]) -> bool:
    players = {player for record in records for player in record["players"]}
    return AUTO in players and len(players) > 1


def _games(by_game: Mapping[str, Sequence[Document]]) -> list[str]:
    lines = [
        "| game | auto | best other | | difference | all others |",
        "|---|---|---|---|---|---|",
    ]
    for game, records in by_game.items():
        found = scores(records, game)
        auto = found.pop(AUTO)
        best, *rest = found
        gap = _gap(records, best)
        shown = f"{gap.mean:+.1f} ± {gap.half(len(found)):.1f} {verdict(gap, len(found))}"
        others = ", ".join(f"{player} {found[player].mean:.1f}" for player in rest)
        lines.append(f"| {game} | {auto} | {best} | {found[best]} | {shown.strip()} | {others} |")
    return lines


def _players(by_game: Mapping[str, Sequence[Document]]) -> list[str]:
    """Each player over its games, and `auto` over the same ones."""
    players = sorted({p for own in by_game.values() for record in own for p in record["players"]})
    lines = ["| player | games | its mean | auto there | difference |", "|---|---|---|---|---|"]
    for player in players:
        if player == AUTO:
            continue
        own = [
            records
            for records in by_game.values()
            if any(player in record["players"] for record in records)
        ]
        mean = np.mean([combined(records, {player: 1.0}).mean for records in own])
        auto = np.mean([combined(records, {AUTO: 1.0}).mean for records in own])
        gap = mean_of([_gap(records, player) for records in own])
        lines.append(f"| {player} | {len(own)} | {mean:.1f} | {auto:.1f} | {gap:+} |")
    return lines


def _gap(records: Sequence[Document], player: str) -> Estimate:
    """The difference between `auto` and another player."""
    return combined(records, {AUTO: 1.0, player: -1.0})


def verdict(gap: Estimate, comparisons: int) -> str:
    """The word for a significant difference, with so many comparisons; empty for any other."""
    # Few deals that end alike show no variance, which does not mean that there is none.
    hides_some = any(own == 0.0 and degrees + 1 < FEWEST_DEALS for own, degrees in gap.parts)
    if hides_some or abs(gap.mean) <= gap.half(comparisons):
        return ""
    return "better" if gap.mean > 0.0 else "worse"


def mean_of(found: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, all with the same weight."""
    count = len(found)
    parts = tuple((own / count**2, degrees) for one in found for own, degrees in one.parts)
    return Estimate(float(np.mean([one.mean for one in found])), parts)


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
    cells=cells,
    run=run,
    table=table,
)
