"""`auto`: the exact method while it fits, then one that searches, then one that samples.

The size of the problem decides: `exact` counts as it goes, and gives up where the states of a layer
pass the limits. The next method then gets all sightings so far, and is kept until it gives up in
turn. With a model of the others `csp` and `sat` are left out: they know what is possible, not how
probable a model makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.findings import gave_up
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories, OffersWitness, OpponentModel
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine, State

_Answer = TypeVar("_Answer")

Maker = Callable[[], Belief]


class AutoBelief(BeliefBase):
    """A belief that changes its method. Implements `Belief`."""

    method = "auto"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: OpponentModel | None = None,
        fallbacks: Sequence[Maker] = (),
    ) -> None:
        super().__init__(machine, role, limits)
        self.current: Belief = ExactBelief(machine, role, self.limits, model=model)
        """The belief that answers now."""
        self._fallbacks = list(fallbacks)

    @property
    def chosen(self) -> str:
        """The name of the method that answers now."""
        return self.current.method

    def advance(self, observation: Observation) -> None:
        """Take note of a step, by another method if this one gives up."""
        self.observations.append(observation)
        try:
            self.current.advance(observation)
        except LimitError:
            self._hand_over()

    def sample(self, count: int, seed: int) -> Histories:
        """As the method that answers now."""
        return self._answer(lambda belief: belief.sample(count, seed))

    def witness(self) -> State | None:
        """As the method that answers now, if it offers that."""
        return self.current.witness() if isinstance(self.current, OffersWitness) else None

    def enumerate(self, limit: int) -> Histories:
        """As the method that answers now."""
        return self._answer(lambda belief: belief.enumerate(limit))

    def size(self) -> int | None:
        """As the method that answers now."""
        return self.current.size()

    def probability(self, state: State) -> float:
        """As the method that answers now."""
        return self._answer(lambda belief: belief.probability(state))

    def _answer(self, ask: Callable[[Belief], _Answer]) -> _Answer:
        while True:
            try:
                return ask(self.current)
            except LimitError:
                self._hand_over()

    def _hand_over(self) -> None:
        """Tell all sightings to the next method that can take them."""
        while self._fallbacks:
            make = self._fallbacks.pop(0)
            try:
                belief = make()
                for observation in self.observations:
                    belief.advance(observation)
            except (LimitError, UsageError):
                # It gives up, or the machine does not offer what it needs.
                continue
            self.current = belief
            return
        raise gave_up(self.method, len(self.observations), self.limits)
