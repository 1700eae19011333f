"""Backup: what the decisions of a simulation learn from its value.

- Bounds learn the mean of the values that came back through a move (UCT).
- `BestWorth`: the value of a decision is that of its best move, and moves learn how much the total
  value of the decision below them grew (MaxUCT: Keller & Helmert 2013). Until all moves were tried
  the mean counts: the luckiest of a few moves tried once says nothing. For the same reason the
  value of a decision of k moves is what its best move would get if each of them had been tried
  (doubt * k)^2 times more, with the mean of all simulations.
- `Exp3` and `RegretMatching` add the value over its probability to weights or regrets.
- `OutcomeSampling`: outcome sampling (Lanctot et al. 2009; Lisy, Lanctot & Bowling 2015,
  algorithm 1).
Departures: a simulation that stood at a new decision teaches none of its moves, but for
`BestWorth`, where it counts for the move that it made at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE
from fogspiel.search.mcts.kernels.bounds import UNKNOWN
from fogspiel.search.mcts.kernels.decisions import (
    BACK,
    BONUS,
    CHOSEN,
    MEAN,
    MOVES,
    RETURNS,
    SCORE,
    STOOD,
    STRATEGY,
    present_row,
)
from fogspiel.search.mcts.kernels.parts import bare, part, step
from fogspiel.search.mcts.kernels.selection import (
    BEST,
    COUNTED,
    TRIED,
    WORTH,
    BestWorth,
    EagerUcb,
    Exp3,
    JointUcb,
    OutcomeSampling,
    RegretMatching,
    Ucb,
    positive_regret,
    share_of_regret,
)

SUM, PICK = STOOD, BACK
"""Columns of the first header of `BestWorth` and `EagerUcb`: the sum of all values, and the move
that the first simulation made."""
ARM, OWNER, ROLE = 0, 1, 2
"""Columns of `Simulations.trail`: the row of a move, or NONE where the simulation stood at a
decision; the row of the decision; and the role."""
MIDDLE = 0.5
"""Subtracted from values, which are between 0 and 1, for regrets: they vary less and mean the
same."""

Reals = NDArray[np.float64]
Trail = NDArray[np.int32]


@part
def met(rule, rows, block, pick):  # type: ignore[no-untyped-def]
    """Note the first simulation of a decision, and the move that it makes at random."""


@part
def is_back(rule, rows, block):  # type: ignore[no-untyped-def]
    """Whether a decision can be given its moves: its first simulation must have come back."""


@part
def opened(rule, rows, old, block):  # type: ignore[no-untyped-def]
    """Take over what the header of a decision learnt, now that it has moves."""


@part
def learn(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    """Back up the values of a simulation, goals[end], to its decisions.

    chances: probabilities of its moves. learner, weight: see `OutcomeSampling`.
    """


@met.of(Ucb, JointUcb, Exp3, RegretMatching, OutcomeSampling)
def _stood(rule, rows, block, pick):  # type: ignore[no-untyped-def]
    rows[block, STOOD] += 1.0


@met.of(EagerUcb)
def _made(rule, rows, block, pick):  # type: ignore[no-untyped-def]
    rows[block, SUM], rows[block, PICK] = np.nan, pick


@met.of(BestWorth)
def _picked(rule, rows, block, pick):  # type: ignore[no-untyped-def]
    rows[block, PICK] = pick


@is_back.of(Ucb, JointUcb, Exp3, RegretMatching, OutcomeSampling)
def _one_is_back(rule, rows, block):  # type: ignore[no-untyped-def]
    return rows[block, BACK] > 0.0


@is_back.of(EagerUcb, BestWorth)
def _needs_none(rule, rows, block):  # type: ignore[no-untyped-def]
    return True


@opened.of(Ucb, JointUcb, Exp3, RegretMatching, OutcomeSampling)
def _open(rule, rows, old, block):  # type: ignore[no-untyped-def]
    rows[block, STOOD], rows[block, BACK] = rows[old, STOOD], rows[old, BACK]


@opened.of(EagerUcb)
def _open_eagerly(rule, rows, old, block):  # type: ignore[no-untyped-def]
    open_eagerly(rows, old, block)


@opened.of(BestWorth)
def _open_with_first(rule, rows, old, block):  # type: ignore[no-untyped-def]
    open_with_first(rows, old, block)


@learn.of(Ucb, JointUcb)
def _learn_means(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_means(rows, trail, row, length, goals, end)


@learn.of(EagerUcb)
def _learn_all_means(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_all_means(rows, trail, row, length, goals, end)


@learn.of(BestWorth)
def _learn_best(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_best(rows, rule.doubt, trail, row, length, goals, end)


@learn.of(Exp3)
def _learn_gains(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_gains(rows, rule.constant, trail, chances, row, length, goals, end)


@learn.of(RegretMatching)
def _learn_regrets(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_regrets(rows, trail, chances, row, length, goals, end)


@learn.of(OutcomeSampling)
def _learn_outcome(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_outcome(rows, trail, chances, row, length, goals, end, learner, weight, rule.is_alone)


@bare
def learn_means(rows: Reals, trail: Trail, row: int, length: int, goals: Reals, end: int) -> None:
    """Means of moves."""
    for at in range(length):
        arm = trail[row, at, ARM]
        if arm == NONE:
            rows[trail[row, at, OWNER], BACK] += 1.0
            continue
        returns = rows[arm, RETURNS] + 1.0
        before = rows[arm, MEAN] if returns > 1.0 else 0.0
        rows[arm, RETURNS] = returns
        rows[arm, MEAN] = before + (goals[end, trail[row, at, ROLE]] - before) / returns


@step
def open_eagerly(rows: Reals, old: int, block: int) -> None:
    """Let the first simulation count for the move that it made, whether it is back or not."""
    rows[block, PICK] = rows[old, PICK]
    arm = block + 1 + int(rows[old, PICK])
    value = rows[old, SUM]
    rows[arm, BONUS], rows[arm, CHOSEN] = 1.0, 1.0
    rows[arm, MEAN] = UNKNOWN if np.isnan(value) else value
    rows[arm, RETURNS] = 0.0 if np.isnan(value) else 1.0


@bare
def learn_all_means(
    rows: Reals, trail: Trail, row: int, length: int, goals: Reals, end: int
) -> None:
    """Means of moves, those that first simulations made included."""
    for at in range(length):
        arm, value = np.int64(trail[row, at, ARM]), goals[end, trail[row, at, ROLE]]
        if arm == NONE:
            block = present_row(rows, np.int64(trail[row, at, OWNER]))
            if rows[block, MOVES] == 0.0:
                rows[block, SUM] = value
                continue
            arm = block + 1 + np.int64(rows[block, PICK])
        returns = rows[arm, RETURNS] + 1.0
        before = rows[arm, MEAN] if returns > 1.0 else 0.0
        rows[arm, RETURNS] = returns
        rows[arm, MEAN] = before + (value - before) / returns


@bare
def learn_gains(
    rows: Reals, exploration: float, trail: Trail, chances: Reals, row: int, length: int,
    goals: Reals, end: int,
) -> None:  # fmt: skip
    """Logarithms of exponential weights."""
    for at in range(length):
        arm, block = trail[row, at, ARM], trail[row, at, OWNER]
        if arm == NONE:
            rows[block, BACK] += 1.0
            continue
        gain = goals[end, trail[row, at, ROLE]] / chances[row, at, 0]
        rows[arm, RETURNS] += 1.0
        rows[arm, SCORE] += exploration / rows[block, MOVES] * gain


@bare
def learn_regrets(
    rows: Reals, trail: Trail, chances: Reals, row: int, length: int, goals: Reals, end: int
) -> None:
    """Regrets of sampled values."""
    for at in range(length):
        arm, block = trail[row, at, ARM], trail[row, at, OWNER]
        if arm == NONE:
            rows[block, BACK] += 1.0
            continue
        value = goals[end, trail[row, at, ROLE]]
        rows[arm, RETURNS] += 1.0
        for move in range(block + 1, block + 1 + int(rows[block, MOVES])):
            rows[move, SCORE] -= value
        rows[arm, SCORE] += value / chances[row, at, 0]


@bare
def open_with_first(rows: Reals, old: int, block: int) -> None:
    """Give the move that the first simulation made what that simulation learnt."""
    rows[block, SUM], rows[block, PICK] = rows[old, SUM], rows[old, PICK]
    for column in range(4):
        rows[block + 1, column] = rows[old + 1, column]
    arm = block + 2 + int(rows[old, PICK])
    rows[arm, MEAN], rows[arm, BONUS], rows[arm, CHOSEN] = rows[old, SUM], 1.0, 1.0
    rows[arm, RETURNS] = rows[block + 1, TRIED] = rows[old + 1, COUNTED]


@bare
def learn_best(
    rows: Reals, doubt: float, trail: Trail, row: int, length: int, goals: Reals, end: int
) -> None:
    """Values of best moves, the last decision first; each hands on how much its total grew."""
    gain = goals[end, trail[row, 0, ROLE]] if length else 0.0
    for at in range(length - 1, -1, -1):
        arm = np.int64(trail[row, at, ARM])
        block = present_row(rows, np.int64(trail[row, at, OWNER]))
        head, moves = block + 1, int(rows[block, MOVES])
        count, worth = rows[head, COUNTED], rows[head, WORTH]
        if moves == 0:
            rows[head, COUNTED], rows[block, SUM] = 1.0, gain
            rows[head, WORTH] = rows[head, BEST] = gain
            continue
        first = block + 2
        if arm == NONE:
            arm = first + int(rows[block, PICK])
        if rows[arm, RETURNS] == 0.0:
            rows[head, TRIED] += 1.0
        returns = rows[arm, RETURNS] + 1.0
        mean = rows[arm, MEAN] if returns > 1.0 else 0.0
        rows[arm, RETURNS] = returns
        rows[arm, MEAN] = mean + (gain - mean) / returns
        rows[block, SUM] += gain
        before = count * worth
        count += 1.0
        worth = best = rows[block, SUM] / count
        if rows[head, TRIED] == moves:
            worth, best = _best_in_doubt(rows, first, moves, worth, doubt)
        rows[head, COUNTED], rows[head, WORTH], rows[head, BEST] = count, worth, best
        gain = count * worth - before


@step
def _best_in_doubt(
    rows: Reals, first: np.int64, moves: int, mean: float, doubt: float
) -> tuple[float, float]:
    """The value of the best move with a prior against luck, and its mean. All have been tried."""
    more = (doubt * moves) ** 2
    worth = best = -np.inf
    for move in range(first, first + moves):
        returns = rows[move, RETURNS]
        worth = max(worth, (rows[move, MEAN] * returns + more * mean) / (returns + more))
        best = max(best, rows[move, MEAN])
    return worth, best


@bare
def learn_outcome(
    rows: Reals, trail: Trail, chances: Reals, row: int, length: int, goals: Reals, end: int,
    learner: int, weight: float, is_alone: bool,
) -> None:  # fmt: skip
    """Average strategies of roles that follow them, and regrets of the role that learns.

    weight: the inverse of how much more often than without leading this simulation is made.
    """
    sampled = 1.0
    for at in range(length):
        arm, block, role = trail[row, at, ARM], trail[row, at, OWNER], trail[row, at, ROLE]
        if arm == NONE:
            rows[block, BACK] += 1.0
            continue
        rows[arm, RETURNS] += 1.0
        if role != learner or is_alone:
            first, count = block + 1, int(rows[block, MOVES])
            total = positive_regret(rows, first, count)
            for move in range(first, first + count):
                share = share_of_regret(rows, move, total, count)
                rows[move, STRATEGY] += share * weight / sampled
        if role == learner:
            sampled *= chances[row, at, 0]
    value = (goals[end, learner] - MIDDLE) * weight / sampled
    tail = 1.0
    for at in range(length - 1, -1, -1):
        arm, block = trail[row, at, ARM], trail[row, at, OWNER]
        if arm == NONE or trail[row, at, ROLE] != learner:
            continue
        after = tail
        tail *= chances[row, at, 1]
        first = block + 1
        for move in range(first, first + int(rows[block, MOVES])):
            rows[move, SCORE] -= value * tail
        rows[arm, SCORE] += value * after
