"""Reasoning with values that are not known: what a machine may offer besides playing.

A fluent of a state that is partly known can be true, can be false, or both. Machines that can
follow a step through such states do so for many candidate moves at once. Sound, not complete: what
is excluded is impossible; what is not excluded may still be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import PerceptId, RoleId
from fogspiel.machine.protocol import Joints, States

UNKNOWN_MOVE = -1  #: In a joint move: whatever the role did


@dataclass(frozen=True, slots=True)
class FluentBounds:
    """What each fluent can be, in n states that are partly known. Bits as in a state."""

    can_hold: States  #: (n, words) the fluents that can be true
    can_fail: States  #: (n, words) the fluents that can be false

    def __len__(self) -> int:
        """How many states there are."""
        return len(self.can_hold)

    def __getitem__(self, index: slice | NDArray[np.bool_] | NDArray[np.int64]) -> FluentBounds:
        """Some of them."""
        return FluentBounds(self.can_hold[index], self.can_fail[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What came of looking at candidate joint moves between two states that are partly known."""

    plausible: NDArray[np.bool_]  #: (n,) whether nothing speaks against the candidate
    before: FluentBounds
    """(n) what can be before, if the candidate is made: its definite preconditions are known."""
    after: FluentBounds  #: (n) what can be afterwards: its definite effects are known


class Ternary(Protocol):
    """Steps between states that are partly known."""

    def possible_moves(self, before: FluentBounds) -> list[NDArray[np.bool_]]:
        """Of each role, which of its moves can be legal in some of the states."""

    def effects(self, before: FluentBounds, joints: Joints) -> FluentBounds:
        """What can be after each joint move, made in one state or in one state each.

        Exact where the state is known. Legality is not asked for.
        """

    def examine(
        self,
        before: FluentBounds,
        joints: Joints,
        role: RoleId,
        percepts: Sequence[PerceptId],
        after: FluentBounds,
    ) -> Examined:
        """Candidates between one state before and one state after.

        Moves must be legal, the state before not terminal, and the role must see just the
        percepts. What follows is carried forwards and backwards until nothing changes.
        """


@runtime_checkable
class OffersTernary(Protocol):
    """A machine that can reason with values that are not known."""

    def ternary(self) -> Ternary:
        """The reasoner; it shares the machine's memory and serves one thread at a time."""


def known(states: States) -> FluentBounds:
    """States of which everything is known."""
    return FluentBounds(states.copy(), ~states)


def unknown(words: int) -> FluentBounds:
    """One state of which nothing is known."""
    everything = np.full((1, words), ~np.uint64(0), np.uint64)
    return FluentBounds(everything, everything.copy())
