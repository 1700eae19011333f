"""Consistent children: successors of some states that fit one role's move and percepts.

Each lane holds a state, and one joint move at a time is made in all lanes. A state is therefore
loaded only once, whatever the number of its moves, and only consistent children are stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inner, native
from fogspiel.machine.compiled.kernel.evaluate import (
    LANES,
    evaluate_phase,
    literal_value,
    load_states,
    set_moves,
    transpose,
)
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Vector,
    Width,
    load,
    splat,
    store,
    union_of_words,
    word_at,
)
from fogspiel.machine.compiled.kernel.wiring import (
    GOAL,
    LEGAL,
    NEXT,
    SEES,
    GateView,
    Wiring,
    unpack_memory,
)
from fogspiel.machine.compiled.run.batch import read_next
from fogspiel.machine.compiled.run.score import bit_place

FEW = 4  #: Most children of a joint move that are stored bit by bit instead of transposed


class PackedObservation(NamedTuple):
    """Observation of a role in one step, as moves to try and literals that must hold."""

    role: int
    tried: NDArray[np.bool_]
    """(moves of all roles,) whether a move is tried; for the role itself only the move it made."""
    percepts: NDArray[np.uint32]
    """Literals of all percepts of the role; all of them hold in a consistent child."""


class Scratch(NamedTuple):
    """Scratch space for a chunk of states, besides the values of gates."""

    masks: NDArray[np.uint64]
    """((roles + 1)·W,) lanes in which the moves of all roles before each role are legal."""
    chosen: NDArray[np.int64]  #: (roles,) the joint move that is being made
    rows: NDArray[np.uint64]  #: (fluents·W,) next states
    totals: NDArray[np.float64]
    """(roles, lanes) number of legal moves of a role, or the sum of their weights."""
    block: NDArray[np.uint64]  #: (LANES,) a word of each child
    taken: NDArray[np.int64]  #: (LANES,) the lanes that are taken out


class Children(NamedTuple):
    """Memory for the children that are found."""

    parents: NDArray[np.int64]
    joints: NDArray[np.int32]
    states: NDArray[np.uint64]
    shares: NDArray[np.float64]


@native
def find_consistent(
    memory: NDArray[np.uint64],
    states: NDArray[np.uint64],
    observation: PackedObservation,
    children: Children,
    width: Width,
) -> tuple[int, int]:
    """Find the children of as many states as there is room for; returns states done and children.

    A chunk of states for whose children there is no room is left for the next call.
    """
    gates, wiring, values = unpack_memory(memory)
    lanes = LANES * len(width)
    address = np.uint64(values.ctypes.data)
    roles = len(wiring.role_starts) - 1
    observation = PackedObservation(
        observation.role, still_tried(wiring, observation), observation.percepts
    )
    rows = np.empty((wiring.fluents + 1) * len(width), np.uint64)
    masks = np.empty((roles + 1) * len(width), np.uint64)
    chosen = np.zeros(roles, np.int64)
    totals = np.empty((roles, lanes), np.float64)
    block, taken = np.empty(LANES, np.uint64), np.empty(LANES, np.int64)
    found = 0
    for first in range(0, len(states), lanes):
        chunk = states[first : first + lanes]
        load_states(values, wiring.fluents, len(width), chunk)
        set_moves(values, wiring, len(width), children.joints[:0])
        evaluate_phase(gates, address, LEGAL, width)
        evaluate_phase(gates, address, GOAL, width)  # percepts may share its gates
        _mask_chunk(wiring, address, masks, len(chunk), width)
        _count_moves(wiring, values, observation, totals, len(width))
        scratch = Scratch(masks, chosen, rows, totals, block, taken)
        more = _try_moves(
            gates, wiring, address, observation, scratch, children, first, found, width
        )
        if more < 0:
            return first, found
        found = more
    return len(states), found


@native
def still_tried(wiring: Wiring, observation: PackedObservation) -> NDArray[np.bool_]:
    """(moves,) whether a move is tried and no percept excludes it. Percepts can be moves, and all
    of them are where the rules have no `sees`."""
    tried = observation.tried.copy()
    moves = wiring.role_starts[-1]
    for k in range(len(observation.percepts)):
        move = np.int64(observation.percepts[k] >> np.uint32(1)) - wiring.first_move
        if not 0 <= move < moves:
            continue
        if observation.percepts[k] & np.uint32(1):
            tried[move] = False
            continue
        role = 0
        while wiring.role_starts[role + 1] <= move:
            role += 1
        for other in range(wiring.role_starts[role], wiring.role_starts[role + 1]):
            tried[other] &= other == move
    return tried


@inner
def _mask_chunk(
    wiring: Wiring, values: Address, masks: NDArray[np.uint64], count: int, width: Width
) -> None:
    """Write the lanes that hold a nonterminal state as the mask before the first role."""
    for word in range(len(width)):
        here = min(max(count - word * LANES, 0), LANES)
        masks[word] = ALL if here == LANES else (ONE << np.uint64(here)) - ONE
    address = np.uint64(masks.ctypes.data)
    over = literal_value(values, np.uint64(wiring.terminal), width)
    store(address, ZERO, load(address, ZERO, width) & ~over)


@inner
def _count_moves(
    wiring: Wiring,
    values: NDArray[np.uint64],
    observation: PackedObservation,
    totals: NDArray[np.float64],
    words: int,
) -> None:
    """Count the legal moves of every other role in each lane, or sum the weights of chance."""
    for place in range(totals.size):
        totals.flat[place] = 0.0
    for role in range(len(wiring.role_starts) - 1):
        if role == observation.role:
            continue
        if role == wiring.weighted_role:
            for entry in range(len(wiring.weights)):
                amount = float(wiring.weight_values[entry])
                _add_where(values, wiring.weights[entry], amount, totals[role], words)
            continue
        for move in range(wiring.role_starts[role], wiring.role_starts[role + 1]):
            _add_where(values, wiring.legal[move], 1.0, totals[role], words)


@inner
def _add_where(
    values: NDArray[np.uint64],
    literal: np.uint32,
    amount: float,
    totals: NDArray[np.float64],
    words: int,
) -> None:
    """Add an amount to the totals of lanes in which a literal holds."""
    flip = ALL if literal & np.uint32(1) else ZERO
    for column in range(words):
        left = values[np.int64(literal >> 1) * words + column] ^ flip
        while left != ZERO:
            bit = left & (ZERO - left)
            left ^= bit
            totals[column * LANES + bit_place(bit)] += amount


@inner
def _share(
    wiring: Wiring,
    values: Address,
    observation: PackedObservation,
    scratch: Scratch,
    lane: int,
    words: int,
) -> float:
    """Probability of the joint move in a lane: other roles play uniformly, chance by weight."""
    share = 1.0
    for role in range(len(scratch.chosen)):
        if role == observation.role:
            continue
        held = 1.0
        if role == wiring.weighted_role:
            held = 0.0
            move = wiring.role_starts[role] + scratch.chosen[role]
            for entry in range(len(wiring.weights)):
                if wiring.weight_moves[entry] == move:
                    literal = np.uint64(wiring.weights[entry])
                    at = (literal >> ONE) * np.uint64(words) + np.uint64(lane // LANES)
                    bit = (word_at(values, at) >> np.uint64(lane % LANES)) & ONE
                    if bit != literal & ONE:
                        held += wiring.weight_values[entry]
        share *= held / scratch.totals[role, lane]
    return share


@inner
def _try_moves(
    gates: GateView,
    wiring: Wiring,
    values: Address,
    observation: PackedObservation,
    scratch: Scratch,
    children: Children,
    first: int,
    found: int,
    width: Width,
) -> int:
    """Try all joint moves legal in some lane, depth first; returns the children so far, or -1."""
    roles = len(wiring.role_starts) - 1
    words = np.uint64(len(width))
    ones = splat(ALL, width)
    zeros = splat(ZERO, width)
    chosen, masks, rows = scratch.chosen, scratch.masks, scratch.rows
    mask_address = np.uint64(masks.ctypes.data)
    for role in range(roles):
        chosen[role] = -1
    role = 0
    while role >= 0:
        # Undo the last move of this role and find its next one.
        begin, end = wiring.role_starts[role], wiring.role_starts[role + 1]
        move = chosen[role]
        if move >= 0:
            store(values, np.uint64(wiring.first_move + begin + move) * words, zeros)
        before = load(mask_address, np.uint64(role) * words, width)
        after = zeros
        move += 1
        while move < end - begin:
            if observation.tried[begin + move]:
                legal = literal_value(values, np.uint64(wiring.legal[begin + move]), width)
                after = before & legal
                if union_of_words(after) != ZERO:
                    break
            move += 1
        if move == end - begin:
            chosen[role] = -1
            role -= 1
            continue
        chosen[role] = move
        store(values, np.uint64(wiring.first_move + begin + move) * words, ones)
        store(mask_address, np.uint64(role + 1) * words, after)
        role += 1
        if role == roles:
            fitting = _fitting(gates, values, observation, after, width)
            if union_of_words(fitting) != ZERO:
                store(mask_address, np.uint64(roles) * words, fitting)
                read_next(wiring, values, np.uint64(rows.ctypes.data), width)
                fits = masks[roles * len(width) :]
                before_these = found
                found = _take_out(wiring, fits, scratch, children, first, found, len(width))
                for child in range(before_these, found):
                    lane = children.parents[child] - first
                    children.shares[child] = _share(
                        wiring, values, observation, scratch, lane, len(width)
                    )
                if found < 0:
                    return found
            role -= 1
    return found


@inner
def _fitting(
    gates: GateView, values: Address, observation: PackedObservation, lanes: Vector, width: Width
) -> Vector:
    """The lanes in which the role has exactly the observed percepts."""
    evaluate_phase(gates, values, NEXT, width)
    evaluate_phase(gates, values, SEES, width)
    for k in range(len(observation.percepts)):
        lanes &= literal_value(values, np.uint64(observation.percepts[k]), width)
        if union_of_words(lanes) == ZERO:
            break
    return lanes


@inner
def _take_out(
    wiring: Wiring,
    fitting: NDArray[np.uint64],
    scratch: Scratch,
    children: Children,
    first: int,
    found: int,
    words: int,
) -> int:
    """Append the successors of some lanes; returns the children so far, or -1 without room."""
    chosen, rows = scratch.chosen, scratch.rows
    block, lanes = scratch.block, scratch.taken
    for column in range(words):
        count = 0
        for lane in range(LANES):
            if (fitting[column] >> np.uint64(lane)) & ONE:
                lanes[count] = lane
                count += 1
        if found + count > len(children.parents):
            return -1
        for i in range(count):
            children.parents[found + i] = first + column * LANES + lanes[i]
            for role in range(len(chosen)):
                children.joints[found + i, role] = chosen[role]
        for word in range((wiring.fluents + LANES - 1) // LANES if count else 0):
            here = min(wiring.fluents - word * LANES, LANES)
            if count <= FEW:
                for i in range(count):
                    packed = ZERO
                    for k in range(here):
                        row = rows[(word * LANES + k) * words + column]
                        packed |= ((row >> np.uint64(lanes[i])) & ONE) << np.uint64(k)
                    children.states[found + i, word] = packed
                continue
            for k in range(LANES):
                block[k] = rows[(word * LANES + k) * words + column] if k < here else ZERO
            transpose(block)
            for i in range(count):
                children.states[found + i, word] = block[lanes[i]]
        found += count
    return found
