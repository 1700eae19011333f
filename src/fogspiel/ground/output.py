"""Reading what the grounder's process writes: rules as numbers, then the names of atoms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.ground.worker import END

NUMBER_BYTES = 4


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


def parse_output(output: bytes) -> tuple[GroundRules, dict[str, int]]:
    """The rules, and the atom of each symbol asked for; 0 for one that holds always."""
    numbers = np.frombuffer(output[: len(output) - len(output) % NUMBER_BYTES], np.int32)
    rules, count, end = _measure(numbers, END)
    heads = np.empty(rules, np.int32)
    choices = np.empty(rules, np.bool_)
    offsets = np.zeros(rules + 1, np.int64)
    literals = np.empty(count, np.int32)
    _fill(numbers, heads, choices, offsets, literals)
    ground = GroundRules(
        atoms=int(max(heads.max(initial=0), np.abs(literals).max(initial=0))),
        heads=heads,
        choices=choices,
        offsets=offsets,
        literals=literals,
    )
    shown: dict[str, int] = {}
    for line in output[(end + 1) * NUMBER_BYTES :].decode().splitlines():
        atom, symbol = line.split(" ", 1)
        shown[symbol] = int(atom)
    return ground, shown


def count_rules(output: bytes) -> int:
    """The whole rules in output that may have been cut off."""
    numbers = np.frombuffer(output[: len(output) - len(output) % NUMBER_BYTES], np.int32)
    rules: int = _measure(numbers, END)[0]
    return rules


@native
def _measure(numbers: NDArray[np.int32], end: int) -> tuple[int, int, int]:
    """Rules, literals of their bodies, and the place of the end or of a rule that is cut off."""
    at = 0
    rules = 0
    while at + 2 < len(numbers) and numbers[at] != end:
        following = at + 3 + numbers[at + 2]
        if following > len(numbers):
            break
        at = following
        rules += 1
    return rules, at - 3 * rules, at


@native
def _fill(
    numbers: NDArray[np.int32],
    heads: NDArray[np.int32],
    choices: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    literals: NDArray[np.int32],
) -> None:
    at = 0
    count = 0
    for rule in range(len(heads)):
        choices[rule] = numbers[at] == 1
        heads[rule] = numbers[at + 1]
        for k in range(at + 3, at + 3 + numbers[at + 2]):
            literals[count] = numbers[k]
            count += 1
        at += 3 + numbers[at + 2]
        offsets[rule + 1] = count
