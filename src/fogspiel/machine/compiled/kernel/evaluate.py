"""Bit-parallel evaluation of gates: states are loaded, phases evaluated, literals read.

Bit i of the W words of a slot is its value in lane i. A single interpreter of gates, compiled once,
serves every game. All indices are unsigned, since Numba would otherwise check each for being
negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, inner, native
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Vector,
    Width,
    literal_at,
    load,
    splat,
    store,
    union_of_words,
    word_at,
)
from fogspiel.machine.compiled.kernel.wiring import GateView, Wiring

LANES = 64  #: Lanes of a word
TWO, THREE, FOUR, FIVE = np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(5)


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
    """Load up to 64·words states into the lanes; in all other lanes every fluent is false."""
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
    """Write states from `rows`, the bit slices of fluents 0, 1, …; the inverse of `load_states`."""
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
    """Set joint move i, and no other move, in lane i."""
    first = wiring.first_move * words
    for at in range(first, first + wiring.role_starts[-1] * words):
        values[at] = ZERO
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
    """Write to out[i, k] whether literal k holds in lane i."""
    for k in range(len(literals)):
        slot = np.int64(literals[k] >> 1)
        negated = np.uint64(literals[k] & 1)
        for lane in range(len(out)):
            word = values[slot * words + lane // LANES]
            out[lane, k] = ((word >> np.uint64(lane % LANES)) & ONE) != negated


@inlined
def holds(values: NDArray[np.uint64], literal: int, lane: int, words: int) -> bool:
    """Whether a literal holds in a lane."""
    word = values[np.int64(literal >> 1) * words + lane // LANES]
    return bool((word >> np.uint64(lane % LANES)) & ONE != np.uint64(literal & 1))


def pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(fluents,) truth values as a state."""
    padded = np.zeros(max(1, -(-len(bits) // LANES)) * LANES, np.bool_)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


@inlined
def literal_value(values: Address, literal: np.uint64, width: Width) -> Vector:
    """The lanes in which a literal holds."""
    words = load(values, (literal >> ONE) * np.uint64(len(width)), width)
    return words ^ splat(ZERO - (literal & ONE), width)


@inner
def evaluate_phase(gates: GateView, values: Address, phase: int, width: Width) -> None:
    """Evaluate the gates of a phase. Earlier phases must have been evaluated."""
    block, end = phase_blocks(gates, phase)
    while block < end:
        first, last, variable, variables = block_at(gates, block)
        if variable == variables:
            _run_gates(gates, values, first, last, width)
        else:
            _clear(gates, values, variable, variables, width)
            while True:
                _run_gates(gates, values, first, last, width)
                if not _carry_back(gates, values, variable, variables, width):
                    break
        block += ONE


@inlined
def phase_blocks(gates: GateView, phase: int) -> tuple[np.uint64, np.uint64]:
    """The first block of a phase, and the block after its last."""
    place = np.uint64(phase)
    return word_at(gates.phases, place), word_at(gates.phases, place + ONE)


@inlined
def block_at(
    gates: GateView, block: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """First run, run after the last, first loop variable and variable after the last of a block."""
    row = FOUR * block
    first, last = word_at(gates.blocks, row), word_at(gates.blocks, row + ONE)
    return first, last, word_at(gates.blocks, row + TWO), word_at(gates.blocks, row + THREE)


@inlined
def run_at(
    gates: GateView, run: np.uint64, words: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Start and end of the values of a run of gates, numbers of plain and of inverted inputs of
    each gate, and place of the first input."""
    row = FIVE * run
    at, stop = word_at(gates.runs, row) * words, word_at(gates.runs, row + ONE) * words
    holding, inverted = word_at(gates.runs, row + TWO), word_at(gates.runs, row + THREE)
    return at, stop, holding, inverted, word_at(gates.runs, row + FOUR)


@inner
def _clear(
    gates: GateView, values: Address, first: np.uint64, end: np.uint64, width: Width
) -> None:
    """Set all loop variables to false, from which the least fixpoint is computed."""
    while first < end:
        slot = literal_at(gates.loop_slots, first)
        store(values, slot * np.uint64(len(width)), splat(ZERO, width))
        first += ONE


@inner
def _carry_back(
    gates: GateView, values: Address, first: np.uint64, end: np.uint64, width: Width
) -> bool:
    """Copy sources to loop variables; returns whether any lane changed."""
    changed = splat(ZERO, width)
    while first < end:
        at = literal_at(gates.loop_slots, first) * np.uint64(len(width))
        value = literal_value(values, literal_at(gates.loop_sources, first), width)
        changed |= value ^ load(values, at, width)
        store(values, at, value)
        first += ONE
    return bool(union_of_words(changed) != ZERO)


@inlined
def _slot(gates: GateView, values: Address, k: np.uint64, width: Width) -> Vector:
    """The lanes of the slot that input k reads."""
    return load(values, literal_at(gates.inputs, k) * np.uint64(len(width)), width)


@inner
def _run_gates(
    gates: GateView, values: Address, run: np.uint64, last: np.uint64, width: Width
) -> None:
    """Evaluate runs of gates of the same form.

    Each form of two inputs has a loop, since branches within a loop cost 4 % of a playout.
    """
    words = np.uint64(len(width))
    while run < last:
        at, stop, holding, inverted, k = run_at(gates, run, words)
        run += ONE
        if holding == TWO and inverted == ZERO:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, x & y)
                k += TWO
                at += words
        elif holding == ONE and inverted == ONE:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, x & ~y)
                k += TWO
                at += words
        elif holding == ZERO and inverted == TWO:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, ~(x | y))
                k += TWO
                at += words
        elif holding + inverted == THREE and holding >= ONE:
            while at < stop:
                x = _slot(gates, values, k, width)
                y = _slot(gates, values, k + ONE, width)
                z = _slot(gates, values, k + TWO, width)
                if inverted == ZERO:
                    x = x & y & z
                elif inverted == ONE:
                    x = x & y & ~z
                else:
                    x = x & ~y & ~z
                store(values, at, x)
                k += THREE
                at += words
        else:
            while at < stop:
                x = splat(ALL, width)
                turn = k + holding
                end = turn + inverted
                while k < turn:
                    x &= _slot(gates, values, k, width)
                    k += ONE
                while k < end:
                    x &= ~_slot(gates, values, k, width)
                    k += ONE
                store(values, at, x)
                at += words
