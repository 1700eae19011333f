"""The interface of all games, whatever the language of their rules.

Beliefs, trees and search use this protocol and nothing below it. Roles, moves, fluents and percepts
are integers; `*_term` methods translate them to readable terms.

A state is a row of 64-bit words in which bit `f` says whether fluent `f` holds. Machines that meet
fluents one by one (the reference machine) may return longer rows later; missing words are zero.
The machine of a game in Python numbers its states, and a row holds the number: `fluent_rows` gives
rows of fluents for any machine.

Length: one interface, with the records that it gives and takes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import GroundTerm, MoveId, Observation, PerceptId, RoleId

State: TypeAlias = NDArray[np.uint64]  #: (words,) bits of the fluents that hold
States: TypeAlias = NDArray[np.uint64]  #: (n, words) states
Joints: TypeAlias = NDArray[np.int32]  #: (n, roles) joint moves: a move id for every role

Engine: TypeAlias = Literal["compiled", "reference"]

DEFAULT_MAX_STEPS = 10_000
"""Most steps of a playout, more than in any game known to us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """All children of a state, in the lexicographic order of their joint moves."""

    joints: Joints  #: (children, roles)
    states: States  #: (children, words)
    terminal: NDArray[np.bool_]  #: (children,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuations:
    """Steps from some states that are consistent with one role's move and percepts."""

    parents: NDArray[np.int64]  #: (n,) number of the state that each starts from
    joints: Joints  #: (n, roles)
    states: States  #: (n, words) state that each leads to
    shares: NDArray[np.float64]
    """(n,) probability of each in its state, if other roles play uniformly and chance by weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The possible states after some steps, with the number and probability of their histories."""

    states: States
    """(n, words) distinct states, preceded by keys of other roles' knowledge where that matters."""
    counts: NDArray[np.float64]  #: (n,) number of histories that lead to each; exact below 2**53
    weights: NDArray[np.float64]  #: (n,) their probability, up to a common factor

    def __len__(self) -> int:
        """Number of states."""
        return len(self.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSteps:
    """The steps into a layer, sorted by the state that they lead to."""

    parents: NDArray[np.int64]  #: (m,) number of the state in the previous layer
    joints: Joints  #: (m, roles)
    shares: NDArray[np.float64]  #: (m,) probability of the step in its state
    starts: NDArray[np.int64]  #: (n + 1,) the steps into state i are starts[i]:starts[i + 1]

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        arrays = (self.parents, self.joints, self.shares, self.starts)
        return sum(array.nbytes for array in arrays)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRun:
    """A sequence of layers with the steps into each, in flat arrays."""

    states: States  #: States of all layers, as are counts and weights
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    layer_ends: Sequence[int]  #: (layers,) end of each layer's states
    parents: NDArray[np.int64]  #: Parents of the steps into all layers, as are joints and shares
    joints: Joints
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]  #: `LayerSteps.starts` of all layers
    step_ends: Sequence[int]  #: (layers,) end of the steps into each layer

    def __len__(self) -> int:
        """Number of layers."""
        return len(self.layer_ends)

    @property
    def bytes(self) -> int:
        """Memory of the largest arrays."""
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
    """Results of random playouts from n start states."""

    goal_sums: NDArray[np.int64]  #: (n, roles) goals summed over the playouts of each start state
    counts: NDArray[np.int64]  #: (n,) number of playouts that ended, by the rules or otherwise
    steps: int  #: Number of joint moves in all playouts together
    stuck: int
    """Number of playouts that ended since a role had no legal move in a nonterminal state."""
    cut: int  #: Number of playouts given up at the limit on steps

    @property
    def mean_goals(self) -> NDArray[np.float64]:
        """(roles,) mean goal of each role over all playouts."""
        means: NDArray[np.float64] = self.goal_sums.sum(axis=0) / max(1, int(self.counts.sum()))
        return means

    @property
    def mean_length(self) -> float:
        """Mean number of joint moves of a playout."""
        return self.steps / max(1, int(self.counts.sum()))


Literals = NDArray[np.int64]  #: 2·node + negated, for nodes of a `StepCircuit`


@dataclass(frozen=True, slots=True)
class GateLoop:
    """Gates to be evaluated repeatedly, up to the least fixpoint."""

    first: int  #: The first gate, a node
    end: int  #: The node after the last gate
    variables: NDArray[np.int64]  #: Nodes of the loop variables
    sources: Literals  #: (variables,) value of each variable in the next pass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCircuit:
    """One step of a game as gates: what a solver needs to reason about play without playing.

    Node 0 is true, then come fluents, moves of all roles, loop variables and gates. Every gate is
    the conjunction of its inputs and reads nodes before it alone. A loop variable stands for the
    value of a relation that depends on itself: it begins false and takes the value of its source,
    pass by pass, until nothing changes.
    """

    fluents: int  #: Fluent f is node 1 + f
    role_starts: NDArray[np.int64]
    """(roles + 1,) the moves of role r are role_starts[r] to role_starts[r + 1]."""
    first_gate: int  #: First gate; all nodes before it are inputs or loop variables
    starts: NDArray[np.int64]
    """(gates + 1,) the inputs of gate g are inputs[starts[g]:starts[g + 1]]."""
    inputs: Literals
    loops: tuple[GateLoop, ...]
    legal: Literals  #: (moves,)
    terminal: int
    next: Literals  #: (fluents,)
    percepts: tuple[Literals, ...]  #: Literals of the percepts of each role
    weighted: bool  #: Whether some moves of chance are more probable than others

    @property
    def first_move(self) -> int:
        """The node of the first move of the first role."""
        return 1 + self.fluents


class Machine(Protocol):
    """A game that can be played."""

    @property
    def engine(self) -> Engine:
        """The implementation of the game."""

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, chance included, in the order of the rules."""

    @property
    def chance_role(self) -> RoleId | None:
        """The role whose moves are drawn by chance."""

    @property
    def goal_scale(self) -> int:
        """Factor by which goals are multiplied: a goal g stands for the payoff g / goal_scale."""

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
        """All steps from the states in which the role makes its move and has exactly its percepts.

        among: whether each move of each role is tried, by default all; shares refer to all moves.
        The order is fixed. Terminal states have none. Raises `LimitError` MCH014 beyond `limit`.
        """

    def layers(
        self,
        first: Layer,
        role: RoleId,
        observations: Sequence[Observation],
        limit: int,
    ) -> LayerRun:
        """Layers that follow one, consistent with the role's observations, and the steps into each.

        As many layers as are quickly found together; no layers if more than `limit` steps lead into
        the first. The last layer is empty if no state is consistent.
        """

    def circuit(self) -> StepCircuit | None:
        """One step as a circuit of gates; None if the machine has no gates."""

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state; every role plays uniformly at random.

        Chance draws its moves by their weights.
        A playout is given up after at least `max_steps` and at most twice as many steps.
        Same states, seed and count give the same result on any machine of the same engine.
        """

    def key(self, state: State) -> bytes:
        """A hashable value that is equal exactly for equal states."""

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold, in the order of their ids."""

    def fluent_rows(self, states: States) -> States:
        """(n, words) rows in which bit f says whether fluent f holds; `fluent_terms` reads them.

        For most machines these are the states themselves.
        """
        return states

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which exactly these fluents hold."""

    def move_count(self, role: RoleId) -> int:
        """Moves of a role known so far."""

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as the rules write it."""

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move. Raises `PlayError` if the rules have no such move."""

    def percept_count(self, role: RoleId) -> int:
        """Percepts of a role known so far."""

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as the rules write it; `(does r m)` if every role sees the joint move."""


@runtime_checkable
class MeetsPercepts(Protocol):
    """A machine that numbers percepts as it meets them and accepts new ones."""

    def percept_id(self, role: RoleId, percept: GroundTerm) -> PerceptId:
        """The id of a percept, even of one that the rules cannot produce."""


@runtime_checkable
class KeepsStates(Protocol):
    """A machine whose states stand for values of Python, under numbers of its own.

    Another machine of the same game has other numbers, so that values go from one to the other.
    """

    def value_of(self, state: State) -> Hashable:
        """The value that a state stands for."""

    def state_with(self, value: Hashable) -> State:
        """The state that stands for a value."""

    def renewed(self) -> Machine:
        """A machine of the same game with room for states: this one, unless it keeps too many."""


def with_room(machine: Machine) -> Machine:
    """The machine for the next match: another one of the same game where this one is crowded."""
    return machine.renewed() if isinstance(machine, KeepsStates) else machine


def player_roles(machine: Machine) -> list[RoleId]:
    """All roles but chance."""
    return [RoleId(role) for role in range(len(machine.roles)) if role != machine.chance_role]


def too_many_continuations(limit: int) -> LimitError:
    """Error of all machines when `continuations` passes its limit."""
    return LimitError.of(
        "MCH014",
        f"more than {limit:,} steps fit what the role did and saw",
        fix="raise the limit on histories, or take a sample",
    )
