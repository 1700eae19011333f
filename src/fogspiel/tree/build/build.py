"""The tree of a game in level order, built from any machine, many nodes at a time.

Histories grow step by step, all of the same length at once. Those that agree in the state
and in what every player did and saw go on as one. The machine is asked once for each different
state of a step; kernels do the rest for each history.

A step gives up to one level for each role: chance first, then the players in the order of the
rules. Nobody sees a move of the step before it is over, so the order says nothing about what
players know. A role with a single legal move has no node: edges may skip levels. Histories that end
before the step make a level of their own before these, so that a level has nodes of one mover.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.kernels.rows import numbered_rows
from fogspiel.core.limits import DEFAULT_MAX_BYTES, DEFAULT_MAX_NODES, SizeLimits, too_large
from fogspiel.machine.expander import ExpandedLayer, Expander
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.tree.build.infosets import Cut, Evaluate, InfosetTable, PayoffTable
from fogspiel.tree.build.kernels import (
    NO_DOUBT,
    HistoryBatch,
    JointMoves,
    Piece,
    add_up,
    fill,
    follow,
    known_moves,
    measure,
    pack,
    settle,
)
from fogspiel.tree.build.labels import ChanceNames
from fogspiel.tree.game_tree import GameTree

NODE_BYTES, EDGE_BYTES = 1 + 4 + 4 + 8 + 4 + 8, 4 + 8
KNOWN_BYTES = 4 + 4 + 4  #: Memory for what was known before, the last observation, and the sequence
FOLLOWER_BYTES = 64
"""Memory while equal histories are looked for: keys, a hash table, numbers before and after."""


def build(
    machine: Machine,
    *,
    title: str = "",
    max_nodes: int = DEFAULT_MAX_NODES,
    max_bytes: int = DEFAULT_MAX_BYTES,
    progress: Callable[[int], None] | None = None,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    cut: Cut | None = None,
    merge: bool = True,
) -> GameTree:
    """The tree of a game. Payoffs are goals, divided by the scale of the machine.

    progress: called after each step with the number of nodes so far.
    depth: steps after which play is cut; `evaluate` gives the values of states there.
    cut: other states where it is, by their step.
    merge: whether histories that differ for nobody become one node. Without, every history has a
    node of its own, and the moves of chance have names: as `to_preorder` needs it.
    Raises `LimitError` TRE001 beyond the limits, and `PlayError` if a role is stuck or does not
    know its legal moves.
    """
    if depth is not None and (evaluate is None or depth < 0):
        raise ValueError(f"a limit on depth is at least 0, and needs `evaluate`; got {depth}")
    if cut is not None and evaluate is None:
        raise ValueError("a tree that is cut needs `evaluate`")
    budget = SizeLimits(max_nodes, max_bytes)
    payoffs = PayoffTable(machine, depth, evaluate, cut)
    building = _Building(machine, budget, payoffs, None if merge else ChanceNames(machine))
    while len(building.histories.states):
        if building.steps > DEFAULT_MAX_STEPS:
            raise too_large(max_nodes)
        building.step()
        if progress is not None:
            progress(budget.nodes)
    return building.tree(title)


class _Building:
    """A tree as far as it is built."""

    def __init__(
        self,
        machine: Machine,
        budget: SizeLimits,
        payoffs: PayoffTable,
        chance_names: ChanceNames | None,
    ) -> None:
        """chance_names: given where histories are not merged."""
        self._chance_names = chance_names
        self._expander = Expander(machine, budget)
        self._budget = budget
        self._payoffs = payoffs
        self._knowledge = InfosetTable(machine, self._expander.players)
        self._states: States = machine.initial()[None, :]
        self._ends = payoffs.of_step(self._states, 0)
        """(states,) payoffs where play ends, `GOES_ON` elsewhere."""
        self._is_ambiguous = False
        """Whether histories differ in their states only: they may come to agree without chance."""
        self._idle: set[bytes] = set()
        """All states of each step since somebody had a choice, as digests."""
        self._pieces: list[Piece] = []
        self._sizes: list[NDArray[np.int64]] = []
        """(1 + roles, 2) nodes and edges of each level, for each step."""
        self.steps = 0
        players = len(self._expander.players)
        self.histories = HistoryBatch(
            np.zeros(1, np.int32), np.zeros((players, 1), np.int32), np.ones(1)
        )

    def step(self) -> None:
        """Make the nodes of one step, and go on to the next."""
        histories, expander, payoffs = self.histories, self._expander, self._ends
        choices = expander.choices(self._states, payoffs < 0)
        sizes = np.zeros((1 + len(expander.order), 2), np.int64)
        followers = measure(histories.states, payoffs, choices.counts, sizes)
        draws = expander.has_chance and bool((choices.counts[:, 0] > 1).any())
        may_merge = self._chance_names is None and (self._is_ambiguous or draws)
        self._take(sizes, followers, may_merge=may_merge)
        layer = expander.expand(self._states, choices)
        self._learn_moves(layer, payoffs)
        infosets, infoset_starts = self._knowledge.infosets()
        edges = layer.edges
        moves = JointMoves(
            choices.counts, edges.starts, edges.chance_counts, edges.lotteries, edges.lottery_starts
        )
        self.steps += 1
        self._ends = self._payoffs.of_step(layer.next_states, self.steps)
        self.histories, following = self._follow(layer, moves, int(followers), may_merge=may_merge)
        first_node = self._budget.nodes - int(sizes[:, 0].sum())
        if self._chance_names is not None and draws:
            drawing = histories.states[choices.counts[histories.states, 0] > 1]
            legal = choices.legal[0][np.searchsorted(choices.rows, drawing)]
            self._chance_names.add_step(first_node + int(sizes[0, 0]), legal)
        piece = _empty_piece(sizes, len(histories.states))
        cursors = np.cumsum(sizes, axis=0) - sizes
        fill(
            histories,
            moves,
            payoffs,
            following,
            infosets,
            infoset_starts,
            cursors,
            first_node,
            piece,
        )
        self._pieces.append(piece)
        self._sizes.append(sizes)
        self._states = layer.next_states
        self._refuse_circle(is_idle=not sizes.any())

    def _take(self, sizes: NDArray[np.int64], followers: float, *, may_merge: bool) -> None:
        """Raise an error before memory is asked for that there is not."""
        nodes, edges = sizes.sum(axis=0).tolist()
        self._budget.need_numbers(int(followers))
        self._budget.need_numbers(edges)
        self._budget.take_nodes(nodes)
        self._budget.take_bytes(
            NODE_BYTES * nodes + EDGE_BYTES * edges + 4 * len(self.histories.states)
        )
        if not may_merge:
            # Every history makes at least one more node, where it ends.
            self._budget.need_nodes(int(followers))
        players = len(self._expander.players)
        self._budget.need_bytes(int(followers) * (FOLLOWER_BYTES + 12 * players))

    def _refuse_circle(self, *, is_idle: bool) -> None:
        """Raise an error if nobody has a choice, and the states are what they were before."""
        if not is_idle:
            self._idle.clear()
            return
        digest = sha256(self._states.tobytes()).digest()
        if digest in self._idle:
            raise too_large(self._budget.max_nodes)
        self._idle.add(digest)

    def _learn_moves(self, layer: ExpandedLayer, payoffs: NDArray[np.int32]) -> None:
        """Give infosets to players with a choice."""
        for player, role in enumerate(self._expander.players):
            known = np.full(self._knowledge.count(player), -1, np.int32)
            history = known_moves(self.histories, payoffs, layer.legal_ids, player, known)
            if history != NO_DOUBT:
                raise PlayError.of(
                    "DYN005",
                    f"the tree has no infosets: in step {self.steps + 1}, "
                    f"{self._expander.machine.roles[role]} does not know its legal moves",
                    fix="let the role see what its legal moves depend on",
                )
            self._knowledge.learn_moves(player, known, layer.legal_tables[player])

    def _follow(
        self, layer: ExpandedLayer, moves: JointMoves, count: int, *, may_merge: bool
    ) -> tuple[HistoryBatch, NDArray[np.int32]]:
        """The histories of the next step, and which of them each joint move leads to."""
        players = len(self._expander.players)
        states, reach = np.empty(count, np.int32), np.empty(count)
        keys = np.empty((players, count), np.uint64)
        edges = layer.edges
        observation_counts = np.array([len(table) for table in layer.observation_tables], np.int64)
        follow(
            self.histories,
            moves,
            edges.successors,
            edges.observations,
            observation_counts,
            states,
            keys,
            reach,
        )
        # Players know their own moves: where chance has none, histories that somebody could tell
        # apart stay different, and what is known at the end does not matter.
        going = np.ones(1, np.bool_) if may_merge else self._ends[states] < 0
        asked = slice(None) if going.all() else np.flatnonzero(going)
        knowledge = np.zeros((players, count), np.int32)
        for player, table in enumerate(layer.observation_tables):
            own = np.ascontiguousarray(keys[player, asked])
            knowledge[player, asked] = self._knowledge.learn(player, own, table)
            self._budget.take_bytes(KNOWN_BYTES * self._knowledge.count(player))
        del keys
        histories = HistoryBatch(states, knowledge, reach)
        return self._merged(histories) if may_merge else (histories, _each(histories))

    def _merged(self, histories: HistoryBatch) -> tuple[HistoryBatch, NDArray[np.int32]]:
        """The histories with equal ones merged, and (histories,) which of them each became."""
        sizes = [self._knowledge.count(player) for player in range(len(histories.knowledge))]
        known, same = numbered_rows(_packed(histories.knowledge, sizes))
        if len(known) == len(same):
            self._is_ambiguous = False
            return histories, _each(histories)
        keys = histories.states.astype(np.uint64) * np.uint64(len(known)) + same.astype(np.uint64)
        firsts, following = numbered_rows(keys[:, None])
        self._is_ambiguous = len(firsts) > len(known)
        reach = np.zeros(len(firsts))
        add_up(histories.reach, following, reach)
        knowledge = histories.knowledge.take(firsts, axis=1)
        return HistoryBatch(histories.states[firsts], knowledge, reach), following

    def tree(self, title: str) -> GameTree:
        """All nodes, with infosets numbered by player."""
        infosets = self._knowledge.table()
        self._join_steps(infosets.starts)
        columns = {name: [getattr(own, name) for own in self._pieces] for name in Piece._fields}
        self._pieces.clear()
        first_edges = np.zeros(self._budget.nodes + 1, np.int64)
        np.cumsum(np.concatenate(columns.pop("edge_counts")), out=first_edges[1:])
        level_sizes = np.concatenate([sizes[:, 0] for sizes in self._sizes])
        level_sizes = level_sizes[level_sizes > 0]
        roles = self._expander.machine.roles
        # One after the other, so that no more than one of them is held twice.
        return GameTree(
            title=title,
            players=tuple(roles[role] for role in self._expander.players),
            level_starts=np.concatenate([[0], np.cumsum(level_sizes)]),
            movers=np.concatenate(columns.pop("movers")),
            node_infosets=np.concatenate(columns.pop("infosets")),
            node_payoffs=np.concatenate(columns.pop("payoffs")),
            chance_reach=np.concatenate(columns.pop("reach")),
            first_edges=first_edges,
            targets=np.concatenate(columns.pop("targets")),
            probabilities=np.concatenate(columns.pop("probabilities")),
            infosets=infosets,
            exact_payoffs=self._payoffs.table,
            chance_names=self._chance_names,
        )

    def _join_steps(self, infoset_starts: NDArray[np.int64]) -> None:
        """Let edges lead to nodes of later steps, and number the infosets of players together."""
        entries = np.empty(0, np.int32)
        for piece, sizes in zip(reversed(self._pieces), reversed(self._sizes), strict=True):
            settle(piece.targets, entries)
            settle(piece.entries, entries)
            entries = piece.entries
            bounds = np.cumsum(sizes[:, 0])
            first = 1 + self._expander.has_chance
            for player, start in enumerate(infoset_starts[:-1].tolist()):
                level = slice(bounds[first + player - 1], bounds[first + player])
                piece.infosets[level] += start


def _empty_piece(sizes: NDArray[np.int64], histories: int) -> Piece:
    nodes, edges = sizes.sum(axis=0).tolist()
    return Piece(
        movers=np.empty(nodes, np.int8),
        infosets=np.empty(nodes, np.int32),
        payoffs=np.empty(nodes, np.int32),
        reach=np.empty(nodes),
        edge_counts=np.empty(nodes, np.int32),
        targets=np.empty(edges, np.int32),
        probabilities=np.empty(edges),
        entries=np.empty(histories, np.int32),
    )


def _each(histories: HistoryBatch) -> NDArray[np.int32]:
    return np.arange(len(histories.states), dtype=np.int32)


def _packed(knowledge: NDArray[np.int32], sizes: list[int]) -> NDArray[np.uint64]:
    """(n, words) what players know in each history, as many of them to a word as have room."""
    words: list[int] = []
    word, room = 0, 1
    for size in sizes:
        word, room = (word, room * size) if room * size < 2**64 else (word + 1, size)
        words.append(word)
    packed = np.zeros((knowledge.shape[1], word + 1), np.uint64)
    pack(knowledge, np.array(words, np.int64), np.array(sizes, np.uint64), packed)
    return packed
