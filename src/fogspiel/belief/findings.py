"""What methods say when nothing fits, or when they give up."""

from __future__ import annotations

from fogspiel.belief.protocol import BeliefLimits
from fogspiel.core.findings import LimitError, PlayError, UsageError


def contradiction(step: int) -> PlayError:
    """No history fits: by which step that is known."""
    return PlayError.of(
        "BEL001",
        f"nothing fits what the role did and saw: step {step} is impossible",
        fix="check the moves and percepts of that step against the rules",
    )


def improbable(step: int) -> PlayError:
    """Something fits, but the model of the others gives all of it probability 0."""
    return PlayError.of(
        "BEL005",
        f"by step {step} the model of the other roles rules out all that fits",
        fix="use a model that gives every legal move some probability",
    )


def gave_up(method: str, step: int, limits: BeliefLimits) -> LimitError:
    """A limit was reached."""
    return LimitError.of(
        "BEL002",
        f"the method {method} gave up at step {step}: more than {limits.histories:,} "
        f"histories, {limits.bytes / 2**20:,.0f} MiB or {limits.seconds:g} s",
        fix="raise the limits, or let another method sample",
    )


def needs_gates(method: str) -> UsageError:
    """The machine has no gates to reason on."""
    return UsageError.of(
        "BEL006",
        f"the method {method} reasons on gates, and this machine has none",
        fix="play the game on the compiled machine, or use another method",
    )
