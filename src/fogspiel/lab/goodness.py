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

from fogspiel.belief.choices import Indices, Reals
from fogspiel.lab.tails import chi_square_tail, f_tail

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
    effective: float
    """Independent equal draws that the sample is worth."""


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
    if blocks is None:
        blocks = np.arange(len(places))
    _, blocks = np.unique(blocks, return_inverse=True)
    independent = int(blocks.max()) + 1
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
        return _fit(statistic, free, chi_square_tail(statistic, free), free + 1, effective)
    residuals = _residuals(expected, cells[places], weights, blocks)
    return _corrected(statistic, residuals, len(places), effective)


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


def _residuals(expected: Reals, cells: Indices, weights: Reals, blocks: Indices) -> Reals:
    """(blocks, cells) what each block adds to the difference from what is expected, scaled."""
    sums = np.zeros((int(blocks.max()) + 1, len(expected)))
    np.add.at(sums, (blocks, cells), weights)
    sums -= np.bincount(blocks, weights)[:, None] * expected
    scaled: Reals = sums / np.sqrt(expected)
    return scaled


def _corrected(statistic: float, residuals: Reals, draws: int, effective: float) -> Fit:
    """Rao and Scott's test of the second order."""
    blocks, cells = residuals.shape
    scale = blocks / (blocks - 1) / draws
    gram = residuals.T @ residuals if cells < blocks else residuals @ residuals.T
    trace = float(np.trace(gram)) * scale
    # An estimated matrix has larger squares than the true one, by its noise.
    square = float((gram**2).sum()) * scale**2 - trace**2 / blocks
    square = max(square, trace**2 / (cells - 1))
    degrees = trace**2 / square
    corrected = statistic * trace / square
    tail = f_tail(corrected / degrees, degrees, degrees * (blocks - 1))
    return _fit(corrected, degrees, tail, cells, effective)


def _fit(
    statistic: float, degrees: float, p_value: float | None, cells: int, effective: float
) -> Fit:
    return Fit(
        statistic=statistic, degrees=degrees, p_value=p_value, cells=cells, effective=effective
    )
