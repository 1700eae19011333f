"""Translation of ground rules into gates: atoms become literals, recursive rules become loops.

Atoms are ordered by strongly connected component, each after the components that it depends on.
Source: Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM J. Computing 1(2).
Departure: the recursion is an explicit stack, since rules nest deeper than any call stack.

A component of atoms that depend on each other has the least fixpoint of its rules as its value: its
loop variables start as false, and its gates are evaluated in order until no variable changes. Only
dependencies that run against that order need a variable.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.core.plain_kernels import Kernel, plain_kernels
from fogspiel.ground.gringo import GroundRules
from fogspiel.machine.compiled.compile.factor import Cubes, add_cube, cover
from fogspiel.machine.compiled.compile.gates import FALSE, PLAIN, GateStore, add_source

UNSET = -1  #: The literal of an atom that has none yet
FEW_RULES = 2_000
"""Gates of so few ground rules are built in 0.03 s, faster than machine code is loaded."""
MANY_RULES = 50_000
"""Gates of so many ground rules are built in 1 s; the kernels that build them compile in 12 s."""


class Definitions(NamedTuple):
    """Rules sorted by head: those of atom a are rules first[a] to first[a + 1]."""

    first: NDArray[np.int64]  #: (atoms + 2,)
    offsets: NDArray[np.int64]  #: (rules + 1,)
    literals: NDArray[np.int32]


def definitions_of(rules: GroundRules) -> Definitions:
    """The rules that derive atoms, without choice rules, which only list fluents and moves."""
    derived = np.flatnonzero(~rules.choices)
    order = derived[np.argsort(rules.heads[derived], kind="stable")]
    lengths = np.diff(rules.offsets)[order]
    offsets = np.zeros(len(order) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    literals = _gather(order, rules.offsets, rules.literals, offsets)
    first = np.zeros(rules.atoms + 2, np.int64)
    np.cumsum(np.bincount(rules.heads[order], minlength=rules.atoms + 1), out=first[1:])
    return Definitions(first, offsets, literals)


@Kernel
def _gather(
    order: NDArray[np.int64],
    old_offsets: NDArray[np.int64],
    old_literals: NDArray[np.int32],
    offsets: NDArray[np.int64],
) -> NDArray[np.int32]:
    literals = np.empty(offsets[-1], np.int32)
    for i in range(len(order)):
        start = old_offsets[order[i]]
        for k in range(offsets[i + 1] - offsets[i]):
            literals[offsets[i] + k] = old_literals[start + k]
    return literals


@Kernel
def components(
    definitions: Definitions, roots: NDArray[np.int32], is_input: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """All atoms that the roots depend on, in strongly connected components ordered by dependency.

    Returns the atoms, and the end of each component among them.
    """
    size = len(definitions.first) - 1
    index = np.full(size, -1, np.int64)
    low = np.zeros(size, np.int64)
    on_stack = np.zeros(size, np.bool_)
    stack = np.empty(size, np.int32)
    path = np.empty(size, np.int32)
    cursor = np.zeros(size, np.int64)
    atoms = np.empty(size, np.int32)
    ends = np.empty(size, np.int64)
    seen = depth = top = done = found = 0
    for root in roots:
        if index[root] >= 0 or is_input[root]:
            continue
        path[0] = root
        depth = 1
        while depth:
            atom = path[depth - 1]
            if index[atom] < 0:
                index[atom] = low[atom] = seen
                seen += 1
                stack[top] = atom
                top += 1
                on_stack[atom] = True
                cursor[atom] = definitions.offsets[definitions.first[atom]]
            end = definitions.offsets[definitions.first[atom + 1]]
            descended = False
            while cursor[atom] < end:
                below = abs(definitions.literals[cursor[atom]])
                cursor[atom] += 1
                if is_input[below]:
                    continue
                if index[below] < 0:
                    path[depth] = below
                    depth += 1
                    descended = True
                    break
                if on_stack[below]:
                    low[atom] = min(low[atom], index[below])
            if descended:
                continue
            depth -= 1
            if depth:
                above = path[depth - 1]
                low[above] = min(low[above], low[atom])
            if low[atom] == index[atom]:
                while True:
                    top -= 1
                    member = stack[top]
                    on_stack[member] = False
                    atoms[done] = member
                    done += 1
                    if member == atom:
                        break
                ends[found] = done
                found += 1
    return atoms[:done], ends[:found]


class Loops(NamedTuple):
    """The loop variables: each takes the value of its source until nothing changes."""

    variables: NDArray[np.int32]  #: Positive literals, segment by segment
    sources: NDArray[np.int32]  #: Literals
    ends: NDArray[np.int64]  #: (segments,) end of the variables of each segment


def make_cubes(definitions: Definitions, pool: GateStore) -> Cubes:
    """Buffers large enough for the definition of any atom."""
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


@Kernel
def assemble(
    pool: GateStore,
    cubes: Cubes,
    definitions: Definitions,
    atoms: NDArray[np.int32],
    ends: NDArray[np.int64],
    literal_of: NDArray[np.int32],
) -> tuple[Loops, int]:
    """Assign every atom its literal in `literal_of` (inputs and constants are set already).

    Returns the loops, and an atom that depends on its own negation, or 0 if there is none.
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


def building(rules: int) -> AbstractContextManager[None]:
    """A block in which kernels run in the quickest way to build the gates of so many rules."""
    return plain_kernels(builds_in_python(rules))


def builds_in_python(rules: int) -> bool:
    """Whether to build the gates of so many ground rules without machine code."""
    return rules <= FEW_RULES or (rules <= MANY_RULES and not assemble.is_compiled)


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
    """Load an atom's rules as cubes over gate literals; returns the count. Undefined is false."""
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
    """Make the gates of a recursive component. Returns the fault or 0, and the variables so far."""
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
    """Members of a component, breadth first from those with a rule that needs no other member.

    `local` is scratch space, UNSET before and after. Also returns a member that depends on another
    one's negation, or 0."""
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
