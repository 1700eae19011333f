"""`auto`: the exact method while it fits, then one that searches, then one that samples.

The size of the problem decides: `exact` counts as it goes, and gives up where the states of a layer
pass the limits. The next method then gets all observations so far, and is kept until it gives up
in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.protocol import Belief, BeliefRequest, Histories
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

_Answer = TypeVar("_Answer")


class AutoBelief(BeliefBase):
    """A belief that changes its method. Implements `Belief`."""

    method = "auto"

    def __init__(
        self, request: BeliefRequest, *, fallbacks: Sequence[Callable[[BeliefRequest], Belief]] = ()
    ) -> None:
        super().__init__(request)
        self.current: Belief = ExactBelief(request)
        """The belief that answers now."""
        self._request = request
        self._fallbacks = list(fallbacks)

    @property
    def chosen(self) -> str:
        """The name of the method that answers now."""
        return self.current.method

    def advance(self, observation: Observation) -> None:
        """Take note of a step, by another method if this one gives up."""
        self.observations.append(observation)
        self.current.limits = self.limits
        try:
            self.current.advance(observation)
        except LimitError:
            self._hand_over()

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn by the method that answers now."""
        return self._answer(lambda belief: belief.sample(count, seed))

    def witness(self) -> State | None:
        """A state that the method that answers now has at hand."""
        return self.current.witness()

    def enumerate(self, limit: int) -> Histories:
        """Histories enumerated by the method that answers now."""
        return self._answer(lambda belief: belief.enumerate(limit))

    def size(self) -> int | None:
        """The number of histories, if the method that answers now knows it."""
        return self.current.size()

    def probability(self, state: State) -> float:
        """The probability by the method that answers now."""
        return self._answer(lambda belief: belief.probability(state))

    def _answer(self, ask: Callable[[Belief], _Answer]) -> _Answer:
        while True:
            self.current.limits = self.limits
            try:
                return ask(self.current)
            except LimitError:
                self._hand_over()

    def _hand_over(self) -> None:
        """Tell all observations to the next method that can take them."""
        while self._fallbacks:
            make = self._fallbacks.pop(0)
            try:
                belief = make(replace(self._request, limits=self.limits))
                for observation in self.observations:
                    belief.advance(observation)
            except (LimitError, UsageError):
                # It gives up, or the machine does not offer what it needs.
                continue
            self.current = belief
            return
        raise self.gave_up()
