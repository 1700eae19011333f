"""Arrays that grow: rows are added at the end, and room is doubled when it runs out."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

FIRST_ROOM = 1024


class GrowingArray(Generic[_Scalar]):
    """Rows of one shape. `rows` is a view: it does not last beyond the next `add`."""

    def __init__(self, dtype: DTypeLike, *shape: int) -> None:
        self._held: NDArray[_Scalar] = np.zeros((FIRST_ROOM, *shape), dtype)
        self._count = 0

    def __len__(self) -> int:
        """The number of rows."""
        return self._count

    @property
    def rows(self) -> NDArray[_Scalar]:
        """(n, …) all rows."""
        return self._held[: self._count]

    @property
    def bytes(self) -> int:
        """Memory that it takes to grow: the old rows, and twice the room for the new ones."""
        return 3 * self._held.nbytes

    def add(self, more: NDArray[_Scalar]) -> None:
        """Put rows at the end. Rows of words may have become longer; missing words are 0."""
        count = self._count + len(more)
        width = more.shape[1:]
        grown = tuple(np.maximum(self._held.shape[1:], width))
        if count > len(self._held) or grown != self._held.shape[1:]:
            held = np.zeros((max(count, 2 * self._count), *grown), self._held.dtype)
            held[(slice(self._count), *map(slice, self._held.shape[1:]))] = self.rows
            self._held = held
        self._held[(slice(self._count, count), *map(slice, width))] = more
        self._count = count
