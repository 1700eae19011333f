"""Monte Carlo tree search: simulations walk through a tree that grows where they leave it.

A round lets all simulations walk as far as the tree reaches (`kernels.walk`), asks the machine for
the joint moves that are new, many at a time on its lanes, and evaluates the leaves. One that ends
inside the tree is learnt before the next begins, so that small games are searched as if one by one.
No more simulations are under way than an eighth of those made, or whatever the algorithm says.

Which search it is says an `Algorithm`: how decisions are found, how they choose, and who learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import FIRST_BATCH, Budget
from fogspiel.core.kernels.rows import distinct_rows, stacked
from fogspiel.core.kernels.words import NONE
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import keys_after, knowledge_after
from fogspiel.machine.protocol import Machine, States, player_roles
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.algorithms import Algorithm
from fogspiel.search.mcts.growth import Indices, SearchTree
from fogspiel.search.mcts.kernels.graph import END, joint_moves
from fogspiel.search.mcts.kernels.parts import answer_of, is_ours, recompiled
from fogspiel.search.mcts.kernels.selection import (
    DRAWN,
    LEARNS,
    JointUcb,
    OutcomeSampling,
    headers,
)
from fogspiel.search.mcts.kernels.simulations import (
    ADDED,
    ASKS,
    FREE,
    GOES_ON,
    LEAVES,
    STANDS,
    SearchOrder,
    free_simulations,
)
from fogspiel.search.mcts.kernels.walk import learn_ends, walk
from fogspiel.search.mcts.keys import Follow, decision_keys
from fogspiel.search.mcts.room import MOST_BYTES, is_crowded, pruned
from fogspiel.search.mcts.roots import Roots, Targets

STEPS = 1 << 16  #: Steps inside the tree between looks at the clock: a few milliseconds
LED_SHARE = 0.9  #: Share of simulations that are led. Lisy et al. (2015), section 5.2
DRAWING_SHARE = 0.2  #: Share of the clock that drawing roots anew may take
MOST_STRATA = 64  #: Roots up to which values are kept apart by the root that they come from
ORDERS = 1 << 32  #: Number of orders in which joint moves may be tried
BYTES_A_WALKER = 1 << 14  #: Memory for each simulation under way: with little, few add at once


class Search:
    """A search that can be continued at any time."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        algorithm: Algorithm,
        *,
        seed: int,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
        playouts: int = 1,
        max_bytes: int = MOST_BYTES,
        follow: Follow = knowledge_after,
        is_stratified: bool = False,
    ) -> None:
        """playouts: random playouts of each simulation, whose mean is learnt.

        max_bytes: memory from which on nothing is added.
        follow: how beliefs go on, where decisions are found by them.
        is_stratified: whether values of the observer's moves are kept apart by roots where these
        are few: the luck of the draw of roots is then left out of its means.
        """
        self.machine, self.observer, self.algorithm = machine, observer, algorithm
        self.simulations = 0
        self._together = min(algorithm.together, max(1, max_bytes // BYTES_A_WALKER))
        self._keys = decision_keys(algorithm.keys, machine, observer, follow)
        self._max_bytes = max_bytes
        self.tree = self._new_tree()
        self._players = player_roles(machine)
        learning = [[observer]] if algorithm.only_observer or algorithm.has_types else []
        if not algorithm.only_observer:
            learning.append(self._players)
        self._seats = self._seats_of(learning)
        self._rule, self._walk, self._learn_ends = algorithm.rule, walk, learn_ends
        self.header_rows: int = answer_of(headers, self._rule)
        """Rows of a decision before those of its moves."""
        if isinstance(self._rule, JointUcb):
            self._rule = self._rule._replace(order=seed % ORDERS)
        if isinstance(self._rule, OutcomeSampling):
            self._rule = self._rule._replace(is_alone=len(self._players) == 1)
        if not is_ours(self._rule):
            self._walk, self._learn_ends = recompiled(walk), recompiled(learn_ends)
        self._plays_on = algorithm.plays_on and leaves.name is None
        self._evaluate = leaves.evaluator(machine, playouts)
        self._budget = Budget(simulations=0)  #: Budget of the last run
        self._scale = value_scale(machine)
        self._rng = np.random.default_rng(seed)
        carried = len(self.tree.keys.carried)
        self._walkers = free_simulations(self._together, len(machine.roles), carried)
        self._states = self._walkers.states
        self._served = 0  #: Simulations that waited in the last round, and no longer do
        self._is_stratified = is_stratified
        self.strata = np.zeros((0, 0, 2))  #: See `SearchOrder.strata`; for the last run's roots
        self._strata_roots: NDArray[np.int64] | None = None

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return self.tree.bytes

    def run(self, roots: Roots, budget: Budget, targets: Targets | None = None) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        if budget.is_over:
            return 0
        self._budget = budget
        before, begun, since, drawn = self.simulations, 0, 0, 0
        order = self._order(roots, targets)
        fitting, needed = self._together if budget.deadline is None else self._first_batch, 0.0
        drawing_seconds, drawn_at = 0.0, budget.seconds_left
        while True:
            most = STEPS if budget.simulations is None else budget.simulations - begun
            left = budget.seconds_left
            if most <= 0 or left <= needed:
                break
            if roots.redrawn is not None:
                used = len(roots.states) - since
                # Without a clock both moments are infinite, and their difference says nothing.
                in_time = budget.deadline is None or (
                    DRAWING_SHARE * (drawn_at - left) >= drawing_seconds
                )
                # Each draw adds nodes: a full tree has no room for them.
                if used <= 0 and in_time and not self.tree.is_full(left, len(roots.states)):
                    drawn, since = drawn + 1, 0
                    roots = roots.redrawn(drawn)
                    order = self._order(roots, targets)
                    drawn_at = budget.seconds_left
                    drawing_seconds = 0.0 if budget.deadline is None else left - drawn_at
                    continue
                if used > 0:
                    most = min(most, max(used, FIRST_BATCH))
            share = max(FIRST_BATCH, (before + begun) // self.algorithm.share)
            more = self._round(
                order._replace(
                    turn=before + begun,
                    most=most,
                    side_by_side=min(share, fitting, self._together),
                    is_full=self.tree.is_full(left),
                )
            )
            begun, since = begun + more, since + more
            if budget.deadline is not None:
                spent = left - budget.seconds_left
                fitting = max(1, min(self._together, budget.fitting(fitting, spent)))
                # All that is under way must come back in time, whatever a round takes at least.
                waiting = int(np.count_nonzero(self._states))
                needed = spent * max(1.0, waiting / max(1, self._served))
        # What is under way goes on as it would, or ends at random where there is no time for that.
        while (self._states != FREE).any():
            left = budget.seconds_left
            self._round(order._replace(is_full=left <= needed or self.tree.is_full(left)))
        self.simulations += begun
        return begun

    def stratified_means(self, moves: int) -> NDArray[np.float64] | None:
        """(moves,) mean values of the observer's moves in the roots of the last run, each root by
        its probability. None unless every move was tried from every root."""
        counts, sums = self.strata[:, :moves, 0], self.strata[:, :moves, 1]
        if not len(counts) or (counts == 0.0).any():
            return None
        shares = self._strata_shares / self._strata_shares.sum()
        return np.asarray(shares @ (sums / counts), np.float64)

    def prune(self, roots: Roots, budget: Budget) -> None:
        """Keep what can still happen from roots on, if much memory is used.

        Where there is no time for that, too much to follow, or no room left thereafter, the search
        begins anew.
        """
        if budget.is_over or not is_crowded(self.tree):
            return
        met = self._known_nodes(roots) != NONE
        order = self._order(roots.some(met), None) if met.any() else None
        if order is None or not pruned(self.tree, order, self.header_rows, budget):
            self.tree = self._new_tree()
        self._strata_roots = None

    def nodes_of(self, roots: Roots) -> Indices:
        """(roots,) the nodes of roots, made where there are none yet.

        Where a full tree has no room for them, the search begins anew.
        """
        if self.tree.is_full(inf, len(roots.states)):
            nodes = self._known_nodes(roots)
            if (nodes != NONE).all():
                return nodes
            self.tree = self._new_tree()
        self.tree.make_room(len(roots.states))
        return self.tree.nodes_of(roots.known_to(self.tree.keys.in_nodes), roots.states)

    def _known_nodes(self, roots: Roots) -> Indices:
        """(roots,) the nodes of roots; NONE where there are none."""
        return self.tree.known_nodes(roots.known_to(self.tree.keys.in_nodes), roots.states)

    def _new_tree(self) -> SearchTree:
        return SearchTree(
            self.machine, self._keys, max_bytes=self._max_bytes, at_once=self._together
        )

    @property
    def _first_batch(self) -> int:
        """Simulations that are timed first; one takes long where rules are not compiled."""
        return FIRST_BATCH if self.machine.engine == "compiled" else 1

    def _seats_of(self, learning: Sequence[Sequence[RoleId]]) -> NDArray[np.int8]:
        """(tags, roles) learning: for each tag, the roles that learn."""
        seats = np.full((len(learning), len(self.machine.roles)), DRAWN, np.int8)
        for tag, roles in enumerate(learning):
            seats[tag, list(roles)] = LEARNS
        return seats

    def _order(self, roots: Roots, targets: Targets | None) -> SearchOrder:
        """An order with the nodes of roots, but to begin nothing and to add nothing."""
        keys, carried = self.tree.keys, roots.known_to(self.tree.keys.carried)
        nodes = self.nodes_of(roots)
        tags = roots.tags if len(roots.tags) else np.zeros(len(nodes), np.int64)
        bounds = np.zeros(0)
        if roots.weights is not None:
            rows = np.hstack([nodes[:, None], tags[:, None], carried]).astype(np.uint64)
            firsts, same = distinct_rows(rows)
            bounds = np.cumsum(np.bincount(same, roots.weights, len(firsts)))
            nodes, tags, carried = nodes[firsts], tags[firsts], carried[firsts]
        self._open_strata(nodes, bounds, roots)
        players = np.array(self._players if self.algorithm.one_learns else [], np.int64)
        roles = len(self.machine.roles)
        return SearchOrder(
            roots=nodes,
            root_keys=np.ascontiguousarray(carried),
            tags=np.ascontiguousarray(tags),
            bounds=bounds,
            seats=self._seats,
            columns=keys.columns,
            combine=keys.combine,
            turn=0,
            most=0,
            side_by_side=0,
            most_steps=STEPS,
            is_full=True,
            plays_on=self._plays_on,
            observer=int(self.observer),
            strata=self.strata,
            learning=players,
            paths=np.zeros((0, 0, roles), np.int32) if targets is None else targets.joints,
            path_bounds=np.zeros(0) if targets is None else targets.bounds,
            led_share=LED_SHARE if targets is None or targets.complete else 1.0,
            target=np.uint64(0) if targets is None else targets.key,
            log_total=0.0 if targets is None else targets.log_total,
        )

    def _open_strata(self, nodes: Indices, bounds: NDArray[np.float64], roots: Roots) -> None:
        """Keep values of the observer's moves apart by roots, where these are few and all."""
        few = roots.redrawn is None and roots.weights is not None and 1 < len(nodes) <= MOST_STRATA
        if not (few and self._is_stratified):
            self.strata, self._strata_roots = np.zeros((0, 0, 2)), None
        elif self._strata_roots is None or not np.array_equal(nodes, self._strata_roots):
            self.strata = np.zeros((len(nodes), self.tree.widest, 2))
            self._strata_roots = nodes
        self._strata_shares = np.diff(bounds, prepend=0.0)

    def _round(self, order: SearchOrder) -> int:
        """Let all walk as far as the tree reaches, and serve those that wait while it has room."""
        states = self._states
        if order.is_full:
            states[states == ASKS] = LEAVES
        begun = self._walk_on(order)
        self._served = 0
        while len(asking := np.flatnonzero(states == ASKS)):
            self._served += len(asking)
            self._grow(asking)
            order = order._replace(most=0, is_full=order.is_full or self.tree.has_become_full())
            # Where they come to is most often new: they leave there, together with the others.
            self._walk_on(order)
            # A playout on a few lanes takes as long as one on all: most are to leave together.
            if 3 * np.count_nonzero(states == ASKS) <= np.count_nonzero(states):
                break
        self._finish(order)
        return begun

    def _walk_on(self, order: SearchOrder) -> int:
        if not order.is_full:
            self.tree.make_room()
        tree, seed = self.tree, int(self._rng.integers(0, 2**32))
        rows = tree.rows_within()
        return int(self._walk(tree.graph, rows, self._walkers, order, self._rule, seed))

    def _grow(self, asking: Indices) -> None:
        """Add the nodes that simulations wait for."""
        walkers, tree = self._walkers, self.tree
        firsts, same = distinct_rows(walkers.joints[asking][:, None])
        makers = asking[firsts]
        owners = walkers.nodes[makers]
        joints = self._joints(makers)
        after = self.machine.step_batch(tree.states_of(owners), joints)
        found, words = tree.grow(owners, walkers.joints[makers], joints, after)
        walkers.nodes[asking] = found[same]
        for column in range(words.shape[1]):
            before, observed = walkers.keys[asking, column], words[same, column]
            added = tree.keys.combine == ADDED
            walkers.keys[asking, column] = (
                before + observed if added else keys_after(before, observed)
            )
        # In a game of many states most are met once: no more than one is added for a playout.
        ends = tree.graph.heads[found[same], END] != NONE
        walkers.states[asking] = np.where(~walkers.outside[asking] | ends, GOES_ON, STANDS)

    def _joints(self, rows: Indices) -> NDArray[np.int32]:
        """(rows, roles) joint moves that simulations chose where they are."""
        joints = np.empty((len(rows), len(self.machine.roles)), np.int32)
        joint_moves(self.tree.graph, self._walkers.nodes, self._walkers.picks, rows, joints)
        return joints

    def _finish(self, order: SearchOrder) -> None:
        """Evaluate the leaves at which simulations left the tree, and let their decisions learn."""
        rows, states = self._left()
        self._served += len(rows)
        if len(rows):
            seed = int(self._rng.integers(0, 2**32))
            values = self._scale.values(self._evaluate(states, seed, self._budget))
            self._learn_ends(self.tree.decisions, self._walkers, order, self._rule, rows, values)

    def _left(self) -> tuple[Indices, States]:
        """The simulations that have left the tree, and the states from which they are evaluated."""
        nodes = self._walkers.nodes
        leaving = np.flatnonzero(self._states == LEAVES)
        standing = np.flatnonzero(self._states == STANDS)
        states = self.tree.states_of(nodes[standing])
        if len(leaving):
            before = self.tree.states_of(nodes[leaving])
            states = stacked([self.machine.step_batch(before, self._joints(leaving)), states])
        return np.concatenate([leaving, standing]), states
