"""Many matches between the same players: mean goals with intervals, wins, draws and losses.

Intervals are those of a mean whose deviation is estimated, mean ± t·s/√n with Student's t of n - 1
degrees of freedom (Student 1908, Biometrika 6). They suppose that games are independent, which they
are: each has a seed of its own. Where all games came to the same goal they shrink to a point, and a
single game has none.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.ids import RoleId
from fogspiel.core.units import FULL_GOAL
from fogspiel.machine.protocol import Machine
from fogspiel.play.lateness import Timing, lateness_of
from fogspiel.play.loop import MakeBudget, play_match, roles_to_play
from fogspiel.play.records.folder import RecordFolder
from fogspiel.play.records.format import Recorder
from fogspiel.players.protocol import Agent

UPPER_QUANTILE = 0.975
"""Leaves out 2.5 % on each side: an interval of 95 %."""
WARM_UP_STEPS = 12
WARM_UP_SIMULATIONS = 32
"""For a move: enough for a search to come back to what it has kept."""
WARM_UP_SECONDS = 0.5
"""That a player may take for a move, if it does not stop after so many simulations."""
WARM_UP_ROUNDS = 3
"""At most: where kernels had to be built the clock may have run out before others were needed."""
WIN, DRAW, LOSS = 1, 0, -1


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part. A new player is made for every match."""

    name: str
    make: Callable[[], Agent]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What some games came to for an entrant."""

    entry: int
    """The entrant's number, from 0: two may have the same name."""
    player: str
    role: str | None
    """None for all roles together."""
    games: int
    mean_goal: float
    interval: tuple[float, float] | None
    """Of the mean, at 95 %."""
    wins: int
    draws: int
    losses: int
    late: int
    """Choices that came after their deadline, getting ready included."""
    most_late_seconds: float
    """By which one of them did."""
    replaced: int
    """Moves that were not legal, where the rules do not let the role know that (DYN005)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """All matches, in the order in which they were played."""

    entrants: tuple[str, ...]
    roles: tuple[str, ...]
    """Chance left out."""
    seating: NDArray[np.int64]
    """(games, roles) the entrant that played each role."""
    goals: NDArray[np.int64]
    """(games, roles) by the scale of the machine."""
    outcomes: NDArray[np.int8]
    """(games, roles) a win, draw or loss."""
    late: NDArray[np.int64]
    """(games, roles) choices that came after their deadline."""
    late_seconds: NDArray[np.float64]
    """(games, roles) by how much at most."""
    replaced: NDArray[np.int64] | None = None
    """(games, roles) moves that gave way to legal ones; None where faults are kept apart."""

    def results(self) -> list[Tally]:
        """For every entrant, each role that it played."""
        return [
            self._tally(entry, self.seating[:, seat] == entry, seat)
            for entry in range(len(self.entrants))
            for seat in range(len(self.roles))
            if (self.seating[:, seat] == entry).any()
        ]

    def totals(self) -> list[Tally]:
        """For every entrant, all games together."""
        return [self._tally(entry, self.seating == entry) for entry in range(len(self.entrants))]

    def _tally(self, entry: int, chosen: NDArray[np.bool_], seat: int | None = None) -> Tally:
        """chosen: (games, roles), or (games,) where a seat is given."""
        column = slice(None) if seat is None else seat
        goals, outcomes = self.goals[:, column][chosen], self.outcomes[:, column][chosen]
        return Tally(
            entry=entry,
            player=self.entrants[entry],
            role=None if seat is None else self.roles[seat],
            games=len(goals),
            mean_goal=float(goals.mean()),
            interval=mean_interval(goals),
            wins=int((outcomes == WIN).sum()),
            draws=int((outcomes == DRAW).sum()),
            losses=int((outcomes == LOSS).sum()),
            late=int(self.late[:, column][chosen].sum()),
            most_late_seconds=float(self.late_seconds[:, column][chosen].max()),
            replaced=0 if self.replaced is None else int(self.replaced[:, column][chosen].sum()),
        )


def play_series(
    machine: Machine,
    entrants: Sequence[Entrant],
    *,
    games: int,
    turn_budget: MakeBudget,
    seed: int,
    start_budget: MakeBudget | None = None,
    swap: bool = False,
    paired: bool = False,
    on_match: Callable[[], None] | None = None,
    records: RecordFolder | None = None,
) -> Series:
    """Play many matches; entrants sit in the order of the roles.

    start_budget: of each player before the first move; as for a move if not given.
    swap: move every entrant one seat on after each game, so that all sit everywhere as often.
    paired: with `swap`, let chance draw alike in all games of a round of seats: luck is shared.
    records: where every match is written down.
    With budgets of simulations, the same seed gives the same series.
    Raises `UsageError` MAT003, MAT005 or MAT006 for entrants or games that do not fit the roles.
    """
    roles = roles_to_play(machine)
    refuse_entrants(machine, len(entrants))
    if swap:
        refuse_uneven(games, len(roles))
    first = np.arange(len(roles))
    seating = np.array([(first + game * swap) % len(roles) for game in range(games)])
    goals, late, replaced = (np.empty((games, len(roles)), np.int64) for _ in range(3))
    late_seconds = np.empty((games, len(roles)))
    if records is not None:
        records.refuse_present(games)
    for game in range(games):
        seated = {role: entrants[seating[game, seat]] for seat, role in enumerate(roles)}
        deal = game // len(roles) if paired else game
        own_seed = int(np.random.SeedSequence([seed, deal]).generate_state(1)[0])
        with _recorder(records, machine, game + 1, seated, own_seed) as recorder:
            match = play_match(
                machine,
                {role: entrant.make() for role, entrant in seated.items()},
                start_budget=start_budget or turn_budget,
                turn_budget=turn_budget,
                seed=own_seed,
                recorder=recorder,
            )
        goals[game] = [match.goals[role] for role in roles]
        replaced[game] = [match.replaced[role] for role in roles]
        kept = [lateness_of(match.timings, role) for role in roles]
        late[game] = [own.late for own in kept]
        late_seconds[game] = [own.most_seconds for own in kept]
        if on_match is not None:
            on_match()
    return Series(
        entrants=tuple(entrant.name for entrant in entrants),
        roles=tuple(machine.roles[role] for role in roles),
        seating=seating,
        goals=goals,
        outcomes=outcomes_of(goals, full_goal=FULL_GOAL * machine.goal_scale),
        late=late,
        late_seconds=late_seconds,
        replaced=replaced,
    )


def _recorder(
    records: RecordFolder | None,
    machine: Machine,
    number: int,
    seated: Mapping[RoleId, Entrant],
    seed: int,
) -> contextlib.AbstractContextManager[Recorder | None]:
    if records is None:
        return contextlib.nullcontext()
    players = {role: entrant.name for role, entrant in seated.items()}
    return records.recorder(machine, number=number, players=players, seed=seed)


def warm_up(machine: Machine, entrants: Sequence[Entrant]) -> None:
    """Play a few steps that nobody counts, so that no clock runs while kernels are built."""
    for _ in range(WARM_UP_ROUNDS):
        if not _warmed_late(machine, entrants):
            return


def _warmed_late(machine: Machine, entrants: Sequence[Entrant]) -> bool:
    """Play a few steps; whether anybody took far longer than the clock."""
    seats = zip(roles_to_play(machine), entrants, strict=True)
    players: dict[RoleId, Agent] = {role: entrant.make() for role, entrant in seats}
    timings: list[Timing] = []
    with contextlib.suppress(PlayError):  # it stops in the middle; true faults will come again
        play_match(
            machine,
            players,
            start_budget=_few_simulations,
            turn_budget=_few_simulations,
            seed=0,
            max_steps=WARM_UP_STEPS,
            on_timing=timings.append,
        )
    return any(timing.over_seconds > WARM_UP_SECONDS for timing in timings)


def refuse_entrants(machine: Machine, count: int) -> None:
    """Raise `UsageError` unless there is one entrant for each role that is not chance."""
    roles = [machine.roles[role] for role in roles_to_play(machine)]
    if not roles:
        raise UsageError.of(
            "MAT005",
            "every role of the game is chance, so that nobody can play it",
            fix="use `fogspiel simulate`, which lets chance play alone",
        )
    if count != len(roles):
        raise UsageError.of(
            "MAT003",
            f"roles to play are {', '.join(roles)} ({len(roles)}); players given: {count}",
            fix="name one player for each role, in this order; a name may come again",
        )


def refuse_uneven(games: int, seats: int) -> None:
    """Raise `UsageError` MAT006 where rotated seats would not be shared evenly."""
    if games % seats:
        raise _uneven(games, seats)


def outcomes_of(goals: NDArray[np.int64], *, full_goal: int) -> NDArray[np.int8]:
    """(games, roles) who won. The highest goal wins, a shared highest goal is a draw.

    goals: (games, roles). A role alone has nobody to beat: it wins by the full goal and loses by 0
    or less, and what lies between counts as a draw.
    """
    if goals.shape[1] == 1:
        return np.where(goals >= full_goal, WIN, np.where(goals <= 0, LOSS, DRAW)).astype(np.int8)
    best = goals == goals.max(axis=1, keepdims=True)
    shared = best.sum(axis=1, keepdims=True) > 1
    return np.where(best, np.where(shared, DRAW, WIN), LOSS).astype(np.int8)


def mean_interval(goals: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, float] | None:
    """The interval that holds the mean with 95 %; None for fewer than two games."""
    count = len(goals)
    if count < 2:
        return None
    # Only here, since every process that plays would wait for it to load.
    from scipy.special import stdtrit

    mean = float(goals.mean())
    half = float(stdtrit(count - 1, UPPER_QUANTILE) * goals.std(ddof=1)) / math.sqrt(count)
    return mean - half, mean + half


def _few_simulations() -> Budget:
    # A clock as well, or those who solve games would do it here.
    return Budget.of(seconds=WARM_UP_SECONDS, simulations=WARM_UP_SIMULATIONS)


def _uneven(games: int, roles: int) -> UsageError:
    more = -(-games // roles) * roles
    return UsageError.of(
        "MAT006",
        f"{games} games cannot be shared evenly among {roles} seatings",
        fix=f"play {more} games, or do not swap seats",
    )
