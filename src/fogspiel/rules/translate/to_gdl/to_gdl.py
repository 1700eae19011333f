"""POGDDL in GDL-II, rule by rule.

The rules are those to which every game in POGDDL is lowered. What stands beside them there is
written as rules as well: values as fluents (`calculations.py`), sums and comparisons as relations
between numerals (`numerals.py`), gains as goals (`payoffs.py`), weights as copies of moves
(`duplicate_moves.py`). One role moves at a time; all others have the move `noop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.terms import functor
from fogspiel.rules.clauses import (
    PLAYED,
    Clause,
    Condition,
    Literal,
    Pattern,
    TermComparison,
    Var,
    unused_name,
)
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.normalise.dnf import without_equations
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, KEYWORDS
from fogspiel.rules.gdl.write import write
from fogspiel.rules.graphs import needed_for
from fogspiel.rules.numbers import NumericProgram, ValueChange
from fogspiel.rules.pogddl.lower.lower import lower
from fogspiel.rules.pogddl.syntax import GameDescription
from fogspiel.rules.pogddl.world import World
from fogspiel.rules.translate.protocol import GroundedGame
from fogspiel.rules.translate.to_gdl.calculations import Calculations
from fogspiel.rules.translate.to_gdl.duplicate_moves import DuplicateMoves
from fogspiel.rules.translate.to_gdl.numerals import NumeralRelations
from fogspiel.rules.translate.to_gdl.payoffs import Exclusion, GoalWriter

MAX_VALUES = 20_000  #: Values of functions that are written down, at the start and for ever


@dataclass(frozen=True, slots=True)
class GdlTranslation:
    """A game in GDL-II, and what its goals stand for: payoff = (goal - offset) / scale."""

    description: syntax.Description = field(repr=False)
    offset: int
    scale: int

    @property
    def text(self) -> str:
        """The rules in prefix notation."""
        return self.text_in(syntax.Notation.PREFIX)

    def text_in(self, dialect: syntax.Notation) -> str:
        """The rules, under a comment that explains the goals where they need it."""
        rules = write(self.description, dialect)
        if not self.offset and self.scale == 1:
            return rules
        mark = ";" if dialect is syntax.Notation.PREFIX else "%"
        return f"{mark} payoff = (goal - {self.offset}) / {self.scale}\n\n{rules}"


def to_gdl(
    description: GameDescription, grounded: GroundedGame | None, *, only_one_gain: bool = False
) -> GdlTranslation:
    """Translate a game that passed its checks.

    grounded: tells how large numbers can become.
    only_one_gain: whether a role is known never to get two gains at once; else the rules are
    searched for a reason why not.
    Raises `UsageError` TRN001 without it where numbers change, `LimitError` TRN003 to TRN005 for
    numbers and weights that cannot be written down.
    """
    program = lower(description)
    if grounded is None and program.numbers.changing:
        raise UsageError.of(
            "TRN001",
            "the game could not be grounded, so it is not known how large numbers become",
            fix="give grounding more time and memory, or fewer parameters to actions",
            source=program.source,
        )
    calculations = _calculations(description, program, grounded)
    rules: Iterable[Clause] = [clause for clause in program.clauses if not clause.is_choice]
    payoffs = GoalWriter(calculations, program.roles, Exclusion(rules), only_one_gain)
    if program.numbers.weighing is not None:
        rules = DuplicateMoves(calculations, program).rewritten(rules)
    rules = [
        *rules,
        *calculations.start(),
        *calculations.tests(),
        *calculations.changes(),
        *payoffs.clauses(),
    ]
    rules += calculations.arithmetic.clauses()
    names = _renamed_chance(program)
    return GdlTranslation(
        syntax.Description(tuple(_rules(rules, names)), program.source),
        payoffs.offset,
        payoffs.scale,
    )


def _calculations(
    description: GameDescription, program: NumericProgram, grounded: GroundedGame | None
) -> Calculations:
    """What is known of all numbers before the first rule is written."""
    taken = {clause.head.predicate for clause in program.clauses} | KEYWORDS
    taken |= set(program.numbers.relations)

    def fresh(wish: str) -> str:
        return unused_name(wish, taken)

    world = World(description)
    values = _start_values(world, program)
    return Calculations(
        numbers=program.numbers,
        arithmetic=NumeralRelations(program.source, fresh),
        fresh=fresh,
        values=values,
        reachable=_reachable(values, grounded, program),
        relations={f: fresh(f) for f in values if f not in program.numbers.changing},
        objects=lambda change, variable: _objects(world, program, change, variable),
    )


def _start_values(
    world: World, program: NumericProgram
) -> dict[str, dict[tuple[str, ...], Fraction]]:
    """The value of every function for all objects; 0 where none is given."""
    found: dict[str, dict[tuple[str, ...], Fraction]] = {}
    count = 0
    for function, declaration in world.functions.items():
        found[function] = {}
        for objects in product(*world.domains(declaration)):
            term = (function, *objects) if objects else function
            found[function][objects] = program.numbers.initial.get(term, Fraction(0))
            count += 1
            if count > MAX_VALUES:
                raise _too_many_values(program)
    return found


def _reachable(
    values: Mapping[str, Mapping[tuple[str, ...], Fraction]],
    grounded: GroundedGame | None,
    program: NumericProgram,
) -> dict[str, frozenset[Fraction]]:
    """The values of each function at the start, and those that its registers can hold."""
    found = {function: set(rows.values()) for function, rows in values.items()}
    for register in grounded.registers if grounded is not None else ():
        function = functor(register.term)
        if register.most >= MAX_VALUES:
            raise _too_many_values(program)
        found[function] |= {
            Fraction(register.low + step, register.scale) for step in range(register.most + 1)
        }
    return {function: frozenset(reached) for function, reached in found.items()}


def _objects(
    world: World, program: NumericProgram, change: ValueChange, variable: Var
) -> Sequence[str]:
    """What a variable of a change may be: what the predicates allow that its rules ask for."""
    position = change.arguments.index(variable)
    fewest = list(world.objects)
    for clause in program.clauses:
        if clause.head.predicate != change.relation:
            continue
        for condition in clause.positive:
            found = _allowed(world, program, condition, clause.head.arguments[position])
            fewest = min(fewest, found or fewest, key=len)
    return fewest


def _allowed(
    world: World, program: NumericProgram, literal: Literal, variable: Pattern
) -> list[str]:
    """The objects for which a literal may hold at the place of a variable; none if not known."""
    name, arguments = literal.predicate, literal.arguments
    if name == "true" and isinstance(arguments[0], tuple):
        name, arguments = str(arguments[0][0]), arguments[0][1:]
    if variable not in arguments:
        return []
    declared = world.predicates.get(name)
    if declared is not None and len(declared.parameters) == len(arguments):
        return world.domains(declared)[arguments.index(variable)]
    facts = (c.head for c in program.clauses if c.head.predicate == name and not c.body)
    return [str(fact.arguments[0]) for fact in facts if arguments == (variable,)]


def _renamed_chance(program: NumericProgram) -> dict[str, str]:
    """Chance is called `random` in GDL; what had that name takes the other's."""
    if program.chance_role is None:
        return {"random": "random-role"}
    return {program.chance_role: CHANCE_ROLE, CHANCE_ROLE: program.chance_role}


def _rules(clauses: Iterable[Clause], names: Mapping[str, str]) -> Iterator[syntax.Rule]:
    """The clauses that play depends on, without equations, as rules to be written."""
    solved = [c for clause in clauses if (c := without_equations(clause)) is not None]
    needed = needed_for(solved, PLAYED)
    # Who plays and how it starts comes first.
    order = {"role": 0, "init": 1}
    for clause in sorted(dict.fromkeys(solved), key=lambda c: order.get(c.head.predicate, 2)):
        if clause.head.signature in needed:
            body = tuple(_formula(condition, names) for condition in clause.body)
            yield syntax.Rule(_atom(clause.head, names), body)


def _formula(condition: Condition, names: Mapping[str, str]) -> syntax.Formula:
    if isinstance(condition, TermComparison):
        return syntax.Distinct(_term(condition.left, names), _term(condition.right, names))
    atom = _atom(condition, names)
    return syntax.Not(atom) if condition.negated else atom


def _atom(literal: Literal, names: Mapping[str, str]) -> syntax.Atom:
    arguments = tuple(_term(argument, names) for argument in literal.arguments)
    return syntax.Atom(literal.predicate, arguments)


def _term(pattern: Pattern, names: Mapping[str, str]) -> syntax.Term:
    if isinstance(pattern, Var):
        return syntax.Variable(pattern.name)
    if isinstance(pattern, str):
        return syntax.Compound(names.get(pattern, pattern))
    assert isinstance(pattern[0], str)
    return syntax.Compound(pattern[0], tuple(_term(part, names) for part in pattern[1:]))


def _too_many_values(program: NumericProgram) -> LimitError:
    return LimitError.of(
        "TRN003",
        f"functions have more than {MAX_VALUES:,} values to write down for GDL",
        fix="bound what is counted by comparisons in preconditions",
        source=program.source,
    )
