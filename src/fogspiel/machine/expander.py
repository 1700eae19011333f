"""Expansion of layers: distinct states after some steps, with all joint moves to the next layer.

There are many more histories than states, so that successors and percepts are computed only once
for each state. Chance is the first role, the others follow in the order of the rules. Joint moves
are in lexicographic order: moves of the last role change fastest.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.kernels.rows import numbered_rows, widened
from fogspiel.core.limits import SizeLimits
from fogspiel.core.native import native
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine, States

CHUNK_CELLS = 1 << 24  #: Most truth values of percepts in memory at a time
CHUNK_EDGES = 1 << 18

Numbers = NDArray[np.int32]  #: (n,)


class LegalChoices(NamedTuple):
    """Legal moves of all roles in the states of a layer."""

    counts: NDArray[np.int32]
    """(states, roles) number of legal moves, with chance first; 0 in states not expanded."""
    rows: NDArray[np.int64]  #: The states that are expanded
    legal: list[NDArray[np.bool_]]  #: (rows, moves) legality, for each role


class JointEdges(NamedTuple):
    """All joint moves of the states of a layer, as arrays for kernels."""

    starts: NDArray[np.int64]  #: (states + 1,) first edge of each state; edges are joint moves
    successors: Numbers  #: (edges,) state of the next layer
    observations: NDArray[np.int32]
    """(observers, edges) number of the player's observation: its move and its percepts."""
    lotteries: NDArray[np.float64]
    """Probabilities of the moves of chance, state by state; a single 1 if there is no chance."""
    lottery_starts: NDArray[np.int64]  #: (states,) place of the first probability of each state
    chance_counts: NDArray[np.int32]  #: (states,) the number of moves of chance


class ExpandedLayer(NamedTuple):
    """A layer with the joint moves of its states and the states of the next layer."""

    edges: JointEdges
    next_states: States  #: (n, words) the distinct states of the next layer
    legal_ids: NDArray[np.int32]
    """(players, states) rows of `legal_tables`; 0 in states that are not expanded."""
    legal_tables: list[NDArray[np.bool_]]
    """(n, moves) distinct sets of legal moves, for each player."""
    observation_tables: list[NDArray[np.uint64]]
    """(n, 1 + words) the observations of each observer: twice its move, odd if forced, and a bit
    for each percept."""


class Expander:
    """Expands whole layers of a game."""

    def __init__(
        self,
        machine: Machine,
        budget: SizeLimits,
        *,
        all_seeing: Collection[RoleId] = (),
        bare: bool = False,
    ) -> None:
        """all_seeing: players whose observations are not needed, since they see every joint move.

        bare: whether only the next states are needed; there are then no observations, and no tables
        of legal moves.
        """
        self.machine = machine
        self._budget = budget
        chance = machine.chance_role
        roles = map(RoleId, range(len(machine.roles)))
        self.players = tuple(role for role in roles if role != chance)
        self.order = self.players if chance is None else (chance, *self.players)
        self.has_chance = chance is not None
        self._described = () if bare else self.players
        self.observers = tuple(role for role in self._described if role not in all_seeing)
        """The players whose observations are computed."""

    def choices(self, states: States, going: NDArray[np.bool_]) -> LegalChoices:
        """Legal moves of all roles in some distinct states. going: the states to be expanded."""
        rows = np.flatnonzero(going)
        going_on = states[rows]
        legal = [self.machine.legal_batch(going_on, role) for role in self.order]
        counts = np.zeros((len(states), len(self.order)), np.int32)
        for column, matrix in enumerate(legal):
            if not _count_moves(matrix, rows, counts[:, column]):
                raise stuck(self.machine.roles[self.order[column]])
        return LegalChoices(counts, rows, legal)

    def expand(self, states: States, choices: LegalChoices) -> ExpandedLayer:
        """The layer of some distinct states."""
        counts = choices.counts
        self._refuse_edges(float(counts.prod(axis=1, dtype=np.float64).sum()), states.shape[1])
        starts = np.concatenate([[0], np.cumsum(counts.prod(axis=1, dtype=np.int64))])
        legal_ids, legal_tables = self._legal_ids(choices)
        lotteries, lottery_starts = self._lotteries(states, choices)
        successors, next_states, observations = self._follow(states, choices, starts)
        numbers = [own.numbers() for own in observations]
        return ExpandedLayer(
            edges=JointEdges(
                starts=starts,
                successors=successors,
                observations=np.array(numbers, np.int32).reshape(len(numbers), len(successors)),
                lotteries=lotteries,
                lottery_starts=lottery_starts,
                chance_counts=counts[:, 0].copy()
                if self.has_chance
                else np.ones(len(states), np.int32),
            ),
            next_states=next_states,
            legal_ids=legal_ids,
            legal_tables=legal_tables,
            observation_tables=[own.rows(width=1) for own in observations],
        )

    def _refuse_edges(self, count: float, words: int) -> None:
        # States before and after, in chunks and together, with numbers of what follows.
        each = 16 * words + 8 * len(self.order) + 24
        self._budget.need_numbers(int(count))
        self._budget.need_bytes(int(count) * each)

    def _legal_ids(
        self, choices: LegalChoices
    ) -> tuple[NDArray[np.int32], list[NDArray[np.bool_]]]:
        ids = np.zeros((len(self._described), len(choices.counts)), np.int32)
        tables: list[NDArray[np.bool_]] = []
        for at in range(len(self._described)):
            matrix = choices.legal[at + self.has_chance]
            firsts, ids[at, choices.rows] = numbered_rows(packed_bits(matrix))
            tables.append(matrix[firsts])
        return ids, tables

    def _lotteries(
        self, states: States, choices: LegalChoices
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        if not self.has_chance:
            return np.ones(1), np.zeros(len(states), np.int64)
        counts, legal = choices.counts[:, 0], choices.legal[0]
        lotteries = np.ones(int(counts.sum()))
        drawing = counts[choices.rows] > 1
        if drawing.any():
            shares = self.machine.chance_weights_batch(states[choices.rows[drawing]])
            is_drawn = np.repeat(drawing, counts[choices.rows])
            lotteries[is_drawn] = shares[:, : legal.shape[1]][legal[drawing]]
        return lotteries, np.cumsum(counts, dtype=np.int64) - counts

    def _follow(
        self, states: States, choices: LegalChoices, starts: NDArray[np.int64]
    ) -> tuple[Numbers, States, list[RowNumbers]]:
        """Numbers of the successors of all edges, distinct successors, players' observations."""
        counts = choices.counts
        moves, move_starts = _flat_moves(choices)
        order = np.array(self.order)
        after = RowNumbers()
        observations = [RowNumbers() for _ in self.observers]
        total, chunk = int(starts[-1]), self._chunk()
        for first in range(0, total, chunk):
            owners = np.empty(min(chunk, total - first), np.int64)
            joints = np.empty((len(owners), len(self.order)), np.int32)
            _joint_moves(first, starts, counts, moves, move_starts, order, owners, joints)
            before = states[owners]
            after.add(self.machine.step_batch(before, joints))
            for at, role in enumerate(self.observers):
                forced = counts[owners, self.order.index(role)] == 1
                seen = packed_bits(self.machine.percepts_batch(before, joints, role))
                did = (2 * joints[:, role] + forced).astype(np.uint64)
                observations[at].add(np.concatenate([did[:, None], seen], axis=1))
        return after.numbers(), after.rows(states.shape[1]), observations

    def _chunk(self) -> int:
        widest = max((self.machine.percept_count(role) for role in self.observers), default=1)
        return min(CHUNK_EDGES, max(1024, CHUNK_CELLS // max(1, widest)))


class RowNumbers:
    """Numbers of distinct rows of words, which are added in chunks and may become longer."""

    def __init__(self) -> None:
        self._tables: list[NDArray[np.uint64]] = []
        self._numbers: list[NDArray[np.int32]] = []

    def add(self, rows: NDArray[np.uint64]) -> None:
        """Number more rows."""
        firsts, numbers = numbered_rows(rows)
        self._tables.append(rows[firsts])
        self._numbers.append(numbers)

    def numbers(self) -> Numbers:
        """(rows added,) number of each row."""
        self._settle()
        return self._numbers[0]

    def rows(self, width: int) -> NDArray[np.uint64]:
        """(numbers, words) row of each number, with at least so many words."""
        self._settle()
        return widened(self._tables[0], width)

    def _settle(self) -> None:
        """Give equal rows of different chunks the same number."""
        if not self._tables:
            self._tables, self._numbers = [np.empty((0, 0), np.uint64)], [np.empty(0, np.int32)]
        if len(self._tables) > 1:
            width = max(table.shape[1] for table in self._tables)
            rows = np.concatenate([widened(table, width) for table in self._tables])
            firsts, settled = numbered_rows(rows)
            offsets = np.cumsum([0, *map(len, self._tables)])
            chunks = zip(self._numbers, offsets.tolist(), strict=False)
            numbers = [settled[offset + own] for own, offset in chunks]
            self._tables, self._numbers = [rows[firsts]], [np.concatenate(numbers)]


def packed_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(n, words) rows of truth values as bits."""
    count, width = bits.shape
    words = -(-width // 64)
    packed = np.zeros((count, 8 * words), np.uint8)
    packed[:, : -(-width // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return packed.view(np.uint64)


@native
def _count_moves(
    legal: NDArray[np.bool_], rows: NDArray[np.int64], counts: NDArray[np.int32]
) -> bool:
    """Write the number of moves in each row; returns whether all rows have moves."""
    for i in range(len(rows)):
        count = 0
        for move in range(legal.shape[1]):
            count += legal[i, move]
        counts[rows[i]] = count
        if count == 0:
            return False
    return True


def _flat_moves(choices: LegalChoices) -> tuple[Numbers, NDArray[np.int64]]:
    """All legal moves in one array, and (roles, states) the first move of each state in it."""
    ends = np.cumsum(choices.counts.T, dtype=np.int64)
    starts = (ends - choices.counts.T.ravel()).reshape(choices.counts.T.shape)
    moves = np.empty(ends[-1] if len(ends) else 0, np.int32)
    for at, matrix in enumerate(choices.legal):
        _write_moves(matrix, starts[at, choices.rows], moves)
    return moves, starts


@native
def _write_moves(
    legal: NDArray[np.bool_], starts: NDArray[np.int64], moves: NDArray[np.int32]
) -> None:
    """Write the legal moves of each row from its start on."""
    for row in range(len(legal)):
        at = starts[row]
        for move in range(legal.shape[1]):
            if legal[row, move]:
                moves[at] = move
                at += 1


@native
def _joint_moves(
    first: int,
    starts: NDArray[np.int64],
    counts: NDArray[np.int32],
    moves: NDArray[np.int32],
    move_starts: NDArray[np.int64],
    order: NDArray[np.int64],
    owners: NDArray[np.int64],
    joints: NDArray[np.int32],
) -> None:
    """Write the states and the joint moves of the edges from `first` on."""
    state = np.searchsorted(starts, first, side="right") - 1
    for i in range(len(owners)):
        while starts[state + 1] <= first + i:
            state += 1
        owners[i] = state
        rest = first + i - starts[state]
        for column in range(len(order) - 1, -1, -1):
            count = counts[state, column]
            joints[i, order[column]] = moves[move_starts[column, state] + rest % count]
            rest //= count


def stuck(role: str) -> PlayError:
    """Error for a role without a legal move in a nonterminal state."""
    return PlayError.of(
        "DYN002",
        f"the tree cannot be completed: {role} has no legal move in some state",
        fix="give every role a move in every state that is not terminal",
    )
