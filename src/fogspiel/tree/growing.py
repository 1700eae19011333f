"""Arrays that grow at their end: appending is amortised, reading is plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class GrowingArray:
    """Whole numbers in rows of a fixed width."""

    def __init__(self, width: int | None = None) -> None:
        """width: columns of the array; None for one without columns."""
        self._width = () if width is None else (width,)
        self._data = np.empty((64, *self._width), np.int64)
        self._length = 0

    def __len__(self) -> int:
        """Rows so far."""
        return self._length

    @property
    def values(self) -> NDArray[np.int64]:
        """(rows,) or (rows, width). A view: it does not follow later growth."""
        return self._data[: self._length]

    def extend(self, rows: NDArray[np.int64]) -> None:
        """Add rows at the end."""
        needed = self._length + len(rows)
        if needed > len(self._data):
            larger = np.empty((max(needed, 2 * len(self._data)), *self._width), np.int64)
            larger[: self._length] = self.values
            self._data = larger
        self._data[self._length : needed] = rows
        self._length = needed
