"""Equal rows have equal numbers, in the order in which different rows come first."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.kernels.rows import FIRST_DIFFERENT, distinct_rows, numbered_rows


@pytest.mark.parametrize(
    ("count", "values", "width"),
    [
        (0, 1, 2),
        (1, 1, 1),
        (100, 3, 2),
        (5000, 40, 3),
        (FIRST_DIFFERENT + 1, 2**60, 1),
        (70_000, 2**60, 2),
    ],
)
def test_rows_are_numbered_as_a_dictionary_does(count: int, values: int, width: int) -> None:
    rows = np.random.default_rng(count).integers(0, values, (count, width)).astype(np.uint64)
    numbers: dict[bytes, int] = {}
    expected = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    for firsts, found in (distinct_rows(rows), numbered_rows(rows)):
        assert found.tolist() == expected
        assert [rows[first].tobytes() for first in firsts.tolist()] == list(numbers)


def test_rows_without_words_are_all_equal() -> None:
    firsts, numbers = distinct_rows(np.empty((3, 0), np.uint64))
    assert (firsts.tolist(), numbers.tolist()) == ([0], [0, 0, 0])
