"""Roles: who plays, and whose turn it is where a sheet leaves that to the fluent `control`.

GDL wants roles as plain facts; rules over facts are understood as well. In GDL every role moves in
every step, and rules of `legal` say whose turn it is. Some sheets keep `control` in the state and
write `legal` as if it were always one's turn, for players that ask only the roles in control. Read
to the letter, everybody moves at once and some get stuck. Here `legal` gets the missing condition,
and every other role a move that no rule of the sheet can notice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from fogspiel.core.findings import Finding
from fogspiel.rules.clauses import (
    DOES,
    INIT,
    LEGAL,
    NEXT,
    ROLE,
    TRUE,
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    Signature,
    TermComparison,
    Var,
    map_variables,
    unused_name,
    variables_of,
)
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.normalise.unbound import ArgumentSorts
from fogspiel.rules.gdl.syntax import Compound
from fogspiel.rules.graphs import reaching

MAX_ROWS = 1_000
CONTROL = "control"
WAITING = "noop"


def roles_of(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Names of the roles, in the order of their statements."""
    stated: list[Clause] = []
    facts: dict[tuple[str, int], list[Literal]] = defaultdict(list)
    for clause in clauses:
        if clause.head.signature == ROLE:
            stated.append(clause)
        if not clause.body:
            facts[clause.head.signature].append(clause.head)
    roles: dict[str, None] = {}
    for clause in stated:
        if clause.body:
            values = sorted(v for v in _solutions(clause, facts) if isinstance(v, str))
        else:
            values = [v for v in clause.head.arguments if isinstance(v, str)]
        roles.update(dict.fromkeys(values))
    return tuple(roles)


def _solutions(clause: Clause, facts: dict[tuple[str, int], list[Literal]]) -> Iterator[Pattern]:
    """The role of a rule in every way its conditions hold of the facts, by plain nested loops."""
    rows: list[dict[Var, Pattern]] = [{}]
    # Positive conditions bind the variables that the others test.
    for condition in sorted(clause.body, key=lambda c: c not in clause.positive):
        extended = (more for row in rows for more in _extended(row, condition, facts))
        # No game has so many roles; a join that large belongs to hostile rules.
        rows = list(islice(extended, MAX_ROWS))
    for row in rows:
        yield _applied(clause.head.arguments[0], row)


def _extended(
    row: dict[Var, Pattern],
    condition: Literal | TermComparison,
    facts: dict[tuple[str, int], list[Literal]],
) -> Iterator[dict[Var, Pattern]]:
    if isinstance(condition, TermComparison):
        if _applied(condition.left, row) != _applied(condition.right, row):
            yield row
        return
    wanted = ("", *(_applied(argument, row) for argument in condition.arguments))
    matches = (
        bindings
        for fact in facts.get(condition.signature, ())
        if (bindings := Bindings()).unify(wanted, ("", *fact.arguments))
    )
    if condition.negated:
        if next(matches, None) is None:
            yield row
        return
    variables = variables_of(condition) - row.keys()
    for bindings in matches:
        yield row | {variable: bindings.applied(variable) for variable in variables}


def _applied(pattern: Pattern, row: dict[Var, Pattern]) -> Pattern:
    return map_variables(pattern, lambda variable: row.get(variable, variable))


def turn_findings(sheet: CrossReference) -> Iterator[Finding]:
    """A warning for a sheet whose moves do not ask for the control that it keeps."""
    starts = (rule.head.arguments[0] for rule in sheet.heads.get(INIT, ()))
    if not any(isinstance(fluent, Compound) and fluent.functor == CONTROL for fluent in starts):
        return  # Spares most sheets the making of their clauses.
    if sheet.heads.get(LEGAL) and leaves_turns_to_control(sheet.clauses):
        yield sheet.warning(
            "GDL059",
            sheet.heads[LEGAL][0].head.span,
            "`legal` does not depend on `control`: read as if only roles in control could move",
            "add (true (control ?r)) to the rules of `legal`, and a move for roles that wait",
        )


def leaves_turns_to_control(clauses: list[Clause]) -> bool:
    """Whether rules keep and use `control` of roles, but not where they say what is legal."""
    stated = {
        clause.head.predicate
        for clause in clauses
        if clause.head.signature in {INIT, NEXT} and _role_in_control(clause.head)
    }
    return (
        stated == {"init", "next"}
        and any(_role_in_control(literal) for clause in clauses for literal in clause.literals)
        and _is_of_roles(clauses)
        and not any(_compares_moves(clause) for clause in clauses)
        and not _legal_heeds_control(clauses)
    )


def _role_in_control(literal: Literal) -> Pattern | None:
    """R in `true(control(R))`, or in the same of `init` and `next`."""
    match literal.arguments:
        case ((str() as name, role),) if name == CONTROL:
            return role
    return None


def _is_of_roles(clauses: list[Clause]) -> bool:
    """Whether `control` is held by roles wherever it is written."""
    roles, sorts = set[Pattern](roles_of(clauses)), ArgumentSorts(clauses)

    def is_role(literal: Literal, value: Pattern) -> bool:
        if not isinstance(value, Var):
            return value in roles
        values = sorts.values(literal, value)
        return sorts.is_role(literal, value) or (values is not None and roles.issuperset(values))

    return all(
        is_role(literal, value)
        for clause in clauses
        for literal in (clause.head, *clause.literals)
        if (value := _role_in_control(literal)) is not None
    )


def _compares_moves(clause: Clause) -> bool:
    """Whether a clause asks for moves of two roles: then both do move at once.

    In one public game of simultaneous moves `control` says only whose mark stands in a clash.
    """
    return len({lit.arguments[0] for lit in clause.literals if lit.signature == DOES}) > 1


def _legal_heeds_control(clauses: list[Clause]) -> bool:
    """Whether some move is legal because of who is in control.

    What a move requires counts by any of its rules; what it forbids, only if all of its rules ask
    for control. Else control is a detail of one obstacle among several, and gives nobody the turn.
    """
    rules: dict[Signature, list[Clause]] = defaultdict(list)
    for clause in clauses:
        rules[clause.head.signature].append(clause)
    directly = {c.head.signature for c in clauses if any(map(_asks_for_control, c.literals))}
    possibly = reaching(clauses, directly)
    always = set(possibly)

    def heeds(clause: Clause) -> bool:
        return any(
            _asks_for_control(lit) or lit.signature in (always if lit.negated else possibly)
            for lit in clause.literals
        )

    while faulty := {s for s in always if not all(map(heeds, rules[s]))}:
        always -= faulty
    return any(map(heeds, rules[LEGAL]))


def _asks_for_control(literal: Literal) -> bool:
    if literal.signature != TRUE:
        return False
    return isinstance(literal.arguments[0], Var) or _role_in_control(literal) is not None


def give_turns(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """Clauses in which only roles in control move. Negations must be safe already.

    Rules that ask for `legal` mean it as written. To wait is a move with a name of its own, so
    only conditions `does(R, M)` with M free could notice it, and they must not.
    """
    written = unused_name("legal_as_written", taken, "_")
    waiting = unused_name(WAITING, {name for clause in clauses for name in _names(clause)}, "_")

    def renamed(literal: Literal) -> Literal:
        if literal.signature != LEGAL:
            return literal
        return Literal(written, literal.arguments, literal.negated)

    def conditions(condition: Condition) -> Iterator[Condition]:
        if not isinstance(condition, Literal):
            yield condition
            return
        yield renamed(condition)
        if condition.signature == DOES and not condition.negated:
            move = condition.arguments[1]
            if isinstance(move, Var):
                yield TermComparison(move, waiting)

    role, move = Var("role"), Var("move")
    in_control = Literal("true", ((CONTROL, role),))
    not_in_control = Literal("true", ((CONTROL, role),), negated=True)
    return [
        *(
            Clause(renamed(c.head), tuple(x for b in c.body for x in conditions(b)), c.span)
            for c in clauses
        ),
        Clause(Literal("legal", (role, move)), (Literal(written, (role, move)), in_control)),
        Clause(Literal("legal", (role, waiting)), (Literal("role", (role,)), not_in_control)),
    ]


def _names(clause: Clause) -> Iterator[str]:
    """The names of constants and functions in a clause."""
    work = [term for condition in (clause.head, *clause.body) for term in condition.terms]
    while work:
        pattern = work.pop()
        if isinstance(pattern, str):
            yield pattern
        elif isinstance(pattern, tuple):
            work.extend(pattern)
