"""Random playouts in lanes: a lane whose game has ended starts the next one.

The quota counts playouts that *start*, so that long games are as likely to be counted as short
ones. If goals take many gates, terminal states are parked, and their goals are evaluated once all
places are taken. In turn-based games lanes start only at every second step, so that the same role
is to move in all lanes and the moves of the other need not be counted.

Endless games are given up at the limit on steps. For each of the last steps, up to the limit, it is
kept which lanes started there. Once in that many steps, those that have started again since are
taken out, so that a lane is left with its last start; when that many steps have passed, it is due.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inner, native
from fogspiel.machine.compiled.kernel.evaluate import LANES, evaluate_phase, literal_value
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Vector,
    Width,
    address_of,
    addresses_of,
    aligned_words,
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
from fogspiel.machine.compiled.kernel.wiring import (
    LEGAL,
    NEXT,
    GateView,
    Wiring,
    WiringView,
    view_wiring,
)
from fogspiel.machine.compiled.run.choose import Chooser, choose_moves, make_chooser, seed_generator
from fogspiel.machine.compiled.run.score import (
    CUT,
    STARTED,
    STEPS,
    STUCK,
    PlayoutTally,
    add_to,
    bit_place,
    score,
    score_parked,
)

MAX_SLOTS = 1 << 14
"""Steps for which starts are kept apart. With a larger limit a slot holds the starts of several
steps, and games may be given up that many steps early."""


class PlayoutStarts(NamedTuple):
    """Start states of playouts, packed, and the number of games from each."""

    address: Address
    states: int
    words: int
    games: int


class PlayoutLimit(NamedTuple):
    """The limit on the steps of a playout, as a number of slots with equal numbers of steps."""

    begun: Address  #: (slots·W,) lanes whose game started in each of the last slots
    slots: int
    stride: int  #: Steps of a slot


class PlayoutRuns:
    """Playouts of one game at one width. Memory is reused from call to call."""

    def __init__(
        self, gates: GateView, wiring: Wiring, values: NDArray[np.uint64], width: Width
    ) -> None:
        """values: (slots·W,) memory for the values of gates."""
        words, self._roles = len(width), len(wiring.role_starts) - 1
        self._gates, self._wiring = gates, view_wiring(wiring)
        self._values, self._width = values, width
        self._chooser, self._generator = make_chooser(self._roles, len(wiring.legal), words)
        lanes, fluents = LANES * words, (wiring.fluents + 1) * words
        self._scratch = aligned_words(5, lanes, len(values), lanes, fluents, 4 * words)
        self._addresses = addresses_of(self._scratch)
        self._begun = aligned_words(words)[0]

    def run(
        self, states: NDArray[np.uint64], games: int, seed: int, max_steps: int, period: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play so many games from each state; returns goal sums and counts, as `PlayoutTally`."""
        goal_sums = np.zeros((len(states), self._roles + 1), np.int64)
        counts = self._scratch[0].view(np.int64)
        counts[:] = 0
        seed_generator(self._generator, seed)
        stride = -(-max_steps // MAX_SLOTS)
        slots = -(-max_steps // stride)
        if len(self._begun) < slots * len(self._width):
            self._begun = aligned_words(slots * len(self._width))[0]
        play(
            self._gates,
            self._wiring,
            address_of(self._values),
            PlayoutStarts(address_of(states), len(states), states.shape[1], games),
            PlayoutLimit(address_of(self._begun), slots, stride),
            period,
            self._chooser,
            PlayoutTally(len(states), address_of(goal_sums), *self._addresses),
            self._width,
        )
        return goal_sums, counts


@native
def play(
    gates: GateView,
    wiring: WiringView,
    values: Address,
    starts: PlayoutStarts,
    limit: PlayoutLimit,
    period: int,
    chooser: Chooser,
    tally: PlayoutTally,
    width: Width,
) -> None:
    """Play all games of `starts`; a game starts only at steps that are multiples of `period`."""
    quota = starts.games * starts.states
    store(values, ZERO, splat(ALL, width))
    store(tally.parked, ZERO, splat(ALL, width))
    active = _begin(wiring, values, starts, quota, tally, width)
    waiting = splat(ZERO, width)  # lanes in which a new game is to start
    begun = active  # lanes in which a game starts at this step
    elders = splat(ZERO, width)  # lanes whose game started before slots were last gone through
    slot, since_slot = 0, 0
    since_begin = 0
    while union_of_words(active | waiting) != ZERO:
        evaluate_phase(gates, values, LEGAL, width)
        ended = literal_value(values, wiring.terminal, width) & active
        stuck = choose_moves(values, wiring, chooser, width) & active & ~ended
        if union_of_words(stuck) != ZERO:
            add_to(tally.counts, STUCK, population(stuck))
            ended |= stuck
        at = np.uint64(slot * len(width))
        if since_slot == 0:
            if slot == limit.slots:
                slot, at = 0, ZERO
                elders = active & ~begun
                _keep_last_starts(limit, elders, width)
            overdue = load(limit.begun, at, width) & elders & ~ended
            add_to(tally.counts, CUT, population(overdue))
            ended |= overdue
            store(limit.begun, at, begun)
        else:
            store(limit.begun, at, load(limit.begun, at, width) | begun)
        begun = splat(ZERO, width)
        since_slot += 1
        if since_slot == limit.stride:
            slot, since_slot = slot + 1, 0
        if union_of_words(ended) != ZERO:
            elders &= ~ended
            score(gates, wiring, values, ended, tally, width)
            active &= ~ended
            waiting |= ended
        add_to(tally.counts, STEPS, population(active))
        evaluate_phase(gates, values, NEXT, width)
        _copy_next(wiring, values, tally.buffer, width)
        since_begin += 1
        if since_begin >= period and union_of_words(waiting) != ZERO:
            beginning = _take_quota(waiting, quota, tally, width)
            _restart(wiring, values, starts, beginning, tally, width)
            active |= beginning
            begun = beginning
            waiting = splat(ZERO, width)
        if since_begin >= period:
            since_begin = 0
    score_parked(gates, wiring, tally, width)


@inner
def _begin(
    wiring: WiringView,
    values: Address,
    starts: PlayoutStarts,
    quota: int,
    tally: PlayoutTally,
    width: Width,
) -> Vector:
    """Start a game in every lane, or in as many as there are games; returns these lanes."""
    fluent = ONE
    while fluent <= np.uint64(wiring.fluents):
        store(values, fluent * np.uint64(len(width)), splat(ZERO, width))
        fluent += ONE
    active = _take_quota(splat(ALL, width), quota, tally, width)
    _restart(wiring, values, starts, active, tally, width)
    return active


@inner
def _keep_last_starts(limit: PlayoutLimit, elders: Vector, width: Width) -> None:
    """Leave each of some lanes in the slot in which it started last, and no others in any."""
    left = elders
    slot = limit.slots
    while slot > 0:
        slot -= 1
        at = np.uint64(slot * len(width))
        last = load(limit.begun, at, width) & left
        store(limit.begun, at, last)
        left &= ~last


@inner
def _take_quota(lanes: Vector, quota: int, tally: PlayoutTally, width: Width) -> Vector:
    """Count the games that start in some lanes; returns the lanes, fewer if too few are left."""
    wanted = population(lanes)
    left = quota - number_at(tally.counts, np.uint64(STARTED))
    if wanted <= left:
        add_to(tally.counts, STARTED, wanted)
        return lanes
    add_to(tally.counts, STARTED, left)
    store(tally.words, ZERO, lanes)
    for word in range(len(width)):
        kept = ZERO
        candidates = word_at(tally.words, np.uint64(word))
        while candidates != ZERO and left > 0:
            bit = candidates & (ZERO - candidates)
            candidates ^= bit
            kept |= bit
            left -= 1
        put_word(tally.words, np.uint64(word), kept)
    return load(tally.words, ZERO, width)


@inner
def _restart(
    wiring: WiringView,
    values: Address,
    starts: PlayoutStarts,
    lanes: Vector,
    tally: PlayoutTally,
    width: Width,
) -> None:
    """Load start states into lanes whose games have been counted as started."""
    words = np.uint64(len(width))
    if starts.states == 1:
        fluent = ZERO
        while fluent < np.uint64(wiring.fluents):
            at = (fluent + ONE) * words
            bit = (
                word_at(starts.address, fluent >> np.uint64(6)) >> (fluent & np.uint64(63))
            ) & ONE
            kept = load(values, at, width) & ~lanes
            store(values, at, kept | (lanes & splat(ZERO - bit, width)))
            fluent += ONE
        return
    following = number_at(tally.counts, np.uint64(STARTED)) - population(lanes)
    store(tally.words, ZERO, lanes)
    for word in range(len(width)):
        left = word_at(tally.words, np.uint64(word))
        while left != ZERO:
            bit = left & (ZERO - left)
            left ^= bit
            origin = following // starts.games
            following += 1
            put_number(tally.origins, np.uint64(word * LANES + bit_place(bit)), origin)
            state = np.uint64(origin * starts.words)
            fluent = ZERO
            while fluent < np.uint64(wiring.fluents):
                at = (fluent + ONE) * words + np.uint64(word)
                packed = word_at(starts.address, state + (fluent >> np.uint64(6)))
                holds = (packed >> (fluent & np.uint64(63))) & ONE
                put_word(values, at, (word_at(values, at) & ~bit) | (bit & (ZERO - holds)))
                fluent += ONE


@inner
def _copy_next(wiring: WiringView, values: Address, buffer: Address, width: Width) -> None:
    """Copy the next state to the current one, through a buffer since fluents may swap values."""
    words = np.uint64(len(width))
    end = np.uint64(wiring.fluents)
    fluent = ZERO
    while fluent < end:
        value = literal_value(values, literal_at(wiring.next, fluent), width)
        store(buffer, fluent * words, value)
        fluent += ONE
    at = ZERO
    while at < end * words:
        store(values, at + words, load(buffer, at, width))
        at += words
