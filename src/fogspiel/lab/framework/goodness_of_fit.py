"""Whether a sample, weighted or not, comes from a known distribution.

Equal weights and independent draws: Pearson's chi-square. Otherwise draws vary more than their
number says, and not alike in all cells: the corrections of Rao and Scott (1981), "The analysis of
categorical data from complex sample surveys", of the first and second order. Pearson's statistic is
then distributed as a sum of squares with unequal factors; it is divided by their mean, and the
degrees of freedom are those of Satterthwaite. Both follow from the covariance of the cells,
which is estimated from the draws, or from blocks of draws where only blocks are independent. That
it is an estimate is allowed for by an F distribution, whose second degrees follow from the number
of blocks (Thomas and Rao, 1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from fogspiel.belief.transitions import Indices, Reals

LEAST_EXPECTED = 5.0
"""Draws that a cell must be expected to get: what has less is pooled with its neighbours."""
DRAWS_PER_CELL = 4
"""Independent draws or blocks for each cell of which the covariance is estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The result of a test. With one cell there is nothing to test, and nothing to fail."""

    statistic: float
    degrees: float
    p_value: float | None
    cells: int
    effective: float  #: Independent equal draws that the sample is worth


def goodness_of_fit(
    shares: Reals, places: Indices, weights: Reals, blocks: Indices | None = None
) -> Fit:
    """Test a sample against the distribution that it should come from.

    shares: (outcomes,) probabilities. Neighbours are pooled, so outcomes that are alike should
    stand together.
    places: (draws,) the outcome of each draw.
    blocks: (draws,) a number for each draw; draws of different blocks are independent. None if all
    are.
    """
    weights = weights * (len(weights) / weights.sum())
    effective = float(weights.sum() ** 2 / (weights**2).sum())
    plain = blocks is None and bool(np.ptp(weights) <= 1e-9)
    independent = len(places) if blocks is None else len(np.unique(blocks))
    least = LEAST_EXPECTED / effective
    if not plain:
        least = max(least, DRAWS_PER_CELL / min(independent, effective))
    cells = pooled(shares, least)
    expected = np.bincount(cells, shares).astype(np.float64)
    found = np.bincount(cells[places], weights, len(expected)) / len(places)
    statistic = float(len(places) * ((found - expected) ** 2 / expected).sum())
    free = len(expected) - 1
    if free == 0:
        return _fit(0.0, 0.0, None, 1, effective)
    if plain:
        return _fit(statistic, free, float(chdtrc(free, statistic)), free + 1, effective)
    if blocks is None:
        covariance = _of_draws(expected, cells[places], weights)
    else:
        covariance = _of_blocks(expected, cells[places], weights, blocks)
    covariance *= independent / (independent - 1) / len(places)
    return _corrected(statistic, covariance, independent, effective)


def pooled(shares: Reals, least: float) -> Indices:
    """(outcomes,) the cell of each outcome: neighbours join until a cell has a least share."""
    cells = np.zeros(len(shares), np.int64)
    cell, gathered, left = 0, 0.0, float(shares.sum())
    for outcome, share in enumerate(shares.tolist()):
        # What is left must do for a cell of its own, or it belongs to this one.
        if gathered >= least and left >= least:
            cell, gathered = cell + 1, 0.0
        cells[outcome] = cell
        gathered += share
        left -= share
    return cells


def _of_draws(expected: Reals, cells: Indices, weights: Reals) -> Reals:
    """(cells, cells) the sum over draws of the products of what each adds to the differences.

    A draw of the weight w in the cell c adds w (1 - p) there and -w p elsewhere. All is scaled by
    the roots of what is expected, so that equal weights give a projection.
    """
    squares = np.bincount(cells, weights**2, len(expected))
    crossed = np.outer(squares, expected)
    sums = np.diag(squares) - crossed - crossed.T
    sums += squares.sum() * np.outer(expected, expected)
    return _scaled(sums, expected)


def _of_blocks(expected: Reals, cells: Indices, weights: Reals, blocks: Indices) -> Reals:
    """(cells, cells) the same over blocks of draws."""
    _, rows = np.unique(blocks, return_inverse=True)
    added = np.zeros((int(rows.max()) + 1, len(expected)))
    np.add.at(added, (rows, cells), weights)
    added -= np.bincount(rows, weights)[:, None] * expected
    return _scaled(added.T @ added, expected)


def _scaled(sums: Reals, expected: Reals) -> Reals:
    scaled: Reals = sums / np.sqrt(np.outer(expected, expected))
    return scaled


def _corrected(statistic: float, covariance: Reals, independent: int, effective: float) -> Fit:
    """Rao and Scott's test of the second order."""
    cells = len(covariance)
    trace = float(np.trace(covariance))
    # An estimated matrix has larger squares than the true one, by its noise.
    square = float((covariance**2).sum()) - trace**2 / independent
    square = max(square, trace**2 / (cells - 1))
    degrees = trace**2 / square
    corrected = statistic * trace / square
    tail = float(fdtrc(degrees, degrees * (independent - 1), corrected / degrees))
    return _fit(corrected, degrees, tail, cells, effective)


def _fit(
    statistic: float, degrees: float, p_value: float | None, cells: int, effective: float
) -> Fit:
    return Fit(
        statistic=statistic, degrees=degrees, p_value=p_value, cells=cells, effective=effective
    )
