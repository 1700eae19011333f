"""Games against opponents with known strategies, which make up the chance role together.

`FixedOpponents` is a game of one player. If the opponents' strategies depend on the state alone,
as uniform random ones do, courses of play that end in the same state and that the player cannot
tell apart are one node, so that the tree is far smaller than that of the game.

`BayesianGame` adds an unobservable type of the opponents to the states. All opponents have the same
type throughout a match (Harsanyi 1967). The best response (`solve/response/belief_mdp`) then takes
into account that the opponents' moves reveal their type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Joints, Machine, State, States
from fogspiel.machine.wrappers.wrapper import MachineWrapper

OWN = RoleId(0)
OTHERS = RoleId(1)
NATURE = "others"  #: Name of the role that all other roles are joined to
MOST_LISTED = 4096
"""Most joint moves of the others that are all numbered in advance instead of when they are met."""


Behaviour = Callable[[RoleId, States, NDArray[np.bool_]], NDArray[np.float64]]
"""A strategy: (n, moves) probabilities, given a role, n states and (n, moves) its legal moves."""


def uniform_policy(role: RoleId, states: States, legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Uniform random policy: equal probabilities of all legal moves. Implements `Behaviour`."""
    shares: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
    return shares


class FixedOpponents(MachineWrapper):
    """A machine with two roles: one player, and all other roles as chance. Implements `Machine`."""

    def __init__(
        self, machine: Machine, role: RoleId, behaviour: Behaviour = uniform_policy
    ) -> None:
        """role: the player. behaviour: strategy of all other roles except chance."""
        super().__init__(machine)
        self._role = role
        self._behaviour = behaviour
        self._others = [RoleId(other) for other in range(len(machine.roles)) if other != role]
        self._moves: dict[tuple[MoveId, ...], MoveId] = {}
        """Numbers of the others' joint moves, in the order in which they are met."""
        self._listed: list[tuple[MoveId, ...]] = []
        counts = [machine.move_count(other) for other in self._others]
        self._all_listed = 0 < prod(counts) <= MOST_LISTED
        if self._all_listed:
            for moves in product(*(range(count) for count in counts)):
                self._number(tuple(map(MoveId, moves)))

    @property
    def roles(self) -> tuple[str, ...]:
        """The player, and all other roles together."""
        return self._machine.roles[self._role], NATURE

    @property
    def chance_role(self) -> RoleId:
        """The role of all others together."""
        return OTHERS

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of the role, or the joint moves of all others, ascending."""
        if role == OWN:
            return self._machine.legal(state, self._role)
        (weights,) = self.chance_weights_batch(state[None, :])
        return tuple(MoveId(int(move)) for move in np.flatnonzero(weights))

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after a joint move."""
        return self._machine.step(state, self._whole(joint))

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """The percepts of the player, whatever role is given."""
        return self._machine.percepts(state, self._whole(joint), self._role) if role == OWN else ()

    def goals(self, state: State) -> tuple[int, ...]:
        """The goal of the role."""
        return self._machine.goals(state)[self._role], 0

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every goal value of the role that holds."""
        return self._machine.goal_values(state, self._role) if role == OWN else (0,)

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the joint moves of the others."""
        weights: NDArray[np.float64] = self.chance_weights_batch(state[None, :])[0]
        return weights[weights > 0.0]

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, joint moves met so far) probabilities."""
        shares = [self._shares(states, other) for other in self._others]
        if self._all_listed:
            # Without other roles there is one joint move of the others, which is empty.
            return reduce(_outer, shares, np.ones((len(states), 1)))
        if len(shares) == 1:
            for move in range(len(self._listed), shares[0].shape[1]):
                self._number((MoveId(move),))
            return shares[0]
        lotteries = [self._lottery([own[row] for own in shares]) for row in range(len(states))]
        weights = np.zeros((len(states), len(self._listed)))
        for row, lottery in enumerate(lotteries):
            weights[row, list(lottery)] = list(lottery.values())
        return weights

    def lotteries(self, states: States) -> int:
        """Number of the others' joint moves that must be listed one by one for some states."""
        if self._all_listed or len(self._others) < 2:
            return 0
        counts = [self._machine.legal_batch(states, other).sum(axis=1) for other in self._others]
        return int(np.prod(counts, axis=0, dtype=np.float64).sum())

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves met so far) legality; moves that the others never make are not legal."""
        if role == OWN:
            return self._machine.legal_batch(states, self._role)
        return self.chance_weights_batch(states) > 0.0

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return self._machine.step_batch(states, self._wholes(joints))

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what it sees."""
        if role == OTHERS:
            return np.zeros((len(states), 0), np.bool_)
        return self._machine.percepts_batch(states, self._wholes(joints), self._role)

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, 2) the goal of the role, and 0."""
        own = self._machine.goals_batch(states)[:, self._role]
        return np.stack([own, np.zeros_like(own)], axis=1)

    def move_count(self, role: RoleId) -> int:
        """Moves of the role, or joint moves of the others met so far."""
        return self._machine.move_count(self._role) if role == OWN else len(self._listed)

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move, or the moves of all others in the order of the rules."""
        if role == OWN:
            return self._machine.move_term(self._role, move)
        pairs = zip(self._others, self._listed[move], strict=True)
        return ("all", *(self._machine.move_term(other, own) for other, own in pairs))

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The number of a move. Raises `PlayError` if there is none."""
        if role == OWN:
            return self._machine.move_id(self._role, move)
        pairs = zip(self._others, move[1:], strict=True)
        return self._number(tuple(self._machine.move_id(other, own) for other, own in pairs))

    def percept_count(self, role: RoleId) -> int:
        """Percepts of the role."""
        return self._machine.percept_count(self._role) if role == OWN else 0

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept of the role."""
        return self._machine.percept_term(self._role, percept)

    def _shares(self, states: States, other: RoleId) -> NDArray[np.float64]:
        """(n, moves) probabilities of a role's moves."""
        if other == self._machine.chance_role:
            return self._machine.chance_weights_batch(states)
        legal = self._machine.legal_batch(states, other)
        return np.where(legal, self._behaviour(other, states, legal), 0.0)

    def _lottery(self, shares: Sequence[NDArray[np.float64]]) -> dict[MoveId, float]:
        """Probabilities of the joint moves of the others."""
        options = [
            [(MoveId(int(move)), float(own[move])) for move in np.flatnonzero(own)]
            for own in shares
        ]
        return {
            self._number(tuple(move for move, _ in chosen)): prod(share for _, share in chosen)
            for chosen in product(*options)
        }

    def _number(self, moves: tuple[MoveId, ...]) -> MoveId:
        number = self._moves.get(moves)
        if number is None:
            number = self._moves[moves] = MoveId(len(self._listed))
            self._listed.append(moves)
        return number

    def _whole(self, joint: Sequence[MoveId]) -> tuple[MoveId, ...]:
        """The joint move of the wrapped game."""
        others = self._listed[joint[OTHERS]]
        return (*others[: self._role], joint[OWN], *others[self._role :])

    def _wholes(self, joints: Joints) -> Joints:
        """(n, roles of the wrapped game) joint moves."""
        table = np.array(self._listed, np.int32).reshape(len(self._listed), len(self._others))
        others = table[joints[:, OTHERS]]
        own = joints[:, OWN : OWN + 1].astype(np.int32)
        return np.hstack([others[:, : self._role], own, others[:, self._role :]])


def _outer(before: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, joint moves) probabilities with one more role, whose moves change fastest."""
    joint: NDArray[np.float64] = before[:, :, None] * own[:, None, :]
    return joint.reshape(len(before), before.shape[1] * own.shape[1])


EVEN, OTHER = 0, 1
TYPES = 2


class BayesianGame(MachineWrapper):
    """A machine whose states end with the opponents' type.

    It implements the batch operations of `Machine` that `best_answer` uses.
    """

    def __init__(self, machine: Machine, other: Behaviour) -> None:
        """other: strategy of the type of opponents that does not play uniformly."""
        super().__init__(machine)
        self._other = other
        self._words = len(machine.initial())

    def behaviour(
        self, role: RoleId, states: States, legal: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(n, moves) probabilities given the type. Implements `Behaviour`."""
        shares = uniform_policy(role, states, legal)
        rows = np.flatnonzero(states[:, -1] == OTHER)
        if len(rows):
            shares[rows] = self._other(role, self._plain(states[rows]), legal[rows])
        return shares

    def typed(
        self, states: States, weights: NDArray[np.float64], least: float
    ) -> tuple[States, NDArray[np.float64]]:
        """States with their types, and their joint probabilities.

        weights: (n, types) joint weights; entries below `least` are left out.
        """
        rows, types = np.nonzero(weights >= least)
        shares = weights[rows, types]
        both = np.concatenate([states[rows], types[:, None].astype(np.uint64)], axis=1)
        return both, shares / shares.sum()

    def initial(self) -> State:
        """The initial state, with opponents of the type that plays uniformly."""
        return np.append(self._machine.initial(), np.uint64(EVEN))

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors, of the same type."""
        after = np.empty_like(states)
        after[:, : self._words] = self._machine.step_batch(self._plain(states), joints)
        after[:, -1] = states[:, -1]
        return after

    def _plain(self, states: States) -> States:
        return np.ascontiguousarray(states[..., : self._words])
