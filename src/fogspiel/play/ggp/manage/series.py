"""Many managed matches, some of them at once; tallied like those within a process.

Every match has a seed of its own, so that chance, substitutes and scrambled names do not depend on
which matches run beside it. What players see of seeds, in names of matches and in scrambled names,
are digests of the seed of the series: a player that could find the seed of its match by trying
could compute what chance will do.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from fogspiel.core.ids import RoleId
from fogspiel.core.units import FULL_GOAL
from fogspiel.play.answers import FaultKind
from fogspiel.play.ggp.manage.match_ids import digest_of, match_name
from fogspiel.play.ggp.manage.messages_out import ManagedGame, MatchClocks, SeatAssignment
from fogspiel.play.ggp.manage.party import MatchObserver, Participant, SeatedPlayer
from fogspiel.play.ggp.manage.remote_player import RemotePlayer
from fogspiel.play.ggp.scramble import Scrambling
from fogspiel.play.judged import JudgedMatch
from fogspiel.play.loop import roles_to_play
from fogspiel.play.managed import play_managed_match, warm_up_referee
from fogspiel.play.referee import Referee
from fogspiel.play.series import Series, outcomes_of, refuse_entrants, refuse_uneven

Watch = Callable[[int, int, Mapping[RoleId, str]], AbstractContextManager[MatchObserver]]
"""Who watches a match: given its number from 1, its seed, and the names of its players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSettings:
    """How matches are played."""

    matches: int
    clocks: MatchClocks
    seed: int
    at_once: int = 1
    swap: bool = False
    """Move every guest one seat on after each match."""
    scramble: bool = False
    """Tell the rules under other names, in each match under others."""
    upper: bool = False
    """Tell them in upper case."""
    run: str = ""
    """Tells names of matches from those of other runs with the same seed: a player may still hold
    one for going on, if the manager of it died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedSeries:
    """What all matches came to."""

    series: Series
    faults: tuple[Mapping[FaultKind, int], ...]
    """Of every guest, getting ready included."""


async def play_managed_series(
    game: ManagedGame,
    guests: Sequence[Participant],
    settings: SeriesSettings,
    *,
    watch: Watch | None = None,
    on_match: Callable[[], None] | None = None,
) -> ManagedSeries:
    """Play matches; guests sit in the order of the roles.

    Raises `UsageError` MAT003, MAT005 or MAT006 for guests or matches that do not fit the roles,
    MAN001 for a dialect that does not fit the game, and `PlayError` where the rules break down.
    """
    refuse_entrants(game.machine, len(guests))
    if settings.swap:
        refuse_uneven(settings.matches, len(guests))
    warm_up_referee(game.machine)
    tellings = _Tellings(game.rules, settings)
    tables = [
        _Table(game, guests, settings, tellings, number) for number in range(settings.matches)
    ]
    waiting = iter(tables)

    async def play_on() -> None:
        for table in waiting:
            await table.play(watch)
            if on_match is not None:
                on_match()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(settings.at_once, settings.matches)):
                group.create_task(play_on())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return _tallied(game, guests, tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What is kept of a seat when its match is over: steps would add up over a long series."""

    goal: int
    faults: Mapping[str, int]
    most_late_seconds: float


class _Table:
    """One match of a series."""

    def __init__(
        self,
        game: ManagedGame,
        guests: Sequence[Participant],
        settings: SeriesSettings,
        tellings: _Tellings,
        number: int,
    ) -> None:
        self.number = number
        self._game, self._settings, self._tellings = game, settings, tellings
        roles = roles_to_play(game.machine)
        self.seating = [(seat + number * settings.swap) % len(roles) for seat in range(len(roles))]
        self._seated = {role: guests[self.seating[seat]] for seat, role in enumerate(roles)}
        sequence = np.random.SeedSequence([settings.seed, number])
        # All 64 bits: a player that knows this program could try all seeds of 32.
        self._seed = int(sequence.generate_state(1, np.uint64)[0])
        self.results: list[_Result] = []
        """By seat, when it has been played."""

    async def play(self, watch: Watch | None) -> None:
        names = {role: guest.name for role, guest in self._seated.items()}
        watcher = nullcontext() if watch is None else watch(self.number + 1, self._seed, names)
        referee = Referee(self._game.machine, seed=self._seed)
        parties = self._parties(await self._tellings.of(self.number))
        with watcher as watching:
            match = await play_managed_match(referee, parties, watcher=watching)
        self.results = [self._result(match, role) for role in self._seated]

    def _result(self, match: JudgedMatch, role: RoleId) -> _Result:
        clock = self._settings.clocks.play_seconds
        late = (
            step.seconds[role] - clock
            for step in match.steps
            if role in step.faults and step.faults[role].kind is FaultKind.TIMEOUT
        )
        return _Result(
            goal=match.goals[role],
            faults=match.fault_counts(role),
            most_late_seconds=max(late, default=0.0),
        )

    def _parties(self, scrambling: Scrambling) -> dict[RoleId, SeatedPlayer]:
        settings = self._settings
        match = match_name(self._game.name, settings.run, settings.seed, self.number)
        parties = dict[RoleId, SeatedPlayer]()
        places = Counter[str]()
        for role, guest in self._seated.items():
            # One who plays two roles must be able to tell its matches apart.
            place = str(guest.place) if isinstance(guest, RemotePlayer) else ""
            places[place] += 1
            again = places[place] if place and places[place] > 1 else 0
            sitting = SeatAssignment(
                game=self._game,
                role=role,
                match=f"{match}.{again}" if again else match,
                scrambling=scrambling,
                clocks=settings.clocks,
                seed=self._seed + int(role),
            )
            parties[role] = guest.party(sitting)
        return parties


class _Tellings:
    """The rules as matches tell them: all of them alike, or each under names of its own."""

    def __init__(self, rules: str, settings: SeriesSettings) -> None:
        self._rules, self._settings = rules, settings
        self._same = None if settings.scramble else Scrambling(None, rules, upper=settings.upper)

    async def of(self, number: int) -> Scrambling:
        """Of one match. In a thread: long rules take a second, and other matches go on."""
        if self._same is not None:
            return self._same
        seed = int(digest_of("scramble", self._settings.seed, number), 16)
        return await asyncio.to_thread(Scrambling, seed, self._rules, upper=self._settings.upper)


def _tallied(
    game: ManagedGame, guests: Sequence[Participant], tables: Sequence[_Table]
) -> ManagedSeries:
    faults = [Counter[FaultKind]() for _ in guests]
    for table in tables:
        for guest, result in zip(table.seating, table.results, strict=True):
            faults[guest].update({FaultKind(kind): n for kind, n in result.faults.items()})
    rows = [table.results for table in tables]
    goals = np.array([[result.goal for result in row] for row in rows])
    series = Series(
        entrants=tuple(guest.name for guest in guests),
        roles=tuple(game.machine.roles[role] for role in roles_to_play(game.machine)),
        seating=np.array([table.seating for table in tables]),
        goals=goals,
        outcomes=outcomes_of(goals, full_goal=FULL_GOAL * game.machine.goal_scale),
        late=np.array([[r.faults.get(FaultKind.TIMEOUT, 0) for r in row] for row in rows]),
        late_seconds=np.array([[result.most_late_seconds for result in row] for row in rows]),
    )
    return ManagedSeries(series=series, faults=tuple(faults))
