"""Evaluating a phase of the gate array: an interpreter compiled once, for every game.

`values` holds W words a slot; bit i of them is lane i. Indices are unsigned throughout: Numba
would otherwise test each for being negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native
from fogspiel.machine.compiled.schedule import Gates
from fogspiel.machine.compiled.vectors import (
    ALL,
    ONE,
    ZERO,
    Vector,
    Width,
    both,
    differ,
    either,
    load,
    splat,
    store,
    union_of_words,
)

TWO = np.uint64(2)
THREE = np.uint64(3)


@inlined
def literal_value(values: NDArray[np.uint64], literal: np.uint64, width: Width) -> Vector:
    """The lanes in which a literal holds."""
    words = load(values, (literal >> ONE) * np.uint64(len(width)), width)
    return differ(words, splat(ZERO - (literal & ONE), width))


@native
def evaluate_phase(gates: Gates, values: NDArray[np.uint64], phase: int, width: Width) -> None:
    """Give every gate of a phase its value. Earlier phases must have been evaluated."""
    for block in range(gates.phases[phase], gates.phases[phase + 1]):
        first, end = gates.blocks[block, 0], gates.blocks[block, 1]
        first_variable, end_variable = gates.blocks[block, 2], gates.blocks[block, 3]
        if first_variable == end_variable:
            _run_gates(gates, values, first, end, width)
            continue
        for i in range(first_variable, end_variable):
            store(
                values, np.uint64(gates.loop_slots[i]) * np.uint64(len(width)), splat(ZERO, width)
            )
        while True:
            _run_gates(gates, values, first, end, width)
            if not _carry_back(gates, values, first_variable, end_variable, width):
                break


@native
def _carry_back(
    gates: Gates, values: NDArray[np.uint64], first: int, end: int, width: Width
) -> bool:
    """Copy sources to loop variables; whether any lane changed."""
    changed = splat(ZERO, width)
    for i in range(first, end):
        at = np.uint64(gates.loop_slots[i]) * np.uint64(len(width))
        value = literal_value(values, np.uint64(gates.loop_sources[i]), width)
        changed = either(changed, differ(value, load(values, at, width)))
        store(values, at, value)
    return bool(union_of_words(changed) != ZERO)


@native
def _run_gates(
    gates: Gates, values: NDArray[np.uint64], first: int, end: int, width: Width
) -> None:
    words = np.uint64(len(width))
    inputs = gates.inputs
    for run in range(first, end):
        at = np.uint64(gates.runs[run, 0]) * words
        stop = np.uint64(gates.runs[run, 1]) * words
        arity = np.uint64(gates.runs[run, 2])
        k = np.uint64(gates.runs[run, 3])
        if arity == TWO:
            while at < stop:
                x = literal_value(values, np.uint64(inputs[k]), width)
                y = literal_value(values, np.uint64(inputs[k + ONE]), width)
                store(values, at, both(x, y))
                k += TWO
                at += words
        elif arity == THREE:
            while at < stop:
                x = literal_value(values, np.uint64(inputs[k]), width)
                y = literal_value(values, np.uint64(inputs[k + ONE]), width)
                z = literal_value(values, np.uint64(inputs[k + TWO]), width)
                store(values, at, both(both(x, y), z))
                k += THREE
                at += words
        else:
            while at < stop:
                x = splat(ALL, width)
                last = k + arity
                while k < last:
                    x = both(x, literal_value(values, np.uint64(inputs[k]), width))
                    k += ONE
                store(values, at, x)
                at += words
