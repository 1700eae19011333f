"""Monte Carlo tree search in a growing tree: only what is new is asked of the machine.

The same search as `lockstep`, with the same rules, scopes and starts. There every step of every
simulation is made by the machine; here simulations walk through stored nodes, and wait where they
come to a joint move that was never made before. Those that wait are served together, on the
machine's lanes, while others begin. So in a game whose tree is small the machine is soon not asked
at all, and in a large one no more than in lockstep.

At most an eighth as many simulations are under way as were made. One that ends inside the tree
is learnt before the next begins, so that small games are searched as if one by one.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.budget import BATCH_SHARE, FIRST_BATCH, Budget
from fogspiel.core.kernels.rows import distinct_rows, stacked
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.kernels.tree_arrays import (
    SearchOrder,
    Simulations,
    joint_moves,
    learn_ends,
    walk,
)
from fogspiel.search.mcts.kernels.tree_nodes import ASKS, FREE, GOES_ON, LEAVES, STANDS
from fogspiel.search.mcts.lockstep import Scope, SelectionRule
from fogspiel.search.mcts.roots import RootStates
from fogspiel.search.mcts.statistics import CROWDED_SHARE, DecisionTable
from fogspiel.search.mcts.tree_growth import GrowingTree, Indices

SIDE_BY_SIDE = 2048  #: Simulations under way at a time, at most
LONGEST = 512  #: Decisions of one simulation inside the tree; a longer one goes on at random
STEPS = 1 << 16  #: Steps inside the tree between looks at the clock: a few milliseconds
MOST_BYTES = 1 << 30  #: Memory from which on nodes are no longer added
SPREADS = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))
"""The numerator of the bonus of UCB, by the number of visits."""


class TreeSearch:
    """A search that can be continued at any time."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        scope: Scope,
        rule: SelectionRule,
        seed: int,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
        playouts: int = 1,
        together: int | None = None,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        """playouts: random playouts of each simulation, whose mean is learnt.

        together: simulations under way at once, at most.
        max_bytes: memory from which on no nodes are added.
        """
        self.machine = machine
        self.observer = observer
        self.simulations = 0
        self._tree = GrowingTree(
            machine, observer, scope=scope, max_bytes=max_bytes, at_once=SIDE_BY_SIDE
        )
        self._served = 0
        """Simulations that waited in the last round, and need not wait any more."""
        self._rule = rule
        self._together = SIDE_BY_SIDE if together is None else min(together, SIDE_BY_SIDE)
        self._evaluate = leaves.evaluator(machine, playouts)
        self._budget = Budget(simulations=0)
        """The budget of the last run."""
        self._scale = value_scale(machine)
        self._rng = np.random.default_rng(seed)
        self._walkers = _made_walkers(SIDE_BY_SIDE, LONGEST, len(machine.roles))
        self._states = self._walkers.states
        """(side by side,) what each simulation does: see `FREE`."""

    @property
    def decisions(self) -> DecisionTable:
        """The decisions that were met."""
        return self._tree.decisions

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return self._tree.bytes

    @property
    def node_count(self) -> int:
        """Different states, with what is known in them, that were met."""
        return self._tree.node_count

    def is_crowded(self, budget: Budget) -> bool:
        """Whether there is no room for more nodes, and no time to make it."""
        return self._tree.is_full(CROWDED_SHARE * budget.seconds_left)

    def run(self, pool: RootStates, budget: Budget) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        if budget.is_over:
            return 0
        self._tree.clock, self._budget = budget.clock, budget
        before, begun = self.simulations, 0
        task = self._task(pool)
        fitting, needed = self._together if budget.deadline is None else self._first_batch, 0.0
        while True:
            most = STEPS if budget.simulations is None else budget.simulations - begun
            left = budget.seconds_left
            if most <= 0 or left <= needed:
                break
            share = max(FIRST_BATCH, (before + begun) // BATCH_SHARE)
            begun += self._round(
                task._replace(
                    most=most,
                    side_by_side=min(share, fitting, self._together),
                    is_full=self._tree.is_full(left),
                )
            )
            if budget.deadline is not None:
                spent = left - budget.seconds_left
                fitting = max(1, min(SIDE_BY_SIDE, budget.fitting(fitting, spent)))
                # All that is under way must come back in time, whatever a round takes at least.
                waiting = int(np.count_nonzero(self._states))
                needed = spent * max(1.0, waiting / max(1, self._served))
        # What is under way goes on as it would, or ends at random where there is no time for that.
        while (self._states != FREE).any():
            left = budget.seconds_left
            self._round(task._replace(is_full=left <= needed or self._tree.is_full(left)))
        self.simulations += begun
        return begun

    @property
    def _first_batch(self) -> int:
        """Simulations that are timed first; one takes long where rules are not compiled."""
        return FIRST_BATCH if self.machine.engine == "compiled" else 1

    def _task(self, pool: RootStates) -> SearchOrder:
        """An order with the root nodes, but to begin nothing and to add nothing."""
        tree = self._tree
        found = tree.nodes_of(np.hstack([pool.knowledge[:, tree.knowing], pool.states]))
        roots, same = np.unique(found, return_inverse=True)
        return SearchOrder(
            roots=roots,
            bounds=np.cumsum(np.bincount(same, pool.weights)),
            chance_role=tree.chance,
            most=0,
            side_by_side=0,
            most_steps=STEPS,
            is_full=True,
        )

    def _round(self, task: SearchOrder) -> int:
        """Let all walk as far as the tree reaches, and serve those that wait."""
        states = self._states
        if task.is_full:
            states[states == ASKS] = LEAVES
        begun = self._walk(task)
        self._served = 0
        asking = np.flatnonzero(states == ASKS)
        while len(asking):
            self._served += len(asking)
            self._grow(asking)
            # Where they come to is most often new: they leave there, together with the others.
            self._walk(task._replace(most=0))
            asking = np.flatnonzero(states == ASKS)
            # A playout on a few lanes takes as long as one on all: most are to leave together.
            if 3 * len(asking) <= np.count_nonzero(states):
                break
        self._finish()
        return begun

    def _walk(self, task: SearchOrder) -> int:
        rule, seed = self._rule, int(self._rng.integers(0, 2**32))
        tree, walkers = self._tree, self._walkers
        return int(
            walk(
                tree.nodes, tree.decisions.arrays, tree.bounds, SPREADS, walkers, task,
                rule.kind, rule.constant, seed,
            )
        )  # fmt: skip

    def _finish(self) -> None:
        """Evaluate the leaves at which simulations leave the tree, and let them learn."""
        rule, (rows, states) = self._rule, self._left(self._walkers.nodes)
        if not len(rows):
            return
        seed = int(self._rng.integers(0, 2**32))
        values = self._scale.values(self._evaluate(states, seed, self._budget))
        learn_ends(
            self.decisions.arrays, self._tree.bounds, rule.kind, rule.constant, self._walkers,
            rows, values,
        )  # fmt: skip

    def _left(self, nodes: Indices) -> tuple[Indices, States]:
        """The simulations that leave the tree, and the states from which they go on at random.

        nodes: (side by side,) where each stands.
        """
        leaving = np.flatnonzero(self._states == LEAVES)
        standing = np.flatnonzero(self._states == STANDS)
        self._served += len(leaving) + len(standing)
        states = self._tree.states_of(nodes[standing])
        if len(leaving):
            states = stacked([self._after(leaving)[1], states])
        return np.concatenate([leaving, standing]), states

    def _grow(self, asking: Indices) -> None:
        """Add the nodes that walks wait for."""
        walkers = self._walkers
        firsts, same = distinct_rows(walkers.joints[asking][:, None])
        makers = asking[firsts]
        joints, after = self._after(makers)
        found = self._tree.grow(walkers.nodes[makers], walkers.joints[makers], joints, after)
        walkers.nodes[asking] = found[same]
        walkers.states[asking] = GOES_ON

    def _after(self, rows: Indices) -> tuple[Joints, States]:
        """Joint moves that walks make in the states in which they wait, and where these lead."""
        tree, walkers = self._tree, self._walkers
        joints = np.empty((len(rows), len(self.machine.roles)), np.int32)
        joint_moves(tree.nodes, tree.decisions.arrays.moves, walkers, rows, tree.chance, joints)
        return joints, self.machine.step_batch(tree.states_of(walkers.nodes[rows]), joints)


def _made_walkers(count: int, longest: int, roles: int) -> Simulations:
    return Simulations(
        states=np.full(count, FREE, np.int8),
        nodes=np.zeros(count, np.int64),
        picks=np.zeros((count, roles), np.int32),
        joints=np.zeros(count, np.uint64),
        lengths=np.zeros(count, np.int64),
        idle=np.zeros(count, np.int64),
        trail=np.empty((count, longest + roles, 3), np.int32),
        probabilities=np.empty((count, longest + roles)),
    )
