"""Double oracle on sequences: solve a small part of the game, and let best responses enlarge it.

Source: Bosansky, Kiekintveld, Lisy & Pechoucek (2014), An exact double-oracle algorithm for
zero-sum extensive-form games with imperfect information, JAIR 51. Each player may use only the
actions that it was given; where it was given none, it follows a default. The equilibrium of that
restricted game is a pair of plans of the whole game, so best responses on the whole bound the value
from below and above. Their actions are added, until the bounds meet.
Departures: the default is uniform, not the first action: that needs a third of the iterations on
hidden goofspiel with 5 cards. Infosets that are reached by default need no temporary leaves, since
a default is a way to play on: its leaves count, by their probability, for the sequence that the
default extends. Among equally good responses, one that adds no action is taken. The best plan of
each player so far is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.arrays import Plan, Treeplex, TreeplexArrays
from fogspiel.solve.lp.linear import maximin, solution_of
from fogspiel.solve.result import OnPoint, Point, Solution, SolveLimits
from fogspiel.solve.sequence_form import (
    SequenceGame,
    SequencePayoffs,
    require_constant_sum,
    sequence_game,
)
from fogspiel.tree.game_tree import GameTree

TARGET = 1e-9  #: Exploitability to reach, as a part of the range of payoffs
TIE = 1e-11  #: The largest loss, as a part of that range, of a response that adds no action
UNREACHED = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class OraclePoint(Point):
    """A point with the bounds of the value and the size of the restricted game."""

    lower: float  #: The value that player 1 can guarantee
    upper: float  #: The value to which player 2 can hold player 1
    sequences: tuple[int, int]  #: The number of sequences that each player was given so far


def double_oracle(
    tree: GameTree,
    *,
    limits: SolveLimits | None = None,
    on_point: OnPoint | None = None,
) -> Solution:
    """An equilibrium of a game of two players with a constant sum, or the best found in time.

    limits: where to stop; without a target that is a billionth of the range of payoffs.
    on_point: gets an `OraclePoint` after each iteration.
    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    began = perf_counter()
    game = sequence_game(tree)
    require_constant_sum(game)
    search = _Search(game)
    default = SolveLimits(target=TARGET * search.spread)
    limits = default if limits is None else limits
    if limits.target is None:
        limits = replace(limits, target=default.target)
    points: list[OraclePoint] = []
    while True:
        search.solve_restricted()
        grown = search.respond()
        points.append(search.point(len(points) + 1, perf_counter() - began))
        if _ends(points[-1], limits, on_point) or not grown:
            break
    return solution_of(
        game,
        (search.best[0], search.best[1]),
        "double-oracle",
        began,
        iterations=len(points),
        parameters={"target": limits.target, "sequences": points[-1].sequences},
        curve=tuple(points),
    )


def _ends(point: OraclePoint, limits: SolveLimits, on_point: OnPoint | None) -> bool:
    """Report a point, and return whether it is the last."""
    stopped = on_point is not None and on_point(point)
    return (
        stopped
        or (limits.target is not None and point.exploitability <= limits.target)
        or (limits.seconds is not None and point.seconds >= limits.seconds)
        or (limits.iterations is not None and point.iteration >= limits.iterations)
    )


class _Search:
    """The restricted game, and the best plans so far."""

    def __init__(self, game: SequenceGame) -> None:
        self._game = game
        payoffs = game.tree.payoffs[:, 0]
        self.spread = float(np.ptp(payoffs)) or 1.0
        self._parts = [_RestrictedSide(side) for side in game.treeplexes]
        self._current: list[Plan] = []
        """The equilibrium of the restricted game, as plans of both players."""
        self.best: dict[int, Plan] = {}
        """The plan of each player that guarantees most."""
        self._sure = [-np.inf, -np.inf]
        """The value that this plan guarantees."""

    def solve_restricted(self) -> None:
        """Find the equilibrium of the restricted game."""
        first, second = self._parts
        first.number()
        second.number()
        payoffs = _restricted_payoffs(self._game.payoffs[0], first, second)
        best = maximin(first.treeplex(), second.treeplex(), payoffs)
        self._current = [first.whole(best.plan), second.whole(best.other_plan)]

    def respond(self) -> bool:
        """Bound the value by best responses, and add their actions. Returns: if any is new."""
        constant = float(require_constant_sum(self._game))
        grown = False
        for player, part in enumerate(self._parts):
            payoffs = self._game.payoffs[player]
            values = payoffs.values(self._current[1 - player])
            most = part.side.best(values) + payoffs.offset
            if constant - most > self._sure[1 - player]:
                self._sure[1 - player] = constant - most
                self.best[1 - player] = self._current[1 - player]
            grown |= part.grow(values, TIE * self.spread)
        return grown

    def point(self, iteration: int, seconds: float) -> OraclePoint:
        """The bounds after an iteration."""
        lower = self._sure[0]
        upper = float(require_constant_sum(self._game)) - self._sure[1]
        return OraclePoint(
            iteration=iteration,
            seconds=seconds,
            exploitability=(upper - lower) / 2,
            lower=lower,
            upper=upper,
            sequences=(self._parts[0].given_count, self._parts[1].given_count),
        )


class _RestrictedSide:
    """The actions that one player was given, and their sequences in the restricted game."""

    def __init__(self, side: Treeplex) -> None:
        self.side = side
        self._given = np.zeros(side.sequence_count, np.bool_)
        self.numbers = np.zeros(side.sequence_count, np.int32)
        """(sequences,) the sequence of the restricted game that each sequence of the whole game is,
        or extends by default; `UNREACHED` for those that are never played."""
        self.weights = np.ones(side.sequence_count)
        """(sequences,) the probability of each, given that sequence."""
        self._counts = np.zeros(len(side.parents), np.int32)
        """(infosets,) number of actions in the restricted game; 0 where the default is followed."""

    @property
    def given_count(self) -> int:
        """The number of sequences that were given, with the empty one."""
        return 1 + int(self._given.sum())

    def number(self) -> None:
        """Number the sequences of the restricted game."""
        _number(self.side.arrays, self._given, self.numbers, self.weights, self._counts)

    def treeplex(self) -> Treeplex:
        """The treeplex of the player in the restricted game."""
        kept = self._counts > 0
        counts = self._counts[kept]
        return Treeplex(
            player=self.side.player,
            first_infoset=0,
            parents=self.numbers[self.side.parents[kept]],
            firsts=(1 + np.cumsum(counts) - counts).astype(np.int32),
            counts=counts,
            sequence_count=1 + int(counts.sum()),
        )

    def whole(self, plan: Plan) -> Plan:
        """A plan of the restricted game as one of the whole game, without rounding errors."""
        rough = np.maximum(plan, 0.0)[self.numbers] * self.weights
        rough[self.numbers == UNREACHED] = 0.0
        return self.side.plan_of(self.side.behaviour_of(rough))

    def grow(self, values: NDArray[np.float64], tie: float) -> bool:
        """Add the actions of a best response. Returns: whether any of them is new.

        values: (sequences,) what each earns with the best continuation.
        """
        before = self.given_count
        _grow(self.side.arrays, values, tie, self._given)
        return self.given_count > before


def _restricted_payoffs(
    whole: SequencePayoffs, own: _RestrictedSide, other: _RestrictedSide
) -> SequencePayoffs:
    """The payoffs of the restricted game, with those of default continuations added up."""
    rows = np.repeat(own.numbers, np.diff(whole.starts))
    columns = other.numbers[whole.others]
    kept = (rows != UNREACHED) & (columns != UNREACHED)
    width = int(other.numbers.max()) + 1
    pairs, places = np.unique(
        rows[kept].astype(np.int64) * width + columns[kept], return_inverse=True
    )
    weights = np.repeat(own.weights, np.diff(whole.starts)) * other.weights[whole.others]
    entries = np.bincount(places, (whole.entries * weights)[kept], len(pairs)).astype(np.float64)
    height = int(own.numbers.max()) + 1
    return SequencePayoffs(
        starts=np.searchsorted(pairs, np.arange(height + 1) * width),
        others=(pairs % width).astype(np.int32),
        entries=entries,
        offset=whole.offset,
    )


@native
def _number(
    side: TreeplexArrays,
    given: NDArray[np.bool_],
    numbers: NDArray[np.int32],
    weights: NDArray[np.float64],
    given_counts: NDArray[np.int32],
) -> None:
    """Number the given sequences that can be reached; defaults share the number before them."""
    parents, firsts, counts = side
    numbers[:] = UNREACHED
    numbers[0] = 0
    fresh = 1
    for infoset in range(len(parents)):
        before, weight = numbers[parents[infoset]], weights[parents[infoset]]
        given_counts[infoset] = 0
        if before == UNREACHED:
            continue
        first, end = firsts[infoset], firsts[infoset] + counts[infoset]
        for sequence in range(first, end):
            if given[sequence]:
                numbers[sequence] = fresh
                weights[sequence] = weight
                fresh += 1
                given_counts[infoset] += 1
        if given_counts[infoset] == 0:
            for sequence in range(first, end):
                numbers[sequence] = before
                weights[sequence] = weight / counts[infoset]


@native
def _grow(
    side: TreeplexArrays, values: NDArray[np.float64], tie: float, given: NDArray[np.bool_]
) -> None:
    """Follow a best response from the start, and give its actions where none will do."""
    parents, firsts, counts = side
    played = np.zeros(len(values), np.bool_)
    played[0] = True
    for infoset in range(len(parents)):
        if not played[parents[infoset]]:
            continue
        first, end = firsts[infoset], firsts[infoset] + counts[infoset]
        best, possible, any_given, all_good = first, -1, False, True
        for sequence in range(first, end):
            if values[sequence] > values[best]:
                best = sequence
        for sequence in range(first, end):
            good = values[sequence] >= values[best] - tie
            all_good = all_good and good
            any_given = any_given or given[sequence]
            if given[sequence] and good:
                possible = sequence
        if possible >= 0:
            played[possible] = True
        elif all_good and not any_given:
            played[first:end] = True
        else:
            played[best] = True
            given[best] = True
