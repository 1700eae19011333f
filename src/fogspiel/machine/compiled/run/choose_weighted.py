"""Weighted choice of a chance move, in all lanes at once, by the counters of `choose`.

Weights are entries (move, literal, amount): where the literal holds, the amount is added to the
weight of the move. A number below the sum of weights is drawn, as in `choose`. The entry whose
addition makes the counter overflow has the move that is made.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.native import inner
from fogspiel.machine.compiled.kernel.evaluate import literal_value
from fogspiel.machine.compiled.kernel.intrinsics import (
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
from fogspiel.machine.compiled.kernel.wiring import WiringView


@inner
def sum_weights(
    values: Address, wiring: WiringView, counters: Address, counter: np.uint64, width: Width
) -> np.uint64:
    """Sum the weights of chance in each lane, from `counter` on; returns the end of the digits."""
    words = np.uint64(len(width))
    top = counter
    entry = ZERO
    while entry < np.uint64(wiring.weight_count):
        held = literal_value(values, literal_at(wiring.weights, entry), width)
        if union_of_words(held) != ZERO:
            amount = word_at(wiring.weight_values, entry)
            at = counter
            while amount != ZERO:
                if amount & ONE:
                    top = _add_at(counters, at, top, held, width)
                amount >>= ONE
                at += words
        entry += ONE
    return top


@inner
def _add_at(
    counters: Address, at: np.uint64, top: np.uint64, carry: Vector, width: Width
) -> np.uint64:
    """Add to a counter from one of its digits on; returns its new end."""
    words = np.uint64(len(width))
    while top < at:
        store(counters, top, splat(ZERO, width))
        top += words
    while at < top:
        digit = load(counters, at, width)
        store(counters, at, digit ^ carry)
        carry &= digit
        at += words
    if union_of_words(carry) != ZERO:
        store(counters, at, carry)
        top += words
    return top


@inner
def pick_weighted(
    values: Address,
    wiring: WiringView,
    role: np.uint64,
    masks: Address,
    bits: np.uint64,
    width: Width,
) -> None:
    """Set the drawn move of chance in each lane. masks: the inverse of the drawn number."""
    words = np.uint64(len(width))
    first_move = np.uint64(wiring.first_move)
    move = word_at(wiring.role_starts, role)
    end = word_at(wiring.role_starts, role + ONE)
    while move < end:
        store(values, (first_move + move) * words, splat(ZERO, width))
        move += ONE
    entry = ZERO
    while entry < np.uint64(wiring.weight_count):
        held = literal_value(values, literal_at(wiring.weights, entry), width)
        if union_of_words(held) != ZERO:
            slot = (first_move + word_at(wiring.weight_moves, entry)) * words
            amount = word_at(wiring.weight_values, entry)
            place = ZERO
            while amount != ZERO:
                if amount & ONE:
                    carry = held
                    at = place
                    while at < bits * words:
                        digit = load(masks, at, width)
                        store(masks, at, digit ^ carry)
                        carry &= digit
                        at += words
                    store(values, slot, load(values, slot, width) | carry)
                amount >>= ONE
                place += words
        entry += ONE
