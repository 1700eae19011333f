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

from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.manage.seats import (
    ManagedGame,
    Participant,
    digest_of,
    match_name,
    seat_participants,
)
from fogspiel.play.ggp.term_text import Scrambling
from fogspiel.play.loop import Match, MatchObserver, play_managed_match, warm_up_referee
from fogspiel.play.referee import FaultKind, Referee
from fogspiel.play.series import (
    SeatResult,
    Series,
    refuse_entrants,
    refuse_uneven,
    seats_of_game,
)

Observe = Callable[[int, int, Mapping[RoleId, str]], AbstractContextManager[MatchObserver]]
"""Makes the observer of a match from its number, its seed, and the names of its players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSettings:
    """Settings that all matches of a series share."""

    matches: int
    clocks: MatchClocks
    seed: int
    at_once: int = 1
    swap: bool = False  #: Move every participant one seat on after each match
    scramble: bool = False  #: Tell the rules under other names, in each match under others
    upper: bool = False  #: Tell them in upper case
    run: str = ""
    """Tells names of matches from those of other runs with the same seed: a player may still hold
    one for going on, if the manager of it died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedSeries:
    """Results of all matches."""

    series: Series
    faults: tuple[Mapping[FaultKind, int], ...]
    """The faults of every participant, getting ready included."""


async def play_managed_series(
    game: ManagedGame,
    participants: Sequence[Participant],
    settings: SeriesSettings,
    *,
    observe: Observe | None = None,
    on_match: Callable[[], object] | None = None,
) -> ManagedSeries:
    """Play matches; participants sit in the order of the roles.

    Raises `UsageError` MAT003, MAT005 or MAT006 for participants or matches that do not fit the
    roles, MAN001 for a dialect that does not fit the game, and `PlayError` where the rules break
    down.
    """
    roles = player_roles(game.machine)
    refuse_entrants(game.machine, len(participants))
    if settings.swap:
        refuse_uneven(settings.matches, len(participants))
    warm_up_referee(game.machine)
    numbers = range(settings.matches)
    seating = [seats_of_game(number, len(roles), swap=settings.swap) for number in numbers]
    results: list[list[SeatResult]] = [[] for _ in numbers]
    faults = [Counter[FaultKind]() for _ in participants]
    waiting, rules = iter(numbers), _ToldRules(game.rules, settings)

    async def play_on() -> None:
        for number in waiting:
            seated = {
                role: participants[entry]
                for role, entry in zip(roles, seating[number], strict=True)
            }
            match = await _played(game, seated, settings, number, await rules.of(number), observe)
            results[number] = [_result(match, role, settings.clocks) for role in roles]
            for role, entry in zip(roles, seating[number], strict=True):
                counts = match.fault_counts(role)
                faults[entry].update({FaultKind(kind): n for kind, n in counts.items()})
            if on_match is not None:
                on_match()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(settings.at_once, settings.matches)):
                group.create_task(play_on())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    names = [participant.name for participant in participants]
    series = Series.of(game.machine, names, seating, results)
    return ManagedSeries(series=series, faults=tuple(faults))


async def _played(
    game: ManagedGame,
    seated: Mapping[RoleId, Participant],
    settings: SeriesSettings,
    number: int,
    scrambling: Scrambling,
    observe: Observe | None,
) -> Match:
    sequence = np.random.SeedSequence([settings.seed, number])
    # All 64 bits: a player that knows this program could try all seeds of 32.
    seed = int(sequence.generate_state(1, np.uint64)[0])
    names = {role: participant.name for role, participant in seated.items()}
    players = seat_participants(
        game,
        seated,
        match=match_name(game.name, settings.run, settings.seed, number),
        scrambling=scrambling,
        clocks=settings.clocks,
        seed=seed,
    )
    with nullcontext() if observe is None else observe(number + 1, seed, names) as observer:
        return await play_managed_match(
            Referee(game.machine, seed=seed), players, observer=observer
        )


def _result(match: Match, role: RoleId, clocks: MatchClocks) -> SeatResult:
    late = [
        step.seconds[role] - clocks.play_clock
        for step in match.steps
        if role in step.faults and step.faults[role].kind is FaultKind.TIMEOUT
    ]
    return SeatResult(
        goal=match.goals[role],
        late=match.fault_counts(role).get(FaultKind.TIMEOUT, 0),
        most_late_seconds=max(late, default=0.0),
        faults=match.fault_counts(role),
        first_fault=match.first_fault(role),
    )


class _ToldRules:
    """The rules as matches tell them: all of them alike, or each under names of its own."""

    def __init__(self, rules: str, settings: SeriesSettings) -> None:
        self._rules, self._settings = rules, settings
        self._same = None if settings.scramble else Scrambling(None, rules, upper=settings.upper)

    async def of(self, number: int) -> Scrambling:
        """The rules of one match. Long ones take a second: a thread lets other matches go on."""
        if self._same is not None:
            return self._same
        seed = int(digest_of("scramble", self._settings.seed, number), 16)
        return await asyncio.to_thread(Scrambling, seed, self._rules, upper=self._settings.upper)
