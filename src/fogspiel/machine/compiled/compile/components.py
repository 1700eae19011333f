"""Strongly connected components of the ground rules, in an order fit for evaluation.

Source: Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM J. Computing 1(2).
Departure: the recursion is a stack of its own, since rules nest deeper than any call stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.ground.gringo import GroundRules


class Definitions(NamedTuple):
    """Rules sorted by head: those of atom a are rules first[a] to first[a + 1]."""

    first: NDArray[np.int64]
    """(atoms + 2,)"""
    offsets: NDArray[np.int64]
    """(rules + 1,)"""
    literals: NDArray[np.int32]


def definitions_of(rules: GroundRules) -> Definitions:
    """The rules that derive atoms, without the choices that only say what may be."""
    derived = np.flatnonzero(~rules.choices)
    order = derived[np.argsort(rules.heads[derived], kind="stable")]
    lengths = np.diff(rules.offsets)[order]
    offsets = np.zeros(len(order) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    literals = _gather(order, rules.offsets, rules.literals, offsets)
    first = np.zeros(rules.atoms + 2, np.int64)
    np.cumsum(np.bincount(rules.heads[order], minlength=rules.atoms + 1), out=first[1:])
    return Definitions(first, offsets, literals)


@native
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


@native
def components(
    definitions: Definitions, roots: NDArray[np.int32], is_input: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """All atoms that the roots depend on, component by component, each after what it needs.

    Returns the atoms, and where each component ends.
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
