"""The sequence form of a game of two players: what fast solvers iterate over.

Source: von Stengel (1996), Games and Economic Behavior 14(2). A player's strategy is a plan: the
probability with which its own actions lead to each of its sequences. A player's expected payoff is
bilinear in both plans: x' A y, where the entry of A at a pair of sequences is the sum, over the
leaves that the pair leads to, of chance's reach times the payoff.
Departures: leaves that share a pair are one entry, and the payoff of most leaves is subtracted from
all payoffs and kept beside the matrix. Regrets and best responses do not change with it, and pairs
whose sum is 0 need no entry: half of them in a game that is won or lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.core.native import native
from fogspiel.solve.arrays import Plan, Treeplex, treeplex
from fogspiel.tree.game_tree import GameTree, node_sequences

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MatrixArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]
"""`starts`, `others` and `entries` of payoffs, as kernels take them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequencePayoffs:
    """A player's payoffs less `offset`, by own and other sequence, as a compressed matrix."""

    starts: NDArray[np.int64]
    """(own sequences + 1,) the entries of own sequence s are starts[s]:starts[s + 1]."""
    others: NDArray[np.int32]  #: (entries,) the sequence of the other player, rising within a row
    entries: NDArray[np.float64]
    """(entries,) sum over leaves of chance's reach times the payoff less `offset`; never 0."""
    offset: float  #: A payoff common to all leaves, and so to the value of every pair of plans

    def values(self, other: Plan) -> NDArray[np.float64]:
        """(own sequences,) the value against a plan of the leaves right after each own sequence."""
        values = np.empty(len(self.starts) - 1)
        _multiply((self.starts, self.others, self.entries), other, values)
        return values

    def matrix(self, columns: int) -> csr_array:
        """(own sequences, columns) the entries as a sparse matrix of SciPy."""
        from scipy.sparse import csr_array

        shape = (len(self.starts) - 1, columns)
        return csr_array((self.entries, self.others, self.starts), shape=shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequenceGame:
    """A game of two players in sequence form. Players count from 0 here."""

    tree: GameTree
    treeplexes: tuple[Treeplex, Treeplex]
    payoffs: tuple[SequencePayoffs, SequencePayoffs]
    """The payoffs of each player, its own sequences being the rows."""
    constant: Fraction | None  #: The sum of both payoffs at every leaf; None if leaves differ


def sequence_game(tree: GameTree) -> SequenceGame:
    """The sequence form. Raises `UsageError` SOL003 unless two play."""
    if len(tree.players) != 2:
        raise UsageError.of(
            "SOL003",
            f"the sequence form needs two players; {tree.title!r} has {len(tree.players)}",
            "use counterfactual regrets on the tree (cfr) or sampling, which take any number",
        )
    constant = constant_sum(tree)
    treeplexes = (treeplex(tree.infosets, 1), treeplex(tree.infosets, 2))
    leaves = _Leaves(tree)
    offset = leaves.commonest(0)
    other = leaves.commonest(1) if constant is None else float(constant) - offset
    return SequenceGame(
        tree=tree,
        treeplexes=treeplexes,
        payoffs=(leaves.payoffs(treeplexes, 0, offset), leaves.payoffs(treeplexes, 1, other)),
        constant=constant,
    )


def constant_sum(tree: GameTree) -> Fraction | None:
    """The sum of all players' payoffs at every leaf; None if leaves differ."""
    sums = {sum(row, Fraction(0)) for row in tree.exact_payoffs}
    return sums.pop() if len(sums) == 1 else None


def require_constant_sum(game: SequenceGame) -> Fraction:
    """The sum of both payoffs. Raises `UsageError` SOL002 if it differs between leaves."""
    if game.constant is None:
        sums = sorted({sum(row, Fraction(0)) for row in game.tree.exact_payoffs})
        raise UsageError.of(
            "SOL002",
            f"{game.tree.title!r} is not constant-sum: together the players get from {sums[0]} "
            f"to {sums[-1]}",
            fix="use a method for general sums (cfr, sampling); it need not find an equilibrium",
        )
    return game.constant


class _Leaves:
    """The leaves of a tree, to be added up by pairs of sequences."""

    def __init__(self, tree: GameTree) -> None:
        leaves = tree.leaves
        self._sequences = node_sequences(tree)[leaves].T.copy()
        self._rows = tree.node_payoffs[leaves]
        self._reach = tree.chance_reach[leaves]
        self._table = tree.payoffs

    def commonest(self, player: int) -> float:
        """The payoff of the player at most leaves, the lowest of several."""
        totals: dict[float, int] = {}
        counts = np.bincount(self._rows, minlength=len(self._table)).tolist()
        for payoff, count in zip(self._table[:, player].tolist(), counts, strict=True):
            totals[payoff] = totals.get(payoff, 0) + count
        return min(totals, key=lambda payoff: (-totals[payoff], payoff), default=0.0)

    def payoffs(
        self, treeplexes: tuple[Treeplex, Treeplex], player: int, offset: float
    ) -> SequencePayoffs:
        """The payoffs of a player, by its own sequence and the other's."""
        starts = np.zeros(treeplexes[player].sequence_count + 1, np.int64)
        others = np.empty(len(self._rows), np.int32)
        entries = np.empty(len(self._rows))
        count = _compress(
            self._sequences[player],
            self._sequences[1 - player],
            self._reach * (self._table[:, player] - offset)[self._rows],
            treeplexes[1 - player].sequence_count,
            (starts, others, entries),
        )
        # Copies, since most of the arrays may have stayed empty.
        return SequencePayoffs(
            starts=starts,
            others=others[:count].copy(),
            entries=entries[:count].copy(),
            offset=offset,
        )


@native
def _compress(
    own: NDArray[np.int32],
    other: NDArray[np.int32],
    gains: NDArray[np.float64],
    columns: int,
    payoffs: MatrixArrays,
) -> int:
    """Add up the gains of each pair, sorted by own sequence, then the other's.

    payoffs: filled in. Returns: the number of pairs whose sum is not 0.
    """
    starts, others, entries = payoffs
    order = _sorted_by(own, len(starts) - 1, _sorted_by(other, columns, np.arange(len(own))))
    count, place = 0, 0
    for row in range(len(starts) - 1):
        starts[row] = count
        while place < len(order) and own[order[place]] == row:
            column = other[order[place]]
            total = 0.0
            while place < len(order) and own[order[place]] == row and other[order[place]] == column:
                total += gains[order[place]]
                place += 1
            if total != 0.0:
                others[count] = column
                entries[count] = total
                count += 1
    starts[-1] = count
    return count


@native
def _sorted_by(
    keys: NDArray[np.int32], key_count: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The same places by key, equal keys in the given order (counting sort)."""
    ends = np.zeros(key_count + 1, np.int64)
    for place in order:
        ends[keys[place] + 1] += 1
    for key in range(key_count):
        ends[key + 1] += ends[key]
    result = np.empty_like(order)
    for place in order:
        result[ends[keys[place]]] = place
        ends[keys[place]] += 1
    return result


@native
def _multiply(payoffs: MatrixArrays, plan: Plan, values: NDArray[np.float64]) -> None:
    starts, others, entries = payoffs
    for row in range(len(starts) - 1):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            total += entries[entry] * plan[others[entry]]
        values[row] = total
