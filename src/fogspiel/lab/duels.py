"""Matches as studies count them: players by name, a budget, and what came out of it as a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from fogspiel.games.loading import load
from fogspiel.lab.study import Document
from fogspiel.match.series import Entrant, Tally, play_series, warm_up
from fogspiel.player.catalogue import make_player
from fogspiel.search.budget import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What players may use for a move, and before the first one."""

    seconds: float | None = None
    simulations: int | None = None
    start_seconds: float | None = None
    """As for a move if not given; needs `seconds`."""

    def turn(self) -> Budget:
        """For a move, from now on."""
        return Budget.of(seconds=self.seconds, simulations=self.simulations)

    def start(self) -> Budget:
        """For getting ready, from now on."""
        return Budget.of(seconds=self.start_seconds or self.seconds, simulations=self.simulations)


def duel(
    game: str,
    players: Sequence[str],
    *,
    games: int,
    seed: int,
    allowance: Allowance,
    swap: bool = False,
) -> Document:
    """Play many games of a bundled game; results by player and role, and by player alone."""
    machine = load(game).machine
    entrants = [Entrant(name, partial(make_player, name)) for name in players]
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
        "simulations": allowance.simulations,
        "swap": swap,
        "results": [_record(tally, scale) for tally in series.results()],
        "totals": [_record(tally, scale) for tally in series.totals()],
    }


def _record(tally: Tally, scale: int) -> Document:
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
