"""Three-valued reasoning about partly known states, which some machines offer besides playing.

A fluent of a partly known state can be true, can be false, or both. Machines follow a step through
such states for many candidate moves at once. The reasoning is sound but not complete: what it
excludes is impossible, but it does not exclude everything that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import PerceptId, RoleId
from fogspiel.machine.protocol import Joints, States

UNKNOWN_MOVE = -1  #: Entry of a joint move for a role that may have made any move


@dataclass(frozen=True, slots=True)
class FluentBounds:
    """Possible values of each fluent in n partly known states, as bits in the form of states."""

    can_hold: States  #: (n, words) the fluents that can be true
    can_fail: States  #: (n, words) the fluents that can be false

    def __len__(self) -> int:
        """Number of states."""
        return len(self.can_hold)

    def __getitem__(self, index: slice | NDArray[np.bool_] | NDArray[np.int64]) -> FluentBounds:
        """The bounds of some of the states."""
        return FluentBounds(self.can_hold[index], self.can_fail[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """Plausibility of candidate joint moves between two partly known states."""

    plausible: NDArray[np.bool_]  #: (n,) whether a candidate is not excluded
    before: FluentBounds
    """(n) state before each candidate, in which its definite preconditions are known."""
    after: FluentBounds  #: (n) state after each candidate, in which its definite effects are known


class Ternary(Protocol):
    """Reasoner about steps between partly known states."""

    def possible_moves(self, before: FluentBounds) -> list[NDArray[np.bool_]]:
        """(moves,) whether each move can be legal in some of the states, for every role."""

    def effects(self, before: FluentBounds, joints: Joints) -> FluentBounds:
        """States after each joint move, made in a single state or in one state each.

        They are exact if the state is known. Legality is not checked.
        """

    def examine(
        self,
        before: FluentBounds,
        joints: Joints,
        role: RoleId,
        percepts: Sequence[PerceptId],
        after: FluentBounds,
    ) -> Examined:
        """Examine candidate joint moves between one state before and one state after.

        Moves must be legal, the state before nonterminal, and the role must have exactly the
        percepts. Consequences are propagated forwards and backwards until nothing changes.
        """


@runtime_checkable
class OffersTernary(Protocol):
    """A machine that offers three-valued reasoning."""

    def ternary(self) -> Ternary:
        """The reasoner; it shares the machine's memory and serves one thread at a time."""


def known(states: States) -> FluentBounds:
    """Bounds of states that are fully known."""
    return FluentBounds(states.copy(), ~states)


def unknown(words: int) -> FluentBounds:
    """Bounds of a single state about which nothing is known."""
    everything = np.full((1, words), ~np.uint64(0), np.uint64)
    return FluentBounds(everything, everything.copy())
