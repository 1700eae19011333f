"""MaxUCT of one role by itself: the value of a decision is that of its best move.

All other roles play uniformly at random, as chance does. UCT lets a move learn the mean of all
simulations that went through it, and most of these were trying out bad moves later: a question
whose answer is used badly at first looks useless for long. Here the value of a move is the mean of
the decisions that follow it, weighted by how often each was met, and each of these has the value of
its best move.

Where not all moves were tried the mean of a decision's simulations counts: the luckiest of a few
moves tried once says nothing, and would speak for questions that tell nothing, since what follows
these is met more often. For the same reason the value of a decision of k moves is what its best
move would get if each of them had been tried (k / 32)^2 times more, with the mean of all
simulations.

The bonus of a move that was visited n times, among N visits of its decision, is
    constant * (mean of the best move) * sqrt(sqrt(N) / n).
Early values are small where points are won only by those who know much, as in number guessing, and
a bonus for values between 0 and 1 would drown them. And since bad moves no longer lower the value
of a decision, it pays to try all moves well, not to visit the best one most.

Sources: Geisser, Keller & Mattmueller (2014), section 3.1, for the tree of own actions and
observations; Keller & Helmert (2013), ICAPS (MaxUCT), for the value of a decision; Keller &
Eyerich (2012), ICAPS (PROST), for a bonus in proportion to it; Tolpin & Shimony (2012), AAAI, for
sqrt(N) where UCB1 has log(N).
Departures: Geisser et al. name UCB1 and means, with which their scores were not reached here;
means before all moves were tried, and best moves drawn to the mean; Tolpin & Shimony use sqrt(N) at
the root only; a simulation that ended in a playout below a move stays in that move's mean; where
the mean of the best move is 0 the bonus is as for 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.kernels.words import NONE
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import Keys, keys_after, observation_keys
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.kernels.alone_arrays import (
    COLUMNS,
    AloneOrder,
    StateEdges,
    Walks,
    joint_moves,
    learn_ends,
    walk,
)
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.kernels.tree_arrays import SearchOrder
from fogspiel.search.mcts.kernels.tree_nodes import (
    DECISION,
    END,
    FREE,
    GOES_ON,
    HEAD,
    LARGEST_BLOCK,
    NUMBERS,
    STANDS,
    add_chance,
    link,
)
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import RootStates
from fogspiel.search.mcts.statistics import DecisionTable
from fogspiel.search.mcts.tree_growth import GrowingTree, Indices, longer, with_moves
from fogspiel.search.mcts.tree_search import (
    LONGEST,
    MOST_BYTES,
    SIDE_BY_SIDE,
    TreeSearch,
)

FIRST_EDGES = 1 << 14
ROOM = 1 << 12  #: Decisions for which room is made at once


class AloneGrowth(GrowingTree):
    """A graph of states, with numbers of the role's action sets in place of its decisions.

    Decisions are added by walks: they depend on the history of a walk, and a state has many.
    """

    def __init__(self, machine: Machine, observer: RoleId, *, max_bytes: int) -> None:
        super().__init__(
            machine, observer, scope="state", max_bytes=max_bytes, at_once=SIDE_BY_SIDE
        )
        self.decisions = DecisionTable(with_scores=False)
        self.estimates = np.zeros((ROOM, COLUMNS))
        """(decisions, columns) what kernels estimate of decisions."""
        self.edges = StateEdges(np.zeros(FIRST_EDGES, np.int32), np.zeros(FIRST_EDGES, np.uint64))
        self.widest = 1
        """Largest number of own moves in a state."""
        self._edge_count = 0
        self._choices: dict[bytes, int] = {}
        """Numbers of own action sets."""

    @property
    def bytes(self) -> int:
        """Memory in use."""
        edges = sum(array[: self._edge_count].nbytes for array in self.edges)
        return super().bytes + edges + self.estimates[: self.decisions.node_count].nbytes

    def sets_of(self, nodes: Indices) -> NDArray[np.int64]:
        """(n,) the numbers of the role's action sets."""
        numbers: NDArray[np.int64] = self.nodes.heads[nodes, self._own + DECISION]
        return numbers

    def add(self, owners: Indices, numbers: Keys, after: States, seen: Keys) -> Indices:
        """(n,) the nodes that joint moves in nodes lead to, from now on.

        numbers: (n,) of the joint moves. after: (n, words). seen: (n,) hashed observations.
        """
        found = self.nodes_of(after)
        first, more = self._edge_count, len(owners)
        self.edges = StateEdges(*(longer(array, first, more) for array in self.edges))
        self.edges.targets[first : first + more] = found
        self.edges.observations[first : first + more] = seen
        self._edge_count += more
        link(self.nodes, owners, numbers, np.arange(first, first + more))
        return found

    def make_room(self, decisions: int, arms: int) -> None:
        """Let so many decisions and arms be added."""
        super().make_room(decisions, arms)
        used, room = self.decisions.node_count, len(self.decisions.arrays.visits)
        self.estimates = longer(self.estimates, used, room - used)

    @property
    def _own(self) -> int:
        """The first column of heads for the role."""
        return HEAD + NUMBERS * self.observer

    def _give_moves(
        self,
        fresh: Indices,
        rows: NDArray[np.uint64],
        states: States,
        legal: list[NDArray[np.bool_]],
    ) -> None:
        moves = sum(int(own.sum()) for own in legal)
        self.nodes = with_moves(self.nodes, moves, LARGEST_BLOCK * len(fresh))
        for role in map(RoleId, range(len(legal))):
            weights = legal[role].astype(np.float64)
            if role == self.chance:
                weights = self.machine.chance_weights_batch(states)
            add_chance(self.nodes, fresh, role, weights)
        own = legal[self.observer]
        self.widest = max(self.widest, int(own.sum(axis=1).max()))
        sets = [row.tobytes() for row in np.packbits(own, axis=1)]
        self.nodes.heads[fresh, self._own + DECISION] = [
            self._choices.setdefault(each, len(self._choices)) for each in sets
        ]


class AloneTree(TreeSearch):
    """A search whose nodes are states, while decisions are found by what the role knows."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        constant: float,
        seed: int,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        """constant: of exploration. max_bytes: memory from which on nothing is added."""
        rule = SelectionRule(kind=UCB, constant=constant)
        super().__init__(machine, observer, scope="state", rule=rule, seed=seed, leaves=leaves)
        self._tree: AloneGrowth = AloneGrowth(machine, observer, max_bytes=max_bytes)
        self._plays_out = leaves.name is None
        self._walks = _made_walks(SIDE_BY_SIDE, LONGEST, len(machine.roles))
        self._states = self._walks.states
        self._root_key = np.uint64(0)
        self._begun: SearchOrder | None = None
        """The roots of the last simulations."""

    def root_decisions(self, pool: RootStates) -> list[tuple[np.uint64, float]]:
        """Keys of the root decision, one for each action set, and their weights.

        None if there was no time for any simulation.
        """
        key = pool.knowledge[0, self.observer]
        if self._begun is None or key != self._root_key:
            return []
        numbers = self._tree.sets_of(self._begun.roots)
        found, same = np.unique(numbers, return_inverse=True)
        weights = np.bincount(same, np.diff(self._begun.bounds, prepend=0.0))
        keys = keys_after(np.full(len(found), key), found.astype(np.uint64))
        return list(zip(keys, weights.tolist(), strict=True))

    def _task(self, pool: RootStates) -> SearchOrder:
        self._root_key = pool.knowledge[0, self.observer]
        self._begun = super()._task(pool)
        return self._begun

    def _walk(self, task: SearchOrder) -> int:
        tree = self._tree
        if not task.is_full:
            decisions = SIDE_BY_SIDE + ROOM
            tree.make_room(decisions, decisions * tree.widest)
        order = AloneOrder(
            roots=task.roots,
            bounds=task.bounds,
            key=self._root_key,
            observer=int(self.observer),
            most=task.most,
            side_by_side=task.side_by_side,
            most_steps=task.most_steps,
            longest=LONGEST,
            widest=tree.widest,
            plays_out=self._plays_out,
            is_full=task.is_full,
        )
        return int(
            walk(
                tree.nodes, tree.edges, tree.decisions.arrays, tree.bounds, tree.estimates,
                self._walks, order,
                self._rule.constant, int(self._rng.integers(0, 2**32)),
            )
        )  # fmt: skip

    def _finish(self) -> None:
        walks, tree = self._walks, self._tree
        rows, states = self._left(walks.nodes)
        if not len(rows):
            return
        seed = int(self._rng.integers(0, 2**32))
        values = self._scale.values(self._evaluate(states, seed, self._budget))
        goals = np.ascontiguousarray(values[:, self.observer])
        learn_ends(tree.decisions.arrays, tree.bounds, tree.estimates, walks, rows, goals)

    def _after(self, rows: Indices) -> tuple[Joints, States]:
        joints = np.empty((len(rows), len(self.machine.roles)), np.int32)
        joint_moves(self._tree.nodes, self._walks, rows, joints)
        return joints, self.machine.step_batch(
            self._tree.states_of(self._walks.nodes[rows]), joints
        )

    def _grow(self, asking: Indices) -> None:
        walks, tree = self._walks, self._tree
        firsts, same = distinct_rows(walks.joints[asking][:, None])
        makers = asking[firsts]
        owners = walks.nodes[makers]
        joints, after = self._after(makers)
        seen = observation_keys(self.machine, self.observer, tree.states_of(owners), joints)
        found = tree.add(owners, walks.joints[makers], after, seen)
        walks.nodes[asking] = found[same]
        walks.keys[asking] = keys_after(walks.keys[asking], seen[same])
        # In a game of many states most are met once: no more than one is added for a playout.
        goes_on = ~walks.outside[asking] | (tree.nodes.heads[found[same], END] != NONE)
        walks.states[asking] = np.where(goes_on, GOES_ON, STANDS)


def _made_walks(count: int, longest: int, roles: int) -> Walks:
    return Walks(
        states=np.full(count, FREE, np.int8),
        nodes=np.zeros(count, np.int64),
        keys=np.zeros(count, np.uint64),
        outside=np.zeros(count, np.bool_),
        picks=np.zeros((count, roles), np.int32),
        joints=np.zeros(count, np.uint64),
        steps=np.zeros(count, np.int64),
        lengths=np.zeros(count, np.int64),
        trail=np.empty((count, longest, 2), np.int64),
    )
