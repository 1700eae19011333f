"""Three-valued sweeps over the gate array: bounds of gates, and unit propagation.

Each slot has two bits ("rails") in each lane, "can be true" and "can be false". Both are set if the
value is unknown, none if the lane is impossible. `evaluate_rails` computes gates from inputs;
`narrow` only removes possibilities, so that requirements on outputs carry over to inputs.

A gate is a conjunction: it can be true if all inputs can, and false if some input can. If it must
be true, all inputs must. If it must be false and all inputs but one must be true, that one must be
false."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogspiel.core.native import inlined, inner
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
"""The phases in the order of their evaluation: percepts may share gates with goals."""


class Rails(NamedTuple):
    """Addresses of both rails, W words a slot, and of W words for the lanes that are impossible."""

    holds: Address
    fails: Address
    dead: Address


@inner
def evaluate_rails(gates: GateView, rails: Rails, phase: int, width: Width) -> None:
    """Compute the rails of the gates of a phase. Earlier phases must have been evaluated."""
    block, end = phase_blocks(gates, phase)
    while block < end:
        first, last, variable, variables = block_at(gates, block)
        if variable == variables:
            _evaluate_runs(gates, rails, first, last, width)
        else:
            # Least fixpoints of both bounds at once: loops read their variables unnegated, so that
            # the set of what can be true only grows, and that of what can be false only shrinks.
            _begin_loop(gates, rails, variable, variables, width)
            while True:
                _evaluate_runs(gates, rails, first, last, width)
                if not _carry_rails(gates, rails, variable, variables, width):
                    break
        block += ONE


@inner
def _begin_loop(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> None:
    while first < end:
        at = literal_at(gates.loop_slots, first) * np.uint64(len(width))
        store(rails.holds, at, splat(ZERO, width))
        store(rails.fails, at, splat(ALL, width))
        first += ONE


@inner
def _carry_rails(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> bool:
    """Copy sources to loop variables; returns whether any lane changed."""
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
    """First word of the slot that input k reads."""
    at: np.uint64 = literal_at(gates.inputs, k) * np.uint64(len(width))
    return at


@inlined
def _conjunction(
    gates: GateView, rails: Rails, k: np.uint64, turn: np.uint64, end: np.uint64, width: Width
) -> tuple[Vector, Vector]:
    """The rails of a gate with plain inputs from k on and inverted ones from `turn` on."""
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


@inner
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


@inner
def require(rails: Rails, literal: np.uint64, lanes: Vector, width: Width) -> None:
    """Require that a literal holds in some lanes; lanes in which it cannot become dead."""
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
    """Mark the lanes in which a slot can be neither true nor false as dead."""
    dead = load(rails.dead, ZERO, width)
    store(rails.dead, ZERO, dead | ~(holds | fails))


@inlined
def _is_settled(rails: Rails, changed: Vector, width: Width) -> bool:
    """Whether nothing changed in lanes that are still possible."""
    return bool(union_of_words(changed & ~load(rails.dead, ZERO, width)) == ZERO)


@inner
def narrow(gates: GateView, rails: Rails, rounds: int, width: Width) -> None:
    """Propagate requirements backwards and forwards until nothing changes; `rounds` is a limit."""
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


@inner
def _narrow_forward(gates: GateView, rails: Rails, phase: int, width: Width) -> Vector:
    """Remove from gates what their inputs exclude; returns the lanes that changed."""
    changed = splat(ZERO, width)
    block, end = phase_blocks(gates, phase)
    while block < end:
        first, last, variable, variables = block_at(gates, block)
        changed |= _narrow_runs(gates, rails, first, last, width)
        if variable < variables:
            changed |= _join_loop(gates, rails, variable, variables, width)
        block += ONE
    return changed


@inner
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


@inner
def _join_loop(
    gates: GateView, rails: Rails, first: np.uint64, end: np.uint64, width: Width
) -> Vector:
    """Remove from a loop variable and its source, which agree in the end, what either excludes."""
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


@inner
def _narrow_backward(gates: GateView, rails: Rails, phase: int, width: Width) -> Vector:
    """Remove from inputs what their gates exclude, last gates first; returns changed lanes."""
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


@inner
def _narrow_inputs(
    gates: GateView,
    rails: Rails,
    at: np.uint64,
    k: np.uint64,
    holding: np.uint64,
    inverted: np.uint64,
    width: Width,
) -> Vector:
    """Remove from the inputs of a gate what its value excludes; returns the lanes that changed."""
    turn, end = k + holding, k + holding + inverted
    holds, fails = load(rails.holds, at, width), load(rails.fails, at, width)
    true, false = holds & ~fails, fails & ~holds
    if union_of_words(false) != ZERO:
        # If two or more inputs can be false, nothing follows for any of them.
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
