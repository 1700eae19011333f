"""Flat clauses as derived predicates, and as conditions and facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from fogspiel.rules.clauses import Var
from fogspiel.rules.graphs import reachable
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.translate.to_pogddl.flat import (
    FlatClause,
    FlatCondition,
    FlatKey,
    FlatLiteral,
    FlatTerm,
)
from fogspiel.rules.translate.to_pogddl.sorts import Place, same_things
from fogspiel.rules.translate.to_pogddl.vocabulary import PogddlVocabulary, UniqueNames, spelled

MAX_LISTED_FACTS = 4
"""Facts of a predicate that rules derive too are listed in its rule; more get a predicate."""
GIVEN = "given"
PLAYED = frozenset({"next", "legal", "sees", "goal", "terminal"})


@dataclass(slots=True)
class RuleWriter:
    """Writes flat clauses in the names of a vocabulary."""

    vocabulary: PogddlVocabulary
    variables: dict[FlatKey, tuple[str, ...]]  #: What the parameters of each predicate are called
    needed: frozenset[FlatKey]
    """Predicates that play depends on: what only says how a game starts is not among them."""
    given: dict[FlatKey, str] = field(default_factory=dict)
    """Predicates that hold the facts of a relation that is also derived."""

    def derived(
        self, clauses: Sequence[FlatClause], *, leave_out: Collection[FlatClause]
    ) -> Iterator[syntax.Derived]:
        """The rules of every predicate that is not given by facts alone, in their order."""
        listed: set[FlatKey] = set()
        facts = given_facts(self.vocabulary, clauses)
        for number, clause in enumerate(clauses):
            key = clause.head.key
            is_rule = key in self.needed and is_derived(self.vocabulary, key)
            if clause in leave_out or not is_rule:
                continue
            if clause.body:
                yield self._rule(clause, self.vocabulary.sorts.variables[number])
            elif key not in listed:
                listed.add(key)
                yield self._listed(key, facts[key])

    def declaration(self, key: FlatKey) -> syntax.Declaration:
        """A predicate with its parameters."""
        return syntax.Declaration(
            syntax.Name(self.vocabulary.predicates[key]), self.parameters(key)
        )

    def parameters(self, key: FlatKey) -> tuple[syntax.Typed, ...]:
        """The typed parameters of a predicate."""
        return tuple(
            syntax.Typed(syntax.Variable(name), self.vocabulary.type_of(key, index))
            for index, name in enumerate(self.variables[key])
        )

    def atom(self, key: FlatKey) -> syntax.Atom:
        """The predicate of its own parameters."""
        terms = tuple(syntax.Variable(name) for name in self.variables[key])
        return syntax.Atom(syntax.Name(self.vocabulary.predicates[key]), terms)

    def fact(self, key: FlatKey, row: Sequence[str], name: str | None = None) -> syntax.Atom:
        """A predicate of objects."""
        objects = (self.vocabulary.object(key, index, part) for index, part in enumerate(row))
        return syntax.Atom(
            syntax.Name(name or self.vocabulary.predicates[key]), tuple(map(syntax.Name, objects))
        )

    def _rule(self, clause: FlatClause, sorts: dict[Var, Place]) -> syntax.Derived:
        scope = _Scope(self.vocabulary, sorts)
        key = clause.head.key
        parameters: list[syntax.Typed] = []
        fixed: list[syntax.Condition] = []
        for index, term in enumerate(clause.head.arguments):
            types = self.vocabulary.type_of(key, index)
            if isinstance(term, Var) and term not in scope.names:
                parameters.append(syntax.Typed(scope.variable(term), types))
            else:
                own = syntax.Variable(scope.fresh(self.variables[key][index]))
                parameters.append(syntax.Typed(own, types))
                fixed.append(syntax.Equal(own, scope.term(term, key, index)))
        bound = set(scope.names)
        asked = [c for part in clause.body if (c := self._condition(part, scope)) is not None]
        free = [v for v in scope.names if v not in bound]
        if free:
            typed = tuple(
                syntax.Typed(scope.variable(v), self.vocabulary.typed(sorts[v])) for v in free
            )
            asked = [syntax.Quantified(syntax.Quantifier.EXISTS, typed, conjunction(asked))]
        body = conjunction([*fixed, *asked])
        head = syntax.Declaration(syntax.Name(self.vocabulary.predicates[key]), tuple(parameters))
        return syntax.Derived(head, body)

    def _condition(self, condition: FlatCondition, scope: _Scope) -> syntax.Condition | None:
        """A condition; None where the type of its variable says it already."""
        if isinstance(condition, FlatLiteral):
            return self._literal(condition, scope)
        differing: list[syntax.Condition] = [
            syntax.Not(syntax.Equal(scope.compared(a, b), scope.compared(b, a)))
            for a, b in condition.pairs
        ]
        return differing[0] if len(differing) == 1 else syntax.Or(tuple(differing))

    def _literal(self, literal: FlatLiteral, scope: _Scope) -> syntax.Condition | None:
        if literal.key in self.vocabulary.trivial:
            if literal.negated:
                return syntax.Or(())  # never holds
            return None
        terms = tuple(scope.term(t, literal.key, i) for i, t in enumerate(literal.arguments))
        atom = syntax.Atom(syntax.Name(self.vocabulary.predicates[literal.key]), terms)
        return syntax.Not(atom) if literal.negated else atom

    def _listed(self, key: FlatKey, facts: Sequence[Sequence[str]]) -> syntax.Derived:
        """The facts of a predicate that rules derive as well, as one more rule."""
        head = self.declaration(key)
        if key in self.given:
            terms = tuple(item.term for item in head.parameters)
            return syntax.Derived(head, syntax.Atom(syntax.Name(self.given[key]), terms))
        rows = [self.fact(key, row).arguments for row in facts]
        cases: list[syntax.Condition] = []
        for row in rows:
            pairs = zip(head.parameters, row, strict=True)
            cases.append(conjunction([syntax.Equal(item.term, name) for item, name in pairs]))
        return syntax.Derived(head, cases[0] if len(cases) == 1 else syntax.Or(tuple(cases)))


def rule_writer(
    vocabulary: PogddlVocabulary, clauses: Sequence[FlatClause], *, shows_moves: bool
) -> RuleWriter:
    """A writer that knows what parameters are called and which facts need predicates.

    shows_moves: whether roles see the joint move, so that all of it must be remembered.
    """
    variables: dict[FlatKey, tuple[str, ...]] = {}
    for key in vocabulary.predicates:
        variables[key] = _parameter_names(key, clauses, vocabulary)
    writer = RuleWriter(vocabulary, variables, _needed(clauses, shows_moves))
    names = UniqueNames(*vocabulary.predicates.values())
    for key, rows in given_facts(vocabulary, clauses).items():
        if key in writer.needed and len(rows) > MAX_LISTED_FACTS:
            writer.given[key] = names.fresh(f"{GIVEN}-{vocabulary.predicates[key]}")
    return writer


def given_facts(
    vocabulary: PogddlVocabulary, clauses: Sequence[FlatClause]
) -> dict[FlatKey, list[tuple[str, ...]]]:
    """The facts of predicates that rules derive as well."""
    found: dict[FlatKey, list[tuple[str, ...]]] = defaultdict(list)
    for clause in clauses:
        key = clause.head.key
        if not clause.body and is_derived(vocabulary, key):
            names = clause.head.arguments
            found[key].append(tuple(name for name in names if isinstance(name, str)))
    return dict(found)


def _needed(clauses: Sequence[FlatClause], shows_moves: bool) -> frozenset[FlatKey]:
    """What steps, legal moves, percepts and ends of a game depend on."""
    asked: dict[FlatKey, set[FlatKey]] = defaultdict(set)
    for clause in clauses:
        asked[clause.head.key] |= {c.key for c in clause.body if isinstance(c, FlatLiteral)}
    found = reachable((key for key in asked if key.relation in PLAYED), asked)
    fluents = {FlatKey("true", key.shapes) for key in asked if key.relation in {"init", "next"}}
    moves = {FlatKey("does", key.shapes) for key in asked if key.relation == "legal"}
    return frozenset(found | fluents | (moves if shows_moves else set()))


def conjunction(conditions: Sequence[syntax.Condition]) -> syntax.Condition:
    """All of the conditions; one alone stands for itself."""
    return conditions[0] if len(conditions) == 1 else syntax.And(tuple(conditions))


def is_derived(vocabulary: PogddlVocabulary, key: FlatKey) -> bool:
    """Whether a predicate has rules of its own."""
    return key not in vocabulary.facts and key.relation not in {"init", "role"}


def _parameter_names(
    key: FlatKey, clauses: Sequence[FlatClause], vocabulary: PogddlVocabulary
) -> tuple[str, ...]:
    """The variables of the first use of the predicate that has different ones at all places."""
    uses = [
        literal
        for clause in clauses
        for literal in (clause.head, *clause.body)
        if isinstance(literal, FlatLiteral) and same_things(literal.key, key)
    ]
    best: tuple[FlatTerm, ...] = ()
    for literal in sorted(uses, key=lambda literal: literal.key != key):
        arguments = literal.arguments
        best = best or arguments
        if all(isinstance(a, Var) for a in arguments) and len(set(arguments)) == len(arguments):
            best = arguments
            break
    names = UniqueNames()
    return tuple(
        names.fresh(
            term.name
            if isinstance(term, Var)
            else next((n.text[:1] for n in vocabulary.type_of(key, i)), "x")
        )
        for i, term in enumerate(best)
    )


@dataclass(slots=True)
class _Scope:
    """The variables of one rule, as they are called in it."""

    vocabulary: PogddlVocabulary
    sorts: dict[Var, Place]
    names: dict[Var, str] = field(default_factory=dict)
    _taken: UniqueNames = field(default_factory=UniqueNames)

    def fresh(self, wanted: str) -> str:
        """A name for a variable that the rule does not have yet."""
        return self._taken.fresh(wanted)

    def variable(self, variable: Var) -> syntax.Variable:
        """A variable of the rule."""
        if variable not in self.names:
            self.names[variable] = self.fresh(spelled(variable.name))
        return syntax.Variable(self.names[variable])

    def term(self, term: FlatTerm, key: FlatKey, index: int) -> syntax.Term:
        """A variable, or the object that a name stands for at this place."""
        if isinstance(term, Var):
            return self.variable(term)
        return syntax.Name(self.vocabulary.object(key, index, term))

    def compared(self, term: FlatTerm, other: FlatTerm) -> syntax.Term:
        """A variable, or the object that a name stands for beside a variable."""
        if isinstance(term, Var):
            return self.variable(term)
        assert isinstance(other, Var)  # two names were compared already
        return syntax.Name(self.vocabulary.objects[self.sorts[other]][term])
