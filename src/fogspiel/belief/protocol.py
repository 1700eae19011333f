"""One protocol for every way to find out what a role must hold possible.

A history is a sequence of joint moves. It is possible if its moves are legal and the role would
have made the moves it made and seen just what it saw. Its weight is the probability of all that
others and chance did in it; weights of a whole information set, divided by their sum, are the
posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine, State, States


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """Some histories that fit, and where they lead."""

    joints: NDArray[np.int32]
    """(n, steps, roles)"""
    states: States
    """(n, words)"""
    weights: NDArray[np.float64]
    """(n,) of an enumeration, the probability of each history up to a common factor; of a sample,
    how much each counts so that the sample is unbiased."""
    complete: bool
    """Whether these are all histories that fit."""
    unbiased: bool = True
    """Of a sample, whether its weights are known to make it one from the posterior. They are not
    where a method had only time for those histories that a search came upon first."""

    def __len__(self) -> int:
        """How many histories there are."""
        return len(self.states)

    def share(self, state: State) -> float:
        """How much of the weight leads to a state."""
        return float(self.weights[same_state(self.states, state)].sum() / self.weights.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefLimits:
    """How much a method may use. What it found until then stays valid."""

    histories: int = 4_000_000
    """Histories, or states with all their histories, that are held at a time."""
    bytes: int = 1 << 30
    seconds: float = 60.0
    """For one call."""


def same_state(states: States, state: State) -> NDArray[np.bool_]:
    """(n,) which rows are a state, also where a machine made rows of different lengths."""
    words = min(states.shape[1], len(state))
    equal: NDArray[np.bool_] = (states[:, :words] == state[:words]).all(axis=1)
    return equal & ~states[:, words:].any(axis=1) & (not state[words:].any())


class Belief(Protocol):
    """What a role holds possible, as play goes on."""

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def machine(self) -> Machine:
        """The game."""

    @property
    def role(self) -> RoleId:
        """Whose belief it is."""

    @property
    def observations(self) -> Sequence[Observation]:
        """All that the role did and saw so far."""

    def advance(self, observation: Observation) -> None:
        """Take note of one more step.

        Raises `PlayError` BEL001, naming the step, where it is found that nothing fits, and
        `LimitError` BEL002 where the method gives up.
        """

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, with weights where the method is biased.

        Fewer than asked for where time was up before: none is given twice to make up for others.
        """

    def enumerate(self, limit: int) -> Histories:
        """All histories that fit, or as many as the limits allow."""

    def size(self) -> int | None:
        """How many histories fit; None if that is not known."""

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""


@runtime_checkable
class OffersWitness(Protocol):
    """A belief that has a state at hand that fits, without drawing one.

    What holds in all states that a role holds possible, as which moves it has, can be read there.
    """

    def witness(self) -> State | None:
        """One state that fits, by no probability; None if none is at hand."""


class OpponentModel(Protocol):
    """How others are supposed to play."""

    @property
    def name(self) -> str:
        """The name of the model."""

    @property
    def needs_knowledge(self) -> bool:
        """Whether what a role knows decides, not the state alone."""

    def shares(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: NDArray[np.int32],
        knowledge: Sequence[Sequence[Observation]] | None,
    ) -> NDArray[np.float64]:
        """(n,) the probability that the role makes each move in each state.

        knowledge: of each row, all that the role did and saw; None unless asked for.
        """
