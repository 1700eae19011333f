"""One match between players that may be anywhere: all are asked at the same time.

Players answer or not, and the match goes on: what they did wrong is kept with the step. Only rules
that break down and an interruption from outside end it early; players are then told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from fogspiel.core.findings import PlayError
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.answers import Answer, Fault, FaultKind
from fogspiel.play.ggp.manage.party import MatchObserver, SeatedPlayer
from fogspiel.play.judged import JudgedMatch
from fogspiel.play.loop import roles_to_play
from fogspiel.play.referee import Referee, Step

WARM_UP_STEPS = 3


async def play_managed_match(
    referee: Referee,
    parties: Mapping[RoleId, SeatedPlayer],
    *,
    watcher: MatchObserver | None = None,
) -> JudgedMatch:
    """Let parties play one match, one for each role that is not chance.

    Raises `PlayError` MAT002 for a match without end, and DYN002 where the rules leave a role
    without a move.
    """
    try:
        ready = await asyncio.gather(*(party.start() for party in parties.values()))
        started = dict(zip(parties, ready, strict=True))
        faults = {role: own.fault for role, own in started.items() if own.fault is not None}
        if watcher is not None:
            watcher.start({role: own.seconds for role, own in started.items()}, faults)
        steps = await _steps(referee, parties, watcher)
    except BaseException:
        # Nobody waits for what players say to this, and each has a second at most.
        await asyncio.gather(*(party.abort() for party in parties.values()))
        raise
    if watcher is not None:
        watcher.end(referee.goals())
    last = steps[-1] if steps else None
    await asyncio.gather(*(party.stop(last) for party in parties.values()))
    return JudgedMatch(steps=tuple(steps), goals=referee.goals(), start_faults=faults)


def warm_up_referee(machine: Machine) -> None:
    """Play a match that nobody sees, so that no clock runs while kernels are built."""
    absent = Answer(fault=Fault(FaultKind.CONNECTION_ERROR))
    referee = Referee(machine, seed=0, max_steps=WARM_UP_STEPS)
    with suppress(PlayError):  # it stops in the middle; true faults will come again
        while not referee.over:
            referee.play(dict.fromkeys(roles_to_play(machine), absent))
        referee.goals()


async def _steps(
    referee: Referee, parties: Mapping[RoleId, SeatedPlayer], watcher: MatchObserver | None
) -> list[Step]:
    steps: list[Step] = []
    while not referee.over:
        referee.check_can_go_on()
        last = steps[-1] if steps else None
        answers = await asyncio.gather(
            *(party.choose(last, referee.legal(role)) for role, party in parties.items())
        )
        step = referee.play(dict(zip(parties, answers, strict=True)))
        if watcher is not None:
            watcher.step(step)
        steps.append(step)
    return steps
