"""Ratings on the scale of Elo, with intervals: the model of Bradley and Terry.

Model: the first of two players takes the point with probability s(a - b), where s(x) = 1/(1 + e^-x)
and a, b are their strengths; a draw counts as half a win and half a loss.
Sources: Bradley & Terry (1952), Biometrika 39(3/4), for the model. Hunter (2004), Annals of
Statistics 32(1), for the likelihood (equation 2), the condition under which it has a maximum
(assumption 1: players cannot be parted into two sets of which one took no point from the other).
It is found by Newton's method, which is quick for the players of a tournament; a test compares with
Hunter's own iteration.
Departures, so that all players of all tournaments have a rating:
- Prior: every player is taken to have drawn one match with an imaginary player of strength 0. It
  weighs as much as one match, keeps unbeaten players finite, and makes the maximum unique.
- Groups: players whom no chain of matches connects cannot be compared. Each group has the mean 0.

The rating is 400/ln 10 times the strength: 400 points more are ten to one (Elo 1978).

Intervals of 95 % are normal, from the covariance of the estimates relative to the mean of the
group. It is that of the observed information, which takes comparisons to be independent; those of a
match of three roles and those that share a seed are not. So the covariance is also computed from
the scatter between blocks (White 1982, Econometrica 50(1); blocks as in Liang & Zeger 1986,
Biometrika 73(1)), and the wider of the two counts: the latter alone fails where a player won all.

`settling_of` tells what ratings would have been had the tournament ended earlier.

A match of k roles gives k(k - 1)/2 comparisons of two players each: the higher goal takes the
point, equal ones share it. They are not independent of one another, nor are matches that share the
luck of a seed: what belongs together is called a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit

from fogspiel.core.values import NORMAL_QUANTILE
from fogspiel.play.tournament.schedule import MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """All comparisons of some matches, in the order of their numbers."""

    players: tuple[str, ...]  #: All names in order, those without a comparison too
    first: NDArray[np.int64]  #: (comparisons,) indices of players
    second: NDArray[np.int64]  #: (comparisons,) never the same as the first
    points: NDArray[np.float64]  #: (comparisons,) points of the first player: 1, 1/2 or 0
    block: NDArray[np.int64]  #: (comparisons,) equal where matches had the same game and seed
    match: NDArray[np.int64]
    """(comparisons,) places of the matches among those that were played, from 0."""

    def until(self, matches: int) -> Comparisons:
        """The comparisons of the first matches alone, among the same players."""
        end = int(np.searchsorted(self.match, matches))
        columns = ("first", "second", "points", "block", "match")
        return replace(self, **{name: getattr(self, name)[:end] for name in columns})

    def table(self) -> NDArray[np.float64]:
        """(players, players) the points that each row took from each column."""
        count = len(self.players)
        taken = np.zeros((count, count))
        np.add.at(taken, (self.first, self.second), self.points)
        np.add.at(taken, (self.second, self.first), 1.0 - self.points)
        return taken


def comparisons_of(results: Iterable[MatchResult]) -> Comparisons:
    """The comparisons that matches give. The order in which results are handed in has no effect.

    A failed match gives none, and a player that sits twice in a match is not compared with itself.
    """
    known = list(results)
    players = tuple(sorted({player for result in known for player in result.players}))
    index = {player: place for place, player in enumerate(players)}
    blocks: dict[tuple[str, int], int] = {}
    rows: list[tuple[int, int, float, int, int]] = []
    for place, result in enumerate(played(known)):
        block = blocks.setdefault((result.game, result.seed), len(blocks))
        seats = [index[player] for player in result.players]
        for one, other in combinations(range(len(seats)), 2):
            if seats[one] != seats[other]:
                points = point(result.goals[one], result.goals[other])
                rows.append((seats[one], seats[other], points, block, place))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    first, second, block_of, match = (columns[i].astype(np.int64) for i in (0, 1, 3, 4))
    return Comparisons(
        players=players, first=first, second=second, points=columns[2], block=block_of, match=match
    )


def played(results: Iterable[MatchResult]) -> Sequence[MatchResult]:
    """The matches that came to an end, by number."""
    ended = [result for result in results if result.failed is None]
    return sorted(ended, key=lambda result: result.number)


def point(own: int, other: int) -> float:
    """The points that a goal takes from another one."""
    return ((own > other) - (own < other) + 1) / 2


ELO = 400.0 / np.log(10.0)  #: Points of rating for one unit of strength
PRIOR_DRAWS = 1.0  #: Draws of every player with the imaginary one of strength 0
MOST_POINTS = 60  #: Points of a line: more than a plot can show would take longer to compute
MOST_STEPS = 200  #: Steps of Newton's method: some ten are needed
SMALL_GAIN = 1e-13
"""Gain of the likelihood, relative to the number of comparisons, at which the search ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The strength of a player, relative to the mean of its group."""

    player: str
    elo: float
    interval: tuple[float, float] | None
    """Interval of 95 %; None for a player that was compared with nobody."""
    comparisons: int
    group: int  #: Ratings can be compared within a group alone; the largest group is 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The ratings of all players, by group and then the best first."""

    ratings: tuple[Rating, ...]
    groups: int
    held_by_prior: tuple[int, ...]
    """Groups in which some never lost a point to the others: results alone set no distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingHistory:
    """Ratings after some of the matches, in the order of the schedule."""

    players: tuple[str, ...]
    matches: tuple[int, ...]  #: Numbers of matches before each point, rising; the last is all
    elo: NDArray[np.float64]
    """(points, players), relative to the mean of all; NaN before the first comparison."""


def rate(comparisons: Comparisons, *, prior_draws: float = PRIOR_DRAWS) -> Ratings:
    """Rate all players of some comparisons.

    prior_draws: how much the prior weighs, in matches; more than 0.
    """
    if prior_draws <= 0.0:
        raise ValueError(f"prior_draws must be more than 0; got {prior_draws}")
    table = comparisons.table()
    group, groups = groups_of(table)
    strengths = strengths_of(table, prior_draws=prior_draws)
    deviations = _deviations(comparisons, table, strengths, group, prior_draws)
    relative = centred(strengths, group)
    counts = (table + table.T).sum(axis=1)
    ratings = []
    for player, name in enumerate(comparisons.players):
        middle, half = ELO * relative[player], NORMAL_QUANTILE * ELO * deviations[player]
        ratings.append(
            Rating(
                player=name,
                elo=float(middle),
                interval=(float(middle - half), float(middle + half)) if counts[player] else None,
                comparisons=round(counts[player]),
                group=int(group[player]),
            )
        )
    # Rounded, or the last digits of equal ratings would say who comes first.
    ratings.sort(key=lambda rating: (rating.group, -round(rating.elo, 6), rating.player))
    return Ratings(
        ratings=tuple(ratings), groups=groups, held_by_prior=_held_by_prior(table, group, groups)
    )


def settling_of(
    comparisons: Comparisons, matches: int, *, points: int = MOST_POINTS
) -> RatingHistory:
    """Rate players after some matches, after more, and so on to all.

    matches: how many were played.
    """
    moments = np.unique(np.linspace(matches / points, matches, points).round().astype(np.int64))
    moments = moments[moments > 0]
    elo = np.full((len(moments), len(comparisons.players)), np.nan)
    strengths: NDArray[np.float64] | None = None
    for row, moment in enumerate(moments):
        table = comparisons.until(int(moment)).table()
        # The strengths of before are near: Newton's method then needs a step or two.
        strengths = strengths_of(table, start=strengths)
        compared = (table + table.T).any(axis=1)
        relative = centred(strengths, groups_of(table)[0])
        elo[row, compared] = ELO * relative[compared]
    return RatingHistory(
        players=comparisons.players, matches=tuple(int(moment) for moment in moments), elo=elo
    )


def strengths_of(
    table: NDArray[np.float64],
    *,
    prior_draws: float = PRIOR_DRAWS,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The strengths that make results and prior most likely.

    table: (players, players) points that each row took from each column.
    start: (players,) where to begin, such as the strengths before a few more matches.
    Returns: (players,) relative to the imaginary player.
    """
    strengths = np.zeros(len(table)) if start is None else start.copy()
    enough = SMALL_GAIN * (1.0 + table.sum())
    value = _log_likelihood(table, strengths, prior_draws)
    for _ in range(MOST_STEPS):
        slope = _slope(table, strengths, prior_draws)
        step = np.linalg.solve(_information(table, strengths, prior_draws), slope)
        gain = float(slope @ step)
        if gain <= enough:
            return strengths + step
        # Far from the maximum a whole step may lead past it, where the likelihood is less.
        size = 1.0
        while True:
            tried = strengths + size * step
            reached = _log_likelihood(table, tried, prior_draws)
            if reached >= value or size * gain <= enough:
                break
            size /= 2.0
        strengths, value = tried, reached
    raise AssertionError("Newton's method did not converge on a concave likelihood")


def groups_of(table: NDArray[np.float64]) -> tuple[NDArray[np.int64], int]:
    """(players,) the group of each, the largest first; and how many groups there are."""
    count, label = connected_components(csr_array(table + table.T > 0), directed=False)
    sizes, firsts = np.zeros(count, np.int64), np.full(count, len(table))
    np.add.at(sizes, label, 1)
    np.minimum.at(firsts, label, np.arange(len(table)))
    number = np.empty(count, np.int64)
    number[np.lexsort((firsts, -sizes))] = np.arange(count)
    return number[label], int(count)


def centred(strengths: NDArray[np.float64], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """(players,) the strengths relative to the mean of each group."""
    if not len(strengths):
        return strengths
    means = np.bincount(group, weights=strengths) / np.bincount(group)
    relative: NDArray[np.float64] = strengths - means[group]
    return relative


def _log_likelihood(
    table: NDArray[np.float64], strengths: NDArray[np.float64], prior_draws: float
) -> float:
    apart = strengths[:, None] - strengths
    draws = prior_draws / 2 * (log_expit(strengths) + log_expit(-strengths))
    return float((table * log_expit(apart)).sum() + draws.sum())


def _slope(
    table: NDArray[np.float64], strengths: NDArray[np.float64], prior_draws: float
) -> NDArray[np.float64]:
    """(players,) the points that each took beyond those expected."""
    expected = (table + table.T) * expit(strengths[:, None] - strengths)
    prior = prior_draws * (0.5 - expit(strengths))
    slope: NDArray[np.float64] = (table - expected).sum(axis=1) + prior
    return slope


def _information(
    table: NDArray[np.float64], strengths: NDArray[np.float64], prior_draws: float
) -> NDArray[np.float64]:
    """(players, players) minus the second derivatives of the log-likelihood."""
    chance = expit(strengths[:, None] - strengths)
    weights = (table + table.T) * chance * (1.0 - chance)
    prior = prior_draws * expit(strengths) * expit(-strengths)
    information: NDArray[np.float64] = np.diag(weights.sum(axis=1) + prior) - weights
    return information


def _deviations(
    comparisons: Comparisons,
    table: NDArray[np.float64],
    strengths: NDArray[np.float64],
    group: NDArray[np.int64],
    prior_draws: float,
) -> NDArray[np.float64]:
    """(players,) standard deviations of the strengths relative to the means of their groups."""
    if not len(strengths):
        return strengths
    information = _information(table, strengths, prior_draws)
    # How the strengths relative to the mean follow the slopes.
    same = group[:, None] == group
    relative = (np.eye(len(group)) - same / same.sum(axis=1)) @ np.linalg.inv(information)
    observed = (relative * (relative @ information)).sum(axis=1)
    scatter = _scatter(comparisons, strengths)
    between = (relative * (relative @ scatter)).sum(axis=1)
    deviations: NDArray[np.float64] = np.sqrt(np.maximum(observed, between))
    return deviations


def _scatter(comparisons: Comparisons, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """(players, players) the squares of the blocks' slopes, summed: the variance of their sum."""
    count, blocks = len(strengths), len(np.unique(comparisons.block))
    if blocks < 2:
        return np.zeros((count, count))
    first, second, block = comparisons.first, comparisons.second, comparisons.block
    beyond = comparisons.points - expit(strengths[first] - strengths[second])
    values, rows = np.concatenate([beyond, -beyond]), np.concatenate([block, block])
    columns = np.concatenate([first, second])
    slopes = coo_array((values, (rows, columns)), shape=(int(block.max()) + 1, count)).tocsr()
    squares: NDArray[np.float64] = (slopes.T @ slopes).toarray()
    return squares * blocks / (blocks - 1)


def _held_by_prior(
    table: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> tuple[int, ...]:
    """The groups in which points did not go round: Hunter's first assumption fails."""
    _, circle = connected_components(csr_array(table > 0), directed=True, connection="strong")
    return tuple(own for own in range(groups) if len(np.unique(circle[group == own])) > 1)
