"""The waist of Fogspiel: what every game can do, whatever language it was written in.

Beliefs, trees and search see this protocol and nothing below it. Roles, moves, fluents and
percepts are integers inside; `*_term` methods turn them into readable terms at the border.

A state is a row of 64-bit words, bit `f` saying whether fluent `f` holds. A machine that meets
fluents as it goes (the reference reasoner) may return longer rows later; missing words are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import GroundTerm, MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.circuit import StepCircuit

State: TypeAlias = NDArray[np.uint64]  #: (words,)
States: TypeAlias = NDArray[np.uint64]  #: (n, words)
Joints: TypeAlias = NDArray[np.int32]  #: (n, roles): a move id for every role

Engine: TypeAlias = Literal["compiled", "reference"]

DEFAULT_MAX_STEPS = 10_000
"""Steps after which a playout is given up: longer than any game known to us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """All children of a state, in the lexicographic order of their joint moves."""

    joints: Joints  #: (children, roles)
    states: States  #: (children, words)
    terminal: NDArray[np.bool_]  #: (children,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuations:
    """Steps from some states that fit what one role did and saw."""

    parents: NDArray[np.int64]  #: (n,) which state each starts from
    joints: Joints  #: (n, roles)
    states: States  #: (n, words) where each leads
    shares: NDArray[np.float64]
    """(n,) how probable each is in its state, if other roles choose evenly and chance by weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The states that are possible after some steps, each with all histories that lead to it."""

    states: States
    """(n, words) preceded by what other roles know, where histories are told apart by it."""
    counts: NDArray[np.float64]  #: (n,) histories that lead to each; exact below 2**53
    weights: NDArray[np.float64]  #: (n,) their probability, up to a factor common to the layer

    def __len__(self) -> int:
        """How many states there are."""
        return len(self.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSteps:
    """The steps into a layer, sorted by where they lead."""

    parents: NDArray[np.int64]  #: (m,) in the layer before
    joints: Joints  #: (m, roles)
    shares: NDArray[np.float64]  #: (m,) probability of the step in its state
    starts: NDArray[np.int64]  #: (n + 1,) the steps into state i are starts[i]:starts[i + 1]

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arrays = (self.parents, self.joints, self.shares, self.starts)
        return sum(array.nbytes for array in arrays)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRun:
    """Layers one after the other, with the steps into each, in flat arrays."""

    states: States  #: Of all layers; so are counts and weights
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    layer_ends: Sequence[int]  #: (layers,) where each ends
    parents: NDArray[np.int64]  #: Of the steps into all layers; so are joints and shares
    joints: Joints
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]  #: As in `LayerSteps`, one more for each layer than it has states
    step_ends: Sequence[int]  #: (layers,) where the steps into each end

    def __len__(self) -> int:
        """How many layers there are."""
        return len(self.layer_ends)

    @property
    def bytes(self) -> int:
        """Memory in use, but for small things."""
        return self.states.nbytes + self.parents.nbytes + self.joints.nbytes + self.shares.nbytes

    def layer(self, number: int) -> Layer:
        """One of the layers."""
        own = slice(self.layer_ends[number - 1] if number else 0, self.layer_ends[number])
        return Layer(states=self.states[own], counts=self.counts[own], weights=self.weights[own])

    def steps(self, number: int) -> LayerSteps:
        """The steps into one of the layers."""
        first = self.layer_ends[number - 1] if number else 0
        own = slice(self.step_ends[number - 1] if number else 0, self.step_ends[number])
        return LayerSteps(
            parents=self.parents[own],
            joints=self.joints[own],
            shares=self.shares[own],
            starts=self.starts[first + number : self.layer_ends[number] + number + 1],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Playouts:
    """What random play from n start states came to."""

    goal_sums: NDArray[np.int64]  #: (n, roles) goals summed over the playouts of each start state
    counts: NDArray[np.int64]  #: (n,) playouts ended, by the rules or otherwise
    steps: int  #: Joint moves made in all playouts together
    stuck: int
    """Playouts that ended because a role had no legal move in a state that is not terminal."""
    cut: int  #: Playouts given up because they passed the limit on steps

    @property
    def mean_goals(self) -> NDArray[np.float64]:
        """(roles,) mean goal of each role over all playouts."""
        means: NDArray[np.float64] = self.goal_sums.sum(axis=0) / max(1, int(self.counts.sum()))
        return means

    @property
    def mean_length(self) -> float:
        """Joint moves of a playout, on average."""
        return self.steps / max(1, int(self.counts.sum()))


class Machine(Protocol):
    """A game that can be played."""

    @property
    def engine(self) -> Engine:
        """Which implementation plays."""

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, chance included, in the order of the rules."""

    @property
    def chance_role(self) -> RoleId | None:
        """The role whose moves are drawn by chance."""

    @property
    def goal_scale(self) -> int:
        """What goals are multiplied by: a goal g stands for the payoff g / goal_scale."""

    def initial(self) -> State:
        """The state in which play begins."""

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending. Empty only where the rules are faulty."""

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move. Raises `PlayError` on an illegal one."""

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees when the joint move is made in the state, ascending."""

    def goals(self, state: State) -> tuple[int, ...]:
        """The goal of every role: the largest value that holds, 0 where none does."""

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every goal value of a role that holds, ascending: exactly one where rules are sound."""

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance, in the order of `legal`."""

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance) probabilities, 0 where a move is not legal; no columns if there is
        no chance."""

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors. Raises `PlayError` on an illegal move."""

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what the role sees."""

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals, as `goals`."""

    def expand(self, state: State) -> Expansion:
        """All children of a state that is not terminal."""

    def continuations(
        self,
        states: States,
        role: RoleId,
        observation: Observation,
        limit: int | None = None,
        among: Sequence[NDArray[np.bool_]] | None = None,
    ) -> Continuations:
        """All steps from the states in which the role makes its move and sees just its percepts.

        among: of each role, which of its moves are tried; all where not given. Shares count all.
        In a fixed order. Terminal states have none. Raises `LimitError` MCH014 beyond `limit`.
        """

    def layers(
        self,
        first: Layer,
        role: RoleId,
        observations: Sequence[Observation],
        limit: int,
    ) -> LayerRun:
        """Layers that follow one by what the role observed, with the steps into each.

        As many as are quickly found together. None where more than `limit` steps lead into the
        first of them; the last is empty where nothing fits.
        """

    def circuit(self) -> StepCircuit | None:
        """One step as gates, for solvers; None where the machine has no gates."""

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state; every role plays uniformly at random.

        Chance draws its moves by their weights.
        A playout is given up after at least `max_steps` and at most twice as many steps.
        Same states, seed and count give the same result on any machine of the same engine.
        """

    def key(self, state: State) -> bytes:
        """A value equal for equal states, to be used in sets and dictionaries."""

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold, in the order of their ids."""

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which just these fluents hold."""

    def move_count(self, role: RoleId) -> int:
        """Moves of a role known so far."""

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as the rules write it."""

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move. Raises `PlayError` for one the rules do not know."""

    def percept_count(self, role: RoleId) -> int:
        """Percepts of a role known so far."""

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as the rules write it; `(does r m)` where all see the joint move."""


@runtime_checkable
class MeetsPercepts(Protocol):
    """A machine that numbers percepts as it meets them, and can be told of one before."""

    def percept_id(self, role: RoleId, percept: GroundTerm) -> PerceptId:
        """The id of a percept, which need not be one that the rules can give."""


def player_roles(machine: Machine) -> list[RoleId]:
    """All roles but chance."""
    return [RoleId(role) for role in range(len(machine.roles)) if role != machine.chance_role]


def too_many_continuations(limit: int) -> LimitError:
    """What every machine says when `continuations` passes its limit."""
    return LimitError.of(
        "MCH014",
        f"more than {limit:,} steps fit what the role did and saw",
        fix="raise the limit on histories, or take a sample",
    )
