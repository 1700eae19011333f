"""Uniform choice among the legal moves, in all lanes at once, by bit-sliced arithmetic.

Count: each legal move adds one to a ripple counter whose bits are vectors, so that the counter of a
lane ends at its number n of legal moves. Draw: a number r below n by rejection, masked to the bits
of n - 1. Pick: the counter starts at ~r and counts again; the move whose addition overflows is
number r.

If in no lane two roles have a choice, as in turn-based games, one draw serves all roles.
The generator is xorshift128+ (Vigna 2017, J. Comp. Appl. Math. 315), one for each word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, inner
from fogspiel.machine.compiled.kernel.evaluate import literal_value
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Vector,
    Width,
    addresses_of,
    aligned_words,
    literal_at,
    load,
    put_number,
    splat,
    store,
    union_of_words,
    word_at,
)
from fogspiel.machine.compiled.kernel.wiring import WiringView
from fogspiel.machine.compiled.run.choose_weighted import pick_weighted, sum_weights

COUNTER_BITS = 32
BITS_23, BITS_18, BITS_5 = np.uint64(23), np.uint64(18), np.uint64(5)


class Chooser(NamedTuple):
    """Addresses of scratch space and generator of `choose_moves`. A vector has W words."""

    counters: Address  #: (roles · COUNTER_BITS · W,) number of legal moves less one, by role
    choosing: Address  #: (roles · W,) lanes in which a role has two or more legal moves
    bits: Address  #: (roles,) counter bits in use
    live: Address  #: (moves,) moves legal in some lane; those of a role begin at its role_starts
    live_counts: Address  #: (roles,)
    bounds: Address
    draw: Address
    masks: Address
    generator: Address  #: (2·W,)


def make_chooser(roles: int, moves: int, words: int) -> tuple[Chooser, NDArray[np.uint64]]:
    """A chooser and its generator, an array that must outlive the chooser."""
    counter = COUNTER_BITS * words
    of_roles = roles * counter, roles * words, roles, moves, roles
    arrays = aligned_words(*of_roles, counter, counter, counter, 2 * words)
    return Chooser(*addresses_of(arrays)), arrays[-1]


def seed_generator(generator: NDArray[np.uint64], seed: int) -> None:
    """Seed the generator of each word."""
    generator[:] = np.random.SeedSequence(seed).generate_state(len(generator), np.uint64)
    generator |= np.uint64(1)  # an all-zero state would stay zero


@inner
def choose_moves(values: Address, wiring: WiringView, chooser: Chooser, width: Width) -> Vector:
    """Set one legal move of every role in each lane; returns the lanes where a role has none."""
    words = np.uint64(len(width))
    roles = np.uint64(wiring.roles)
    stuck = splat(ZERO, width)
    busy = splat(ZERO, width)
    overlap = splat(ZERO, width)
    role = ZERO
    while role < roles:
        none = _count_legal(values, wiring, chooser, role, width)
        stuck |= none
        choosing = load(chooser.choosing, role * words, width)
        overlap |= busy & choosing
        busy |= choosing
        role += ONE
    together = union_of_words(overlap) == ZERO
    if together:
        bits = _join_bounds(chooser, roles, width)
        _draw(chooser, bits, width)
    role = ZERO
    while role < roles:
        bits = word_at(chooser.bits, role)
        if bits != ZERO and not together:
            at = ZERO
            while at < bits * words:
                counter = role * np.uint64(COUNTER_BITS) * words + at
                store(chooser.bounds, at, load(chooser.counters, counter, width))
                at += words
            _draw(chooser, bits, width)
        _pick(values, wiring, chooser, role, bits, width)
        role += ONE
    return stuck


@inner
def _count_legal(
    values: Address, wiring: WiringView, chooser: Chooser, role: np.uint64, width: Width
) -> Vector:
    """Count a role's legal moves less one in each lane; returns the lanes without any."""
    words = np.uint64(len(width))
    counter = role * np.uint64(COUNTER_BITS) * words
    if role == np.uint64(wiring.weighted_role):
        top = sum_weights(values, wiring, chooser.counters, counter, width)
    else:
        top = _count_evenly(values, wiring, chooser, role, counter, width)
    # Subtract one in lanes with a legal move; the others stay at zero.
    borrow = splat(ALL, width)
    at = counter
    while at < top:
        digit = load(chooser.counters, at, width)
        store(chooser.counters, at, digit ^ borrow)
        borrow &= ~digit
        at += words
    choosing = splat(ZERO, width)
    used = counter
    at = counter
    while at < top:
        digit = load(chooser.counters, at, width) & ~borrow
        store(chooser.counters, at, digit)
        choosing |= digit
        at += words
        if union_of_words(digit) != ZERO:
            used = at
    store(chooser.choosing, role * words, choosing)
    put_number(chooser.bits, role, np.int64((used - counter) // words))
    return borrow


@inlined
def _count_evenly(
    values: Address,
    wiring: WiringView,
    chooser: Chooser,
    role: np.uint64,
    counter: np.uint64,
    width: Width,
) -> np.uint64:
    """Count a role's legal moves in each lane, from `counter` on; returns the end of the digits."""
    words = np.uint64(len(width))
    first = word_at(wiring.role_starts, role)
    end = word_at(wiring.role_starts, role + ONE)
    top = counter
    live = first
    move = first
    while move < end:
        carry = literal_value(values, literal_at(wiring.legal, move), width)
        if union_of_words(carry) == ZERO:
            store(values, (np.uint64(wiring.first_move) + move) * words, carry)
        else:
            put_number(chooser.live, live, np.int64(move))
            live += ONE
            at = counter
            while at < top:
                digit = load(chooser.counters, at, width)
                store(chooser.counters, at, digit ^ carry)
                carry &= digit
                at += words
            if union_of_words(carry) != ZERO:
                store(chooser.counters, at, carry)
                top += words
        move += ONE
    put_number(chooser.live_counts, role, np.int64(live - first))
    return top


@inlined
def _join_bounds(chooser: Chooser, roles: np.uint64, width: Width) -> np.uint64:
    """Join the bounds of all roles, of which only one chooses in a lane; returns the bits used."""
    words = np.uint64(len(width))
    most = ZERO
    role = ZERO
    while role < roles:
        bits = word_at(chooser.bits, role)
        counter = role * np.uint64(COUNTER_BITS) * words
        at = ZERO
        while at < bits * words:
            digit = load(chooser.counters, counter + at, width)
            if at < most * words:
                digit |= load(chooser.bounds, at, width)
            store(chooser.bounds, at, digit)
            at += words
        most = max(most, bits)
        role += ONE
    return most


@inner
def _draw(chooser: Chooser, bits: np.uint64, width: Width) -> None:
    """Draw a uniform number from 0 to the bound in each lane."""
    words = np.uint64(len(width))
    # Masked to the highest bit of the bound, a draw is accepted with probability 1/2 or more.
    mask = splat(ZERO, width)
    at = bits * words
    while at > ZERO:
        at -= words
        mask |= load(chooser.bounds, at, width)
        store(chooser.masks, at, mask)
        store(chooser.draw, at, splat(ZERO, width))
    again = mask
    first = load(chooser.generator, ZERO, width)
    second = load(chooser.generator, words, width)
    while union_of_words(again) != ZERO:
        above = splat(ZERO, width)
        at = ZERO
        while at < bits * words:
            first ^= first << BITS_23
            first ^= second ^ (first >> BITS_18) ^ (second >> BITS_5)
            first, second = second, first
            fresh = (first + second) & load(chooser.masks, at, width)
            digit = (fresh & again) | (load(chooser.draw, at, width) & ~again)
            store(chooser.draw, at, digit)
            bound = load(chooser.bounds, at, width)
            # Compare from the lowest bit up: the highest bit that differs decides.
            above = (digit & ~bound) | (above & ~(digit ^ bound))
            at += words
        again = above
    store(chooser.generator, ZERO, first)
    store(chooser.generator, words, second)


@inner
def _pick(
    values: Address,
    wiring: WiringView,
    chooser: Chooser,
    role: np.uint64,
    bits: np.uint64,
    width: Width,
) -> None:
    """Set the drawn move of a role in each lane."""
    words = np.uint64(len(width))
    is_weighted = role == np.uint64(wiring.weighted_role)
    place = word_at(wiring.role_starts, role)
    last = place + word_at(chooser.live_counts, role)
    first_move = np.uint64(wiring.first_move)
    if bits == ZERO and not is_weighted:
        while place < last:
            move = word_at(chooser.live, place)
            value = literal_value(values, literal_at(wiring.legal, move), width)
            store(values, (first_move + move) * words, value)
            place += ONE
        return
    # In lanes where another role chooses, the draw counts as 0.
    choosing = load(chooser.choosing, role * words, width)
    at = ZERO
    while at < bits * words:
        drawn = load(chooser.draw, at, width) & choosing
        store(chooser.masks, at, ~drawn)
        at += words
    if is_weighted:
        pick_weighted(values, wiring, role, chooser.masks, bits, width)
        return
    while place < last:
        move = word_at(chooser.live, place)
        carry = literal_value(values, literal_at(wiring.legal, move), width)
        at = ZERO
        while at < bits * words:
            digit = load(chooser.masks, at, width)
            store(chooser.masks, at, digit ^ carry)
            carry &= digit
            at += words
        store(values, (first_move + move) * words, carry)
        place += ONE
