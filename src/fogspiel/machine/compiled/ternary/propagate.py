"""Three-valued propagation on the gate array, for up to 512 candidate moves at once.

Source: the function PlausibleActionInfo of M. D. Richards, Reasoning and decisions in partially
observable games (PhD thesis, Illinois 2012), section 4.3. Departure: rules have any form, since
preconditions and effects follow from the gates of one step by unit propagation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inner, native
from fogspiel.core.terms import PerceptId, RoleId
from fogspiel.machine.compiled.compile.compiled_game import GateNetwork
from fogspiel.machine.compiled.kernel.evaluate import LANES, load_states, store_states
from fogspiel.machine.compiled.kernel.intrinsics import ALL, ONE, ZERO, Width, splat
from fogspiel.machine.compiled.kernel.wiring import (
    LEGAL,
    NEXT,
    GateMemory,
    GateView,
    Wiring,
    pack_memory,
    unpack_memory,
    view_gates,
)
from fogspiel.machine.compiled.ternary.sweeps import PLAY, Rails, evaluate_rails, narrow, require
from fogspiel.machine.protocol import Joints
from fogspiel.machine.three_valued import UNKNOWN_MOVE, Examined, FluentBounds

MOST_ROUNDS = 64  #: Most sweeps back and forth over the gates of a step; any number is sound
ONE_WORD: Width = (0,)
EIGHT_WORDS: Width = (0,) * 8

Words = NDArray[np.uint64]


class TernaryValues(NamedTuple):
    """Bits that can be true and bits that can be false, for slots (W words each) or state rows."""

    holds: Words
    fails: Words


class CompiledTernary:
    """Three-valued reasoning on gates, the `Ternary` of the compiled machine."""

    def __init__(self, network: GateNetwork) -> None:
        self._network = network
        self._gates = view_gates(network.gates)
        self._memories: dict[Width, tuple[GateMemory, Words]] = {}

    def possible_moves(self, before: FluentBounds) -> list[NDArray[np.bool_]]:
        """(moves,) whether each move can be legal in some of the states, for every role."""
        wiring = self._network.wiring
        width = _width(len(before))
        possible = np.zeros(len(wiring.legal), np.bool_)
        legal_rails(self._memory(width), _rows(before), possible, width)
        return np.split(possible, wiring.role_starts[1:-1])

    def effects(self, before: FluentBounds, joints: Joints) -> FluentBounds:
        """Bounds of the fluents after each joint move."""
        width = _width(len(joints))
        after = _room(len(joints), before)
        joints = np.ascontiguousarray(joints, np.int32)
        effect_rails(self._memory(width), _rows(before), joints, after, width)
        return FluentBounds(after.holds, after.fails)

    def examine(
        self,
        before: FluentBounds,
        joints: Joints,
        role: RoleId,
        percepts: Sequence[PerceptId],
        after: FluentBounds,
    ) -> Examined:
        """Joint moves that are plausible between one state before and one state after."""
        literals = self._network.percept_literals[role]
        unseen = np.ones(len(literals), np.uint32)
        unseen[list(percepts)] = 0
        width = _width(len(joints))
        plausible = np.zeros(len(joints), np.bool_)
        earlier, later = _room(len(joints), before), _room(len(joints), before)
        examine_rails(
            self._memory(width),
            _rows(before),
            _rows(after),
            np.ascontiguousarray(joints, np.int32),
            literals ^ unseen,
            plausible,
            earlier,
            later,
            width,
        )
        return Examined(
            plausible=plausible,
            before=FluentBounds(earlier.holds, earlier.fails),
            after=FluentBounds(later.holds, later.fails),
        )

    def _memory(self, width: Width) -> Words:
        """The gates with memory for their values, first those of `holds`, then those of `fails`."""
        if width not in self._memories:
            rails = np.zeros(2 * self._network.slots * len(width), np.uint64)
            memory = GateMemory(self._gates, self._network.wiring, rails)
            self._memories[width] = memory, pack_memory(memory)
        return self._memories[width][1]


def _width(lanes: int) -> Width:
    return ONE_WORD if lanes <= LANES else EIGHT_WORDS


def _rows(bounds: FluentBounds) -> TernaryValues:
    return TernaryValues(
        np.ascontiguousarray(bounds.can_hold), np.ascontiguousarray(bounds.can_fail)
    )


def _room(count: int, like: FluentBounds) -> TernaryValues:
    shape = count, like.can_hold.shape[1]
    return TernaryValues(np.zeros(shape, np.uint64), np.zeros(shape, np.uint64))


@native
def legal_rails(
    memory: Words,
    before: TernaryValues,
    possible: NDArray[np.bool_],
    width: Width,
) -> None:
    """Mark the moves that can be legal in some state."""
    gates, wiring, rails = _unpack(memory)
    words, lanes = len(width), LANES * len(width)
    dead = np.zeros(words, np.uint64)
    for first in range(0, len(before.holds), lanes):
        _load(wiring, rails, before, first, lanes, words)
        evaluate_rails(gates, _addresses(rails, dead), LEGAL, width)
        for move in range(len(wiring.legal)):
            literal = wiring.legal[move]
            rail = rails.fails if literal & np.uint32(1) else rails.holds
            at = np.int64(literal >> 1) * words
            for lane in range(min(lanes, len(before.holds) - first)):
                if (rail[at + lane // LANES] >> np.uint64(lane % LANES)) & ONE:
                    possible[move] = True
                    break


@native
def effect_rails(
    memory: Words,
    before: TernaryValues,
    joints: Joints,
    after: TernaryValues,
    width: Width,
) -> None:
    """Write the bounds of the fluents after each joint move."""
    gates, wiring, rails = _unpack(memory)
    words, lanes = len(width), LANES * len(width)
    dead = np.zeros(words, np.uint64)
    for first in range(0, len(joints), lanes):
        chunk = joints[first : first + lanes]
        _load(wiring, rails, before, first, len(chunk), words)
        _set_moves(wiring, rails, chunk, words)
        for phase in (LEGAL, NEXT):
            evaluate_rails(gates, _addresses(rails, dead), phase, width)
        _store_next(wiring, rails, after, first, len(chunk), words)


@native
def examine_rails(
    memory: Words,
    before: TernaryValues,
    after: TernaryValues,
    joints: Joints,
    percepts: NDArray[np.uint32],
    plausible: NDArray[np.bool_],
    earlier: TernaryValues,
    later: TernaryValues,
    width: Width,
) -> None:
    """Write which joint moves are plausible, and the bounds of fluents before and after each."""
    gates, wiring, rails = _unpack(memory)
    words, lanes = len(width), LANES * len(width)
    dead = np.zeros(words, np.uint64)
    address = _addresses(rails, dead)
    for first in range(0, len(joints), lanes):
        chunk = joints[first : first + lanes]
        last = first + len(chunk)
        _load(wiring, rails, before, first, len(chunk), words)
        _set_moves(wiring, rails, chunk, words)
        for phase in PLAY:
            evaluate_rails(gates, address, phase, width)
        _bury_empty(dead, len(chunk))
        _require_legal(wiring, rails, dead, chunk, words)
        everywhere = splat(ALL, width)
        require(address, np.uint64(wiring.terminal) ^ ONE, everywhere, width)
        for k in range(len(percepts)):
            require(address, np.uint64(percepts[k]), everywhere, width)
        _require_next(wiring, address, after, width)
        narrow(gates, address, MOST_ROUNDS, width)
        for lane in range(len(chunk)):
            bit = (dead[lane // LANES] >> np.uint64(lane % LANES)) & ONE
            plausible[first + lane] = bit == ZERO
        store_states(rails.holds[words:], wiring.fluents, words, earlier.holds[first:last])
        store_states(rails.fails[words:], wiring.fluents, words, earlier.fails[first:last])
        _store_next(wiring, rails, later, first, len(chunk), words)


@inner
def _unpack(memory: Words) -> tuple[GateView, Wiring, TernaryValues]:
    gates, wiring, values = unpack_memory(memory)
    half = len(values) // 2
    return gates, wiring, TernaryValues(values[:half], values[half:])


@inner
def _addresses(rails: TernaryValues, dead: Words) -> Rails:
    return Rails(
        np.uint64(rails.holds.ctypes.data),
        np.uint64(rails.fails.ctypes.data),
        np.uint64(dead.ctypes.data),
    )


@native
def _load(
    wiring: Wiring, rails: TernaryValues, states: TernaryValues, first: int, count: int, words: int
) -> None:
    """Load one state into all lanes, or a state into each."""
    if len(states.holds) == 1:
        for fluent in range(wiring.fluents):
            word, bit = fluent // LANES, ONE << np.uint64(fluent % LANES)
            at = (1 + fluent) * words
            rails.holds[at : at + words] = ALL if states.holds[0, word] & bit else ZERO
            rails.fails[at : at + words] = ALL if states.fails[0, word] & bit else ZERO
    else:
        load_states(rails.holds, wiring.fluents, words, states.holds[first : first + count])
        load_states(rails.fails, wiring.fluents, words, states.fails[first : first + count])
    rails.holds[:words] = ALL
    rails.fails[:words] = ZERO


@inner
def _set_moves(wiring: Wiring, rails: TernaryValues, joints: Joints, words: int) -> None:
    """Set joint move i in lane i."""
    first = wiring.first_move * words
    last = first + wiring.role_starts[-1] * words
    rails.holds[first:last] = ZERO
    rails.fails[first:last] = ALL
    for lane in range(len(joints)):
        bit = ONE << np.uint64(lane % LANES)
        for role in range(joints.shape[1]):
            begin, end = wiring.role_starts[role], wiring.role_starts[role + 1]
            move = joints[lane, role]
            if move == UNKNOWN_MOVE:
                for k in range(begin, end):
                    rails.holds[(wiring.first_move + k) * words + lane // LANES] |= bit
                continue
            at = (wiring.first_move + begin + move) * words + lane // LANES
            rails.holds[at] |= bit
            rails.fails[at] &= ~bit


@inner
def _require_legal(
    wiring: Wiring, rails: TernaryValues, dead: Words, joints: Joints, words: int
) -> None:
    """Require that the moves of each lane are legal in it."""
    for lane in range(len(joints)):
        bit = ONE << np.uint64(lane % LANES)
        for role in range(joints.shape[1]):
            if joints[lane, role] == UNKNOWN_MOVE:
                continue
            literal = wiring.legal[wiring.role_starts[role] + joints[lane, role]]
            at = np.int64(literal >> 1) * words + lane // LANES
            if literal & np.uint32(1):
                rails.holds[at] &= ~bit
            else:
                rails.fails[at] &= ~bit
            if not (rails.holds[at] | rails.fails[at]) & bit:
                dead[lane // LANES] |= bit


@inner
def _require_next(wiring: Wiring, rails: Rails, after: TernaryValues, width: Width) -> None:
    """Require in all lanes what is known of the state after the step."""
    everywhere = splat(ALL, width)
    for fluent in range(wiring.fluents):
        word, bit = fluent // LANES, ONE << np.uint64(fluent % LANES)
        literal = np.uint64(wiring.next[fluent])
        if not after.holds[0, word] & bit:
            require(rails, literal ^ ONE, everywhere, width)
        if not after.fails[0, word] & bit:
            require(rails, literal, everywhere, width)


@inner
def _bury_empty(dead: Words, count: int) -> None:
    """Mark the lanes beyond the candidates as dead."""
    for word in range(len(dead)):
        here = min(max(count - word * LANES, 0), LANES)
        dead[word] = ZERO if here == LANES else ALL << np.uint64(here)


@native
def _store_next(
    wiring: Wiring, rails: TernaryValues, after: TernaryValues, first: int, count: int, words: int
) -> None:
    """Write the bounds of every fluent after the step."""
    rows = np.empty((wiring.fluents + 1) * words, np.uint64)
    for side in range(2):
        for fluent in range(wiring.fluents):
            literal = wiring.next[fluent]
            straight = np.int64(literal & np.uint32(1)) == side
            rail = rails.holds if straight else rails.fails
            at = np.int64(literal >> 1) * words
            for k in range(words):
                rows[fluent * words + k] = rail[at + k]
        out = after.fails if side else after.holds
        store_states(rows, wiring.fluents, words, out[first : first + count])
