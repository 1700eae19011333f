"""Kernels as plain Python: the same results, and nothing compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fogspiel.core.kernels.words import folded
from fogspiel.core.native import CACHE, native
from fogspiel.core.plain_kernels import _PLAIN, Kernel, plain_kernels


@native
def shifted(numbers: Any, amount: int) -> int:
    return int(numbers[0]) + amount


@Kernel
def scattered(numbers: Any, amount: int) -> int:
    if numbers[0] < 0:
        return -1
    return int(folded(np.uint64(amount), np.uint64(shifted(numbers, 3))) >> np.uint64(60))


@Kernel
def scattered_twice(numbers: Any) -> int:
    return scattered(numbers, 1) + scattered(numbers, 2)


def signatures(kernel: Any) -> int:
    return len(kernel.signatures)


def test_a_kernel_of_both_kinds_gives_the_same_in_both() -> None:
    numbers = np.array([7])
    # Earlier runs of the tests may have left machine code of the outer one, which holds the inner.
    was_compiled = scattered_twice.is_compiled
    with plain_kernels(True):
        expected = scattered_twice(numbers), scattered(numbers, 40)
    assert not signatures(scattered._compiled)
    assert scattered_twice.is_compiled == was_compiled
    assert (scattered_twice(numbers), scattered(numbers, 40)) == expected
    assert signatures(scattered._compiled) == 1
    assert scattered_twice.is_compiled


def test_machine_code_of_an_earlier_process_is_found() -> None:
    earlier = Kernel(scattered_twice._function)
    if CACHE is not None:
        scattered_twice(np.array([7]))
        assert not signatures(earlier._compiled)
        assert earlier.is_compiled


def test_what_runs_as_plain_python_ends_with_the_block() -> None:
    with pytest.raises(IndexError), plain_kernels(True):
        scattered(np.empty(0, np.int64), 1)
    assert not _PLAIN.get()
