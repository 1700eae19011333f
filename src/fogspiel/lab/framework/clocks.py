"""Time that several calls of one belief share."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Protocol, cast

from fogspiel.belief.protocol import Belief, BeliefLimits

LEAST_SECONDS = 0.01


class _Limited(Protocol):
    """A belief whose limits can be changed as time goes by, as those of all methods here."""

    limits: BeliefLimits


def leave(belief: Belief, deadline: float) -> None:
    """Let the next call use what is left of the time: limits count anew in every call.

    deadline: as `time.perf_counter` counts.
    """
    limited = cast(_Limited, belief)
    left = max(deadline - time.perf_counter(), LEAST_SECONDS)
    limited.limits = replace(limited.limits, seconds=left)
