"""States in and out of lanes, against NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.machine.compiled.kernel.evaluate import (
    LANES,
    load_states,
    read_literals,
    set_moves,
    store_states,
    transpose,
)
from fogspiel.machine.compiled.kernel.wiring import Wiring

ALL = 2**64 - 1


def bits_of(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """(rows, 64·words) bits, lowest first."""
    bits: NDArray[np.uint8] = np.unpackbits(
        np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little"
    )
    return bits


def test_transposing_swaps_rows_and_bits() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        block = rng.integers(0, 2**64, LANES, np.uint64)
        expected = bits_of(block[:, None]).T
        transpose(block)
        assert (bits_of(block[:, None]) == expected).all()


def test_transposing_twice_changes_nothing() -> None:
    block = np.random.default_rng(2).integers(0, 2**64, LANES, np.uint64)
    before = block.copy()
    transpose(block)
    transpose(block)
    assert (block == before).all()


@pytest.mark.parametrize("words", [1, 8, 16])
@pytest.mark.parametrize("fluents", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("share", [0.01, 0.7, 1.0])
def test_states_come_back_as_they_went_in(words: int, fluents: int, share: float) -> None:
    count = max(1, int(share * LANES * words))
    rng = np.random.default_rng(fluents)
    bits = rng.random((count, -(-fluents // LANES) * LANES)) < 0.5
    bits[:, fluents:] = False
    states = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    values = np.full((1 + fluents) * words, 77, np.uint64)
    load_states(values, fluents, words, states)
    assert (values[:words] == ALL).all()
    slices = bits_of(values[words:].reshape(fluents, words))
    assert (bits[:, :fluents] == slices[:, :count].T).all()
    assert not slices[:, count:].any()
    back = np.zeros_like(states)
    store_states(values[words:], fluents, words, back)
    assert (back == states).all()


def wiring_of(fluents: int, moves: list[int]) -> Wiring:
    nothing = np.zeros(0, np.uint32)
    return Wiring(
        fluents=fluents,
        first_move=1 + fluents,
        role_starts=np.concatenate([[0], np.cumsum(moves)]).astype(np.int64),
        legal=nothing,
        terminal=0,
        next=nothing,
        goals=nothing,
        goal_roles=np.zeros(0, np.int64),
        goal_values=np.zeros(0, np.int64),
        goal_fluents=np.zeros(0, np.int64),
        goal_cost=0,
        weighted_role=len(moves),
        weights=nothing,
        weight_moves=np.zeros(0, np.int64),
        weight_values=np.zeros(0, np.int64),
    )


@pytest.mark.parametrize("words", [1, 8])
def test_each_lane_makes_its_own_joint_move_and_no_other(words: int) -> None:
    moves = [3, 5]
    rng = np.random.default_rng(words)
    joints = np.stack([rng.integers(0, n, 40) for n in moves], axis=1).astype(np.int32)
    values = np.full((1 + 2 + sum(moves)) * words, 99, np.uint64)
    set_moves(values, wiring_of(2, moves), words, joints)
    made = bits_of(values[3 * words :].reshape(sum(moves), words))
    expected = np.zeros_like(made)
    for lane, (first, second) in enumerate(joints):
        expected[first, lane] = expected[3 + second, lane] = 1
    assert (made == expected).all()


def test_literals_are_read_straight_and_inverted() -> None:
    values = np.array([ALL, 0b0110], np.uint64)
    out = np.zeros((4, 4), np.bool_)
    read_literals(values, np.array([0, 1, 2, 3], np.uint32), 1, out)
    assert out.tolist() == [
        [True, False, False, True],
        [True, False, True, False],
        [True, False, True, False],
        [True, False, False, True],
    ]
