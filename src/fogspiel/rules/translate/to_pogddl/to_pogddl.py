"""GDL-II in POGDDL, rule by rule.

Fluents and relations become predicates, rules derived predicates, facts part of `:init`. What a
rule sheet nests is taken apart (`flat.py`), its names get types (`sorts.py`), and joint moves
become rounds (`rounds.py`).

Goals become gains. Gains that hold add up, while of several goals the largest counts. The gain of a
value therefore asks that no larger goal holds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.rules.clauses import Program
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.translate.protocol import GroundedGame
from fogspiel.rules.translate.to_pogddl.derived import (
    RuleWriter,
    conjunction,
    given_facts,
    rule_writer,
)
from fogspiel.rules.translate.to_pogddl.flat import (
    FlatClause,
    FlatKey,
    FlatProgram,
    flatten,
)
from fogspiel.rules.translate.to_pogddl.rounds import persistent, rounds_of
from fogspiel.rules.translate.to_pogddl.term_shapes import LEAF
from fogspiel.rules.translate.to_pogddl.vocabulary import (
    CHANCE,
    ROLE,
    UniqueNames,
    spelled,
    vocabulary_of,
)

TERMINAL = FlatKey("terminal", ())
START = "start"
GOAL = FlatKey("goal", (LEAF, LEAF))
MAX_LISTED_VALUES = 3  #: The gain of a value that is below so many others names each of them
BETTER, VALUE = "better-goal", "worth"


def to_pogddl(
    program: Program, grounded: GroundedGame | None, *, name: str = "game"
) -> syntax.GameDescription:
    """Translate a game.

    grounded: tells how the game starts and which goals there are.
    Raises `UsageError` TRN001 without it, `LimitError` TRN002 where terms nest without end.
    """
    if grounded is None:
        raise UsageError.of(
            "TRN001",
            "the game could not be grounded, so its start and its goals are not known",
            fix="give grounding more time and memory, or split the rule that it names",
            source=program.source,
        )
    flat = flatten(program)
    vocabulary = vocabulary_of(flat, program)
    lasting = set(persistent(flat.clauses).values())
    writer = rule_writer(vocabulary, flat.clauses, shows_moves=not program.has_percepts)
    rounds = rounds_of(program, writer, flat.clauses)
    goals = gains_of(grounded, writer)
    derived = writer.derived(flat.clauses, leave_out=lasting)
    predicates = _declarations(writer, flat.clauses, lasting)
    domain = syntax.Domain(
        name=syntax.Name(spelled(name)),
        requirements=tuple(map(syntax.Name, (":adl", ":derived-predicates", ":pogddl"))),
        types=vocabulary.supertypes,
        constants=_constants(writer),
        predicates=(*rounds.predicates, *predicates, *goals.predicates),
        functions=goals.functions,
        derived=(*derived, *goals.derived),
        actions=rounds.actions,
        gains=goals.gains,
        terminals=tuple(_terminals(writer)),
        source=Source(f"{name}.pogddl", ""),
    )
    problem = syntax.Problem(
        name=syntax.Name(START),
        domain=domain.name,
        facts=(*rounds.facts, *_start(grounded, flat, writer), *_static(writer, flat.clauses)),
        values=goals.values,
        source=domain.source,
    )
    return syntax.GameDescription(domain, problem)


def _declarations(
    writer: RuleWriter, clauses: Sequence[FlatClause], lasting: set[FlatClause]
) -> Iterator[syntax.Declaration]:
    """The predicates that rules and facts speak of."""
    spoken = {clause.head.key for clause in clauses if clause not in lasting}
    for key in writer.vocabulary.predicates:
        is_spoken = key.relation != "next" or key in spoken
        if is_spoken and key in writer.needed and key not in writer.vocabulary.trivial:
            yield writer.declaration(key)
    for key, name in writer.given.items():
        yield syntax.Declaration(syntax.Name(name), writer.parameters(key))


def _constants(writer: RuleWriter) -> tuple[syntax.Typed, ...]:
    """All objects: roles first, in their order, then chance if the rules do not know it."""
    vocabulary = writer.vocabulary
    roles = list(vocabulary.roles.values())
    typed = [
        syntax.Typed(syntax.Name(role), (syntax.Name(vocabulary.role_type),)) for role in roles
    ]
    if CHANCE not in roles:
        typed.append(syntax.Typed(syntax.Name(CHANCE), (syntax.Name(ROLE),)))
    for sort, objects in vocabulary.objects.items():
        typed += [
            syntax.Typed(syntax.Name(o), vocabulary.typed(sort))
            for o in objects.values()
            if o not in roles
        ]
    return tuple(typed)


def _terminals(writer: RuleWriter) -> Iterator[syntax.Condition]:
    if TERMINAL in writer.vocabulary.predicates:
        yield syntax.Atom(syntax.Name(writer.vocabulary.predicates[TERMINAL]))


def _start(grounded: GroundedGame, flat: FlatProgram, writer: RuleWriter) -> Iterator[syntax.Atom]:
    """The fluents that hold at the start."""
    for fluent in grounded.fluents:
        if fluent in grounded.initial:
            literal = flat.literal("true", [fluent])
            yield writer.fact(literal.key, [str(name) for name in literal.arguments])


def _static(writer: RuleWriter, clauses: Sequence[FlatClause]) -> Iterator[syntax.Atom]:
    """The facts of relations."""
    vocabulary = writer.vocabulary
    for key, rows in vocabulary.facts.items():
        if key in writer.needed and key not in vocabulary.trivial:
            yield from (writer.fact(key, row) for row in rows)
    given = given_facts(vocabulary, clauses)
    for key, name in writer.given.items():
        yield from (writer.fact(key, row, name) for row in given[key])


@dataclass(frozen=True, slots=True)
class Gains:
    """The gains of a game, and what they need to be declared."""

    gains: tuple[syntax.Gain, ...] = ()
    predicates: tuple[syntax.Declaration, ...] = ()
    functions: tuple[syntax.Declaration, ...] = ()
    derived: tuple[syntax.Derived, ...] = ()
    values: tuple[syntax.Assignment, ...] = ()


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
    role = syntax.Variable(writer.variables[GOAL][0])
    gains: list[syntax.Gain] = []
    for index, value in enumerate(values):
        if value == 0:
            continue
        larger = [object for other in values[:index] for object in names[other]]
        outdone: list[syntax.Condition] = [
            syntax.Not(_goal(writer, role, syntax.Name(o))) for o in larger
        ]
        gains.append(_gain(writer, role, value, [_holds(writer, role, names[value]), *outdone]))
    return Gains(gains=tuple(gains))


def _compared(names: dict[int, list[str]], values: Sequence[int], writer: RuleWriter) -> Gains:
    """Gains of many values: whether a larger goal holds is found by comparing numbers."""
    fresh = UniqueNames(*writer.vocabulary.predicates.values(), *writer.given.values())
    better, value_of = syntax.Name(fresh.fresh(BETTER)), syntax.Name(fresh.fresh(VALUE))
    role, goal = writer.parameters(GOAL)
    assert isinstance(role.term, syntax.Variable)
    other = syntax.Typed(syntax.Variable(f"other-{writer.variables[GOAL][1]}"), goal.types)
    larger = syntax.Comparison(
        ">", syntax.Fluent(value_of, (other.term,)), syntax.Fluent(value_of, (goal.term,))
    )
    exists = syntax.Quantified(
        syntax.Quantifier.EXISTS,
        (other,),
        syntax.And((_goal(writer, role.term, other.term), larger)),
    )
    head = syntax.Declaration(better, (role, goal))
    gains = []
    for value in values:
        if value != 0:
            outdone = syntax.Not(syntax.Atom(better, (role.term, syntax.Name(names[value][0]))))
            conditions = [_holds(writer, role.term, names[value]), outdone]
            gains.append(_gain(writer, role.term, value, conditions))
    return Gains(
        gains=tuple(gains),
        predicates=(head,),
        functions=(syntax.Declaration(value_of, (goal,)),),
        derived=(syntax.Derived(head, exists),),
        values=tuple(
            syntax.Assignment(
                syntax.Fluent(value_of, (syntax.Name(name),)), syntax.Number(Fraction(value))
            )
            for value in values
            for name in names[value]
        ),
    )


def _gain(
    writer: RuleWriter, role: syntax.Variable, value: int, conditions: Sequence[syntax.Condition]
) -> syntax.Gain:
    roles = (syntax.Typed(role, (syntax.Name(writer.vocabulary.role_type),)),)
    return syntax.Gain(roles, syntax.Number(Fraction(value)), conjunction(conditions))


def _holds(writer: RuleWriter, role: syntax.Variable, objects: Sequence[str]) -> syntax.Condition:
    """The condition that a goal holds, however its value is written."""
    goals = tuple(_goal(writer, role, syntax.Name(o)) for o in objects)
    return goals[0] if len(goals) == 1 else syntax.Or(goals)


def _goal(writer: RuleWriter, role: syntax.Term, value: syntax.Term) -> syntax.Atom:
    return syntax.Atom(syntax.Name(writer.vocabulary.predicates[GOAL]), (role, value))
