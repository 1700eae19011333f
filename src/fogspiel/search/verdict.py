"""What simulations say about the moves of one decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All arrays: (moves,)"""

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
        total = float(self.strategy.sum())
        if total > 0.0:
            shares: NDArray[np.float64] = self.strategy / total
            return shares
        return np.full(len(self.moves), 1.0 / len(self.moves))
