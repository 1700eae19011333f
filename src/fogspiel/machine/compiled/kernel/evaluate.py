"""Evaluating a phase of the gate array: an interpreter compiled once, for every game.

`values` holds W words a slot; bit i of them is lane i. Indices are unsigned throughout: Numba
would otherwise test each for being negative.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.native import inlined, native
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.kernel.memory import Address, literal_at, word_at
from fogspiel.machine.compiled.kernel.vectors import (
    ALL,
    ONE,
    ZERO,
    Vector,
    Width,
    both,
    but_not,
    differ,
    either,
    inverse,
    load,
    splat,
    store,
    union_of_words,
)

TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
FIVE = np.uint64(5)


@inlined
def literal_value(values: Address, literal: np.uint64, width: Width) -> Vector:
    """The lanes in which a literal holds."""
    words = load(values, (literal >> ONE) * np.uint64(len(width)), width)
    return differ(words, splat(ZERO - (literal & ONE), width))


@native
def evaluate_phase(gates: GateView, values: Address, phase: int, width: Width) -> None:
    """Give every gate of a phase its value. Earlier phases must have been evaluated."""
    block = word_at(gates.phases, np.uint64(phase))
    end = word_at(gates.phases, np.uint64(phase) + ONE)
    while block < end:
        row = FOUR * block
        first, last = word_at(gates.blocks, row), word_at(gates.blocks, row + ONE)
        variable, variables = word_at(gates.blocks, row + TWO), word_at(gates.blocks, row + THREE)
        if variable == variables:
            _run_gates(gates, values, first, last, width)
        else:
            _clear(gates, values, variable, variables, width)
            while True:
                _run_gates(gates, values, first, last, width)
                if not _carry_back(gates, values, variable, variables, width):
                    break
        block += ONE


@native
def _clear(
    gates: GateView, values: Address, first: np.uint64, end: np.uint64, width: Width
) -> None:
    """Begin a least fixpoint: all loop variables false."""
    while first < end:
        slot = literal_at(gates.loop_slots, first)
        store(values, slot * np.uint64(len(width)), splat(ZERO, width))
        first += ONE


@native
def _carry_back(
    gates: GateView, values: Address, first: np.uint64, end: np.uint64, width: Width
) -> bool:
    """Copy sources to loop variables; whether any lane changed."""
    changed = splat(ZERO, width)
    while first < end:
        at = literal_at(gates.loop_slots, first) * np.uint64(len(width))
        value = literal_value(values, literal_at(gates.loop_sources, first), width)
        changed = either(changed, differ(value, load(values, at, width)))
        store(values, at, value)
        first += ONE
    return bool(union_of_words(changed) != ZERO)


@inlined
def _slot(gates: GateView, values: Address, k: np.uint64, width: Width) -> Vector:
    """The lanes of the slot that input k reads."""
    return load(values, literal_at(gates.inputs, k) * np.uint64(len(width)), width)


@native
def _run_gates(
    gates: GateView, values: Address, run: np.uint64, last: np.uint64, width: Width
) -> None:
    """Evaluate runs of gates that are alike; two and three inputs have loops of their own."""
    words = np.uint64(len(width))
    while run < last:
        row = FIVE * run
        at = word_at(gates.runs, row) * words
        stop = word_at(gates.runs, row + ONE) * words
        holding = word_at(gates.runs, row + TWO)
        inverted = word_at(gates.runs, row + THREE)
        k = word_at(gates.runs, row + FOUR)
        run += ONE
        if holding == TWO and inverted == ZERO:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, both(x, y))
                k += TWO
                at += words
        elif holding == ONE and inverted == ONE:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, but_not(x, y))
                k += TWO
                at += words
        elif holding == ZERO and inverted == TWO:
            while at < stop:
                x, y = _slot(gates, values, k, width), _slot(gates, values, k + ONE, width)
                store(values, at, inverse(either(x, y)))
                k += TWO
                at += words
        elif holding + inverted == THREE and holding >= ONE:
            while at < stop:
                x = _slot(gates, values, k, width)
                y = _slot(gates, values, k + ONE, width)
                z = _slot(gates, values, k + TWO, width)
                if inverted == ZERO:
                    x = both(both(x, y), z)
                elif inverted == ONE:
                    x = but_not(both(x, y), z)
                else:
                    x = but_not(but_not(x, y), z)
                store(values, at, x)
                k += THREE
                at += words
        else:
            while at < stop:
                x = splat(ALL, width)
                turn = k + holding
                end = turn + inverted
                while k < turn:
                    x = both(x, _slot(gates, values, k, width))
                    k += ONE
                while k < end:
                    x = but_not(x, _slot(gates, values, k, width))
                    k += ONE
                store(values, at, x)
                at += words
