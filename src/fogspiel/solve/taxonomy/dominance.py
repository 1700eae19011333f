"""Dominant strategies: one that is a best response, whatever the other player does.

Source: Richards (2012), section 5.2, definition 8: a strategy is dominant if no other ever gets
more. It is called strict here if every other always gets less.

Pure strategies are too many to compare. Two facts take their place. First, two strategies with the
same value against one random opponent have the same value against all of them, with probability 1,
since their difference is a polynomial: so a best response to a random opponent is the only
candidate. Second, if a single deviation from the candidate never pays, it is a best response
everywhere (the one-shot deviation principle); and the gain of a single action is linear in the
opponent's plan, so its maximum is one sweep over the opponent's infosets. Where only infosets that
the candidate itself avoids speak against it, a mixed-integer program decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack, vstack

from fogspiel.solve.arrays import Plan, Treeplex
from fogspiel.solve.lp.linear import plan_equations, scaled_matrix, unit
from fogspiel.solve.sequence_form import SequenceGame

TRIALS = 32  #: Random opponents against which a candidate is tried before a proof is sought
MAX_CELLS = 30_000_000  #: Pairs of sequences up to which all single deviations are examined
MAX_PRODUCTS = 20_000
"""Entries of the payoff matrix up to which the mixed-integer program is tried."""
TOLERANCE = 1e-7
"""The largest gain that counts as 0, as a part of the largest entry of the payoff matrix."""
PROGRAM_TOLERANCE = 1e-5  #: The same for the mixed-integer program, whose results HiGHS rounds
SOLVED = 0


class Dominance(Enum):
    """A kind of dominant strategy, or that a player has none."""

    STRICT = "strict"
    WEAK = "weak"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dominant:
    """The dominant strategy of a player, or the reason why none is known."""

    kind: Dominance  #: `strict`, `weak`, `none` or `unknown`
    reason: str  #: The reason in words
    behaviour: NDArray[np.float64] | None = None
    """(own sequences,) the strategy, which is pure; None if there is none or none is known."""


def dominant_strategy(
    game: SequenceGame, player: int, *, seed: int = 0, seconds: float = 10.0
) -> Dominant:
    """The dominant strategy of a player (0 or 1) of any game of two, if it has one."""
    return _Candidate(game, player, np.random.default_rng(seed)).judged(seconds)


class _Candidate:
    """The best response of a player to an opponent drawn at random."""

    def __init__(self, game: SequenceGame, player: int, rng: np.random.Generator) -> None:
        self._game, self._player, self._rng = game, player, rng
        self._own, self._other = game.treeplexes[player], game.treeplexes[1 - player]
        self._payoffs = game.payoffs[player]
        self._least = TOLERANCE * unit(self._payoffs)
        values = self._payoffs.values(_random_plan(self._other, rng))
        self._own.best(values)
        self._behaviour = self._own.best_behaviour(values)
        self._plan = self._own.plan_of(self._behaviour)

    def judged(self, seconds: float) -> Dominant:
        """The candidate if it is dominant; if not, no strategy is."""
        if any(
            self._gain(_random_plan(self._other, self._rng)) > self._least for _ in range(TRIALS)
        ):
            return _none("what is best against one opponent is not best against another")
        cells = self._own.sequence_count * self._other.sequence_count
        if cells > MAX_CELLS:
            return _unknown(
                f"one strategy is best against {TRIALS} opponents drawn at random, but with "
                f"{cells:,} pairs of sequences the game is too large to prove it for all"
            )
        gains, reached = self._single_gains()
        if (gains[reached] > self._least).any():
            return _none("a single other action is better against some opponent")
        if (gains > self._least).any():
            return self._by_program(seconds)
        strict = bool((gains[reached] < -self._least).all()) and len(gains) > 0
        return Dominant(
            kind=Dominance.STRICT if strict else Dominance.WEAK,
            reason="every other action is worse against every opponent"
            if strict
            else "no other action is ever better",
            behaviour=self._behaviour,
        )

    def _gain(self, opponent: Plan) -> float:
        """The gain of the best response over the candidate."""
        values = self._payoffs.values(opponent)
        followed = float(self._plan @ values)
        return self._own.best(values) - followed

    def _single_gains(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The greatest gain of each action that the candidate does not take, and whether the
        candidate reaches the infoset of that action."""
        own = self._own
        # (own sequences, other sequences) payoffs if the candidate is followed after each.
        followed = self._payoffs.matrix(self._other.sequence_count).toarray()
        chosen = own.firsts + np.array(
            [
                np.argmax(self._behaviour[first : first + count])
                for first, count in zip(own.firsts, own.counts, strict=True)
            ],
            np.int64,
        )
        for infoset in range(len(own.parents) - 1, -1, -1):
            followed[own.parents[infoset]] += followed[chosen[infoset]]
        gains, reached = [], []
        for infoset, (first, count) in enumerate(zip(own.firsts, own.counts, strict=True)):
            for sequence in range(first, first + count):
                if sequence != chosen[infoset]:
                    gains.append(self._other.best(followed[sequence] - followed[chosen[infoset]]))
                    reached.append(self._plan[own.parents[infoset]] > 0.0)
        return np.array(gains, np.float64), np.array(reached, np.bool_)

    def _by_program(self, seconds: float) -> Dominant:
        """Search for a strategy that beats the candidate against some opponent.

        The product of a sequence of the player and one of a pure opponent is at most each of them
        and at least their sum less 1, which makes the program linear.
        """
        if len(self._payoffs.entries) > MAX_PRODUCTS:
            return _unknown("only deviations to where it never gets by itself speak against it")
        own, other = self._own, self._other
        matrix = scaled_matrix(self._payoffs, other).tocoo()
        sizes = own.sequence_count, other.sequence_count, matrix.nnz
        constraints = [
            _flow_constraint(own, sizes, 0),
            _flow_constraint(other, sizes, 1),
            *_product_constraints(matrix.row, matrix.col, sizes),
        ]
        whole = np.repeat([0, 1, 0], sizes)
        followed = self._plan @ scaled_matrix(self._payoffs, other)
        costs = np.concatenate([np.zeros(own.sequence_count), followed, -matrix.data])
        solution = milp(
            costs,
            integrality=whole,
            bounds=Bounds(0.0, 1.0),
            constraints=constraints,
            options={"time_limit": seconds},
        )
        if solution.x is not None:
            opponent = np.round(solution.x[own.sequence_count : sum(sizes[:2])])
            if self._gain(opponent) > self._least:
                return _none("another strategy is better against some opponent")
        if solution.status == SOLVED and -solution.fun <= PROGRAM_TOLERANCE:
            reason = "no other strategy is ever better, as a program with whole numbers shows"
            return Dominant(kind=Dominance.WEAK, reason=reason, behaviour=self._behaviour)
        return _unknown(f"no proof was found in {seconds:g} seconds")


def _flow_constraint(side: Treeplex, sizes: tuple[int, int, int], place: int) -> LinearConstraint:
    """The equations of a plan; `place` is the number of its block of variables."""
    flows = plan_equations(side)
    blocks = [csr_array((flows.shape[0], size)) for size in sizes]
    blocks[place] = flows
    totals = np.zeros(flows.shape[0])
    totals[0] = 1.0
    return LinearConstraint(hstack(blocks, format="csr"), totals, totals)


def _product_constraints(
    rows: NDArray[np.int32], columns: NDArray[np.int32], sizes: tuple[int, int, int]
) -> list[LinearConstraint]:
    """Constraints that bound products by their factors, and by their sum less 1."""
    count = len(rows)
    ones, places = np.ones(count), np.arange(count)
    first = csr_array((ones, (places, rows)), shape=(count, sizes[0]))
    second = csr_array((ones, (places, columns)), shape=(count, sizes[1]))
    product = csr_array((ones, (places, places)), shape=(count, count))
    nothing = [csr_array((count, size)) for size in sizes]
    upper = vstack(
        [hstack([-first, nothing[1], product]), hstack([nothing[0], -second, product])],
        format="csr",
    )
    lower = hstack([first, second, -product], format="csr")
    return [LinearConstraint(upper, -np.inf, 0.0), LinearConstraint(lower, -np.inf, 1.0)]


def _random_plan(side: Treeplex, rng: np.random.Generator) -> Plan:
    """A plan that uses every action, some much more than others."""
    weights = rng.exponential(size=side.sequence_count) ** 3 + 1e-3
    behaviour = np.ones(side.sequence_count)
    if len(side.parents):
        totals = np.add.reduceat(weights[1:], side.firsts - 1)
        behaviour[1:] = weights[1:] / np.repeat(totals, side.counts)
    return side.plan_of(behaviour)


def _none(reason: str) -> Dominant:
    return Dominant(kind=Dominance.NONE, reason=reason)


def _unknown(reason: str) -> Dominant:
    return Dominant(kind=Dominance.UNKNOWN, reason=reason)
