"""Structurally hashed gates under construction: n-ary ANDs of literals, none of them made twice.

Nodes are numbered: 0 is the constant true, followed by the inputs (fluents, moves, loop variables)
and the gates in the order of their making. A literal is 2·node + negated, so 0 is true and 1 is
false. An OR is the inverted AND of inverted literals; there are no other operations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import folded
from fogspiel.core.native import inlined, native
from fogspiel.core.plain_kernels import Kernel

TRUE = 0
FALSE = 1

NODES, INPUTS, TERMS, TICKET = range(4)  #: Places in `GateStore.used`

PLAIN = -1  #: The segment of a node that is in no loop


class GateStore(NamedTuple):
    """All nodes made so far. The arrays are allocated once, with an upper bound as their size."""

    used: NDArray[np.int64]
    """(4,) numbers of nodes, gate inputs and terms in use, and the last ticket given out."""
    starts: NDArray[np.int64]
    """(nodes + 1,) the inputs of node n are inputs[starts[n]:starts[n + 1]]."""
    inputs: NDArray[np.int32]
    segments: NDArray[np.int32]  #: (nodes,) the loop a node is evaluated in, or PLAIN
    table: NDArray[np.int32]
    """Open-addressed hash table of gates by their inputs; its length is a power of 2, 0 is free."""
    group: NDArray[np.int32]  #: (nodes,) the role whose move a node is, or -1
    group_starts: NDArray[np.int32]
    """(roles + 1,) the move nodes of role r are group_members[group_starts[r]:…]."""
    group_members: NDArray[np.int32]
    mark: NDArray[np.int64]
    """(nodes,) scratch: the ticket of the last operation that marked a node."""
    terms: NDArray[np.int32]  #: Scratch stack of terms waiting to be joined by an OR


def make_pool(
    fluents: int, move_counts: list[int], *, rules: int, literals: int, atoms: int
) -> GateStore:
    """A pool whose first nodes are the constant, the fluents and the moves, role by role."""
    moves = sum(move_counts)
    sources = 1 + fluents + moves
    # Factoring adds at most one gate for each literal divided out, each cube and each atom.
    nodes = sources + 2 * (literals + rules + atoms) + 64
    table = 1 << max(10, int(2 * nodes - 1).bit_length())
    group = np.full(nodes, -1, np.int32)
    group_starts = np.zeros(len(move_counts) + 1, np.int32)
    group_starts[1:] = np.cumsum(move_counts)
    for role in range(len(move_counts)):
        first = 1 + fluents + int(group_starts[role])
        group[first : first + move_counts[role]] = role
    return GateStore(
        used=np.array([sources, 0, 0, 0], np.int64),
        starts=np.zeros(nodes + 1, np.int64),
        inputs=np.empty(4 * (literals + rules + atoms) + 2 * moves + 64, np.int32),
        segments=np.full(nodes, PLAIN, np.int32),
        table=np.zeros(table, np.int32),
        group=group,
        group_starts=group_starts,
        group_members=np.arange(1 + fluents, sources, dtype=np.int32),
        mark=np.full(nodes, -1, np.int64),
        terms=np.empty(literals + rules + 2 * moves + 64, np.int32),
    )


@native
def add_source(pool: GateStore, segment: int) -> int:
    """A new input node (a loop variable of a segment); its positive literal."""
    node = pool.used[NODES]
    pool.used[NODES] = node + 1
    pool.starts[node + 1] = pool.used[INPUTS]
    pool.segments[node] = segment
    return int(2 * node)


@native
def sort_range(literals: NDArray[np.int32], first: int, end: int) -> None:
    """Sort a few numbers in place by Shell's method, which compiles to little code."""
    gap = 1
    while 3 * gap < end - first:
        gap = 3 * gap + 1
    while gap:
        for i in range(first + gap, end):
            moved = literals[i]
            k = i
            while k >= first + gap and literals[k - gap] > moved:
                literals[k] = literals[k - gap]
                k -= gap
            literals[k] = moved
        gap //= 3


@Kernel
def make_and(
    pool: GateStore, literals: NDArray[np.int32], first: int, end: int, segment: int
) -> int:
    """The literal of the conjunction of literals[first:end], which is overwritten.

    The gate belongs to `segment` if one of its inputs does, so that gates which do not depend on
    the loop are evaluated outside it.
    """
    sort_range(literals, first, end)
    top = first
    last = -1
    for i in range(first, end):
        literal = literals[i]
        if literal == FALSE or (literal ^ 1) == last:
            return FALSE
        if literal != TRUE and literal != last:  # noqa: PLR1714  (sets take long to compile)
            literals[top] = literal
            top += 1
            last = literal
    if top == first:
        return TRUE
    if top == first + 1:
        return int(literals[first])
    return _find_or_add(pool, literals, first, top, segment)


@inlined
def make_or(
    pool: GateStore, literals: NDArray[np.int32], first: int, end: int, segment: int
) -> int:
    """The literal of the disjunction of literals[first:end], which is overwritten.

    Each role makes exactly one move. Therefore more than half of a role's moves in a disjunction
    are replaced by a single literal, which says that none of its other moves is made.
    """
    if end - first > 2:
        end = _complement_moves(pool, literals, first, end, segment)
    for i in range(first, end):
        literals[i] ^= 1
    return make_and(pool, literals, first, end, segment) ^ 1


@native
def _complement_moves(
    pool: GateStore, literals: NDArray[np.int32], first: int, end: int, segment: int
) -> int:
    """Replace large sets of a role's moves by their complement; returns the new end."""
    for role in range(len(pool.group_starts) - 1):
        moves = pool.group_starts[role + 1] - pool.group_starts[role]
        held = 0
        for i in range(first, end):
            if pool.group[literals[i] >> 1] == role and not literals[i] & 1:
                held += 1
        if held <= 2 or 2 * held <= moves:
            continue
        pool.used[TICKET] += 1
        top = first
        for i in range(first, end):
            literal = literals[i]
            if pool.group[literal >> 1] == role and not literal & 1:
                pool.mark[literal >> 1] = pool.used[TICKET]
            else:
                literals[top] = literal
                top += 1
        # The conjunction of the negations of all other moves, collected on the term stack.
        bottom = rest = pool.used[TERMS]
        for i in range(pool.group_starts[role], pool.group_starts[role + 1]):
            if pool.mark[pool.group_members[i]] != pool.used[TICKET]:
                pool.terms[rest] = 2 * pool.group_members[i] + 1
                rest += 1
        literals[top] = make_and(pool, pool.terms, bottom, rest, segment)
        end = top + 1
    return end


@native
def _find_or_add(
    pool: GateStore, literals: NDArray[np.int32], first: int, end: int, segment: int
) -> int:
    """The literal of the gate with these inputs (sorted, 2 or more, no constants), new or old."""
    mask = np.uint64(len(pool.table) - 1)
    mixed = np.uint64(end - first)
    for i in range(first, end):
        mixed = folded(mixed, np.uint64(literals[i]))
    place = mixed & mask
    while pool.table[place] != 0:
        node = pool.table[place]
        start = pool.starts[node]
        if pool.starts[node + 1] - start == end - first:
            same = True
            for i in range(end - first):
                if pool.inputs[start + i] != literals[first + i]:
                    same = False
                    break
            if same:
                return int(2 * node)
        place = (place + np.uint64(1)) & mask
    node = pool.used[NODES]
    used = pool.used[INPUTS]
    own = PLAIN
    for i in range(first, end):
        pool.inputs[used + i - first] = literals[i]
        if segment != PLAIN and pool.segments[literals[i] >> 1] == segment:
            own = segment
    pool.segments[node] = own
    pool.used[INPUTS] = used + end - first
    pool.starts[node + 1] = pool.used[INPUTS]
    pool.used[NODES] = node + 1
    pool.table[place] = node
    return int(2 * node)
