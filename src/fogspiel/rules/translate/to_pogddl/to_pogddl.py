"""GDL-II in POGDDL, rule by rule.

Fluents and relations become predicates, rules derived predicates, facts part of `:init`. What a
rule sheet nests is taken apart (`flat.py`), its names get types (`sorts.py`), and joint moves
become rounds (`rounds.py`). Goals become gains (`gains.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.rules.clauses import Program
from fogspiel.rules.pogddl.syntax import (
    Atom,
    Condition,
    Declaration,
    Domain,
    GameDescription,
    Name,
    Problem,
    Typed,
)
from fogspiel.rules.pogddl.write import write
from fogspiel.rules.translate.protocol import GroundedGame
from fogspiel.rules.translate.to_pogddl.correspondence import Correspondence
from fogspiel.rules.translate.to_pogddl.derived import RuleWriter, given_facts, rule_writer
from fogspiel.rules.translate.to_pogddl.flat import FlatClause, FlatKey, FlatProgram, flatten
from fogspiel.rules.translate.to_pogddl.gains import gains_of
from fogspiel.rules.translate.to_pogddl.names import spelled
from fogspiel.rules.translate.to_pogddl.rounds import persistent, rounds_of
from fogspiel.rules.translate.to_pogddl.vocabulary import CHANCE, ROLE, vocabulary_of

TERMINAL = FlatKey("terminal", ())
START = "start"


@dataclass(frozen=True, slots=True)
class PogddlTranslation:
    """A game in POGDDL, and what its names stood for in GDL."""

    description: GameDescription
    names: Correspondence = field(repr=False)

    @property
    def text(self) -> str:
        """Domain and problem in one text."""
        return write(self.description)


def to_pogddl(
    program: Program, grounded: GroundedGame | None, *, name: str = "game"
) -> PogddlTranslation:
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
    domain = Domain(
        name=Name(spelled(name)),
        requirements=tuple(map(Name, (":adl", ":derived-predicates", ":pogddl"))),
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
    problem = Problem(
        name=Name(START),
        domain=domain.name,
        facts=(*rounds.facts, *_start(grounded, flat, writer), *_static(writer, flat.clauses)),
        values=goals.values,
        source=domain.source,
    )
    return PogddlTranslation(
        GameDescription(domain, problem), Correspondence(flat, vocabulary, program.has_percepts)
    )


def _declarations(
    writer: RuleWriter, clauses: Sequence[FlatClause], lasting: set[FlatClause]
) -> Iterator[Declaration]:
    """The predicates that rules and facts speak of."""
    spoken = {clause.head.key for clause in clauses if clause not in lasting}
    for key in writer.vocabulary.predicates:
        is_spoken = key.relation != "next" or key in spoken
        if is_spoken and key in writer.needed and key not in writer.vocabulary.trivial:
            yield writer.declaration(key)
    for key, name in writer.given.items():
        yield Declaration(Name(name), writer.parameters(key))


def _constants(writer: RuleWriter) -> tuple[Typed, ...]:
    """All objects: roles first, in their order, then chance if the rules do not know it."""
    vocabulary = writer.vocabulary
    roles = list(vocabulary.roles.values())
    typed = [Typed(Name(role), (Name(vocabulary.role_type),)) for role in roles]
    if CHANCE not in roles:
        typed.append(Typed(Name(CHANCE), (Name(ROLE),)))
    for sort, objects in vocabulary.objects.items():
        typed += [
            Typed(Name(o), vocabulary.typed(sort)) for o in objects.values() if o not in roles
        ]
    return tuple(typed)


def _terminals(writer: RuleWriter) -> Iterator[Condition]:
    if TERMINAL in writer.vocabulary.predicates:
        yield Atom(Name(writer.vocabulary.predicates[TERMINAL]))


def _start(grounded: GroundedGame, flat: FlatProgram, writer: RuleWriter) -> Iterator[Atom]:
    """The fluents that hold at the start."""
    for fluent in grounded.fluents:
        if fluent in grounded.initial:
            literal = flat.literal("true", [fluent])
            yield writer.fact(literal.key, [str(name) for name in literal.arguments])


def _static(writer: RuleWriter, clauses: Sequence[FlatClause]) -> Iterator[Atom]:
    """The facts of relations."""
    vocabulary = writer.vocabulary
    for key, rows in vocabulary.facts.items():
        if key in writer.needed and key not in vocabulary.trivial:
            yield from (writer.fact(key, row) for row in rows)
    given = given_facts(vocabulary, clauses)
    for key, name in writer.given.items():
        yield from (writer.fact(key, row, name) for row in given[key])
