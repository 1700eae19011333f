"""Goals of playouts that have ended, read at once or together with those of many others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogspiel.core.native import inner
from fogspiel.machine.compiled.kernel.evaluate import (
    LANES,
    THREE,
    TWO,
    evaluate_phase,
    literal_value,
)
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Vector,
    Width,
    literal_at,
    load,
    number_at,
    population,
    put_number,
    put_word,
    splat,
    store,
    word_at,
)
from fogspiel.machine.compiled.kernel.wiring import GOAL, LEGAL, GateView, WiringView

STARTED, STEPS, STUCK, CUT, PARKED = range(5)  #: Places in `PlayoutTally.counts`


class PlayoutTally(NamedTuple):
    """Addresses of the results of playouts and of scratch space."""

    starts: int  #: Number of start states
    goal_sums: Address
    """(starts, roles + 1) sums of goals; last, sums of faults: numbers that left their range."""
    counts: Address  #: (5,) playouts started, steps, playouts stuck and cut, states parked now
    origins: Address  #: (lanes,) the start state of each lane's game
    parked: Address  #: (slots·W,) values of parked states, whose goals have yet to be read
    parked_origins: Address  #: (lanes,)
    buffer: Address  #: (fluents·W,) next states
    words: Address  #: (4·W,) scratch for masks of lanes, W words for each function that uses it


@inner
def add_to(numbers: Address, place: int, amount: int) -> None:
    """Add an amount to an element of an array."""
    put_number(numbers, np.uint64(place), number_at(numbers, np.uint64(place)) + amount)


@inner
def bit_place(bit: np.uint64) -> int:
    """Place of the one bit that is set in a word."""
    place = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(place + shift) != ZERO:
            place += shift
    return place


@inner
def score(
    gates: GateView,
    wiring: WiringView,
    values: Address,
    ended: Vector,
    tally: PlayoutTally,
    width: Width,
) -> None:
    """Add the goals of lanes that have ended, or park their states if that is cheaper."""
    if wiring.goal_cost <= population(ended) * wiring.goal_fluent_count:
        evaluate_phase(gates, values, GOAL, width)
        _add_goals(wiring, values, ended, tally.origins, tally, width)
        return
    words = np.uint64(len(width))
    store(tally.words, TWO * words, ended)
    for word in range(len(width)):
        left = word_at(tally.words, TWO * words + np.uint64(word))
        while left != ZERO:
            bit = left & (ZERO - left)
            left ^= bit
            if number_at(tally.counts, np.uint64(PARKED)) == LANES * len(width):
                score_parked(gates, wiring, tally, width)
            _park(wiring, values, word, bit_place(bit), tally, width)


@inner
def _park(
    wiring: WiringView, values: Address, word: int, lane: int, tally: PlayoutTally, width: Width
) -> None:
    """Copy the fluents that goals depend on from a lane to the next free place."""
    words = np.uint64(len(width))
    place = np.uint64(number_at(tally.counts, np.uint64(PARKED)))
    add_to(tally.counts, PARKED, 1)
    origin = number_at(tally.origins, np.uint64(word * LANES + lane))
    put_number(tally.parked_origins, place, origin)
    target, shift = place >> np.uint64(6), place & np.uint64(63)
    i = ZERO
    while i < np.uint64(wiring.goal_fluent_count):
        row = (word_at(wiring.goal_fluents, i) + ONE) * words
        holds = (word_at(values, row + np.uint64(word)) >> np.uint64(lane)) & ONE
        at = row + target
        put_word(tally.parked, at, word_at(tally.parked, at) | (holds << shift))
        i += ONE


@inner
def score_parked(gates: GateView, wiring: WiringView, tally: PlayoutTally, width: Width) -> None:
    """Read the goals of all parked states and free their places."""
    left = number_at(tally.counts, np.uint64(PARKED))
    if left == 0:
        return
    words = np.uint64(len(width))
    for word in range(len(width)):
        here = min(max(left - word * LANES, 0), LANES)
        lanes = ALL if here == LANES else (ONE << np.uint64(here)) - ONE
        put_word(tally.words, THREE * words + np.uint64(word), lanes)
    taken = load(tally.words, THREE * words, width)
    evaluate_phase(gates, tally.parked, LEGAL, width)
    evaluate_phase(gates, tally.parked, GOAL, width)
    _add_goals(wiring, tally.parked, taken, tally.parked_origins, tally, width)
    put_number(tally.counts, np.uint64(PARKED), 0)
    i = ZERO
    while i < np.uint64(wiring.goal_fluent_count):
        row = (word_at(wiring.goal_fluents, i) + ONE) * words
        store(tally.parked, row, splat(ZERO, width))
        i += ONE


@inner
def _add_goals(
    wiring: WiringView,
    values: Address,
    lanes: Vector,
    origins: Address,
    tally: PlayoutTally,
    width: Width,
) -> None:
    for i in range(wiring.goal_count):
        goal = np.uint64(i)
        value = number_at(wiring.goal_values, goal)
        role = number_at(wiring.goal_roles, goal)
        scored = lanes & literal_value(values, literal_at(wiring.goals, goal), width)
        if tally.starts == 1:
            add_to(tally.goal_sums, role, value * population(scored))
            continue
        store(tally.words, np.uint64(len(width)), scored)
        for word in range(len(width)):
            left = word_at(tally.words, np.uint64(len(width) + word))
            while left != ZERO:
                bit = left & (ZERO - left)
                left ^= bit
                origin = number_at(origins, np.uint64(word * LANES + bit_place(bit)))
                add_to(tally.goal_sums, origin * (wiring.roles + 1) + role, value)
