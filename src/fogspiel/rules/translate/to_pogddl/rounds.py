"""A joint move of GDL as a round of POGDDL: every role chooses in secret, then chance resolves.

Chance chooses first, then the roles in their order, by one action for each kind of move, which
notes the choice and tells nobody. A forced action of chance then makes the step: what `next` says
becomes true, what it does not say ends, everybody is told what the rules let them see, and the
choices are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.rules.clauses import Program, Var
from fogspiel.rules.pogddl.syntax import (
    ALL,
    MOVER,
    Action,
    Add,
    And,
    Atom,
    Condition,
    Declaration,
    Delete,
    Effect,
    Effects,
    Equal,
    ForEach,
    Name,
    Not,
    ObservationClause,
    Observe,
    Typed,
    Variable,
    When,
)
from fogspiel.rules.translate.to_pogddl.derived import RuleWriter
from fogspiel.rules.translate.to_pogddl.flat import FlatClause, FlatKey, FlatLiteral
from fogspiel.rules.translate.to_pogddl.vocabulary import CHANCE, RESOLVE, ROLE, UniqueNames

AFTER = "turn-after"
RESOLVING = "resolving"


@dataclass(frozen=True, slots=True)
class Rounds:
    """The actions of a game, what they need to be declared, and how the first round starts."""

    actions: tuple[Action, ...]
    predicates: tuple[Declaration, ...]
    facts: tuple[Atom, ...]


def rounds_of(program: Program, writer: RuleWriter, clauses: Sequence[FlatClause]) -> Rounds:
    """The actions by which a game is played in rounds."""
    order = [writer.vocabulary.roles[role] for role in order_of_choice(program)]
    role = Typed(Variable("r"), (Name(ROLE),))
    other = Typed(Variable("s"), (Name(ROLE),))
    predicates = [Declaration(Name(MOVER), (role,)), Declaration(Name(AFTER), (role, other))]
    if program.chance_role is not None:
        predicates.append(Declaration(Name(RESOLVING)))
    chain = zip(order, [*order[1:], CHANCE], strict=True)
    facts = [_call(MOVER, order[0]), *(_call(AFTER, first, then) for first, then in chain)]
    choices = [_choice(key, program, writer, order[-1]) for key in writer.vocabulary.actions]
    resolve = _resolve(program, writer, clauses, order[0])
    return Rounds((*choices, resolve), tuple(predicates), tuple(facts))


def order_of_choice(program: Program) -> list[str]:
    """Who chooses after whom in a round."""
    return sorted(program.roles, key=lambda role: role != program.chance_role)


def persistent(clauses: Sequence[FlatClause]) -> dict[FlatKey, FlatClause]:
    """The fluents that never end, by their key of `next`, with the rule that says so."""
    found: dict[FlatKey, FlatClause] = {}
    asked = {c.key for clause in clauses for c in clause.body if isinstance(c, FlatLiteral)}
    for clause in clauses:
        head = clause.head
        if head.key.relation != "next" or head.key in asked or len(clause.body) != 1:
            continue
        same = FlatKey("true", head.key.shapes)
        arguments = head.arguments
        is_open = all(isinstance(a, Var) for a in arguments) and len(set(arguments)) == len(
            arguments
        )
        condition = clause.body[0]
        if is_open and condition == FlatLiteral(same, arguments):
            found[head.key] = clause
    return found


def _choice(key: FlatKey, program: Program, writer: RuleWriter, last: str) -> Action:
    """The action by which a role notes its move and hands on the turn."""
    legal = FlatKey("legal", key.shapes)
    mover, *parameters = writer.parameters(key)
    names = UniqueNames(*(item.term.name for item in parameters if isinstance(item.term, Variable)))
    following = Typed(Variable(names.fresh("s")), (Name(ROLE),))
    assert isinstance(mover.term, Variable)
    role = Typed(mover.term, (Name(writer.vocabulary.role_type),))
    made = writer.atom(key)
    conditions: list[Condition] = [Atom(Name(MOVER), (role.term,))]
    effects: list[Effect] = [Add(made)] if key in writer.needed else []
    effects.append(Delete(Atom(Name(MOVER), (role.term,))))
    hand_on = Atom(Name(AFTER), (role.term, following.term))
    turn = Atom(Name(MOVER), (following.term,))
    effects.append(ForEach((following,), When(hand_on, Add(turn))))
    if program.chance_role is not None:
        conditions.append(Not(Atom(Name(RESOLVING))))
        effects.append(When(Equal(role.term, Name(last)), Add(Atom(Name(RESOLVING)))))
    conditions.append(Atom(Name(writer.vocabulary.predicates[legal]), made.arguments))
    return Action(
        name=Name(writer.vocabulary.actions[key]),
        parameters=(role, *parameters),
        precondition=And(tuple(conditions)),
        effect=Effects(tuple(effects)),
    )


def _resolve(
    program: Program, writer: RuleWriter, clauses: Sequence[FlatClause], first: str
) -> Action:
    """The action of chance that makes the step."""
    keys = writer.vocabulary.predicates
    conditions: list[Condition] = [_call(MOVER, CHANCE)]
    effects: list[Effect] = []
    if program.chance_role is not None:
        conditions.append(Atom(Name(RESOLVING)))
        effects.append(Delete(Atom(Name(RESOLVING))))
    if first != CHANCE:
        effects += [Delete(_call(MOVER, CHANCE)), Add(_call(MOVER, first))]
    lasting = persistent(clauses)
    for key in keys:
        if key.relation == "true":
            effects += _change(key, writer, clauses, lasting)
    effects += [_percept(key, program, writer) for key in keys if _is_seen(key, program)]
    effects += [
        _for_each(writer.parameters(key), Delete(writer.atom(key)))
        for key in keys
        if key.relation == "does" and key in writer.needed
    ]
    condition = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
    return Action(Name(RESOLVE), (), condition, Effects(tuple(effects)))


def _change(
    key: FlatKey,
    writer: RuleWriter,
    clauses: Sequence[FlatClause],
    lasting: dict[FlatKey, FlatClause],
) -> list[Effect]:
    """How a fluent comes true and ends."""
    following = FlatKey("next", key.shapes)
    now, parameters = writer.atom(key), writer.parameters(key)
    causes = [
        clause
        for clause in clauses
        if clause.head.key == following and clause is not lasting.get(following)
    ]
    if not causes:
        return [] if following in lasting else [_for_each(parameters, Delete(now))]
    then = Atom(Name(writer.vocabulary.predicates[following]), now.arguments)
    starts: Effect = When(then, Add(now))
    if following in lasting:
        return [_for_each(parameters, starts)]
    ends = When(And((now, Not(then))), Delete(now))
    return [_for_each(parameters, Effects((starts, ends)))] if parameters else [starts, ends]


def _is_seen(key: FlatKey, program: Program) -> bool:
    """Whether roles are told of it: of what rules let them see, else of the joint move."""
    return key.relation == ("sees" if program.has_percepts else "does")


def _percept(key: FlatKey, program: Program, writer: RuleWriter) -> Effect:
    """What a step tells the roles for whom it is meant, or, of a joint move, everybody."""
    first, *others = writer.parameters(key)
    told = Typed(first.term, (Name(writer.vocabulary.role_type),))
    cause = writer.atom(key)
    if program.has_percepts:
        name, arguments = writer.vocabulary.percepts[key], cause.arguments[1:]
        observation = ObservationClause(first.term, Atom(Name(name), arguments))
    else:
        name = writer.vocabulary.actions[key]
        observation = ObservationClause(Name(ALL), Atom(Name(name), cause.arguments))
    return _for_each((told, *others), When(cause, Observe((observation,))))


def _for_each(parameters: Sequence[Typed], effect: Effect) -> Effect:
    return ForEach(tuple(parameters), effect) if parameters else effect


def _call(name: str, *objects: str) -> Atom:
    return Atom(Name(name), tuple(map(Name, objects)))
