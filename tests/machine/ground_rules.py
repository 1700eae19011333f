"""Ground programs made without a grounder, and their meaning by plain Python.

Atoms are numbers: first fluents, then moves of one role, then derived atoms. Derived atom i may be
negated only by atoms with a higher number, so that every set of rules is stratified.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from fogspiel.core.terms import GroundTerm
from fogspiel.ground.gringo import GroundRules
from fogspiel.ground.program import GroundProgram

FLUENTS = 4
MOVES = 3
FIRST_MOVE = 1 + FLUENTS
FIRST_DERIVED = FIRST_MOVE + MOVES

Rule = tuple[int, list[int]]
"""A head, and the literals of its body."""


def ground_rules(rules: list[Rule], atoms: int) -> GroundRules:
    """Rules as the grounder's output gives them."""
    bodies = [body for _, body in rules]
    return GroundRules(
        atoms=atoms,
        heads=np.array([head for head, _ in rules], np.int32),
        choices=np.zeros(len(rules), np.bool_),
        offsets=np.concatenate([[0], np.cumsum([len(body) for body in bodies])]).astype(np.int64),
        literals=np.array([literal for body in bodies for literal in body], np.int32),
    )


def least_model(rules: list[Rule], given: Iterable[int]) -> set[int]:
    """All atoms that hold if exactly the `given` fluents and moves do, stratum by stratum."""
    held = set(given)
    for stratum in sorted({_stratum(head) for head, _ in rules}):
        layer = [rule for rule in rules if _stratum(rule[0]) == stratum]
        while True:
            new = {head for head, body in layer if all(_holds(x, held) for x in body)} - held
            if not new:
                break
            held |= new
    return held


def _holds(literal: int, held: set[int]) -> bool:
    return (abs(literal) in held) == (literal > 0)


STRATUM = 4
"""Number of derived atoms in a stratum. Rules may be recursive in it and negate lower atoms."""


def _stratum(atom: int) -> int:
    return (atom - FIRST_DERIVED) // STRATUM


@dataclass(frozen=True, slots=True)
class Outputs:
    """Derived atoms of legality, successors, goals, percepts and terminal states."""

    legal: list[int]
    next: list[int]
    goals: list[int]
    sees: list[int]
    terminal: int


@dataclass(frozen=True, slots=True)
class RandomRules:
    """A small recursive program, drawn by hypothesis."""

    rules: list[Rule] = field(repr=True)
    outputs: Outputs

    def program(self) -> GroundProgram:
        """The ground program for the machine. All fluents hold initially, and may become false."""
        fluents: list[GroundTerm] = [f"f{i}" for i in range(FLUENTS)]
        role = "r"
        moves = [(role, f"m{i}") for i in range(MOVES)]
        goals = [(role, str(i)) for i in range(len(self.outputs.goals))]
        sees: list[tuple[str, GroundTerm]] = [
            (role, f"s{i}") for i in range(len(self.outputs.sees))
        ]
        highest = FIRST_DERIVED + 4 * STRATUM
        return GroundProgram(
            rules=ground_rules(self.rules, highest),
            roles=(role,),
            chance_role=None,
            has_percepts=True,
            initial=frozenset(fluents[::2]),
            fluents={fluent: 1 + i for i, fluent in enumerate(fluents)},
            moves={move: FIRST_MOVE + i for i, move in enumerate(moves)},
            next=dict(zip(fluents, self.outputs.next, strict=True)),
            legal=dict(zip(moves, self.outputs.legal, strict=True)),
            goals=dict(zip(goals, self.outputs.goals, strict=True)),
            sees=dict(zip(sees, self.outputs.sees, strict=True)),
            terminal=self.outputs.terminal,
            seconds=0.0,
        )


@st.composite
def random_rules(draw: st.DrawFn) -> RandomRules:
    """Two strata of rules about the state, and two that may also depend on the moves."""
    rules: list[Rule] = []
    for stratum in range(4):
        first = FIRST_DERIVED + stratum * STRATUM
        inputs = FIRST_DERIVED if stratum >= 2 else FIRST_MOVE
        below = [*range(1, inputs), *range(FIRST_DERIVED, first)]
        own = list(range(first, first + STRATUM))
        literal = st.one_of(
            st.sampled_from(own),
            st.sampled_from(below),
            st.sampled_from(below).map(lambda atom: -atom),
        )
        bodies = st.lists(literal, min_size=1, max_size=2)
        layer = draw(st.lists(st.tuples(st.sampled_from(own), bodies), min_size=2, max_size=9))
        # Rules that others make idle: simplification then cuts cycles that were in the rules.
        for head, body in draw(st.lists(st.sampled_from(layer), max_size=3)):
            layer.append((head, [*body, draw(st.sampled_from(own))]))
        rules += layer
    here = st.integers(FIRST_DERIVED, FIRST_DERIVED + 2 * STRATUM - 1)
    joint = st.integers(FIRST_DERIVED, FIRST_DERIVED + 4 * STRATUM - 1)
    outputs = Outputs(
        legal=draw(st.lists(here, min_size=MOVES, max_size=MOVES)),
        next=draw(st.lists(joint, min_size=FLUENTS, max_size=FLUENTS)),
        goals=draw(st.lists(here, max_size=3)),
        sees=draw(st.lists(joint, max_size=3)),
        terminal=draw(here),
    )
    return RandomRules(rules, outputs)
