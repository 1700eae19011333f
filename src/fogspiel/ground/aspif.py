"""Reading aspif, the grounder's output: numbers on lines.

Source: Gebser et al., The Potassco guide, "ASPIF: the intermediate format". Of its statements ours
uses two: `1 choice heads… 0 n literals…` for rules and `4 length name n literals…` for shown atoms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

SPACE, NEWLINE, MINUS, ZERO, ONE, FOUR = (ord(c) for c in " \n-014")


@dataclass(frozen=True, slots=True)
class GroundRules:
    """Rules over atoms 1…atoms. Rule i has the body `literals[offsets[i]:offsets[i + 1]]`."""

    atoms: int
    heads: NDArray[np.int32]
    """(rules,)"""
    choices: NDArray[np.bool_]
    """(rules,) whether the head may be true, rather than is."""
    offsets: NDArray[np.int64]
    """(rules + 1,)"""
    literals: NDArray[np.int32]
    """Atoms; negative where the atom must not hold."""


def parse_aspif(output: bytes) -> tuple[GroundRules, dict[str, int]]:
    """The rules, and the atom of each shown symbol; 0 for one that holds always."""
    data = np.frombuffer(output, dtype=np.uint8)
    lines = output.count(b"\n")
    numbers = output.count(b" ")
    heads = np.empty(lines, np.int32)
    choices = np.empty(lines, np.bool_)
    offsets = np.zeros(lines + 1, np.int64)
    literals = np.empty(numbers, np.int32)
    rules, count, shown_at = _scan(data, heads, choices, offsets, literals)
    shown = _shown_atoms(output[shown_at:])
    # Copies, so that the room kept for shown lines is given back.
    ground = GroundRules(
        atoms=int(max(heads[:rules].max(initial=0), np.abs(literals[:count]).max(initial=0))),
        heads=heads[:rules].copy(),
        choices=choices[:rules].copy(),
        offsets=offsets[: rules + 1].copy(),
        literals=literals[:count].copy(),
    )
    return ground, shown


def _shown_atoms(text: bytes) -> dict[str, int]:
    shown: dict[str, int] = {}
    for line in text.decode().splitlines():
        if line.startswith("4 "):
            _, _, symbol, *rest = line.split(" ")
            shown[symbol] = int(rest[1]) if rest[0] != "0" else 0
    return shown


@native
def _scan(
    data: NDArray[np.uint8],
    heads: NDArray[np.int32],
    choices: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    literals: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Fill the arrays from rule lines; give the counts and where the shown lines begin."""
    size = len(data)
    at = 0
    while at < size and data[at] != NEWLINE:  # the header
        at += 1
    at += 1
    rules = 0
    count = 0
    while at + 1 < size and data[at] == ONE and data[at + 1] == SPACE:
        # 1 choice 1 head 0 n literal…
        field = 0
        at += 2
        while data[at] != NEWLINE:
            negative = data[at] == MINUS
            if negative:
                at += 1
            value = 0
            while ZERO <= data[at] < ZERO + 10:
                value = value * 10 + (data[at] - ZERO)
                at += 1
            if data[at] == SPACE:
                at += 1
            if field == 0:
                choices[rules] = value == 1
            elif field == 2:
                heads[rules] = value
            elif field >= 5:
                literals[count] = -value if negative else value
                count += 1
            field += 1
        at += 1
        rules += 1
        offsets[rules] = count
    return rules, count, at
