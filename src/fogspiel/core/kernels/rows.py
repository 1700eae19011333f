"""Rows of arrays: equal rows found by hashing, and arrays that grow by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fogspiel.core.kernels.words import folded
from fogspiel.core.native import native

_Scalar = TypeVar("_Scalar", bound=np.generic)

FIRST_DIFFERENT = 4096
"""Different rows that the table has room for at first. It grows with them: they are often few."""
FIRST_ROOM = 1024  #: Rows that an array has room for at first


def distinct_rows(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places where each different row stands first, in order, and the one that every row equals."""
    numbers = np.empty(len(rows), np.int64)
    return _group(np.ascontiguousarray(rows), numbers), numbers


def numbered_rows(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The same, with numbers that take half the room: for less than 2^31 rows."""
    numbers = np.empty(len(rows), np.int32)
    return _group(np.ascontiguousarray(rows), numbers), numbers


def widened(rows: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """(n, at least width) rows of words; missing words are 0."""
    if rows.shape[1] >= width:
        return rows
    wide = np.zeros((len(rows), width), np.uint64)
    wide[:, : rows.shape[1]] = rows
    return wide


def stacked(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """(n, words) rows one after the other, where some may be longer than others."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate([widened(part, width) for part in parts])


@native
def _group(
    rows: NDArray[np.uint64], numbers: NDArray[np.int64] | NDArray[np.int32]
) -> NDArray[np.int64]:
    """Write the number of each row; where each different row stands first."""
    room = min(len(rows), FIRST_DIFFERENT)
    firsts = np.empty(room, np.int64)
    table = _table(room)
    done = found = 0
    while True:
        done, found = _number(rows, done, table, firsts, found, numbers)
        if done == len(rows):
            return firsts[:found].copy()
        room = min(len(rows), 4 * room)
        more = np.empty(room, np.int64)
        for i in range(found):
            more[i] = firsts[i]
        firsts = more
        table = _refilled(table, _table(room))


@native
def _table(room: int) -> NDArray[np.uint64]:
    """An empty table, at most half full with so many entries.

    An entry is half a hash and a number + 1; 0 is free. So rows are compared only where hashes are
    equal, and entries find their places in a larger table without their rows.
    """
    size = 16
    while size < 2 * room:
        size *= 2
    return np.zeros(size, np.uint64)


@native
def _number(
    rows: NDArray[np.uint64],
    done: int,
    table: NDArray[np.uint64],
    firsts: NDArray[np.int64],
    found: int,
    numbers: NDArray[np.int64] | NDArray[np.int32],
) -> tuple[int, int]:
    """Number rows until all are, or there is no room for a new one; how many are, and differ."""
    low = np.uint64(0xFFFFFFFF)
    mask = np.uint64(len(table) - 1)
    width = np.uint64(rows.shape[1])
    for i in range(np.uint64(done), np.uint64(len(rows))):
        mixed = np.uint64(0)
        for k in range(width):
            mixed = folded(mixed, rows[i, k])
        mixed &= low
        place = mixed & mask
        while True:
            entry = table[place]
            if entry == np.uint64(0):
                if found == len(firsts):
                    return int(np.int64(i)), found
                firsts[found] = i
                numbers[i] = found
                found += 1
                table[place] = (mixed << np.uint64(32)) | np.uint64(found)
                break
            if entry >> np.uint64(32) == mixed:
                number = (entry & low) - np.uint64(1)
                first = np.uint64(firsts[number])
                at = np.uint64(0)
                while at < width and rows[first, at] == rows[i, at]:
                    at += np.uint64(1)
                if at == width:
                    numbers[i] = number
                    break
            place = (place + np.uint64(1)) & mask
    return len(rows), found


@native
def _refilled(table: NDArray[np.uint64], larger: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The larger table, with all entries of the other."""
    mask = np.uint64(len(larger) - 1)
    for entry in table:
        if entry != np.uint64(0):
            place = (entry >> np.uint64(32)) & mask
            while larger[place] != np.uint64(0):
                place = (place + np.uint64(1)) & mask
            larger[place] = entry
    return larger


def rehashed(table: NDArray[np.uint64], places: int) -> NDArray[np.uint64]:
    """A table with so many places and the same entries: half a hash, and a number + 1."""
    return _refilled(table, np.zeros(places, np.uint64))


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
