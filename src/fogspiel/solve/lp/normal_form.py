"""The normal form of a two-player game: all pure strategies, and an equilibrium of the matrix.

Strategies are reduced (Kuhn 1953): they prescribe no moves at infosets that they avoid themselves.
There are still exponentially many, so that this method is for small games and for checking others
(Richards 2012, sections 2.3 and 2.4, compares the two).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fogspiel.core.findings import LimitError
from fogspiel.solve.arrays import Treeplex
from fogspiel.solve.lp.linear import solution_of
from fogspiel.solve.matrix import solve_matrix
from fogspiel.solve.result import Solution
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.tree.game_tree import GameTree

MAX_CELLS = 1_000_000  #: Default of the largest number of entries of the matrix


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalForm:
    """Pure strategies of both players, and the payoffs of each pair of them."""

    game: SequenceGame
    strategies: tuple[csr_array, csr_array]
    """(strategies, sequences) 1 for the sequences that a strategy plays, for both players."""
    payoffs: tuple[NDArray[np.float64], NDArray[np.float64]]
    """(strategies of player 1, strategies of player 2) the payoffs of each player."""


def normal_form(tree: GameTree, *, max_cells: int = MAX_CELLS) -> NormalForm:
    """All reduced pure strategies. Raises `LimitError` SOL013 if there are too many."""
    game = sequence_game(tree)
    counts = [strategy_count(side) for side in game.treeplexes]
    if prod(counts) > max_cells:
        raise _too_many(counts, max_cells)
    first, second = (_pure_plans(side) for side in game.treeplexes)
    own, other = game.payoffs
    return NormalForm(
        game=game,
        strategies=(first, second),
        payoffs=(
            (first @ own.matrix(second.shape[1]) @ second.T).toarray() + own.offset,
            (second @ other.matrix(first.shape[1]) @ first.T).toarray().T + other.offset,
        ),
    )


def solve_normal_form(tree: GameTree, *, max_cells: int = MAX_CELLS) -> Solution:
    """An equilibrium of a game of two players with a constant sum.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play; `LimitError` SOL013
    if there are too many pure strategies.
    """
    began = perf_counter()
    form = normal_form(tree, max_cells=max_cells)
    require_constant_sum(form.game)
    solution = solve_matrix(form.payoffs[0])
    plans = (solution.row @ form.strategies[0], solution.column @ form.strategies[1])
    sizes = dict(zip(tree.players, form.payoffs[0].shape, strict=True))
    parameters: dict[str, object] = {"pure strategies": sizes}
    return solution_of(form.game, plans, "normal-form", began, parameters=parameters)


def strategy_count(side: Treeplex) -> int:
    """The number of reduced pure strategies of a player."""
    # For each sequence, the number of ways to go on after it.
    ways = [1] * side.sequence_count
    for infoset in range(len(side.parents) - 1, -1, -1):
        first = int(side.firsts[infoset])
        ways[int(side.parents[infoset])] *= sum(ways[first : first + int(side.counts[infoset])])
    return ways[0]


def _pure_plans(side: Treeplex) -> csr_array:
    """(strategies, sequences) all of them; the first action of the first infoset comes first."""
    following: list[list[int]] = [[] for _ in range(side.sequence_count)]
    for infoset, parent in enumerate(side.parents.tolist()):
        following[parent].append(infoset)
    played = [(0, *rest) for rest in _continuations(side, following, 0)]
    starts = np.cumsum([0, *map(len, played)])
    columns = np.fromiter(chain.from_iterable(played), np.int64, starts[-1])
    shape = (len(played), side.sequence_count)
    return csr_array((np.ones(len(columns)), columns, starts), shape=shape)


def _continuations(
    side: Treeplex, following: list[list[int]], sequence: int
) -> Iterator[tuple[int, ...]]:
    """All continuations of a sequence, each as the further sequences that are played."""
    choices = []
    for infoset in following[sequence]:
        first = int(side.firsts[infoset])
        choices.append(
            [
                (own, *rest)
                for own in range(first, first + int(side.counts[infoset]))
                for rest in _continuations(side, following, own)
            ]
        )
    for chosen in product(*choices):
        yield tuple(chain.from_iterable(chosen))


def _too_many(counts: list[int], max_cells: int) -> LimitError:
    sizes = " and ".join(_readable(count) for count in counts)
    return LimitError.of(
        "SOL013",
        f"the players have {sizes} pure strategies: more pairs than {max_cells:,}",
        fix="use the sequence form (linear), which grows with the game, not with its strategies",
    )


def _readable(count: int) -> str:
    digits = len(str(count))
    return f"{count:,}" if digits <= 12 else f"about 10^{digits - 1}"
