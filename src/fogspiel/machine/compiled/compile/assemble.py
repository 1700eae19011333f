"""From ground rules to gates: every atom gets a literal, recursion gets loops.

A component of atoms that depend on each other is the least fixpoint of its rules: its loop
variables start at false, its gates are evaluated in order, and again until no variable changes.
Only the dependencies that run against that order need a variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.compile.components import Definitions
from fogspiel.machine.compiled.compile.factor import Cubes, add_cube, cover
from fogspiel.machine.compiled.compile.gates import FALSE, PLAIN, GateStore, add_source

UNSET = -1


class Loops(NamedTuple):
    """The loop variables: each takes the value of its source until nothing changes."""

    variables: NDArray[np.int32]
    """Positive literals, segment by segment."""
    sources: NDArray[np.int32]
    """Literals."""
    ends: NDArray[np.int64]
    """(segments,) where the variables of each segment end."""


def make_cubes(definitions: Definitions, pool: GateStore) -> Cubes:
    """Buffers that hold the largest definition."""
    first = definitions.first
    spans = definitions.offsets[first[1:]] - definitions.offsets[first[:-1]]
    counts = np.diff(first)
    largest = int(counts.max(initial=0)) + 1
    return Cubes(
        literals=np.empty(int(spans.max(initial=0)) + 1, np.int32),
        starts=np.zeros(largest, np.int64),
        ends=np.zeros(largest, np.int64),
        order=np.zeros(largest, np.int64),
        place=np.zeros(2 * len(pool.segments), np.int64),
    )


@native
def assemble(
    pool: GateStore,
    cubes: Cubes,
    definitions: Definitions,
    atoms: NDArray[np.int32],
    ends: NDArray[np.int64],
    literal_of: NDArray[np.int32],
) -> tuple[Loops, int]:
    """Give every atom its literal in `literal_of` (inputs and constants are set already).

    Returns the loops, and 0 or an atom that depends on its own negation.
    """
    loops = Loops(
        np.empty(len(atoms), np.int32),
        np.empty(len(atoms), np.int32),
        np.empty(len(ends), np.int64),
    )
    segments = variables = start = 0
    local = np.full(len(literal_of), UNSET, np.int32)
    for end in ends:
        members = atoms[start:end]
        start = end
        if len(members) == 1 and not _depends_on_itself(definitions, members[0]):
            atom = members[0]
            if literal_of[atom] == UNSET:
                count = _load_cubes(cubes, definitions, atom, literal_of)
                literal_of[atom] = cover(pool, cubes, count, PLAIN)
            continue
        fault, variables = _assemble_loop(
            pool, cubes, definitions, members, literal_of, local, loops, segments, variables
        )
        if fault:
            return loops, fault
        loops.ends[segments] = variables
        segments += 1
    whole = Loops(
        loops.variables[:variables].copy(), loops.sources[:variables].copy(), loops.ends[:segments]
    )
    return whole, 0


@native
def _depends_on_itself(definitions: Definitions, atom: int) -> bool:
    first, end = definitions.first[atom], definitions.first[atom + 1]
    for k in range(definitions.offsets[first], definitions.offsets[end]):
        if abs(definitions.literals[k]) == atom:
            return True
    return False


@native
def _load_cubes(
    cubes: Cubes, definitions: Definitions, atom: int, literal_of: NDArray[np.int32]
) -> int:
    """The rules of an atom as cubes over gate literals; how many. Undefined atoms are false."""
    count = 0
    for rule in range(definitions.first[atom], definitions.first[atom + 1]):
        top = cubes.ends[count - 1] if count else 0
        for k in range(definitions.offsets[rule], definitions.offsets[rule + 1]):
            literal = definitions.literals[k]
            value = literal_of[abs(literal)]
            if value == UNSET:
                value = FALSE
            cubes.literals[top] = value ^ (1 if literal < 0 else 0)
            top += 1
        count = add_cube(cubes, count, top)
    return count


@native
def _assemble_loop(
    pool: GateStore,
    cubes: Cubes,
    definitions: Definitions,
    members: NDArray[np.int32],
    literal_of: NDArray[np.int32],
    local: NDArray[np.int32],
    loops: Loops,
    segment: int,
    variables: int,
) -> tuple[int, int]:
    """Gates for one recursive component. Returns the fault, if any, and the variables so far."""
    order, fault = _order_from_support(definitions, members, local)
    if fault:
        return fault, variables
    first_variable = variables
    for atom in members:
        literal_of[atom] = FALSE  # stays so where no rule supports it from outside
    # Atoms later in the order are read through loop variables, made where they are needed.
    for i in range(len(order)):
        local[order[i]] = i
    for i in range(len(order)):
        atom = order[i]
        for k in range(
            definitions.offsets[definitions.first[atom]],
            definitions.offsets[definitions.first[atom + 1]],
        ):
            below = abs(definitions.literals[k])
            if local[below] >= i and literal_of[below] == FALSE:
                literal_of[below] = add_source(pool, segment)
                loops.variables[variables] = literal_of[below]
                loops.sources[variables] = below  # an atom for now
                variables += 1
        count = _load_cubes(cubes, definitions, atom, literal_of)
        literal_of[atom] = cover(pool, cubes, count, segment)
    for i in range(first_variable, variables):
        loops.sources[i] = literal_of[loops.sources[i]]
    for atom in order:
        local[atom] = UNSET
    return 0, variables


@native
def _order_from_support(
    definitions: Definitions, members: NDArray[np.int32], local: NDArray[np.int32]
) -> tuple[NDArray[np.int32], int]:
    """Members reached from those with a rule that needs no other member, breadth first.

    `local` is scratch, all UNSET before and after. Returns also a member below a negation, or 0.
    """
    size = len(members)
    for i in range(size):
        local[members[i]] = i
    users_count = np.zeros(size + 1, np.int64)
    supported = np.zeros(size, np.bool_)
    fault = 0
    for i in range(size):
        for rule in range(definitions.first[members[i]], definitions.first[members[i] + 1]):
            inside = False
            for k in range(definitions.offsets[rule], definitions.offsets[rule + 1]):
                below = local[abs(definitions.literals[k])]
                if below != UNSET:
                    inside = True
                    users_count[below + 1] += 1
                    if definitions.literals[k] < 0:
                        fault = members[i]
            if not inside:
                supported[i] = True
    users_start = np.cumsum(users_count)
    filled = users_start[:-1].copy()
    users = np.empty(users_start[-1], np.int64)
    for i in range(size):
        for rule in range(definitions.first[members[i]], definitions.first[members[i] + 1]):
            for k in range(definitions.offsets[rule], definitions.offsets[rule + 1]):
                below = local[abs(definitions.literals[k])]
                if below != UNSET:
                    users[filled[below]] = i
                    filled[below] += 1
    order = np.empty(size, np.int64)
    count = 0
    for i in range(size):
        if supported[i]:
            order[count] = i
            count += 1
    at = 0
    while at < count:
        for k in range(users_start[order[at]], users_start[order[at] + 1]):
            user = users[k]
            if not supported[user]:
                supported[user] = True
                order[count] = user
                count += 1
        at += 1
    for i in range(size):
        local[members[i]] = UNSET
    reached = np.empty(count, np.int32)
    for i in range(count):
        reached[i] = members[order[i]]
    return reached, fault
