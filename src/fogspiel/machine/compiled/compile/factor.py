"""Covers: a disjunction of conjunctions as few gates, by factoring out common literals.

Source: the greedy division by the most frequent literal of Brayton & McMullen (1982), "The
decomposition and factorization of Boolean expressions". Departure: only single literals are
divided out, which is where the rules of games repeat themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native
from fogspiel.machine.compiled.compile.gates import (
    FALSE,
    TERMS,
    TRUE,
    GateStore,
    make_and,
    make_or,
    sort_range,
)

SUBSET_CUBES = 64  #: Most cubes among which those that contain another one are dropped


class Cubes(NamedTuple):
    """The conjunctions of one atom, in buffers large enough for any atom."""

    literals: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    order: NDArray[np.int64]  #: The cubes, in an order that factoring changes
    place: NDArray[np.int64]
    """(literals of the pool,) scratch: place of a literal in the list being counted."""


@native
def add_cube(cubes: Cubes, count: int, end: int) -> int:
    """Make a cube of the literals written after the last one, up to `end`, unless it is always
    false; returns the new number of cubes."""
    start = cubes.ends[count - 1] if count else 0
    literals = cubes.literals
    sort_range(literals, start, end)
    top = start
    for i in range(start, end):
        literal = literals[i]
        if literal == FALSE or (top > start and (literal ^ 1) == literals[top - 1]):
            return count
        if literal != TRUE and (top == start or literal != literals[top - 1]):
            literals[top] = literal
            top += 1
    cubes.starts[count] = start
    cubes.ends[count] = top
    cubes.order[count] = count
    return count + 1


@inlined
def cover(pool: GateStore, cubes: Cubes, count: int, segment: int) -> int:
    """The literal of the disjunction of the first `count` cubes."""
    if count == 0:
        return FALSE
    for i in range(count):
        if cubes.starts[i] == cubes.ends[i]:
            return TRUE
    if count == 1:
        return make_and(pool, cubes.literals, cubes.starts[0], cubes.ends[0], segment)
    if count <= SUBSET_CUBES:
        count = _drop_supersets(cubes, count)
    return _factor(pool, cubes, count, segment)


@inlined
def _drop_supersets(cubes: Cubes, count: int) -> int:
    kept = 0
    for i in range(count):
        redundant = False
        for j in range(count):
            if i != j and _includes(cubes, i, j):
                shorter = cubes.ends[j] - cubes.starts[j] < cubes.ends[i] - cubes.starts[i]
                if shorter or j < i:  # of equal cubes the first stays
                    redundant = True
                    break
        if not redundant:
            cubes.order[kept] = i
            kept += 1
    return kept


@native
def _includes(cubes: Cubes, larger: int, smaller: int) -> bool:
    """Whether every literal of `smaller` is in `larger`; both are sorted."""
    at, end = cubes.starts[larger], cubes.ends[larger]
    start = cubes.starts[smaller]
    if cubes.ends[smaller] - start > end - at:
        return False
    for i in range(start, cubes.ends[smaller]):
        while at < end and cubes.literals[at] < cubes.literals[i]:
            at += 1
        if at == end or cubes.literals[at] != cubes.literals[i]:
            return False
        at += 1
    return True


FIRST, END, BOTTOM, COUNTED, COUNTED_END, LITERAL = range(6)
"""Fields of a stack frame of `_factor`: first cube and end, first term, first and end of its list
of distinct literals, and the literal divided out while the frame above is at work."""
NEW = -1  #: The literal of a frame that has not begun


@native
def _factor(pool: GateStore, cubes: Cubes, count: int, segment: int) -> int:
    """The literal of the cubes, dividing out the most frequent literal while one repeats.

    The recursion is an explicit stack, since Numba does not cache recursive functions.
    """
    literals = np.empty(256, np.int32)
    counts = np.empty(256, np.int64)
    longest = 0
    for i in range(count):
        longest = max(longest, cubes.ends[cubes.order[i]] - cubes.starts[cubes.order[i]])
    frames = np.empty((longest + 2, 6), np.int64)
    frames[0, FIRST], frames[0, END], frames[0, BOTTOM] = 0, count, pool.used[TERMS]
    frames[0, COUNTED], frames[0, LITERAL] = 0, NEW
    depth = 0
    result = NEW
    while depth >= 0:
        frame = frames[depth]
        first, end, counted = frame[FIRST], frame[END], frame[COUNTED]
        if frame[LITERAL] == NEW:
            result = _whole(pool, cubes, first, end, segment)
            if result != NEW:
                depth -= 1
                continue
            total = 0
            for i in range(first, end):
                total += cubes.ends[cubes.order[i]] - cubes.starts[cubes.order[i]]
            if counted + total > len(literals):
                literals = _enlarge(literals, counted, 2 * (counted + total))
                counts = _enlarge(counts, counted, 2 * (counted + total))
            frame[COUNTED_END] = _count_literals(cubes, first, end, literals, counts, counted)
        else:
            top = pool.used[TERMS]
            pool.terms[top] = frame[LITERAL]
            pool.terms[top + 1] = result
            pool.terms[top] = make_and(pool, pool.terms, top, top + 2, segment)
            pool.used[TERMS] = top + 1
            for i in range(counted, frame[COUNTED_END]):  # overwritten by the frame above
                cubes.place[literals[i]] = i
        best = _most_frequent(literals, counts, counted, frame[COUNTED_END])
        if end - first > 1 and counts[best] > 1:
            frame[LITERAL] = literals[best]
            frame[FIRST] = _divide(cubes, first, end, literals[best], counts)
            depth += 1
            frames[depth, FIRST], frames[depth, END] = first, frame[FIRST]
            frames[depth, BOTTOM] = pool.used[TERMS]
            frames[depth, COUNTED], frames[depth, LITERAL] = frame[COUNTED_END], NEW
            continue
        for i in range(first, end):
            _push(pool, _whole(pool, cubes, i, i + 1, segment))
        # The terms stay on the stack while they are joined, because joining needs room above them.
        result = make_or(pool, pool.terms, frame[BOTTOM], pool.used[TERMS], segment)
        pool.used[TERMS] = frame[BOTTOM]
        depth -= 1
    return result


@inlined
def _whole(pool: GateStore, cubes: Cubes, first: int, end: int, segment: int) -> int:
    """The literal of cubes of which one is empty, or of a single cube; otherwise NEW."""
    for i in range(first, end):
        if cubes.starts[cubes.order[i]] == cubes.ends[cubes.order[i]]:
            return TRUE
    if end - first > 1:
        return NEW
    only = cubes.order[first]
    return make_and(pool, cubes.literals, cubes.starts[only], cubes.ends[only], segment)


@native
def _enlarge(array: Any, used: int, size: int) -> Any:
    larger = np.empty(size, array.dtype)
    for i in range(used):
        larger[i] = array[i]
    return larger


@inlined
def _most_frequent(
    literals: NDArray[np.int32], counts: NDArray[np.int64], first: int, end: int
) -> int:
    """The place of the most frequent literal; ties go to the smallest, for repeatable builds."""
    best = first
    for i in range(first + 1, end):
        if counts[i] > counts[best] or (counts[i] == counts[best] and literals[i] < literals[best]):
            best = i
    return best


@inlined
def _push(pool: GateStore, literal: int) -> None:
    pool.terms[pool.used[TERMS]] = literal
    pool.used[TERMS] += 1


@native
def _count_literals(
    cubes: Cubes,
    first: int,
    end: int,
    literals: NDArray[np.int32],
    counts: NDArray[np.int64],
    start: int,
) -> int:
    """List distinct literals of some cubes and their counts from `start` on; returns the end."""
    top = start
    for i in range(first, end):
        cube = cubes.order[i]
        for k in range(cubes.starts[cube], cubes.ends[cube]):
            literal = cubes.literals[k]
            place = cubes.place[literal]
            # `place` is never cleared, so an entry is valid only if the list points back to it.
            if start <= place < top and literals[place] == literal:
                counts[place] += 1
            else:
                cubes.place[literal] = top
                literals[top] = literal
                counts[top] = 1
                top += 1
    return top


@native
def _divide(cubes: Cubes, first: int, end: int, literal: int, counts: NDArray[np.int64]) -> int:
    """Move the cubes with a literal to the front, remove it and uncount them; returns their end."""
    middle = first
    for i in range(first, end):
        cube = cubes.order[i]
        at = -1
        for k in range(cubes.starts[cube], cubes.ends[cube]):
            if cubes.literals[k] == literal:
                at = k
                break
        if at < 0:
            continue
        for k in range(cubes.starts[cube], cubes.ends[cube]):
            counts[cubes.place[cubes.literals[k]]] -= 1
        for k in range(at, cubes.ends[cube] - 1):
            cubes.literals[k] = cubes.literals[k + 1]
        cubes.ends[cube] -= 1
        cubes.order[i] = cubes.order[middle]
        cubes.order[middle] = cube
        middle += 1
    return middle
