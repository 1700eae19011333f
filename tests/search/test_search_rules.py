"""Selection and backup by themselves: what one decision learns, and what it chooses then."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from searches import assert_all_came_back, searched, statistics_at

from fogspiel.search.mcts.algorithms import DOUBT, UCT
from fogspiel.search.mcts.kernels.backup import learn_best, open_with_first
from fogspiel.search.mcts.kernels.bounds import (
    EXACT_VISITS,
    SPREADS,
    UNKNOWN,
    best_bound,
    spread_after,
    visit,
)
from fogspiel.search.mcts.kernels.decisions import (
    BONUS,
    CHOSEN,
    MEAN,
    MOVES,
    RETURNS,
    STOOD,
    VISITS,
)
from fogspiel.search.mcts.kernels.selection import BEST, WORTH, untried

NONE = -1

# Without machine code: these are called by kernels alone.
plain_visit, plain_best_bound = cast(Any, visit).py_func, cast(Any, best_bound).py_func
plain_spread_after = cast(Any, spread_after).py_func


def learnt(
    rows: np.ndarray, trail: list[tuple[int, int, int]], goal: float, doubt: float = DOUBT
) -> None:
    """Let decisions learn a value that came back along a trail."""
    learn_best(rows, doubt, np.array([trail], np.int32), 0, len(trail), np.array([[goal]]), 0)


def test_until_all_moves_were_tried_the_mean_counts_and_then_the_best_move_in_doubt() -> None:
    # Decisions in rows 1 and 5, with two header rows and two moves each. The second follows the
    # first move of the first.
    rows = np.zeros((9, 4))
    rows[1, MOVES] = rows[5, MOVES] = 2

    def worth_after(move: int, goal: float) -> tuple[float, float]:
        learnt(rows, [(3, 1, 0), (7 + move, 5, 0)], goal)
        assert rows[3, MEAN] == pytest.approx(rows[6, WORTH])
        return float(rows[6, WORTH]), float(rows[6, BEST])

    assert worth_after(0, 1.0) == (1.0, 1.0)
    assert worth_after(0, 0.0) == (0.5, 0.5)
    # Now both were tried: 0.5 and 0.2. Then the second turns out better, 0.6, and worse again.
    # Of two moves each counts as if it had been tried (2 / 32)^2 times more, with the mean of all.
    more = 1 / 256
    assert worth_after(1, 0.2) == pytest.approx(((1.0 + 0.4 * more) / (2 + more), 0.5))
    assert worth_after(1, 1.0) == pytest.approx(((1.2 + 0.55 * more) / (2 + more), 0.6))
    assert worth_after(1, 0.0) == pytest.approx(((1.0 + 0.44 * more) / (2 + more), 0.5))


def test_among_many_moves_that_were_tried_once_a_lucky_one_is_doubted() -> None:
    # One decision of 64 moves: as if each had been tried four times more.
    moves = 64
    rows = np.zeros((3 + moves, 4))
    rows[1, MOVES] = moves
    for move in range(moves):
        learnt(rows, [(3 + move, 1, 0)], float(move == 7))
    assert rows[2, BEST] == 1.0
    assert rows[2, WORTH] == pytest.approx((1.0 + 4 / moves) / 5)


def test_the_first_simulation_counts_for_the_move_that_it_made_at_random() -> None:
    # A header in rows 1 and 2 that is given its three moves in rows 3 to 7.
    rows = np.zeros((8, 4))
    rows[1, VISITS], rows[1, 3] = 1.0, 2.0
    learnt(rows, [(NONE, 1, 0)], 0.75)
    assert rows[2, WORTH] == 0.75
    rows[3, VISITS], rows[3, MOVES] = 1.0, 3.0
    open_with_first(rows, 1, 3)
    assert rows[7, [MEAN, CHOSEN, RETURNS]].tolist() == [0.75, 1.0, 1.0]
    assert rows[5:7].sum() == 0.0
    # A simulation that stood when there were no moves yet finds them when it comes back.
    rows[1, MOVES] = -3.0
    learnt(rows, [(NONE, 1, 0)], 0.25)
    assert rows[7, [MEAN, RETURNS]].tolist() == [0.5, 2.0]


def test_simulations_under_way_count_for_the_bonus_and_not_for_the_mean() -> None:
    # Liu et al. (2020): the mean is of those that came back, the bonus of all that were sent out.
    rows = np.zeros((2, 4))
    for sent in range(3):
        plain_visit(rows, 0, UNKNOWN)
        rows[0, CHOSEN] += 1.0
        assert rows[0, MEAN] == UNKNOWN
        assert rows[0, BONUS] == pytest.approx((sent + 1) ** -0.5)
    assert plain_best_bound(rows, 0, 2, 1.0, 0.5) == 1
    rows[1] = rows[0]
    plain_visit(rows, 0, UNKNOWN)
    # The move with fewer under way comes next, and the better mean where there is no bonus.
    assert plain_best_bound(rows, 0, 2, 1.0, 0.5) == 1
    rows[0, MEAN] = 0.6
    assert plain_best_bound(rows, 0, 2, 0.0, 0.5) == 0


@pytest.mark.parametrize("visits", [0, 1, 2, 100, EXACT_VISITS - 1])
def test_the_bonus_of_few_visits_is_that_of_ucb1(visits: int) -> None:
    # Auer, Cesa-Bianchi & Fischer (2002): sqrt(log N) over the square root of the move's visits.
    assert plain_spread_after(SPREADS, float(visits)) == np.sqrt(np.log(max(visits, 1)))


def test_the_bonus_of_many_visits_is_right_to_an_eight_thousandth() -> None:
    rng = np.random.default_rng(1)
    many = np.exp(rng.uniform(np.log(EXACT_VISITS), np.log(2.0**51), 2_000)).round()
    for visits in (EXACT_VISITS, EXACT_VISITS + 1, 2.0**51, *many):
        assert plain_spread_after(SPREADS, visits) == pytest.approx(
            np.sqrt(np.log(visits)), rel=1 / 8_000
        )


def test_the_first_simulations_share_moves_equally() -> None:
    # Sixteen are under way at once, on seven moves; none stands at the root.
    search = searched("connect_four", UCT, 16)
    assert_all_came_back(search)
    assert statistics_at(search).visits.max() == 3


@pytest.mark.parametrize("counts", [(3, 3), (2, 3, 4), (7, 1, 5), (24, 24)])
def test_the_stride_meets_every_joint_move_once(counts: tuple[int, ...]) -> None:
    # One node: two numbers, then a set, a number of moves and a decision for each role.
    heads = np.zeros((1, 2 + 3 * len(counts)), np.int32)
    rows = np.zeros((2, 4))
    for role, count in enumerate(counts):
        heads[0, 2 + 3 * role : 5 + 3 * role] = 0, count, 2
    rows[1, MOVES], rows[1, STOOD] = 1.0, 1.0
    seats = np.zeros((1, len(counts)), np.int8)
    joints, orders = int(np.prod(counts)), []
    for order in (5, 6):
        made = []
        for visits in range(joints):
            rows[1, VISITS] = 1.0 + visits
            made.append(int(untried(heads, rows, seats, 0, 0, order)))
        assert sorted(made) == list(range(joints))
        rows[1, VISITS] = 1.0 + joints
        assert untried(heads, rows, seats, 0, 0, order) == NONE
        orders.append(made)
    assert orders[0] != orders[1]
    # Where one role alone learns, its rule sees to its moves.
    seats[0, 1:] = 1
    rows[1, VISITS] = 1.0
    assert untried(heads, rows, seats, 0, 0, 5) == NONE
