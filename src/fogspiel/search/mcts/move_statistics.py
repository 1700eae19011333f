"""What simulations say about the moves of a decision, or of several with the same moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStatistics:
    """All arrays: (moves,); of several decisions, (n, moves)."""

    moves: NDArray[np.int32]
    visits: NDArray[np.float64]
    returns: NDArray[np.float64]
    """Simulations that came to their end."""
    values: NDArray[np.float64]
    """What these brought, in all: between 0 and 1 each."""
    strategy: NDArray[np.float64]
    """The probabilities of choosing each move, added up."""

    @property
    def means(self) -> NDArray[np.float64]:
        """What each move brought on average; 0 where it was never tried."""
        means: NDArray[np.float64] = self.values / np.maximum(self.returns, 1.0)
        return means

    @property
    def average(self) -> NDArray[np.float64]:
        """The average of the probabilities; evenly if nothing was chosen so far."""
        totals = self.strategy.sum(axis=-1, keepdims=True)
        even = 1.0 / self.moves.shape[-1]
        shares: NDArray[np.float64] = np.where(
            totals > 0.0, self.strategy / np.maximum(totals, 1e-300), even
        )
        return shares
