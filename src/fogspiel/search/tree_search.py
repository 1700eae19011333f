"""Search in a tree that grows with the simulations: they ask the machine only for what is new.

The same search as `lockstep`, with the same rules, scopes and starts. There every step of every
simulation is made by the machine; here simulations walk through nodes that are kept, and wait where
they come to a joint move that nobody made before. Those that wait are served together, on the
machine's lanes, while others begin. So in a game whose tree is small the machine is soon not asked
at all, and in a large one no more than in lockstep.

Simulations under way are at most an eighth of those that were made. One that ends inside the tree
is learnt before the next begins, so that small games are searched as if one by one.
"""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.machine.rows import distinct_rows
from fogspiel.search.budget import BATCH_SHARE, FIRST_BATCH, Budget, Clock
from fogspiel.search.ends import PLAYED_OUT, Ending
from fogspiel.search.forest import BYTES_A_SECOND, CROWDED_SHARE, FEW_BYTES, Forest
from fogspiel.search.kernels.nodes import END
from fogspiel.search.keys import Keys, knowledge_after, state_keys, with_choice
from fogspiel.search.lockstep import Rule, Scope
from fogspiel.search.tree_arrays import (
    ASKS,
    FREE,
    GOES_ON,
    LEAVES,
    STANDS,
    Task,
    Walkers,
    joint_moves,
    learn_ends,
    walk,
)
from fogspiel.search.tree_nodes import (
    GOAL,
    LARGEST_BLOCK,
    NODE,
    add_blocks,
    add_chance,
    add_decisions,
    add_rows,
    bytes_of,
    first_nodes,
    has_room,
    link,
    longer,
    with_moves,
    with_room,
)
from fogspiel.search.values import value_scale

SIDE_BY_SIDE = 2048
"""Simulations under way at a time, at most."""
LONGEST = 512
"""Decisions of one simulation inside the tree; a longer one goes on at random."""
STEPS = 1 << 16
"""Inside the tree, between looks at the clock: a few milliseconds."""
GROWTH = 5.0
"""How many times as long as the last time making room may take: twice as much is copied."""
MOST_BYTES = 1 << 30
"""From then on nodes are no longer added."""
NO_ROLE = -1
SPREADS = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))
"""Of the bonus of UCB, by the number of visits."""

Indices = NDArray[np.int64]


class Pool(Protocol):
    """Where simulations may begin."""

    @property
    def states(self) -> States:
        """(n, words)"""

    @property
    def knowledge(self) -> Keys:
        """(n, roles) what each role knows there; used where decisions go by knowledge."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """(n,) how probable each is, up to a factor."""


class TreeSearch:
    """A search that can go on as long as it is let."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        scope: Scope,
        rule: Rule,
        seed: int,
        ending: Ending = PLAYED_OUT,
        playouts: int = 1,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        """playouts: random ends of each simulation, whose mean is learnt.

        max_bytes: of memory, from which on no nodes are added.
        """
        self.machine = machine
        self.observer = observer
        self.forest = Forest()
        self._bounds = np.zeros((len(self.forest.arrays.moves), 2))
        self._served = 0
        """Simulations that waited in the last round, and need not wait any more."""
        self._grown_seconds = 0.0
        """That making room took the last time it was short."""
        self._clock: Clock = time.monotonic
        """Of the budget that was given last."""
        self.simulations = 0
        self._scope, self._rule, self._max_bytes = scope, rule, max_bytes
        self._ends = ending.ends(machine, playouts)
        self._rng = np.random.default_rng(seed)
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = [role for role in self._roles if role != machine.chance_role]
        knowing: dict[Scope, list[RoleId]] = {
            "state": [], "knowledge": self._players, "observer": [observer],
        }  # fmt: skip
        self._knowing = knowing[scope]
        self._chance = NO_ROLE if machine.chance_role is None else int(machine.chance_role)
        self._scale = value_scale(machine)
        words = len(machine.initial())
        self.nodes = first_nodes(len(self._knowing) + words, len(self._roles))
        self._walkers = _made_walkers(SIDE_BY_SIDE, LONGEST, len(self._roles))

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arms = int(self.forest.arrays.sizes[1])
        return self.forest.bytes + bytes_of(self.nodes) + self._bounds[:1].nbytes * arms

    @property
    def node_count(self) -> int:
        """Different states, with what is known in them, that were passed."""
        return int(self.nodes.sizes[NODE])

    def is_crowded(self, budget: Budget) -> bool:
        """Whether there is no room for more nodes, and no time to make it."""
        return self._is_full(CROWDED_SHARE * budget.seconds_left)

    def run(self, pool: Pool, budget: Budget) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        if budget.seconds_left <= 0.0:
            return 0
        self._clock = budget.clock
        before, begun = self.simulations, 0
        task = self._task(pool)
        fitting, needed = SIDE_BY_SIDE if budget.deadline is None else self._first_batch, 0.0
        while True:
            most = STEPS if budget.simulations is None else budget.simulations - begun
            left = budget.seconds_left
            if most <= 0 or left <= needed:
                break
            share = max(FIRST_BATCH, (before + begun) // BATCH_SHARE)
            begun += self._round(
                task._replace(
                    most=most,
                    side_by_side=min(share, fitting),
                    is_full=self._is_full(left),
                )
            )
            if budget.deadline is not None:
                spent = left - budget.seconds_left
                fitting = max(1, min(SIDE_BY_SIDE, budget.fitting(fitting, spent)))
                # All that is under way must come back in time, whatever a round takes at least.
                waiting = int(np.count_nonzero(self._walkers.states))
                needed = spent * max(1.0, waiting / max(1, self._served))
        # What is under way goes on as it would, or ends at random where there is no time for that.
        while (self._walkers.states != FREE).any():
            left = budget.seconds_left
            self._round(task._replace(is_full=left <= needed or self._is_full(left)))
        self.simulations += begun
        return begun

    @property
    def _first_batch(self) -> int:
        """By which a clock is shared out; one takes long where rules are not compiled."""
        return FIRST_BATCH if self.machine.engine == "compiled" else 1

    def _task(self, pool: Pool) -> Task:
        """To begin nothing and add nothing, but from which nodes to begin."""
        found = self._nodes_of(np.hstack([pool.knowledge[:, self._knowing], pool.states]))
        roots, same = np.unique(found, return_inverse=True)
        return Task(
            roots=roots,
            bounds=np.cumsum(np.bincount(same, pool.weights)),
            chance_role=self._chance,
            most=0,
            side_by_side=0,
            most_steps=STEPS,
            is_full=True,
        )

    def _round(self, task: Task) -> int:
        """Let all walk as far as the tree reaches, and serve those that wait."""
        states = self._walkers.states
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

    def _walk(self, task: Task) -> int:
        rule, seed = self._rule, int(self._rng.integers(0, 2**32))
        arrays, walkers = self.forest.arrays, self._walkers
        return int(
            walk(
                self.nodes, arrays, self._bounds, SPREADS, walkers, task,
                rule.kind, rule.constant, seed,
            )
        )  # fmt: skip

    def _finish(self) -> None:
        """Say how simulations end that leave the tree."""
        rule, walkers = self._rule, self._walkers
        leaving = np.flatnonzero(walkers.states == LEAVES)
        standing = np.flatnonzero(walkers.states == STANDS)
        rows = np.concatenate([leaving, standing])
        self._served += len(rows)
        if not len(rows):
            return
        states = self.nodes.rows[walkers.nodes[standing], len(self._knowing) :]
        if len(leaving):
            after = self._after(leaving)[2]
            width = max(after.shape[1], states.shape[1])
            states = np.concatenate([_wide(after, width), _wide(states, width)])
        values = self._scale.values(self._ends(states, int(self._rng.integers(0, 2**32))))
        learn_ends(
            self.forest.arrays, self._bounds, rule.kind, rule.constant, walkers, rows, values
        )

    def _after(self, rows: Indices) -> tuple[States, NDArray[np.int32], States]:
        """States in which walks wait, the joint moves that they make, and where these lead."""
        states = self.nodes.rows[self._walkers.nodes[rows], len(self._knowing) :]
        joints = np.empty((len(rows), len(self._roles)), np.int32)
        moves = self.forest.arrays.moves
        joint_moves(self.nodes, moves, self._walkers, rows, self._chance, joints)
        return states, joints, self.machine.step_batch(states, joints)

    def _grow(self, asking: Indices) -> None:
        """Add the nodes that walks wait for."""
        walkers = self._walkers
        firsts, same = distinct_rows(walkers.joints[asking][:, None])
        makers = asking[firsts]
        owners = walkers.nodes[makers]
        states, joints, after = self._after(makers)
        known = np.empty((len(makers), len(self._knowing)), np.uint64)
        for column, role in enumerate(self._knowing):
            before = self.nodes.rows[owners, column]
            known[:, column] = knowledge_after(self.machine, role, before, states, joints)
        found = self._nodes_of(np.hstack([known, after]))
        link(self.nodes, owners, walkers.joints[makers], found)
        walkers.nodes[asking] = found[same]
        walkers.states[asking] = GOES_ON

    def _nodes_of(self, rows: NDArray[np.uint64]) -> Indices:
        """(n,) nodes of rows, made where there are none yet."""
        if not has_room(self.nodes, len(rows)) or rows.shape[1] > self.nodes.rows.shape[1]:
            began = self._clock()
            self.nodes = with_room(self.nodes, len(rows), rows.shape[1])
            self._grown_seconds = self._clock() - began
        found = np.empty(len(rows), np.int64)
        first = self.node_count
        fresh = add_rows(self.nodes, _wide(rows, self.nodes.rows.shape[1]), found)
        if fresh:
            self._give_choices(np.arange(first, first + fresh))
        return found

    def _give_choices(self, fresh: Indices) -> None:
        """Say of new nodes what can be chosen there, or how the game ended."""
        known = len(self._knowing)
        rows = self.nodes.rows[fresh]
        states = np.ascontiguousarray(rows[:, known:])
        legal = [self.machine.legal_batch(states, role) for role in self._roles]
        # A role without a move ends the game too, as in playouts.
        ended = self.machine.terminal_batch(states)
        ended |= ~np.all([own.any(axis=1) for own in legal], axis=0)
        if ended.any():
            self._end(fresh[ended], states[ended])
            fresh, rows, states = fresh[~ended], rows[~ended], states[~ended]
            legal = [own[~ended] for own in legal]
        if not len(fresh):
            return
        chance = int(legal[self._chance].sum()) if self._chance != NO_ROLE else 0
        self.nodes = with_moves(self.nodes, chance, LARGEST_BLOCK * len(fresh))
        for role in self._roles:
            if role == self._chance:
                add_chance(self.nodes, fresh, role, self.machine.chance_weights_batch(states))
                continue
            self._make_room(len(fresh), int(legal[role].sum()))
            keys = self._keys(role, rows, states, legal[role])
            add_decisions(self.nodes, self.forest.arrays, fresh, role, legal[role], keys)
        add_blocks(self.nodes, fresh)

    def _make_room(self, decisions: int, arms: int) -> None:
        """Let so many decisions and arms be added."""
        began = self._clock()
        before = self.forest.arrays
        self.forest.make_room(decisions, arms)
        self._bounds = longer(self._bounds, int(before.sizes[1]), arms)
        if self.forest.arrays is not before:
            self._grown_seconds = self._clock() - began

    def _is_full(self, seconds_left: float) -> bool:
        """Whether there is no memory for more nodes, or no time to make room for them."""
        if self.bytes > self._max_bytes:
            return True
        arrays, more = self.forest.arrays, len(self._players) * SIDE_BY_SIDE
        decisions, arms = map(int, arrays.sizes)
        has_all = (
            has_room(self.nodes, SIDE_BY_SIDE)
            and decisions + more <= len(arrays.visits)
            and arms + more * arms // max(1, decisions) <= len(arrays.moves)
        )
        needed = max(GROWTH * self._grown_seconds, (self.bytes - FEW_BYTES) / BYTES_A_SECOND)
        return not has_all and needed > seconds_left

    def _end(self, ended: Indices, states: States) -> None:
        first = int(self.nodes.sizes[GOAL])
        self.nodes.sizes[GOAL] += len(ended)
        self.nodes.heads[ended, END] = np.arange(first, first + len(ended))
        goals = self._scale.values(self.machine.goals_batch(states))
        self.nodes.goals[first : first + len(ended)] = goals

    def _keys(
        self, role: RoleId, rows: NDArray[np.uint64], states: States, legal: NDArray[np.bool_]
    ) -> Keys:
        if self._scope == "state":
            return state_keys(states, role)
        if self._scope == "observer":
            known = np.ascontiguousarray(rows[:, 0])
            # The observer may not know which moves another role has.
            return known if role == self.observer else with_choice(known, role, legal)
        return np.ascontiguousarray(rows[:, self._knowing.index(role)])


def _made_walkers(count: int, longest: int, roles: int) -> Walkers:
    return Walkers(
        states=np.full(count, FREE, np.int8),
        nodes=np.zeros(count, np.int64),
        picks=np.zeros((count, roles), np.int32),
        joints=np.zeros(count, np.uint64),
        lengths=np.zeros(count, np.int64),
        trail=np.empty((count, longest + roles, 3), np.int32),
        probabilities=np.empty((count, longest + roles)),
    )


def _wide(rows: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """Rows with zeros after them: a machine may return longer ones later."""
    if rows.shape[1] == width:
        return np.ascontiguousarray(rows)
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
