"""States in and out of lanes: packed rows become bit slices and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.kernel.vectors import ALL, ONE, ZERO
from fogspiel.machine.compiled.kernel.wiring import Wiring

LANES = 64
"""Lanes of a word."""


@native
def transpose(block: NDArray[np.uint64]) -> None:
    """Transpose a 64 by 64 bit matrix in place: bit j of row i and bit i of row j change places.

    Source: Warren, Hacker's Delight (2nd ed.), section 7-3.
    """
    half = np.uint64(32)
    mask = np.uint64(0x00000000FFFFFFFF)
    while half != ZERO:
        k = ZERO
        while k < np.uint64(64):
            swap = ((block[k] >> half) ^ block[k + half]) & mask
            block[k] ^= swap << half
            block[k + half] ^= swap
            k = (k + half + ONE) & ~half
        half >>= ONE
        mask ^= mask << half


@native
def load_states(
    values: NDArray[np.uint64], fluents: int, words: int, states: NDArray[np.uint64]
) -> None:
    """Put up to 64·words states into the lanes; lanes beyond them hold no fluent."""
    block = np.empty(LANES, np.uint64)
    for column in range(words):
        first = column * LANES
        here = min(max(len(states) - first, 0), LANES)
        for word in range((fluents + LANES - 1) // LANES):
            for i in range(LANES):
                block[i] = states[first + i, word] if i < here else ZERO
            transpose(block)
            for i in range(min(LANES, fluents - word * LANES)):
                values[(1 + word * LANES + i) * words + column] = block[i]
    for column in range(words):
        values[column] = ALL


@native
def store_states(
    rows: NDArray[np.uint64], fluents: int, words: int, states: NDArray[np.uint64]
) -> None:
    """The inverse: `rows` holds the bit slices of fluents 0, 1, …"""
    block = np.empty(LANES, np.uint64)
    for column in range(words):
        first = column * LANES
        here = min(max(len(states) - first, 0), LANES)
        if here == 0:
            break
        for word in range((fluents + LANES - 1) // LANES):
            for i in range(LANES):
                fluent = word * LANES + i
                block[i] = rows[fluent * words + column] if fluent < fluents else ZERO
            transpose(block)
            for i in range(here):
                states[first + i, word] = block[i]


@native
def set_moves(
    values: NDArray[np.uint64], wiring: Wiring, words: int, joints: NDArray[np.int32]
) -> None:
    """Let lane i make joint move i, and no other move be made in any lane."""
    first = wiring.first_move * words
    values[first : first + wiring.role_starts[-1] * words] = ZERO
    for lane in range(len(joints)):
        bit = ONE << np.uint64(lane % LANES)
        for role in range(joints.shape[1]):
            slot = wiring.first_move + wiring.role_starts[role] + joints[lane, role]
            values[slot * words + lane // LANES] |= bit


@native
def read_literals(
    values: NDArray[np.uint64],
    literals: NDArray[np.uint32],
    words: int,
    out: NDArray[np.bool_],
) -> None:
    """out[i, k] says whether literal k holds in lane i."""
    for k in range(len(literals)):
        slot = np.int64(literals[k] >> 1)
        negated = np.uint64(literals[k] & 1)
        for lane in range(len(out)):
            word = values[slot * words + lane // LANES]
            out[lane, k] = ((word >> np.uint64(lane % LANES)) & ONE) != negated


def pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(fluents,) truth values as a state."""
    padded = np.zeros(max(1, -(-len(bits) // LANES)) * LANES, np.bool_)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)
