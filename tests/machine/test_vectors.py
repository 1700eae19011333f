"""Vector operations against NumPy, at every width that kernels use."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.kernel.intrinsics import (
    Address,
    Width,
    address_of,
    literal_at,
    load,
    number_at,
    population,
    put_number,
    put_word,
    splat,
    store,
    union_of_words,
    word_at,
)

WIDTHS = [1, 8, 16]
RESULTS = 10
SHIFT = np.uint64(23)
WORD = np.uint64(0x0123456789ABCDEF)


@native
def every_operation(
    left: Address, right: Address, out: Address, width: Width
) -> tuple[np.uint64, int]:
    """All results one after the other in `out`; the union and population of `left`."""
    words = np.uint64(len(width))
    one = load(left, np.uint64(0), width)
    two = load(right, np.uint64(0), width)
    store(out, np.uint64(0) * words, one & two)
    store(out, np.uint64(1) * words, one | two)
    store(out, np.uint64(2) * words, one ^ two)
    store(out, np.uint64(3) * words, one + two)
    store(out, np.uint64(4) * words, one & ~two)
    store(out, np.uint64(5) * words, ~one)
    store(out, np.uint64(6) * words, one << SHIFT)
    store(out, np.uint64(7) * words, one >> SHIFT)
    store(out, np.uint64(8) * words, splat(WORD, width))
    three = one & two
    three |= one
    three ^= two
    three &= one
    store(out, np.uint64(9) * words, three)
    return union_of_words(one), population(one)


@pytest.mark.parametrize("words", WIDTHS)
def test_every_operation_is_that_of_numpy(words: int) -> None:
    rng = np.random.default_rng(words)
    for _ in range(20):
        left, right = rng.integers(0, 2**64, (2, words), np.uint64)
        out = np.zeros((RESULTS, words), np.uint64)
        union, count = every_operation(
            address_of(left), address_of(right), address_of(out), (0,) * words
        )
        expected: list[NDArray[np.uint64]] = [
            left & right,
            left | right,
            left ^ right,
            left + right,
            left & ~right,
            ~left,
            left << SHIFT,
            left >> SHIFT,
            np.full(words, WORD),
            (((left & right) | left) ^ right) & left,
        ]
        assert (out == np.stack(expected)).all()
        assert union == np.bitwise_or.reduce(left)
        assert count == sum(int(word).bit_count() for word in left)


@native
def copy_elements(
    words: Address, numbers: Address, literals: Address, out: Address, signed: Address
) -> None:
    put_word(out, np.uint64(1), word_at(words, np.uint64(2)))
    put_word(out, np.uint64(0), literal_at(literals, np.uint64(3)))
    put_number(signed, np.uint64(1), number_at(numbers, np.uint64(1)))


def test_elements_are_read_and_written_at_their_places() -> None:
    words = np.array([1, 2, 2**64 - 3], np.uint64)
    numbers = np.array([5, -7], np.int64)
    literals = np.array([1, 2, 3, 2**32 - 1], np.uint32)
    out, signed = np.zeros(3, np.uint64), np.zeros(3, np.int64)
    copy_elements(*map(address_of, (words, numbers, literals, out, signed)))  # type: ignore[arg-type]
    assert out.tolist() == [2**32 - 1, 2**64 - 3, 0]
    assert signed.tolist() == [0, -7, 0]


def test_an_array_with_gaps_has_no_address() -> None:
    with pytest.raises(AssertionError):
        address_of(np.zeros((4, 4))[:, :2])
