"""Sweeps over the gate array in three values: two rails a slot, "can be true" and "can be false".

Both rails set: unknown. None: a conflict, the lane is impossible. `evaluate_rails` gives every gate
its value from its inputs; `narrow_forward` and `narrow_backward` only ever take possibilities away,
so that what is required of outputs becomes known of inputs (unit propagation).

A gate is a conjunction. It can be true if all inputs can, and false if some input can. If it must
be true, all inputs must; if it must be false and all inputs but one must be true, that one must be
false.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogspiel.core.native import inlined, native
from fogspiel.machine.compiled.kernel.evaluate import block_at, phase_blocks, run_at
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
)
from fogspiel.machine.compiled.kernel.wiring import GOAL, LEGAL, NEXT, SEES, GateView

PLAY = (LEGAL, NEXT, GOAL, SEES)
"""The phases in the order they run: percepts may share gates with goals."""


class Rails(NamedTuple):
    """Addresses of W words a slot each, and of W words for the lanes that are impossible."""

    holds: Address
    fails: Address
    dead: Address


@native
def evaluate_rails(gates: GateView, rails: Rails, phase: int, width: Width) -> None:
    """Give every gate of a phase what its inputs allow. Earlier phases must have been evaluated."""
    block, end = phase_blocks(gates, phase)
    while block < end:
        first, last, variable, variables = block_at(gates, block)
        if variable == variables:
            _evaluate_runs(gates, rails, first, last, width)
        else:
            # Least fixpoints of both bounds at once: loops read their variables unnegated, so
            # that what can be true only grows and what can be false only shrinks.
            _begin_loop(gates, rails, variable, variables, width)
            while True:
                _evaluate_runs(gates, rails, first, last, width)
                if not _carry_rails(gates, rails, variable, variables, width):
                    break
        block += ONE


@native
def _begin_loop(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> None:
    while first < end:
        at = literal_at(gates.loop_slots, first) * np.uint64(len(width))
        store(rails.holds, at, splat(ZERO, width))
        store(rails.fails, at, splat(ALL, width))
        first += ONE


@native
def _carry_rails(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> bool:
    """Copy sources to loop variables; whether any lane changed."""
    words = np.uint64(len(width))
    changed = splat(ZERO, width)
    while first < end:
        at = literal_at(gates.loop_slots, first) * words
        literal = literal_at(gates.loop_sources, first)
        holds = load(rails.holds, (literal >> ONE) * words, width)
        fails = load(rails.fails, (literal >> ONE) * words, width)
        if literal & ONE:
            holds, fails = fails, holds
        changed |= holds ^ load(rails.holds, at, width)
        changed |= fails ^ load(rails.fails, at, width)
        store(rails.holds, at, holds)
        store(rails.fails, at, fails)
        first += ONE
    return bool(union_of_words(changed) != ZERO)


@inlined
def _input_at(gates: GateView, k: np.uint64, width: Width) -> np.uint64:
    """Where the slot that input k reads begins."""
    at: np.uint64 = literal_at(gates.inputs, k) * np.uint64(len(width))
    return at


@inlined
def _conjunction(
    gates: GateView, rails: Rails, k: np.uint64, turn: np.uint64, end: np.uint64, width: Width
) -> tuple[Vector, Vector]:
    """The rails of a gate by its inputs: from k on plain ones, from `turn` on inverted ones."""
    holds, fails = splat(ALL, width), splat(ZERO, width)
    while k < turn:
        slot = _input_at(gates, k, width)
        holds &= load(rails.holds, slot, width)
        fails |= load(rails.fails, slot, width)
        k += ONE
    while k < end:
        slot = _input_at(gates, k, width)
        holds &= load(rails.fails, slot, width)
        fails |= load(rails.holds, slot, width)
        k += ONE
    return holds, fails


@native
def _evaluate_runs(
    gates: GateView, rails: Rails, run: np.uint64, last: np.uint64, width: Width
) -> None:
    words = np.uint64(len(width))
    while run < last:
        at, stop, holding, inverted, k = run_at(gates, run, words)
        run += ONE
        while at < stop:
            end = k + holding + inverted
            holds, fails = _conjunction(gates, rails, k, k + holding, end, width)
            store(rails.holds, at, holds)
            store(rails.fails, at, fails)
            at += words
            k = end


@native
def require(rails: Rails, literal: np.uint64, lanes: Vector, width: Width) -> None:
    """Let a literal hold in some lanes; those in which it cannot are dead."""
    at = (literal >> ONE) * np.uint64(len(width))
    holds, fails = load(rails.holds, at, width), load(rails.fails, at, width)
    if literal & ONE:
        holds &= ~lanes
        store(rails.holds, at, holds)
    else:
        fails &= ~lanes
        store(rails.fails, at, fails)
    _bury(rails, holds, fails, width)


@inlined
def _bury(rails: Rails, holds: Vector, fails: Vector, width: Width) -> None:
    """Lanes in which a slot can be neither true nor false are dead."""
    dead = load(rails.dead, ZERO, width)
    store(rails.dead, ZERO, dead | ~(holds | fails))


@inlined
def _is_settled(rails: Rails, changed: Vector, width: Width) -> bool:
    """Whether nothing changed in lanes that are still possible."""
    return bool(union_of_words(changed & ~load(rails.dead, ZERO, width)) == ZERO)


@native
def narrow(gates: GateView, rails: Rails, rounds: int, width: Width) -> None:
    """Carry what is required backwards and forwards until nothing changes, or so many rounds."""
    for _ in range(rounds):
        changed = splat(ZERO, width)
        for phase in (SEES, GOAL, NEXT, LEGAL):
            changed |= _narrow_backward(gates, rails, phase, width)
        if _is_settled(rails, changed, width):
            break
        changed = splat(ZERO, width)
        for phase in PLAY:
            changed |= _narrow_forward(gates, rails, phase, width)
        if _is_settled(rails, changed, width):
            break


@native
def _narrow_forward(gates: GateView, rails: Rails, phase: int, width: Width) -> Vector:
    """Take from gates what their inputs exclude; the lanes that changed."""
    changed = splat(ZERO, width)
    block, end = phase_blocks(gates, phase)
    while block < end:
        first, last, variable, variables = block_at(gates, block)
        changed |= _narrow_runs(gates, rails, first, last, width)
        if variable < variables:
            changed |= _join_loop(gates, rails, variable, variables, width)
        block += ONE
    return changed


@native
def _narrow_runs(
    gates: GateView, rails: Rails, run: np.uint64, last: np.uint64, width: Width
) -> Vector:
    words = np.uint64(len(width))
    changed = splat(ZERO, width)
    sound = splat(ALL, width)
    while run < last:
        at, stop, holding, inverted, k = run_at(gates, run, words)
        run += ONE
        while at < stop:
            end = k + holding + inverted
            held, failed = load(rails.holds, at, width), load(rails.fails, at, width)
            holds, fails = _conjunction(gates, rails, k, k + holding, end, width)
            holds &= held
            fails &= failed
            changed |= (holds ^ held) | (fails ^ failed)
            sound &= holds | fails
            store(rails.holds, at, holds)
            store(rails.fails, at, fails)
            at += words
            k = end
    _bury(rails, sound, sound, width)
    return changed


@native
def _join_loop(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> Vector:
    """A loop variable and its source agree in the end: take from each what the other excludes."""
    words = np.uint64(len(width))
    changed = splat(ZERO, width)
    while first < end:
        at = literal_at(gates.loop_slots, first) * words
        literal = literal_at(gates.loop_sources, first)
        source = (literal >> ONE) * words
        held, failed = load(rails.holds, at, width), load(rails.fails, at, width)
        source_holds = load(rails.holds, source, width)
        source_fails = load(rails.fails, source, width)
        if literal & ONE:
            holds, fails = held & source_fails, failed & source_holds
            store(rails.holds, source, fails)
            store(rails.fails, source, holds)
        else:
            holds, fails = held & source_holds, failed & source_fails
            store(rails.holds, source, holds)
            store(rails.fails, source, fails)
        changed |= (holds ^ held) | (fails ^ failed)
        store(rails.holds, at, holds)
        store(rails.fails, at, fails)
        _bury(rails, holds, fails, width)
        first += ONE
    return changed


@native
def _narrow_backward(gates: GateView, rails: Rails, phase: int, width: Width) -> Vector:
    """Take from inputs what their gates exclude, last gates first; the lanes that changed."""
    changed = splat(ZERO, width)
    words = np.uint64(len(width))
    begin, block = phase_blocks(gates, phase)
    while block > begin:
        block -= ONE
        first, run, variable, variables = block_at(gates, block)
        if variable < variables:
            changed |= _join_loop(gates, rails, variable, variables, width)
        while run > first:
            run -= ONE
            start, at, holding, inverted, k = run_at(gates, run, words)
            k += (at - start) // words * (holding + inverted)
            while at > start:
                at -= words
                k -= holding + inverted
                holds, fails = load(rails.holds, at, width), load(rails.fails, at, width)
                if union_of_words(holds ^ fails) != ZERO:
                    lanes = _narrow_inputs(gates, rails, at, k, holding, inverted, width)
                    changed |= lanes
    return changed


@native
def _narrow_inputs(
    gates: GateView,
    rails: Rails,
    at: np.uint64,
    k: np.uint64,
    holding: np.uint64,
    inverted: np.uint64,
    width: Width,
) -> Vector:
    """What a gate that is known says of its inputs; the lanes that changed."""
    turn, end = k + holding, k + holding + inverted
    holds, fails = load(rails.holds, at, width), load(rails.fails, at, width)
    true, false = holds & ~fails, fails & ~holds
    if union_of_words(false) != ZERO:
        # Where two inputs or more can be false, nothing is known of any.
        some, more = splat(ZERO, width), splat(ZERO, width)
        j = k
        while j < end:
            rail = rails.fails if j < turn else rails.holds
            can_fail = load(rail, _input_at(gates, j, width), width)
            more |= some & can_fail
            some |= can_fail
            j += ONE
        false &= ~more
    changed = splat(ZERO, width)
    sound = splat(ALL, width)
    while k < end:
        positive = k < turn
        slot = _input_at(gates, k, width)
        good = load(rails.holds if positive else rails.fails, slot, width)
        bad = load(rails.fails if positive else rails.holds, slot, width)
        new_good, new_bad = good & ~(false & bad), bad & ~true
        lanes = (good ^ new_good) | (bad ^ new_bad)
        if union_of_words(lanes) != ZERO:
            changed |= lanes
            sound &= new_good | new_bad
            store(rails.holds if positive else rails.fails, slot, new_good)
            store(rails.fails if positive else rails.holds, slot, new_bad)
        k += ONE
    _bury(rails, sound, sound, width)
    return changed
