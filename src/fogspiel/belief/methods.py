"""All belief methods by name, and `auto`, which chooses among them by the size of the problem.

`auto` is the exact method while it fits, then one that searches, then one that samples. `exact`
counts as it goes, and gives up where the states of a layer pass the limits. The next method then
gets all observations so far, and is kept until it gives up in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.belief_tree import TreeBelief
from fogspiel.belief.dfs import DfsBelief
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.hyperplay.bag import HyperplayBelief
from fogspiel.belief.particles.particle_filter import ParticlesBelief
from fogspiel.belief.protocol import Belief, BeliefLimits, BeliefRequest, Histories, OpponentModel
from fogspiel.belief.rejection import RejectionBelief
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.registry import Entry, Registry
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.protocol import Machine, State

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefMethod(Entry):
    """A way to compute or sample the information set of a role."""

    make: Callable[[BeliefRequest], Belief]
    takes_model: bool = True


def make_belief(
    method: str,
    machine: Machine,
    role: RoleId,
    limits: BeliefLimits | None = None,
    *,
    model: OpponentModel | None = None,
    seed: int = 0,
) -> Belief:
    """A belief by a method of `METHODS`.

    Raises `UsageError` BEL004 for a name that is unknown, or a method that takes no model.
    """
    found = METHODS.find(method)
    if model is not None and not found.takes_model:
        raise UsageError.of(
            "BEL004",
            f"the method {method} takes no opponent model",
            fix=f"use one of {', '.join(m for m in METHODS if METHODS[m].takes_model)}",
        )
    return found.make(BeliefRequest(machine, role, limits or BeliefLimits(), model, seed))


def _auto(request: BeliefRequest) -> Belief:
    # Searches know which histories are possible, not how probable a model makes them.
    searching = ("csp", "sat") if request.model is None else ()
    names = (*searching, "particles", "hyperplay")
    return AutoBelief(request, fallbacks=[METHODS[name].make for name in names])


def _csp(request: BeliefRequest) -> Belief:
    from fogspiel.belief.csp.belief import CspBelief

    return CspBelief(request)


def _sat(request: BeliefRequest) -> Belief:
    from fogspiel.belief.sat.belief import SatBelief

    return SatBelief(request)


METHODS = Registry(
    "method",
    "BEL004",
    (
        BeliefMethod(
            name="auto",
            what="exact within its limits, then a method that searches or samples",
            make=_auto,
        ),
        BeliefMethod(
            name="exact",
            what="enumeration of all histories, with equal states merged",
            make=ExactBelief,
        ),
        BeliefMethod(
            name="dfs",
            what="depth-first search over 512 histories at a time",
            source="Richards (2012), figure 4.1",
            make=DfsBelief,
        ),
        BeliefMethod(
            name="csp",
            what="constraint satisfaction on a stage graph",
            source="Richards (2012), figures 4.2 and 4.3",
            make=_csp,
            takes_model=False,
        ),
        BeliefMethod(
            name="sat",
            what="SAT solving over the unrolled rules",
            make=_sat,
            takes_model=False,
        ),
        BeliefMethod(
            name="rejection",
            what="rejection sampling of random histories, for short games",
            make=RejectionBelief,
            takes_model=False,
        ),
        BeliefMethod(
            name="particles",
            what="particle filter",
            source="Richards (2012), algorithm 4.1",
            make=ParticlesBelief,
        ),
        BeliefMethod(
            name="tree",
            what="Monte Carlo search in a belief state tree with Bayesian updates",
            source="Geisser, Keller & Mattmueller (2014)",
            make=TreeBelief,
        ),
        BeliefMethod(
            name="hyperplay",
            what="set of sampled histories, repaired by backtracking and weighted",
            source="Schofield, Cerexhe & Thielscher (2012)",
            make=HyperplayBelief,
        ),
    ),
)
