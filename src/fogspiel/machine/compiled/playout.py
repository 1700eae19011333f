"""Random playouts in lanes: a lane whose game has ended begins the next one at once.

The quota counts playouts *started*, so that long games are as likely to be counted as short ones.
Goals that take many gates are not read whenever some lane ends: its state is parked, and goals are
evaluated when all places are taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.choose import Chooser, choose_moves
from fogspiel.machine.compiled.cones import GOAL, LEGAL, NEXT
from fogspiel.machine.compiled.evaluate import THREE, TWO, evaluate_phase, literal_value
from fogspiel.machine.compiled.lanes import LANES
from fogspiel.machine.compiled.schedule import Gates
from fogspiel.machine.compiled.vectors import (
    ALL,
    ONE,
    ZERO,
    Vector,
    Width,
    both,
    but_not,
    either,
    load,
    population,
    splat,
    store,
    union_of_words,
)
from fogspiel.machine.compiled.wiring import Wiring

STARTED, STEPS, STUCK, CUT, PARKED = range(5)
"""Places in `Tally.counts`."""


class Tally(NamedTuple):
    """What the playouts came to, and the scratch they need."""

    goal_sums: NDArray[np.int64]
    """(starts, roles)"""
    counts: NDArray[np.int64]
    """(5,) playouts started, steps, stuck, cut; states parked now."""
    origins: NDArray[np.int64]
    """(lanes,) the start state of each lane's game."""
    parked: NDArray[np.uint64]
    """Values of their own, for states whose goals are still to be read."""
    parked_origins: NDArray[np.int64]
    buffer: NDArray[np.uint64]
    """(fluents·W,) next states."""
    words: NDArray[np.uint64]
    """(4·W,) lane masks taken apart: two for restarts, one for parking, one for goals."""


def make_tally(starts: int, roles: int, fluents: int, slots: int, words: int) -> Tally:
    """Sums at zero and scratch of the right size."""
    return Tally(
        goal_sums=np.zeros((starts, roles), np.int64),
        counts=np.zeros(5, np.int64),
        origins=np.zeros(LANES * words, np.int64),
        parked=np.zeros(slots * words, np.uint64),
        parked_origins=np.zeros(LANES * words, np.int64),
        buffer=np.zeros((fluents + 1) * words, np.uint64),
        words=np.zeros(4 * words, np.uint64),
    )


@native
def play(
    gates: Gates,
    wiring: Wiring,
    values: NDArray[np.uint64],
    starts: NDArray[np.uint64],
    count: int,
    max_steps: int,
    chooser: Chooser,
    tally: Tally,
    width: Width,
) -> None:
    """Play `count` games from each of `starts`, (n, words) packed states."""
    quota = count * len(starts)
    store(values, ZERO, splat(ALL, width))
    store(tally.parked, ZERO, splat(ALL, width))
    active = _begin(wiring, values, starts, count, quota, tally, width)
    elders = splat(ZERO, width)  # lanes whose game is older than the last check for endless ones
    time = 0
    while union_of_words(active) != ZERO:
        evaluate_phase(gates, values, LEGAL, width)
        ended = both(literal_value(values, np.uint64(wiring.terminal), width), active)
        stuck = splat(ZERO, width)
        for role in range(len(wiring.role_starts) - 1):
            none = choose_moves(
                values,
                wiring.legal,
                wiring.role_starts[role],
                wiring.role_starts[role + 1],
                wiring.first_move,
                chooser,
                width,
            )
            stuck = either(stuck, none)
        stuck = both(stuck, but_not(active, ended))
        if union_of_words(stuck) != ZERO:
            tally.counts[STUCK] += population(stuck)
            ended = either(ended, stuck)
        time += 1
        if time == max_steps:
            time = 0
            overdue = but_not(both(elders, active), ended)
            tally.counts[CUT] += population(overdue)
            ended = either(ended, overdue)
            elders = active
        tally.counts[STEPS] += population(but_not(active, ended))
        if union_of_words(ended) == ZERO:
            evaluate_phase(gates, values, NEXT, width)
            _copy_next(wiring, values, tally.buffer, width)
            continue
        elders = but_not(elders, ended)
        _score(gates, wiring, values, ended, tally, width)
        active = _count_restarts(active, ended, quota, tally, width)
        evaluate_phase(gates, values, NEXT, width)
        _copy_next(wiring, values, tally.buffer, width)
        _restart(wiring, values, starts, count, both(ended, active), tally, width)
    _score_parked(gates, wiring, tally, width)


@native
def _begin(
    wiring: Wiring,
    values: NDArray[np.uint64],
    starts: NDArray[np.uint64],
    count: int,
    quota: int,
    tally: Tally,
    width: Width,
) -> Vector:
    """Start a game in every lane, or in as many as there are games; the lanes that play."""
    left = quota
    for word in range(len(width)):
        here = min(max(left, 0), LANES)
        tally.words[word] = ALL if here == LANES else (ONE << np.uint64(here)) - ONE
        left -= LANES
    active = load(tally.words, ZERO, width)
    for fluent in range(wiring.fluents):
        store(values, np.uint64(1 + fluent) * np.uint64(len(width)), splat(ZERO, width))
    tally.counts[STARTED] = min(quota, LANES * len(width))
    _restart(wiring, values, starts, count, active, tally, width)
    return active


@native
def _restart(
    wiring: Wiring,
    values: NDArray[np.uint64],
    starts: NDArray[np.uint64],
    count: int,
    lanes: Vector,
    tally: Tally,
    width: Width,
) -> None:
    """Put start states into lanes. `counts[STARTED]` has counted them already."""
    words = np.uint64(len(width))
    if len(starts) == 1:
        for fluent in range(wiring.fluents):
            at = np.uint64(1 + fluent) * words
            bit = (starts[0, fluent // LANES] >> np.uint64(fluent % LANES)) & ONE
            kept = but_not(load(values, at, width), lanes)
            store(values, at, either(kept, both(lanes, splat(ZERO - bit, width))))
        return
    following = tally.counts[STARTED] - population(lanes)
    store(tally.words, ZERO, lanes)
    for word in range(len(width)):
        left = tally.words[word]
        while left != ZERO:
            bit = left & (ZERO - left)
            left ^= bit
            origin = following // count
            following += 1
            tally.origins[word * LANES + _place(bit)] = origin
            for fluent in range(wiring.fluents):
                place = (1 + fluent) * len(width) + word
                holds = (starts[origin, fluent // LANES] >> np.uint64(fluent % LANES)) & ONE
                values[place] = (values[place] & ~bit) | (bit & (ZERO - holds))


@native
def _place(bit: np.uint64) -> int:
    """Which bit of a word is set."""
    place = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(place + shift) != ZERO:
            place += shift
    return place


@native
def _count_restarts(
    active: Vector, ended: Vector, quota: int, tally: Tally, width: Width
) -> Vector:
    """Count the games that begin in ended lanes; the lanes that go on playing."""
    words = np.uint64(len(width))
    wanted = population(ended)
    left = quota - tally.counts[STARTED]
    if wanted <= left:
        tally.counts[STARTED] += wanted
        return active
    tally.counts[STARTED] = quota
    store(tally.words, ZERO, ended)
    store(tally.words, words, active)
    for word in range(len(width)):
        lanes = tally.words[word]
        while lanes != ZERO:
            bit = lanes & (ZERO - lanes)
            lanes ^= bit
            if left > 0:
                left -= 1
            else:
                tally.words[np.uint64(word) + words] &= ~bit
    return load(tally.words, words, width)


@native
def _copy_next(
    wiring: Wiring, values: NDArray[np.uint64], buffer: NDArray[np.uint64], width: Width
) -> None:
    """Make the next state the current one. By way of a buffer: a fluent may become another."""
    words = np.uint64(len(width))
    for fluent in range(wiring.fluents):
        value = literal_value(values, np.uint64(wiring.next[fluent]), width)
        store(buffer, np.uint64(fluent) * words, value)
    for fluent in range(wiring.fluents):
        at = np.uint64(fluent) * words
        store(values, at + words, load(buffer, at, width))


@native
def _score(
    gates: Gates,
    wiring: Wiring,
    values: NDArray[np.uint64],
    ended: Vector,
    tally: Tally,
    width: Width,
) -> None:
    """Add the goals of ended lanes, now or, where that is cheaper, later."""
    if wiring.goal_cost <= population(ended) * len(wiring.goal_fluents):
        evaluate_phase(gates, values, GOAL, width)
        _add_goals(wiring, values, ended, tally.origins, tally, width)
        return
    store(tally.words, TWO * np.uint64(len(width)), ended)
    for word in range(len(width)):
        left = tally.words[2 * len(width) + word]
        while left != ZERO:
            bit = left & (ZERO - left)
            left ^= bit
            lane = _place(bit)
            if tally.counts[PARKED] == LANES * len(width):
                _score_parked(gates, wiring, tally, width)
            place = tally.counts[PARKED]
            tally.counts[PARKED] += 1
            tally.parked_origins[place] = tally.origins[word * LANES + lane]
            target, shift = place // LANES, np.uint64(place % LANES)
            for fluent in wiring.goal_fluents:
                row = (1 + fluent) * len(width)
                holds = (values[row + word] >> np.uint64(lane)) & ONE
                tally.parked[row + target] |= holds << shift


@native
def _score_parked(gates: Gates, wiring: Wiring, tally: Tally, width: Width) -> None:
    """Read the goals of all parked states and free their places."""
    left = tally.counts[PARKED]
    if left == 0:
        return
    for word in range(len(width)):
        here = min(max(left - word * LANES, 0), LANES)
        tally.words[word] = ALL if here == LANES else (ONE << np.uint64(here)) - ONE
    lanes = load(tally.words, ZERO, width)
    evaluate_phase(gates, tally.parked, LEGAL, width)
    evaluate_phase(gates, tally.parked, GOAL, width)
    _add_goals(wiring, tally.parked, lanes, tally.parked_origins, tally, width)
    tally.counts[PARKED] = 0
    for fluent in wiring.goal_fluents:
        store(tally.parked, np.uint64(1 + fluent) * np.uint64(len(width)), splat(ZERO, width))


@native
def _add_goals(
    wiring: Wiring,
    values: NDArray[np.uint64],
    lanes: Vector,
    origins: NDArray[np.int64],
    tally: Tally,
    width: Width,
) -> None:
    for goal in range(len(wiring.goals)):
        value = wiring.goal_values[goal]
        role = wiring.goal_roles[goal]
        scored = both(lanes, literal_value(values, np.uint64(wiring.goals[goal]), width))
        if len(tally.goal_sums) == 1:
            tally.goal_sums[0, role] += value * population(scored)
            continue
        store(tally.words, THREE * np.uint64(len(width)), scored)
        for word in range(len(width)):
            left = tally.words[3 * len(width) + word]
            while left != ZERO:
                bit = left & (ZERO - left)
                left ^= bit
                tally.goal_sums[origins[word * LANES + _place(bit)], role] += value
