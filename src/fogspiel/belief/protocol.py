"""The protocol of beliefs: from what a role did and saw to the histories that it must consider.

A history is a sequence of joint moves. It is possible if its moves are legal and the role would
have made the moves it made and seen just what it saw: the possible histories are the role's
information set. The weight of a history is the probability of all that others and chance did in
it; weights of a whole information set, divided by their sum, are the posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.protocol import Machine, State, States

LEAST_SECONDS = 1e-3
ROUNDING = 2.0**40  #: Probabilities that differ by less than one part of this are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """Some possible histories, and the states they lead to."""

    joints: NDArray[np.int32]  #: (n, steps, roles)
    states: States  #: (n, words)
    weights: NDArray[np.float64]
    """(n,) the probability of each history up to a common factor; in a sample, how much each counts
    so that the sample is unbiased."""
    complete: bool  #: Whether these are all possible histories
    unbiased: bool = True
    """Whether the weights of a sample are known to make it one from the posterior. They are not
    where a method had only time for those histories that a search came upon first."""

    def __len__(self) -> int:
        """The number of histories."""
        return len(self.states)

    def probability(self, state: State) -> float:
        """The part of the weight that leads to a state."""
        return float(self.weights[same_state(self.states, state)].sum() / self.weights.sum())

    def take(
        self, rows: NDArray[np.int64] | slice, weights: NDArray[np.float64] | None = None
    ) -> Histories:
        """Some of the histories, as a sample, with their weights or others."""
        return replace(
            self,
            joints=self.joints[rows],
            states=self.states[rows],
            weights=self.weights[rows] if weights is None else weights,
            complete=False,
        )

    def draw(self, count: int, rng: np.random.Generator) -> Histories:
        """Histories drawn independently by their weights."""
        rows = rng.choice(len(self), count, p=self.weights / self.weights.sum())
        return self.take(rows, np.ones(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefLimits:
    """Limits on what a method may use. What it found until then stays valid."""

    histories: int = 4_000_000
    """Histories, or states with all their histories, that are held at a time."""
    bytes: int = 1 << 30
    seconds: float = 60.0  #: Time for one call

    def within(self, seconds: float) -> BeliefLimits:
        """The same limits with another time for one call, which is never quite nothing."""
        return replace(self, seconds=max(seconds, LEAST_SECONDS))


def same_state(states: States, state: State) -> NDArray[np.bool_]:
    """(n,) whether each row is a state, also where a machine made rows of different lengths."""
    words = min(states.shape[1], len(state))
    equal: NDArray[np.bool_] = (states[:, :words] == state[:words]).all(axis=1)
    return equal & ~states[:, words:].any(axis=1) & (not state[words:].any())


def rounded(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n,) probabilities as whole numbers, for keys by which equal beliefs are found.

    Two ways to a belief add and divide in another order, so that its probabilities differ in their
    last bits.
    """
    whole: NDArray[np.int64] = np.round(probabilities * ROUNDING).astype(np.int64)
    return whole


class Belief(Protocol):
    """The information set of a role, as play goes on."""

    limits: BeliefLimits  #: Limits of the next call; whoever asks may change them

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def machine(self) -> Machine:
        """The game."""

    @property
    def role(self) -> RoleId:
        """The role whose belief it is."""

    @property
    def observations(self) -> Sequence[Observation]:
        """All that the role did and saw so far."""

    def advance(self, observation: Observation) -> None:
        """Take note of one more step.

        Raises `PlayError` BEL001, naming the step, where no history is possible, and `LimitError`
        BEL002 where the method gives up.
        """

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, with weights where the method is biased.

        Fewer than asked for where time was up before: none is given twice to make up for others.
        """

    def enumerate(self, limit: int) -> Histories:
        """All possible histories, or as many as the limits allow."""

    def size(self) -> int | None:
        """The number of possible histories; None if it is not known."""

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""

    def witness(self) -> State | None:
        """One possible state that is at hand without drawing it; None if there is none.

        It was not drawn by probability. What holds in all possible states, as which moves the role
        has, can be read there.
        """


@dataclass(frozen=True, slots=True)
class ChosenMoves:
    """Moves that a role may have chosen, one in each of some states."""

    role: RoleId
    states: States  #: (n, words)
    moves: NDArray[np.int32]  #: (n,)
    knowledge: Sequence[Sequence[Observation]] | None = None
    """(n,) all that the role did and saw before; None unless the model needs it."""


class OpponentModel(Protocol):
    """Assumptions on how other roles choose their moves."""

    @property
    def name(self) -> str:
        """The name of the model."""

    @property
    def needs_knowledge(self) -> bool:
        """Whether moves depend on what a role knows, not on the state alone."""

    def probabilities(self, machine: Machine, chosen: ChosenMoves) -> NDArray[np.float64]:
        """(n,) the probability that the role makes each move in its state."""


@dataclass(frozen=True, slots=True)
class BeliefRequest:
    """What a belief is made from."""

    machine: Machine
    role: RoleId
    limits: BeliefLimits = BeliefLimits()
    model: OpponentModel | None = None  #: None: others choose uniformly at random
    seed: int = 0  #: Used by methods that keep a random population from step to step
