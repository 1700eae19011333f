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
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ALL, MOVER
from fogspiel.rules.translate.to_pogddl.derived import RuleWriter
from fogspiel.rules.translate.to_pogddl.flat import FlatClause, FlatKey, FlatLiteral
from fogspiel.rules.translate.to_pogddl.vocabulary import CHANCE, RESOLVE, ROLE, UniqueNames

AFTER = "turn-after"
RESOLVING = "resolving"


@dataclass(frozen=True, slots=True)
class Rounds:
    """The actions of a game, what they need to be declared, and how the first round starts."""

    actions: tuple[syntax.Action, ...]
    predicates: tuple[syntax.Declaration, ...]
    facts: tuple[syntax.Atom, ...]


def rounds_of(program: Program, writer: RuleWriter, clauses: Sequence[FlatClause]) -> Rounds:
    """The actions by which a game is played in rounds."""
    order = [writer.vocabulary.roles[role] for role in order_of_choice(program)]
    role = syntax.Typed(syntax.Variable("r"), (syntax.Name(ROLE),))
    other = syntax.Typed(syntax.Variable("s"), (syntax.Name(ROLE),))
    predicates = [
        syntax.Declaration(syntax.Name(MOVER), (role,)),
        syntax.Declaration(syntax.Name(AFTER), (role, other)),
    ]
    if program.chance_role is not None:
        predicates.append(syntax.Declaration(syntax.Name(RESOLVING)))
    chain = zip(order, [*order[1:], CHANCE], strict=True)
    facts = [_call(MOVER, order[0]), *(_call(AFTER, first, then) for first, then in chain)]
    choices = [_choice(key, program, writer, order[-1]) for key in writer.vocabulary.actions]
    resolve = _resolve(program, writer, clauses, order[0])
    return Rounds((*choices, resolve), tuple(predicates), tuple(facts))


def order_of_choice(program: Program) -> list[str]:
    """The roles in the order in which they choose in a round."""
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


def _choice(key: FlatKey, program: Program, writer: RuleWriter, last: str) -> syntax.Action:
    """The action by which a role notes its move and hands on the turn."""
    legal = FlatKey("legal", key.shapes)
    mover, *parameters = writer.parameters(key)
    names = UniqueNames(
        *(item.term.name for item in parameters if isinstance(item.term, syntax.Variable))
    )
    following = syntax.Typed(syntax.Variable(names.fresh("s")), (syntax.Name(ROLE),))
    assert isinstance(mover.term, syntax.Variable)
    role = syntax.Typed(mover.term, (syntax.Name(writer.vocabulary.role_type),))
    made = writer.atom(key)
    conditions: list[syntax.Condition] = [syntax.Atom(syntax.Name(MOVER), (role.term,))]
    effects: list[syntax.Effect] = [syntax.Add(made)] if key in writer.needed else []
    effects.append(syntax.Delete(syntax.Atom(syntax.Name(MOVER), (role.term,))))
    hand_on = syntax.Atom(syntax.Name(AFTER), (role.term, following.term))
    turn = syntax.Atom(syntax.Name(MOVER), (following.term,))
    effects.append(syntax.ForEach((following,), syntax.When(hand_on, syntax.Add(turn))))
    if program.chance_role is not None:
        conditions.append(syntax.Not(syntax.Atom(syntax.Name(RESOLVING))))
        effects.append(
            syntax.When(
                syntax.Equal(role.term, syntax.Name(last)),
                syntax.Add(syntax.Atom(syntax.Name(RESOLVING))),
            )
        )
    conditions.append(syntax.Atom(syntax.Name(writer.vocabulary.predicates[legal]), made.arguments))
    return syntax.Action(
        name=syntax.Name(writer.vocabulary.actions[key]),
        parameters=(role, *parameters),
        precondition=syntax.And(tuple(conditions)),
        effect=syntax.Effects(tuple(effects)),
    )


def _resolve(
    program: Program, writer: RuleWriter, clauses: Sequence[FlatClause], first: str
) -> syntax.Action:
    """The action of chance that makes the step."""
    keys = writer.vocabulary.predicates
    conditions: list[syntax.Condition] = [_call(MOVER, CHANCE)]
    effects: list[syntax.Effect] = []
    if program.chance_role is not None:
        conditions.append(syntax.Atom(syntax.Name(RESOLVING)))
        effects.append(syntax.Delete(syntax.Atom(syntax.Name(RESOLVING))))
    if first != CHANCE:
        effects += [syntax.Delete(_call(MOVER, CHANCE)), syntax.Add(_call(MOVER, first))]
    lasting = persistent(clauses)
    for key in keys:
        if key.relation == "true":
            effects += _change(key, writer, clauses, lasting)
    effects += [_percept(key, program, writer) for key in keys if _is_seen(key, program)]
    effects += [
        _for_each(writer.parameters(key), syntax.Delete(writer.atom(key)))
        for key in keys
        if key.relation == "does" and key in writer.needed
    ]
    condition = conditions[0] if len(conditions) == 1 else syntax.And(tuple(conditions))
    return syntax.Action(syntax.Name(RESOLVE), (), condition, syntax.Effects(tuple(effects)))


def _change(
    key: FlatKey,
    writer: RuleWriter,
    clauses: Sequence[FlatClause],
    lasting: dict[FlatKey, FlatClause],
) -> list[syntax.Effect]:
    """The effects by which a fluent comes true and ends."""
    following = FlatKey("next", key.shapes)
    now, parameters = writer.atom(key), writer.parameters(key)
    causes = [
        clause
        for clause in clauses
        if clause.head.key == following and clause is not lasting.get(following)
    ]
    if not causes:
        return [] if following in lasting else [_for_each(parameters, syntax.Delete(now))]
    then = syntax.Atom(syntax.Name(writer.vocabulary.predicates[following]), now.arguments)
    starts: syntax.Effect = syntax.When(then, syntax.Add(now))
    if following in lasting:
        return [_for_each(parameters, starts)]
    ends = syntax.When(syntax.And((now, syntax.Not(then))), syntax.Delete(now))
    return [_for_each(parameters, syntax.Effects((starts, ends)))] if parameters else [starts, ends]


def _is_seen(key: FlatKey, program: Program) -> bool:
    """Whether roles are told of it: of what rules let them see, else of the joint move."""
    return key.relation == ("sees" if program.has_percepts else "does")


def _percept(key: FlatKey, program: Program, writer: RuleWriter) -> syntax.Effect:
    """What a step tells the roles for whom it is meant, or, of a joint move, everybody."""
    first, *others = writer.parameters(key)
    told = syntax.Typed(first.term, (syntax.Name(writer.vocabulary.role_type),))
    cause = writer.atom(key)
    if program.has_percepts:
        name, arguments = writer.vocabulary.percepts[key], cause.arguments[1:]
        observation = syntax.ObservationClause(
            first.term, syntax.Atom(syntax.Name(name), arguments)
        )
    else:
        name = writer.vocabulary.actions[key]
        observation = syntax.ObservationClause(
            syntax.Name(ALL), syntax.Atom(syntax.Name(name), cause.arguments)
        )
    return _for_each((told, *others), syntax.When(cause, syntax.Observe((observation,))))


def _for_each(parameters: Sequence[syntax.Typed], effect: syntax.Effect) -> syntax.Effect:
    return syntax.ForEach(tuple(parameters), effect) if parameters else effect


def _call(name: str, *objects: str) -> syntax.Atom:
    return syntax.Atom(syntax.Name(name), tuple(map(syntax.Name, objects)))
