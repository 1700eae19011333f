"""Goals of GDL as gains of POGDDL.

Gains that hold add up, while of several goals the largest counts. The gain of a value therefore
asks that no larger goal holds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.rules.pogddl.syntax import (
    And,
    Assignment,
    Atom,
    Comparison,
    Condition,
    Declaration,
    Derived,
    Fluent,
    Gain,
    Name,
    Not,
    Number,
    Or,
    Quantified,
    Quantifier,
    Term,
    Typed,
    Variable,
)
from fogspiel.rules.translate.protocol import GroundedGame
from fogspiel.rules.translate.to_pogddl.derived import RuleWriter, conjunction
from fogspiel.rules.translate.to_pogddl.flat import FlatKey
from fogspiel.rules.translate.to_pogddl.names import UniqueNames
from fogspiel.rules.translate.to_pogddl.term_shapes import LEAF

GOAL = FlatKey("goal", (LEAF, LEAF))
MAX_LISTED_VALUES = 3
"""The gain of a value that is below so many others names each of them."""
BETTER, VALUE = "better-goal", "worth"


@dataclass(frozen=True, slots=True)
class Gains:
    """The gains of a game, and what they need to be declared."""

    gains: tuple[Gain, ...] = ()
    predicates: tuple[Declaration, ...] = ()
    functions: tuple[Declaration, ...] = ()
    derived: tuple[Derived, ...] = ()
    values: tuple[Assignment, ...] = ()


def gains_of(grounded: GroundedGame, writer: RuleWriter) -> Gains:
    """A gain for every goal value other than 0."""
    if GOAL not in writer.vocabulary.predicates:
        return Gains()
    names: dict[int, list[str]] = defaultdict(list)
    for written in sorted({str(value) for _, value in grounded.goals}):
        if re.fullmatch(r"[+-]?[0-9]+", written):
            names[int(written)].append(writer.vocabulary.object(GOAL, 1, written))
    values = sorted(names, reverse=True)
    if len(values) - (0 in values) > MAX_LISTED_VALUES + 1:
        return _compared(names, values, writer)
    role = Variable(writer.variables[GOAL][0])
    gains: list[Gain] = []
    for index, value in enumerate(values):
        if value == 0:
            continue
        larger = [object for other in values[:index] for object in names[other]]
        outdone: list[Condition] = [Not(_goal(writer, role, Name(o))) for o in larger]
        gains.append(_gain(writer, role, value, [_holds(writer, role, names[value]), *outdone]))
    return Gains(gains=tuple(gains))


def _compared(names: dict[int, list[str]], values: Sequence[int], writer: RuleWriter) -> Gains:
    """Gains of many values: whether a larger goal holds is found by comparing their worth."""
    fresh = UniqueNames(*writer.vocabulary.predicates.values(), *writer.given.values())
    better, worth = Name(fresh.fresh(BETTER)), Name(fresh.fresh(VALUE))
    role, goal = writer.parameters(GOAL)
    assert isinstance(role.term, Variable)
    other = Typed(Variable(f"other-{writer.variables[GOAL][1]}"), goal.types)
    larger = Comparison(">", Fluent(worth, (other.term,)), Fluent(worth, (goal.term,)))
    exists = Quantified(
        Quantifier.EXISTS, (other,), And((_goal(writer, role.term, other.term), larger))
    )
    head = Declaration(better, (role, goal))
    gains = []
    for value in values:
        if value != 0:
            outdone = Not(Atom(better, (role.term, Name(names[value][0]))))
            conditions = [_holds(writer, role.term, names[value]), outdone]
            gains.append(_gain(writer, role.term, value, conditions))
    return Gains(
        gains=tuple(gains),
        predicates=(head,),
        functions=(Declaration(worth, (goal,)),),
        derived=(Derived(head, exists),),
        values=tuple(
            Assignment(Fluent(worth, (Name(name),)), Number(Fraction(value)))
            for value in values
            for name in names[value]
        ),
    )


def _gain(writer: RuleWriter, role: Variable, value: int, conditions: Sequence[Condition]) -> Gain:
    roles = (Typed(role, (Name(writer.vocabulary.role_type),)),)
    return Gain(roles, Number(Fraction(value)), conjunction(conditions))


def _holds(writer: RuleWriter, role: Variable, objects: Sequence[str]) -> Condition:
    """That a goal holds, however its value is written."""
    goals = tuple(_goal(writer, role, Name(o)) for o in objects)
    return goals[0] if len(goals) == 1 else Or(goals)


def _goal(writer: RuleWriter, role: Term, value: Term) -> Atom:
    return Atom(Name(writer.vocabulary.predicates[GOAL]), (role, value))
