"""Monte Carlo tree search on states: for games in which everybody sees everything.

Many simulations walk down the tree before the machine is asked at all. Where they leave it, all
their joint moves are made in one batch, the new states become nodes, and playouts from them give
the values to learn. Transpositions are one node (Shafiei 2010, section 3.6).

By a rule that is `jointly` followed this is algorithm 1 of Shafiei (2010): every role keeps values
of its own moves; in a state in which several roles choose, all joint moves are tried before any
role takes its best bound, and only then do simulations lead further.
Departures: joint moves are tried in an order that differs from state to state and from seed to
seed, not drawn anew each time; where goals differ by less than 100, his C counts for less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import widened
from fogspiel.core.kernels.words import NONE
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.kernels.state_arrays import (
    ArmOwners,
    Arms,
    Paths,
    Policy,
    StateNodes,
    add_arms,
    add_edges,
    descend,
    joint_moves,
    learn,
    refill,
)
from fogspiel.search.mcts.kernels.tree_nodes import find_rows
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import Source
from fogspiel.search.mcts.statistics import MoveStatistics, places_for

LARGEST_BATCH = 4096
MIXING_BATCH = 256
"""Largest batch of rules that mix: learning late makes them swing. After 200,000 simulations of
biased rock-paper-scissors by EXP3, averages are 0.09 from the equilibrium; with batches of 2,048,
0.17."""
LONGEST_PATH = 256  #: Decisions of all roles inside the tree; a longer simulation goes on at random
FIRST_NODES = 1 << 12
MANY_ARMS = 1 << 22
"""Room made when the first is too small: it takes no memory until it is used, and making a little
more again and again would take time when there is none."""
SECONDS_AN_ARM = 1e-7  #: Time to copy an arm to larger arrays: twice what was measured
GROWING_SHARE = 0.25  #: Share of a turn that may go into making room
NO_ROLE = -1
ORDERS = 1 << 32  #: Number of orders in which joint moves may be tried


class StateTree:
    """A search that can be continued at any time."""

    def __init__(
        self,
        machine: Machine,
        *,
        rule: SelectionRule,
        seed: int,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
        playouts: int = 1,
        together: int | None = None,
    ) -> None:
        """playouts: random playouts of each simulation, whose mean is learnt.

        together: simulations under way at once, at most. Those that come upon a new node together
        spread over its moves, which a search that explores little would not do one by one.
        """
        self.machine = machine
        self.simulations = 0
        self._rule = rule
        most = LARGEST_BATCH if rule.kind == UCB else MIXING_BATCH
        self._together = most if together is None else min(together, most)
        self._seeds = np.random.SeedSequence(seed)
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._scale = value_scale(machine)
        self._evaluate = leaves.evaluator(machine, playouts)
        self._budget = Budget(simulations=0)
        """The budget of the last run."""
        chance = machine.chance_role
        self._chance = NO_ROLE if chance is None else int(chance)
        self._policy = Policy(
            rule=rule.kind,
            constant=rule.constant,
            jointly=rule.jointly,
            order=seed % ORDERS,
            chance_role=self._chance,
        )
        self.nodes = _made_nodes(FIRST_NODES, len(machine.initial()), len(self._roles))
        # Nothing to fill in yet: were the kernel loaded when room is made, that would seem to take
        # long, and a search that has no time to make room again ends early.
        refill(self.nodes, self.nodes.joint_keys, self.nodes.joint_table)
        self.arms = _made_arms(FIRST_NODES)
        self._paths = Paths(
            np.empty(LARGEST_BATCH, np.int64),
            np.empty(LARGEST_BATCH, np.int64),
            np.empty(LARGEST_BATCH, np.int64),
            np.empty((LARGEST_BATCH, LONGEST_PATH), np.int64),
            np.empty((LARGEST_BATCH, LONGEST_PATH)),
        )
        self._owners = ArmOwners(
            np.zeros(FIRST_NODES, np.int8),
            np.zeros(FIRST_NODES, np.int64),
            np.zeros(FIRST_NODES, np.int64),
        )
        self._grown_seconds = 0.0
        """Time that making room took the last time."""

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arms = sum(array.itemsize for array in self.arms) * int(self.nodes.sizes[1])
        return arms + sum(array.nbytes for array in self.nodes)

    def run(self, source: Source, budget: Budget) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        before, self._budget = self.simulations, budget
        for count in budget.batches(before, self._together):
            if self._growing_seconds(count) > budget.seconds_left:
                break
            self._simulate(source, count)
            self.simulations += count
        return self.simulations - before

    def is_crowded(self, budget: Budget) -> bool:
        """Whether making room would take more than a share of the time: to begin anew is better."""
        share = GROWING_SHARE * max(0.0, budget.seconds_left)
        return self._growing_seconds(self._together) > share

    def _growing_seconds(self, count: int) -> float:
        """Time that making room for a batch may take: twice as much as was copied last."""
        nodes, arms, edges = self.nodes.sizes.tolist()
        has_room = nodes + 2 * count <= len(self.nodes.ends)
        has_room &= 2 * (edges + count) <= len(self.nodes.joint_table)
        needed = 0.0 if has_room else 2.5 * self._grown_seconds
        # Of arms, as many as nodes have had so far; the first room that is made is hardly copied.
        held = len(self.arms.moves)
        if held >= MANY_ARMS and arms + 2 * count * arms / max(1, nodes) > held:
            needed += SECONDS_AN_ARM * held
        return needed

    def statistics(self, state: State, role: RoleId) -> MoveStatistics:
        """The statistics of a role's moves in a state."""
        return self._statistics(self._arms(state[None, :], role)[0])

    def statistics_of(self, states: States, role: RoleId) -> MoveStatistics:
        """The same for several states, in all of which the role has the same moves."""
        return self._statistics(self._arms(states, role))

    def _arms(self, states: States, role: RoleId) -> NDArray[np.int64]:
        """(n, moves)"""
        nodes = self._nodes_of(states)
        firsts, counts = self.nodes.first_arms[nodes, role], self.nodes.arm_counts[nodes, role]
        arms: NDArray[np.int64] = firsts[:, None] + np.arange(int(counts[0]))
        return arms

    def _statistics(self, own: NDArray[np.int64]) -> MoveStatistics:
        of = self.arms
        return MoveStatistics(
            of.moves[own], of.visits[own], of.returns[own], of.values[own], of.strategy[own]
        )

    def _simulate(self, source: Source, count: int) -> None:
        seeds = [int(child.generate_state(1)[0]) for child in self._seeds.spawn(3)]
        roots = self._nodes_of(source(count, seeds[0]).states)
        made: tuple[NDArray[Any], ...] = self._paths
        paths = Paths(*(array[:count] for array in made))
        descend(self.nodes, self.arms, roots, self._policy, seeds[1], paths)
        leaves = self._grown(paths)
        goals = self.nodes.goals[leaves]
        going = np.flatnonzero(~self.nodes.ends[leaves])
        if len(going):
            states = self.nodes.states[leaves[going]]
            goals[going] = self._scale.values(self._evaluate(states, seeds[2], self._budget))
        learn(self.arms, self._owners, self._rule.kind, self._rule.constant, paths, goals)

    def _grown(self, paths: Paths) -> NDArray[np.int64]:
        """(n,) the nodes that simulations have come to, those just added included."""
        leaves = paths.leaves.copy()
        out = np.flatnonzero(paths.joints != NONE)
        if len(out):
            owners, numbers = paths.leaves[out], paths.joints[out]
            joints = np.empty((len(out), len(self._roles)), np.int32)
            joint_moves(self.nodes, self.arms, owners, numbers, joints)
            after = self.machine.step_batch(self.nodes.states[owners], joints)
            leaves[out] = self._nodes_of(after)
            self._make_edge_room(len(out))
            add_edges(self.nodes, owners, numbers, leaves[out])
        return leaves

    def _nodes_of(self, states: States) -> NDArray[np.int64]:
        """(n,) nodes of states, made where there are none yet.

        Machines that meet fluents as they go make longer states as they do.
        """
        self._make_room(len(states), states.shape[1])
        nodes = self.nodes
        found, first = np.empty(len(states), np.int64), int(nodes.sizes[0])
        wide = np.ascontiguousarray(widened(states, nodes.states.shape[1]))
        fresh = find_rows(nodes.states, nodes.state_table, nodes.sizes, wide, found)
        if fresh:
            new = self.nodes.states[first : first + fresh]
            options = [self.machine.legal_batch(new, role) for role in self._roles]
            # A role without a move ends the game too, as in playouts.
            ends = self.machine.terminal_batch(new)
            ends |= ~np.all([legal.any(axis=1) for legal in options], axis=0)
            self.nodes.ends[first : first + fresh] = ends
            if ends.any():
                goals = self._scale.values(self.machine.goals_batch(new[ends]))
                self.nodes.goals[first + np.flatnonzero(ends)] = goals
            self._give_arms(first, new, options)
        return found

    def _give_arms(self, first: int, states: States, options: list[NDArray[np.bool_]]) -> None:
        for role, legal in zip(self._roles, options, strict=True):
            weights = np.empty((len(states), 0))
            if role == self._chance:
                weights = self.machine.chance_weights_batch(states)
            self._make_arm_room(int(legal.sum()))
            add_arms(self.nodes, self.arms, self._owners, first, int(role), legal, weights)

    def _make_room(self, count: int, words: int) -> None:
        """Let so many nodes be added, with states of so many words."""
        old = self.nodes
        nodes, width = int(old.sizes[0]), old.states.shape[1]
        has_room = nodes + count <= len(old.ends)
        if has_room and words <= width:
            return
        began = self._budget.clock()
        room = len(old.ends) if has_room else max(nodes + count, 2 * len(old.ends))
        new = _made_nodes(room, max(words, width), len(self._roles), len(old.joint_table))
        new.sizes[:] = old.sizes
        new.states[:nodes, :width] = old.states[:nodes]
        for name in ("ends", "goals", "first_arms", "arm_counts"):
            getattr(new, name)[:nodes] = getattr(old, name)[:nodes]
        refill(new, old.joint_keys, old.joint_table)
        self.nodes = new
        self._grown_seconds = self._budget.clock() - began

    def _make_edge_room(self, count: int) -> None:
        old = self.nodes
        if 2 * (int(old.sizes[2]) + count) <= len(old.joint_table):
            return
        began = self._budget.clock()
        places = 4 * len(old.joint_table)
        new = old._replace(
            state_table=np.full(len(old.state_table), NONE, np.int64),
            joint_keys=np.zeros(places, np.uint64),
            joint_table=np.full(places, NONE, np.int64),
        )
        refill(new, old.joint_keys, old.joint_table)
        self.nodes = new
        self._grown_seconds = self._budget.clock() - began

    def _make_arm_room(self, count: int) -> None:
        arms = int(self.nodes.sizes[1])
        if arms + count <= len(self.arms.moves):
            return
        room = max(arms + count, 2 * len(self.arms.moves), MANY_ARMS)
        self.arms = Arms(*(_longer(array, room) for array in self.arms))
        self._owners = ArmOwners(*(_longer(array, room) for array in self._owners))


def _made_nodes(nodes: int, words: int, roles: int, joint_places: int = 0) -> StateNodes:
    places = places_for(nodes)
    joint_places = max(places, joint_places)
    return StateNodes(
        sizes=np.zeros(3, np.int64),
        states=np.zeros((nodes, words), np.uint64),
        ends=np.zeros(nodes, np.bool_),
        goals=np.zeros((nodes, roles)),
        first_arms=np.zeros((nodes, roles), np.int64),
        arm_counts=np.zeros((nodes, roles), np.int64),
        state_table=np.full(places, NONE, np.int64),
        joint_keys=np.zeros(joint_places, np.uint64),
        joint_table=np.full(joint_places, NONE, np.int64),
    )


def _made_arms(arms: int) -> Arms:
    return Arms(np.zeros(arms, np.int32), *(np.zeros(arms) for _ in range(5)))


def _longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    longer = np.zeros(room, array.dtype)
    longer[: len(array)] = array
    return longer
