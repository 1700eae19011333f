"""Matches as studies count them: players by name, a budget, and what came out of it as a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.games.load import load
from fogspiel.lab.framework.study import Document
from fogspiel.play.series import Entrant, Tally, play_series, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClock:
    """What players may use for a move, and before the first one."""

    seconds: float | None = None
    simulations: int | None = None
    start_seconds: float | None = None
    """As for a move if not given; needs `seconds`."""
    of_processor: bool = False
    """Whether seconds are of this process alone: fair where other work shares the processor."""

    def turn(self) -> Budget:
        """For a move, from now on."""
        return self._budget(self.seconds)

    def start(self) -> Budget:
        """For getting ready, from now on."""
        return self._budget(self.start_seconds or self.seconds)

    def _budget(self, seconds: float | None) -> Budget:
        clock = time.process_time if self.of_processor else time.monotonic
        return Budget.of(seconds=seconds, simulations=self.simulations, clock=clock)


def play_pair(
    game: str,
    players: Sequence[str],
    *,
    games: int,
    seed: int,
    allowance: MatchClock,
    swap: bool = False,
    handicaps: Sequence[int] | None = None,
    makers: Mapping[str, Callable[[], Agent]] | None = None,
) -> Document:
    """Play many games of a bundled game; results by player and role, and by player alone.

    handicaps: for each player, by how much its simulations are fewer than allowed.
    makers: of players that are in no catalogue.
    """
    machine = load(game).machine
    known = makers or {}
    divisors = handicaps or [1] * len(players)
    entrants = [
        Entrant(name, known.get(name) or partial(_made, name, divisor))
        for name, divisor in zip(players, divisors, strict=True)
    ]
    if allowance.seconds is not None:
        warm_up(machine, entrants)
    series = play_series(
        machine,
        entrants,
        games=games,
        turn_budget=allowance.turn,
        start_budget=allowance.start,
        seed=seed,
        swap=swap,
    )
    scale = machine.goal_scale
    return {
        "game": game,
        "players": list(players),
        "games": games,
        "seconds": allowance.seconds,
        "start_seconds": allowance.start_seconds,
        "of_processor": allowance.of_processor,
        "simulations": allowance.simulations,
        "swap": swap,
        "handicaps": list(divisors),
        "results": [record_of(tally, scale) for tally in series.results()],
        "totals": [record_of(tally, scale) for tally in series.totals()],
    }


class Handicapped:
    """A player that gets a part of the simulations that are allowed. Implements `Agent`."""

    def __init__(self, player: Agent, divisor: int) -> None:
        self._player, self._divisor = player, divisor
        self.observe, self.stop = player.observe, player.stop

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready with less."""
        self._player.start(seat, self._less(budget))

    def choose(self, budget: Budget) -> MoveId:
        """A move, found with less."""
        return self._player.choose(self._less(budget))

    def _less(self, budget: Budget) -> Budget:
        if budget.simulations is None:
            return budget
        return replace(budget, simulations=max(1, budget.simulations // self._divisor))


def _made(name: str, divisor: int) -> Agent:
    player = make_player(name)
    return player if divisor == 1 else Handicapped(player, divisor)


def record_of(tally: Tally, scale: int) -> Document:
    """entry: the player's number, from 0, as they were named."""
    return {
        "player": tally.player,
        "entry": tally.entry,
        "role": tally.role,
        "games": tally.games,
        "mean_goal": tally.mean_goal / scale,
        "ci95": [bound / scale for bound in tally.interval] if tally.interval else None,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
    }
