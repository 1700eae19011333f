"""A uniform choice among the legal moves, for all lanes at once, in bit-sliced arithmetic.

Counting: each legal move adds one to a ripple counter whose bits are vectors; lane by lane the
counter ends at the number n of legal moves. Drawing: r below n by rejection, bit by bit, masked to
the length of n. Picking: preload the counter with ~r and count again; the move whose addition
carries out of the top is the one numbered r.

The generator is xorshift128+ (Vigna 2017, J. Comp. Appl. Math. 315), one to each word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native
from fogspiel.machine.compiled.evaluate import literal_value
from fogspiel.machine.compiled.vectors import (
    ALL,
    ZERO,
    Vector,
    Width,
    both,
    but_not,
    differ,
    either,
    inverse,
    load,
    plus,
    shift_left,
    shift_right,
    splat,
    store,
    union_of_words,
)

COUNTER_BITS = 32
BITS_23, BITS_18, BITS_5 = np.uint64(23), np.uint64(18), np.uint64(5)


class Chooser(NamedTuple):
    """Scratch and generator of `choose_moves`. All arrays hold W words an entry."""

    counter: NDArray[np.uint64]
    draw: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    live: NDArray[np.int64]
    """Moves that are legal in some lane."""
    generator: NDArray[np.uint64]
    """(2·W,)"""


def make_chooser(moves: int, words: int, seed: int) -> Chooser:
    """Scratch for up to `moves` moves a role; each word's generator starts elsewhere."""
    drawn = np.random.SeedSequence(seed).generate_state(2 * words, np.uint64)
    generator = drawn.astype(np.uint64) | np.uint64(1)  # the all-zero state would stay zero
    return Chooser(
        counter=np.zeros(COUNTER_BITS * words, np.uint64),
        draw=np.zeros(COUNTER_BITS * words, np.uint64),
        masks=np.zeros(COUNTER_BITS * words, np.uint64),
        live=np.zeros(max(1, moves), np.int64),
        generator=generator,
    )


@native
def choose_moves(
    values: NDArray[np.uint64],
    legal: NDArray[np.uint32],
    first: int,
    end: int,
    first_slot: int,
    chooser: Chooser,
    width: Width,
) -> Vector:
    """Set in each lane one of the legal moves first…end of a role; the lanes that have none."""
    words = np.uint64(len(width))
    bits, live = _count_legal(values, legal, first, end, first_slot, chooser, width)
    some = splat(ZERO, width)
    for bit in range(bits):
        some = either(some, load(chooser.counter, np.uint64(bit) * words, width))
    if bits <= 1:
        for i in range(live):
            move = chooser.live[i]
            chosen = literal_value(values, np.uint64(legal[move]), width)
            store(values, np.uint64(first_slot + move) * words, chosen)
        return inverse(some)
    _draw_below_counter(chooser, bits, width)
    for bit in range(bits):
        at = np.uint64(bit) * words
        store(chooser.counter, at, inverse(load(chooser.draw, at, width)))
    for i in range(live):
        move = chooser.live[i]
        carry = literal_value(values, np.uint64(legal[move]), width)
        at = ZERO
        for _ in range(bits):
            digit = load(chooser.counter, at, width)
            store(chooser.counter, at, differ(digit, carry))
            carry = both(carry, digit)
            at += words
        store(values, np.uint64(first_slot + move) * words, carry)
    return inverse(some)


@inlined
def _count_legal(
    values: NDArray[np.uint64],
    legal: NDArray[np.uint32],
    first: int,
    end: int,
    first_slot: int,
    chooser: Chooser,
    width: Width,
) -> tuple[int, int]:
    """Count legal moves lane by lane; counter bits in use, and moves legal in some lane."""
    words = np.uint64(len(width))
    bits = 0
    live = 0
    for move in range(first, end):
        carry = literal_value(values, np.uint64(legal[move]), width)
        if union_of_words(carry) == ZERO:
            store(values, np.uint64(first_slot + move) * words, carry)
            continue
        chooser.live[live] = move
        live += 1
        at = ZERO
        for _ in range(bits):
            digit = load(chooser.counter, at, width)
            store(chooser.counter, at, differ(digit, carry))
            carry = both(carry, digit)
            at += words
        if union_of_words(carry) != ZERO:
            store(chooser.counter, at, carry)
            bits += 1
    return bits, live


@inlined
def _draw_below_counter(chooser: Chooser, bits: int, width: Width) -> None:
    """A uniform number below the counter in each lane (0 where the counter is 0)."""
    words = np.uint64(len(width))
    # n - 1, and masks with ones up to its highest bit: draws stay within twice the range.
    borrow = splat(ALL, width)
    at = ZERO
    for _ in range(bits):
        digit = load(chooser.counter, at, width)
        store(chooser.counter, at, differ(digit, borrow))
        borrow = but_not(borrow, digit)
        at += words
    mask = splat(ZERO, width)
    for _ in range(bits):
        at -= words
        mask = either(mask, but_not(load(chooser.counter, at, width), borrow))
        store(chooser.masks, at, mask)
        store(chooser.draw, at, splat(ZERO, width))
    again = splat(ALL, width)
    first = load(chooser.generator, ZERO, width)
    second = load(chooser.generator, words, width)
    while True:
        above = splat(ZERO, width)
        at = ZERO
        for _ in range(bits):
            first = differ(first, shift_left(first, BITS_23))
            first = differ(
                differ(first, second),
                differ(shift_right(first, BITS_18), shift_right(second, BITS_5)),
            )
            first, second = second, first
            fresh = both(plus(first, second), load(chooser.masks, at, width))
            digit = either(both(fresh, again), but_not(load(chooser.draw, at, width), again))
            store(chooser.draw, at, digit)
            bound = load(chooser.counter, at, width)
            # Compare from the lowest bit up: the highest that differs decides.
            above = either(but_not(digit, bound), but_not(above, differ(digit, bound)))
            at += words
        again = above
        if union_of_words(again) == ZERO:
            break
    store(chooser.generator, ZERO, first)
    store(chooser.generator, words, second)
