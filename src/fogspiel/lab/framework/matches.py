"""Matches as studies count them: players by name, a budget, and what came out of it as a record.

Many matches at once between searches that make one simulation after the other.

A simulation alone fills one lane of the machine and takes a hundred times as long as one among
many. So the next simulation of every match is made together with those of all others. States carry
the number of their match, and nodes of different matches never meet: every search learns as it
would by itself, which is what `sm-uct` does with `together=1`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.core.values import FULL_GOAL
from fogspiel.games.load import load
from fogspiel.lab.framework.study import Document
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Joints,
    Machine,
    Playouts,
    State,
    States,
    player_roles,
)
from fogspiel.machine.wrappers.wrapper import MachineWrapper
from fogspiel.play.series import (
    Entrant,
    SeatResult,
    Series,
    Tally,
    play_series,
    warm_up,
)
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat, Thinks
from fogspiel.search.mcts.algorithms import UCT
from fogspiel.search.mcts.roots import state_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import root_statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClock:
    """The budget of players for each move, and for the preparation before the first one."""

    seconds: float | None = None
    simulations: int | None = None
    start_seconds: float | None = None  #: Default: `seconds`, which must be given
    of_processor: bool = False
    """Whether seconds are of this process alone: fair where other work shares the processor."""

    def turn(self) -> Budget:
        """The budget of a move that begins now."""
        return self._budget(self.seconds)

    def start(self) -> Budget:
        """The budget of the preparation that begins now."""
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

    def ponder(self, budget: Budget) -> None:
        """Think while others move, if the player can."""
        if isinstance(self._player, Thinks):
            self._player.ponder(self._less(budget))

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


SIMULATIONS_AT_ONCE = 50_000
"""Simulations of one move over all matches: larger trees take too much memory."""


def duel_side_by_side(
    game: str, constants: Sequence[float], *, games: int, simulations: int, seed: int
) -> Document:
    """Matches of a bundled game without chance, as records of `duel` tell them; seats stay.

    constants: the constant of exploration of each role, for goals of 100.
    simulations: simulations for each move of a match.
    """
    machine = load(game).machine
    block = max(1, min(games, SIMULATIONS_AT_ONCE // simulations))
    goals = np.concatenate(
        [
            _played(machine, constants, min(block, games - first), simulations, [seed, first])
            for first in range(0, games, block)
        ]
    )
    players = tuple(f"sm-uct:c={constant:g},together=1" for constant in constants)
    seats = [[SeatResult(goal=goal) for goal in row] for row in goals.tolist()]
    series = Series.of(machine, players, [list(range(len(constants)))] * games, seats)
    return {
        "game": game,
        "players": list(players),
        "games": games,
        "simulations": simulations,
        "totals": [record_of(tally, machine.goal_scale) for tally in series.totals()],
    }


class Numbered(MachineWrapper):
    """A game whose states carry a number as their last word. Implements `Machine`, as far as
    searches in trees of states ask it."""

    def initial(self) -> State:
        """The state in which play begins, with number 0."""
        return np.append(self._machine.initial(), np.uint64(0))

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors, with the same numbers."""
        return np.hstack([self._machine.step_batch(self._plain(states), joints), states[:, -1:]])

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """Numbers do not matter."""
        return self._machine.playouts(
            self._plain(states), seed=seed, count=count, max_steps=max_steps
        )

    def _plain(self, states: States) -> States:
        return np.ascontiguousarray(states[..., :-1])


def _played(
    machine: Machine, constants: Sequence[float], games: int, simulations: int, seed: list[int]
) -> NDArray[np.int64]:
    """(games, roles) goals of matches that begin together."""
    assert machine.chance_role is None
    numbered, roles = Numbered(machine), player_roles(machine)
    seeds = np.random.SeedSequence(seed).generate_state(len(roles))
    searches = {
        role: Search(
            numbered,
            role,
            replace(UCT.with_constant(constant / FULL_GOAL), together=games),
            seed=int(own),
        )
        for role, constant, own in zip(roles, constants, seeds, strict=True)
    }
    states = np.tile(numbered.initial(), (games, 1))
    states[:, -1] = np.arange(games)
    while len(going := np.flatnonzero(~numbered.terminal_batch(states))):
        joints = np.zeros((len(going), len(machine.roles)), np.int32)
        for role in roles:
            legal = numbered.legal_batch(states[going], role)
            joints[:, role] = legal.argmax(axis=1)
            choosing = np.flatnonzero(legal.sum(axis=1) > 1)
            if len(choosing):
                # One simulation of each match at a time: never two of the same match are under way.
                # Matches that are over take part: their simulations end where they begin.
                for _ in range(simulations):
                    searches[role].run(state_roots(numbered, states), Budget.of(simulations=games))
            for row in choosing:
                joints[row, role] = _best(searches[role], numbered, states[going[row]], role)
        states[going] = numbered.step_batch(states[going], joints)
    return numbered.goals_batch(states)[:, roles]


def _best(search: Search, machine: Machine, state: State, role: RoleId) -> MoveId:
    """The move with the best mean; the first one if none was tried."""
    for _, found in root_statistics(search, state_roots(machine, state[None, :]), role):
        return MoveId(int(found.moves[found.means.argmax()]))
    return machine.legal(state, role)[0]
