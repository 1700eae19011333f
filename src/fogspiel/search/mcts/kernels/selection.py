"""Selection: how a decision chooses between its moves.

- `Ucb` (UCB1 of Auer, Cesa-Bianchi & Fischer 2002, as in UCT of Kocsis & Szepesvari 2006): the move
  with the largest mean plus bonus. Simulations under way count for the bonus but not for the mean
  (Liu et al. 2020, WU-UCT), so that many can be sent out before the first comes back.
- `EagerUcb`: the same where a simulation makes a move at a new decision, and counts for it, before
  it leaves the tree. With few simulations and many moves none is to be lost.
- `JointUcb` (Shafiei 2010, algorithm 1): the same, after all joint moves of a state were tried.
- `BestWorth`: bounds on the value of a move where a decision is worth its best move (MaxUCT, see
  `backup`), with a bonus in proportion to that value (PROST: Keller & Eyerich 2012) and sqrt(N)
  where UCB1 has log(N) (Tolpin & Shimony 2012).
- `Exp3` (Auer et al. 2002): exponential weights of estimated gains, with a share of uniform
  exploration. For simultaneous moves and hidden information, where no fixed move is best.
- `RegretMatching`: regret matching (Hart & Mas-Colell 2000) on sampled outcomes, with such a share.
- `OutcomeSampling`: regret matching as in outcome sampling (Lanctot et al. 2009), where one role
  learns in each simulation and explores, while the others follow their strategies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import FACTOR, HALF, NONE, first_word, next_word
from fogspiel.search.mcts.kernels.bounds import SPREADS, UNKNOWN, best_bound, spread_after, visit
from fogspiel.search.mcts.kernels.decisions import SCORE, STOOD, STRATEGY, VISITS, present_row
from fogspiel.search.mcts.kernels.graph import COUNT, DECISION, HEAD, NUMBERS
from fogspiel.search.mcts.kernels.parts import bare, part, step

LEARNS, DRAWN = 0, 1  #: What a role does in a simulation: its decisions learn, or moves are drawn
MOST_JOINTS = 1 << 30
"""Number of joint moves of a state from which on they are drawn rather than tried in turn."""
COUNTED, WORTH, BEST, TRIED = 0, 1, 2, 3
"""Columns of the second header of `BestWorth`: simulations that came back, the value of the
decision, the mean of its best move, and the number of moves tried."""

Reals = NDArray[np.float64]


class Ucb(NamedTuple):
    """Upper confidence bounds."""

    constant: float  #: Factor of the bonus, for values from 0 to 1
    spreads: Reals = SPREADS


class EagerUcb(NamedTuple):
    """Upper confidence bounds that learn from the first simulation at a decision too."""

    constant: float  #: Factor of the bonus, for values from 0 to 1
    spreads: Reals = SPREADS


class JointUcb(NamedTuple):
    """Upper confidence bounds after all joint moves of a state were tried."""

    constant: float  #: Factor of the bonus, for values from 0 to 1
    order: int = 0  #: A seed for the order in which joint moves are tried
    spreads: Reals = SPREADS


class BestWorth(NamedTuple):
    """Bounds on what moves are worth if every later decision takes its best move."""

    constant: float  #: Factor of the bonus, for values from 0 to 1
    doubt: float
    """Prior for each move of a decision. The square of the sum over its moves is the number of
    further simulations, with the mean of all, that count for a move: among hundreds that were tried
    once the best one was lucky."""


class Exp3(NamedTuple):
    """Exponential weights."""

    constant: float  #: The share of uniform exploration


class RegretMatching(NamedTuple):
    """Regret matching."""

    constant: float  #: The share of uniform exploration


class OutcomeSampling(NamedTuple):
    """Regret matching by outcome sampling."""

    constant: float  #: The share of uniform exploration of the role that learns
    slip: float  #: The same for other roles
    is_alone: bool = False  #: Whether only one role has decisions


@part
def headers(rule):  # type: ignore[no-untyped-def]
    """The number of header rows of a decision."""


@part
def moves_at_new(rule):  # type: ignore[no-untyped-def]
    """Whether a simulation makes its move at a new decision before it leaves the tree."""


@part
def prepare(rule, heads, rows, seats, tag, node):  # type: ignore[no-untyped-def]
    """The number of the joint move to be tried in a node before the rule chooses; NONE for none."""


@part
def choose(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    """The row of a move, its probability, and its probability without exploration."""


@part
def forced(rule, rows, arm, first, count, learns):  # type: ignore[no-untyped-def]
    """The probabilities with which a move would be chosen that a simulation is led to make."""


@headers.of(Ucb, EagerUcb, JointUcb, Exp3, RegretMatching, OutcomeSampling)
def _one_header(rule):  # type: ignore[no-untyped-def]
    return 1


@headers.of(BestWorth)
def _two_headers(rule):  # type: ignore[no-untyped-def]
    return 2


@moves_at_new.of(EagerUcb)
def _moves(rule):  # type: ignore[no-untyped-def]
    return True


@moves_at_new.of(Ucb, JointUcb, BestWorth, Exp3, RegretMatching, OutcomeSampling)
def _stands(rule):  # type: ignore[no-untyped-def]
    return False


@prepare.of(Ucb, EagerUcb, BestWorth, Exp3, RegretMatching, OutcomeSampling)
def _nothing_first(rule, heads, rows, seats, tag, node):  # type: ignore[no-untyped-def]
    return np.int64(NONE)


@prepare.of(JointUcb)
def _joint_moves_first(rule, heads, rows, seats, tag, node):  # type: ignore[no-untyped-def]
    return untried(heads, rows, seats, tag, node, rule.order)


@choose.of(Ucb, EagerUcb, JointUcb)
def _by_bound(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    # Simulations that stood here made none of its moves.
    visits = rows[block, VISITS] - rows[block, STOOD]
    spread = rule.constant * spread_after(rule.spreads, visits)
    move = best_bound(rows, first, count, spread, uniform)
    visit(rows, move, UNKNOWN)
    return move, 1.0, 1.0


@choose.of(BestWorth)
def _by_worth(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    best = rows[block + 1, BEST]
    scale = best if best > 0.0 else 1.0
    spread = rule.constant * scale * np.sqrt(np.sqrt(rows[block, VISITS]))
    move = best_bound(rows, first, count, spread, uniform)
    visit(rows, move, rows[block + 1, WORTH])
    return move, 1.0, 1.0


@choose.of(Exp3)
def _by_weight(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    return exponential(rows, first, count, rule.constant, uniform)


@choose.of(RegretMatching)
def _by_regret(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    return matched(rows, first, count, rule.constant, uniform, True)


@choose.of(OutcomeSampling)
def _by_sampled_regret(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    exploration = rule.constant if learns else rule.slip
    return matched(rows, first, count, exploration, uniform, False)


@forced.of(Ucb, EagerUcb, JointUcb, BestWorth, Exp3, RegretMatching)
def _never_led(rule, rows, arm, first, count, learns):  # type: ignore[no-untyped-def]
    return 1.0, 1.0


@forced.of(OutcomeSampling)
def _led(rule, rows, arm, first, count, learns):  # type: ignore[no-untyped-def]
    share = share_of_regret(rows, arm, positive_regret(rows, first, count), count)
    exploration = rule.constant if learns else rule.slip
    return (1.0 - exploration) * share + exploration / count, share


@bare
def exponential(
    rows: Reals, first: int, count: int, exploration: float, uniform: float
) -> tuple[int, float, float]:
    """A move drawn by exponential weights; scores are their logarithms."""
    highest, total = -np.inf, 0.0
    for move in range(first, first + count):
        highest = max(highest, rows[move, SCORE])
    for move in range(first, first + count):
        # Without the highest none overflows.
        total += np.exp(rows[move, SCORE] - highest)
    chosen, probability, own, left = first, 0.0, 0.0, uniform
    for move in range(first, first + count):
        share = np.exp(rows[move, SCORE] - highest) / total
        # The average leaves exploration out: it is played for the sake of learning alone.
        rows[move, STRATEGY] += share
        mixed = (1.0 - exploration) * share + exploration / count
        if left >= 0.0:
            chosen, probability, own = move, mixed, share
        left -= mixed
    return int(chosen), probability, own


@bare
def matched(
    rows: Reals, first: int, count: int, exploration: float, uniform: float, adds_up: bool
) -> tuple[int, float, float]:
    """A move drawn by regret matching. adds_up: whether the average counts this strategy."""
    total = positive_regret(rows, first, count)
    chosen, probability, own, left = first, 0.0, 0.0, uniform
    for move in range(first, first + count):
        share = share_of_regret(rows, move, total, count)
        if adds_up:
            rows[move, STRATEGY] += share
        mixed = (1.0 - exploration) * share + exploration / count
        if left >= 0.0:
            chosen, probability, own = move, mixed, share
        left -= mixed
    return int(chosen), probability, own


@step
def positive_regret(rows: Reals, first: int, count: int) -> float:
    """The sum of the positive regrets of a decision."""
    total = 0.0
    for move in range(first, first + count):
        total += max(rows[move, SCORE], 0.0)
    return total


@step
def share_of_regret(rows: Reals, move: int, total: float, count: int) -> float:
    """The probability of a move by regret matching."""
    return max(rows[move, SCORE], 0.0) / total if total > 0.0 else 1.0 / count


@bare
def untried(
    heads: NDArray[np.int32], rows: Reals, seats: NDArray[np.int8], tag: int, node: int, order: int
) -> np.int64:
    """The number of a joint move that was never made in a node; NONE if there is none.

    They come in an order without repetition, a stride through all of them. So the visits of the
    node, the same for every role that has a choice there, say which is next. Where one role alone
    has a choice, its own moves are all that there is to try, and its rule sees to that.
    """
    choosing, joints, made = 0, np.int64(1), 0.0
    for role in range(seats.shape[1]):
        at = HEAD + NUMBERS * role
        count = np.int64(heads[node, at + COUNT])
        if count == 1 or seats[tag, role] == DRAWN:
            continue
        choosing, joints, made = choosing + 1, min(joints * count, np.int64(MOST_JOINTS)), 0.0
        if heads[node, at + DECISION] != 0:
            block = present_row(rows, np.int64(heads[node, at + DECISION]) - 1)
            made = rows[block, VISITS] - rows[block, STOOD]
    if choosing < 2 or made >= joints:
        return np.int64(NONE)
    word = next_word((first_word(order) + np.uint64(node) * FACTOR) | np.uint64(1))
    if joints == MOST_JOINTS:
        # So many are never all made, and a draw hardly comes again.
        return np.int64(first_word(int(word >> HALF) + int(made)) >> np.uint64(1))
    offset = np.int64(word >> HALF) % joints
    stride = np.int64(next_word(word) >> HALF) % joints
    while _common_divisor(stride, joints) != 1:
        stride += 1
    return np.int64((offset + np.int64(made) * stride) % joints)


@step
def _common_divisor(one: np.int64, other: np.int64) -> np.int64:
    while other:
        one, other = other, one % other
    return one
