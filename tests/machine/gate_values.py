"""Gates evaluated by plain recursion, with which tests of their construction compare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from fogspiel.machine.compiled.compile.gates import GateStore, make_pool

FLUENTS = 3
MOVE_COUNTS = [4, 3]
SOURCES = 1 + FLUENTS + sum(MOVE_COUNTS)
FIRST_MOVE = 1 + FLUENTS


def small_pool() -> GateStore:
    """A pool over three fluents and two roles with four and three moves."""
    return make_pool(FLUENTS, MOVE_COUNTS, rules=200, literals=1_000, atoms=200)


def value(pool: GateStore, literal: int, sources: Sequence[bool]) -> bool:
    """The truth of a literal, given that of every source (the constant first)."""
    node = literal >> 1
    if node < SOURCES:
        held = sources[node]
    else:
        inputs = pool.inputs[pool.starts[node] : pool.starts[node + 1]]
        held = all(value(pool, int(below), sources) for below in inputs)
    return held != bool(literal & 1)


def all_assignments() -> list[tuple[bool, ...]]:
    """All truth assignments of the sources, whatever the number of moves that a role makes."""
    return [(True, *rest) for rest in product([False, True], repeat=SOURCES - 1)]


def played_assignments() -> list[tuple[bool, ...]]:
    """All truth assignments in which every role makes exactly one move."""
    found = []
    for fluents in product([False, True], repeat=FLUENTS):
        for first, second in product(range(MOVE_COUNTS[0]), range(MOVE_COUNTS[1])):
            moves = [i == first for i in range(MOVE_COUNTS[0])]
            moves += [i == second for i in range(MOVE_COUNTS[1])]
            found.append((True, *fluents, *moves))
    return found


ALL = all_assignments()
PLAYED = played_assignments()
