"""The situation protocol: a state information set with a belief, as a planner uses it.

Source: Smith and Nau (1993), section 2. The states consistent with what is known are held as
worlds, numbered from 0 for the whole of a decision tree, with a weight each. They are all of the
consistent states where these can be enumerated, and a sample of them where they cannot.
Departure: what a move does may depend on what is hidden, and the planner may be told of it (a shot
hits or misses). Such a report is a step of its own, which no method has to foresee.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import Bindings, Pattern

Mask: TypeAlias = NDArray[np.bool_]  #: (worlds,) truth values: the worlds in which something holds
Weights: TypeAlias = NDArray[np.float64]
"""(worlds,) belief; 0 in worlds that are not consistent with what is known."""


class Situation(Protocol):
    """A state information set. Immutable: every change gives a new one."""

    @property
    def agent(self) -> str:
        """The agent to move; known in every situation (section 2, characteristic 2)."""

    @property
    def is_controlled(self) -> bool:
        """Whether the planner moves for that agent."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in every consistent world."""

    @property
    def weights(self) -> Weights:
        """(worlds,) the belief function p; its sum is the mass that reached this situation."""

    @property
    def reports(self) -> Sequence[GroundTerm]:
        """Reports that the planner may get before anybody moves; none where it gets none.

        Each consistent world gives exactly one of them, and `perform` takes one like a move.
        """

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        """Bindings of an atom's variables under which it holds in some consistent world.

        Each once, in an order that depends on nothing but the situation.
        """

    def holds(self, atom: GroundTerm) -> Mask:
        """(worlds,) truth of a ground atom; worlds that are not consistent do not matter."""

    def assume(self, mask: Mask) -> Situation:
        """The situation in which only some of the worlds are possible."""

    def perform(self, operator: GroundTerm) -> Situation:
        """The situation after the agent's move; worlds where it cannot be made are dropped."""

    def evaluate(self) -> NDArray[np.float64]:
        """(worlds,) values in [0, 1]: the objective f at the end, else the evaluation e."""
