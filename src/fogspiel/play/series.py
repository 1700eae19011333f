"""Many matches between the same players: mean goals with intervals, wins, draws and losses.

Intervals are those of `core/values`. They suppose that games are independent, which they are:
each has a seed of its own. A single game has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.values import FULL_GOAL, bounded_interval
from fogspiel.machine.protocol import Machine, player_roles, with_room
from fogspiel.play.clocks import MakeBudget, MatchClocks, Timing
from fogspiel.play.inline_player import OnFault
from fogspiel.play.loop import play_match
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.referee import Fault
from fogspiel.players.protocol import Agent

WARM_UP_STEPS = 12
WARM_UP_SIMULATIONS = 32
"""Simulations of a move: enough for a search to come back to what it has kept."""
WARM_UP_SECONDS = 0.5
"""Seconds of a move, for a player that does not stop after so many simulations."""
WARM_UP_ROUNDS = 3
"""Rounds at most: where kernels had to be built, time was over before others were needed."""
WIN, DRAW, LOSS = 1, 0, -1


@dataclass(frozen=True, slots=True)
class Entrant:
    """A participant of a series. A new player is made for every match."""

    name: str
    make: Callable[[], Agent]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """What is kept of a seat when its match is over: steps would add up over a long series."""

    goal: int  #: The goal by the scale of the machine
    late: int = 0  #: Choices that came after their deadline, getting ready included
    most_late_seconds: float = 0.0  #: The longest delay
    replaced: int = 0  #: Moves that gave way to legal ones
    faults: Mapping[str, int] = field(default_factory=dict)  #: Numbers of faults by kind
    first_fault: Fault | None = None  #: The first of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Results of some games for an entrant."""

    entry: int  #: The entrant's number, from 0: two may have the same name
    player: str
    role: str | None  #: None for all roles together
    games: int
    mean_goal: float
    interval: tuple[float, float] | None  #: Interval of the mean, at 95 %
    wins: int
    draws: int
    losses: int
    late: int
    most_late_seconds: float
    replaced: int
    faults: Mapping[str, int]  #: Sums and the maximum of what `SeatResult` has
    first_fault: Fault | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """All matches, in the order in which they were played."""

    entrants: tuple[str, ...]
    roles: tuple[str, ...]  #: All roles but chance
    seating: NDArray[np.int64]  #: (games, roles) the entrant that played each role
    goals: NDArray[np.int64]  #: (games, roles) goals by the scale of the machine
    outcomes: NDArray[np.int8]  #: (games, roles) a win, draw or loss
    seats: tuple[tuple[SeatResult, ...], ...]  #: The results by game and role
    full_goal: int = FULL_GOAL  #: The full goal by the scale of the machine

    @staticmethod
    def of(
        machine: Machine,
        entrants: Sequence[str],
        seating: Sequence[Sequence[int]],
        seats: Sequence[Sequence[SeatResult]],
    ) -> Series:
        """The series of these games. seating, seats: by game and role."""
        goals = np.array([[seat.goal for seat in row] for row in seats], np.int64)
        return Series(
            entrants=tuple(entrants),
            roles=tuple(machine.roles[role] for role in player_roles(machine)),
            seating=np.array(seating, np.int64),
            goals=goals,
            outcomes=outcomes_of(goals, full_goal=FULL_GOAL * machine.goal_scale),
            seats=tuple(tuple(row) for row in seats),
            full_goal=FULL_GOAL * machine.goal_scale,
        )

    def results(self) -> list[Tally]:
        """The tallies of every entrant in each role that it played."""
        return [
            self._tally(entry, role)
            for entry in range(len(self.entrants))
            for role in range(len(self.roles))
            if (self.seating[:, role] == entry).any()
        ]

    def totals(self) -> list[Tally]:
        """The tally of every entrant in all games together."""
        return [self._tally(entry) for entry in range(len(self.entrants))]

    def _tally(self, entry: int, role: int | None = None) -> Tally:
        chosen = self.seating == entry
        if role is not None:
            chosen &= np.arange(len(self.roles)) == role
        goals, outcomes = self.goals[chosen], self.outcomes[chosen]
        seats = [self.seats[game][seat] for game, seat in np.argwhere(chosen)]
        return Tally(
            entry=entry,
            player=self.entrants[entry],
            role=None if role is None else self.roles[role],
            games=len(goals),
            mean_goal=float(goals.mean()),
            interval=bounded_interval(goals, self.full_goal),
            wins=int((outcomes == WIN).sum()),
            draws=int((outcomes == DRAW).sum()),
            losses=int((outcomes == LOSS).sum()),
            late=sum(seat.late for seat in seats),
            most_late_seconds=max(seat.most_late_seconds for seat in seats),
            replaced=sum(seat.replaced for seat in seats),
            faults=dict(sum((Counter(seat.faults) for seat in seats), Counter[str]())),
            first_fault=next((seat.first_fault for seat in seats if seat.first_fault), None),
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
    on_match: Callable[[], object] | None = None,
    records: RecordFolder | None = None,
    on_fault: OnFault = "raise",
    grace_seconds: float = 0.0,
) -> Series:
    """Play many matches; entrants sit in the order of the roles.

    start_budget: of each player before the first move; as for a move if not given.
    swap: move every entrant one seat on after each game, so that all sit everywhere as often.
    paired: with `swap`, let chance draw alike in all games of a round of seats: luck is shared.
    records: where every match is written down.
    on_fault, grace_seconds: as `play_contenders` takes them.
    With budgets of simulations, the same seed gives the same series.
    Raises `UsageError` MAT003, MAT005 or MAT006 for entrants or games that do not fit the roles.
    """
    roles = player_roles(machine)
    refuse_entrants(machine, len(entrants))
    if swap:
        refuse_uneven(games, len(roles))
    if records is not None:
        records.refuse_present(games)
    seating = [seats_of_game(game, len(roles), swap=swap) for game in range(games)]
    results: list[list[SeatResult]] = []
    for game, seats in enumerate(seating):
        machine = with_room(machine)
        seated = {role: entrants[seat] for role, seat in zip(roles, seats, strict=True)}
        deal = game // len(roles) if paired else game
        own_seed = int(np.random.SeedSequence([seed, deal]).generate_state(1)[0])
        names = {role: entrant.name for role, entrant in seated.items()}
        with (
            nullcontext()
            if records is None
            else records.recorder(machine, number=game + 1, players=names, seed=own_seed)
        ) as recorder:
            match = play_match(
                machine,
                {role: entrant.make() for role, entrant in seated.items()},
                start_budget=start_budget or turn_budget,
                turn_budget=turn_budget,
                seed=own_seed,
                recorder=recorder,
                on_fault=on_fault,
                grace_seconds=grace_seconds,
            )
        late = {role: match.late_seconds(role) for role in roles}
        results.append(
            [
                SeatResult(
                    goal=match.goals[role],
                    late=len(late[role]),
                    most_late_seconds=max(late[role], default=0.0),
                    replaced=match.replaced(role),
                    faults=match.fault_counts(role),
                    first_fault=match.first_fault(role),
                )
                for role in roles
            ]
        )
        if on_match is not None:
            on_match()
    return Series.of(machine, [entrant.name for entrant in entrants], seating, results)


def seats_of_game(game: int, roles: int, *, swap: bool) -> list[int]:
    """The entrant in each role of a game; with `swap` all move one seat on after each game."""
    return [(role + game * swap) % roles for role in range(roles)]


def warm_up(machine: Machine, entrants: Sequence[Entrant]) -> None:
    """Play a few steps that nobody counts, so that no clock runs while kernels are built."""
    # A clock as well, or those who solve games would do it here.
    clocks = MatchClocks(turn_seconds=WARM_UP_SECONDS, simulations=WARM_UP_SIMULATIONS)
    for _ in range(WARM_UP_ROUNDS):
        seats = zip(player_roles(machine), entrants, strict=True)
        timings: list[Timing] = []
        with suppress(PlayError):  # it stops in the middle; true faults will come again
            play_match(
                machine,
                {role: entrant.make() for role, entrant in seats},
                start_budget=clocks.start_budget,
                turn_budget=clocks.turn_budget,
                seed=0,
                max_steps=WARM_UP_STEPS,
                on_timing=timings.append,
            )
        if all(timing.over_seconds <= WARM_UP_SECONDS for timing in timings):
            return


def refuse_entrants(machine: Machine, count: int) -> None:
    """Raise `UsageError` unless there is one entrant for each role that is not chance."""
    roles = [machine.roles[role] for role in player_roles(machine)]
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
        raise UsageError.of(
            "MAT006",
            f"{games} games cannot be shared evenly among {seats} seatings",
            fix=f"play {-(-games // seats) * seats} games, or do not swap seats",
        )


def outcomes_of(goals: NDArray[np.int64], *, full_goal: int) -> NDArray[np.int8]:
    """(games, roles) a win, draw or loss: the highest goal wins, a shared one is a draw.

    goals: (games, roles). A role alone has nobody to beat: it wins by the full goal and loses by 0
    or less, and what lies between counts as a draw.
    """
    if goals.shape[1] == 1:
        return np.where(goals >= full_goal, WIN, np.where(goals <= 0, LOSS, DRAW)).astype(np.int8)
    best = goals == goals.max(axis=1, keepdims=True)
    shared = best.sum(axis=1, keepdims=True) > 1
    return np.where(best, np.where(shared, DRAW, WIN), LOSS).astype(np.int8)
