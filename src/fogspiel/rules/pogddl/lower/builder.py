"""Clauses under construction: names that do not clash, types as relations, safe bodies.

Every variable of a clause must be bound by a condition that is not negated. Where no other
condition does so with the right type, the type itself is asked for. An effect may add an atom with
a variable of a wider type, of which the checks only warn. Where a predicate is always set as
declared, asking for it also asks for the types of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fogspiel.core.source import Span
from fogspiel.rules.clauses import (
    Clause,
    Condition,
    Literal,
    Pattern,
    Var,
    pattern_variables,
    unused_name,
    variables_of,
)
from fogspiel.rules.gdl.syntax import KEYWORDS
from fogspiel.rules.numbers import Test
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ANY_TYPE, MOVER
from fogspiel.rules.pogddl.world import ANYTHING, UNKNOWN, World, changed_predicates


@dataclass(slots=True)
class RuleScope:
    """The variables of one rule: what each name stands for, and what each may be."""

    terms: dict[str, Var] = field(default_factory=dict)
    types: dict[Var, tuple[syntax.Name, ...]] = field(default_factory=dict)

    def inner(
        self, variables: Iterable[syntax.Typed], default: tuple[syntax.Name, ...] = ()
    ) -> RuleScope:
        """The scope of a quantifier within: its variables get names of their own."""
        terms = dict(self.terms)
        for item in variables:
            assert isinstance(item.term, syntax.Variable)
            name = unused_name(item.term.name, {used.name for used in self.types}, "")
            terms[item.term.name] = Var(name)
            self.types[Var(name)] = item.types or default
        # Types are shared, so that no two quantifiers of a rule use one name.
        return RuleScope(terms, self.types)

    def copy(self) -> RuleScope:
        """The same variables for another clause, which may add its own."""
        return RuleScope(dict(self.terms), dict(self.types))


class Builder:
    """Collects clauses. All parts of the lowering write into one."""

    def __init__(self, description: syntax.GameDescription) -> None:
        assert description.domain is not None
        assert description.problem is not None
        self.domain: syntax.Domain = description.domain
        self.problem: syntax.Problem = description.problem
        self.world = World(description)
        self.clauses: list[Clause] = []
        self.tests: list[Test] = []
        self._open_tests: set[str] = set()
        self.fluents = changed_predicates(self.domain)
        self._taken = {*KEYWORDS}
        self.relations: dict[str, str] = {}
        for name in self.world.predicates:
            self.relations[name] = name if name in self.fluents else self.fresh(name)
        self._well_typed = well_typed(self.world, self.domain, self.problem)
        self._types: dict[tuple[str, ...], str] = {}
        self._made: dict[str, tuple[tuple[syntax.Name, ...], ...]] = {}

    @property
    def role_types(self) -> tuple[syntax.Name, ...]:
        """The type of what moves."""
        return self.world.predicates[MOVER].parameters[0].types

    def fresh(self, wish: str) -> str:
        """A name for a relation: the wish, or with a number if that is taken."""
        return unused_name(wish, self._taken)

    def term(self, term: syntax.Term, scope: RuleScope) -> Pattern:
        """An object or a variable."""
        return scope.terms[term.name] if isinstance(term, syntax.Variable) else term.text

    def terms(self, terms: Iterable[syntax.Term], scope: RuleScope) -> tuple[Pattern, ...]:
        """Arguments in their order."""
        return tuple(self.term(term, scope) for term in terms)

    def literal(self, atom: syntax.Atom, scope: RuleScope, *, negated: bool = False) -> Literal:
        """The atom as a condition on the state, or on what never changes."""
        name, arguments = atom.name.text, self.terms(atom.arguments, scope)
        if name in self.fluents:
            return Literal("true", (compound(name, arguments),), negated)
        return Literal(self.relations[name], arguments, negated)

    def mover(self, role: Pattern, *, negated: bool = False) -> Literal:
        """Whether a role is to move."""
        if MOVER in self.fluents:
            return Literal("true", ((MOVER, role),), negated)
        return Literal(self.relations[MOVER], (role,), negated)

    def relation(self, wish: str, variables: Sequence[Var], scope: RuleScope) -> Literal:
        """A new relation over some variables of a rule."""
        name = self.fresh(wish)
        self._made[name] = tuple(scope.types[variable] for variable in variables)
        return Literal(name, tuple(variables))

    def add(
        self,
        head: Literal,
        body: Sequence[Condition],
        scope: RuleScope,
        span: Span | None = None,
        *,
        is_choice: bool = False,
    ) -> None:
        """A clause, with types asked for where nothing else binds a variable."""
        conditions = list(dict.fromkeys(body))
        bound = {v for condition in conditions for v in self._binds(condition, scope)}
        mentioned = dict.fromkeys(
            v for part in (*conditions, head) for pattern in part.terms
            for v in pattern_variables(pattern)
        )  # fmt: skip
        guards = [self.of_type(variable, scope) for variable in mentioned if variable not in bound]
        body_with_types = (*guards, *conditions)
        self.clauses.append(Clause(head, body_with_types, span, is_choice))
        for condition in conditions:
            if isinstance(condition, Literal) and condition.predicate in self._open_tests:
                self._suppose(condition, body_with_types, span)

    def add_test(self, test: Test, scope: RuleScope, *, from_bodies: bool) -> None:
        """A relation that arithmetic decides.

        It may hold for all objects of the right types; where those are too many, for those that the
        rest of a rule leaves (`from_bodies`).
        """
        self.tests.append(test)
        if from_bodies:
            self._open_tests.add(test.relation)
        else:
            self.add(Literal(test.relation, test.arguments), [], scope, is_choice=True)

    def _suppose(self, test: Literal, body: Sequence[Condition], span: Span | None) -> None:
        """The test may hold for what the conditions that mention its variables leave."""
        head = Literal(test.predicate, test.arguments)
        binding = tuple(
            condition
            for condition in Clause(head, tuple(body)).positive
            if condition.predicate not in self._open_tests
            and not variables_of(condition).isdisjoint(variables_of(test))
        )
        self.clauses.append(Clause(head, binding, span, is_choice=True))

    def of_type(self, variable: Var, scope: RuleScope) -> Literal:
        """Whether a variable is of its type."""
        return Literal(self.type_relation(scope.types[variable]), (variable,))

    def type_relation(self, types: tuple[syntax.Name, ...]) -> str:
        """The relation of all objects of some types; its facts are written when first asked."""
        if self.world.mask(types) == self.world.role_mask:
            return "role"
        names = tuple(sorted({name.text for name in types})) or (ANY_TYPE,)
        if names not in self._types:
            self._types[names] = self.fresh("-or-".join(names))
            for item in self.world.objects_of(types):
                self.clauses.append(Clause(Literal(self._types[names], (item,))))
        return self._types[names]

    def _binds(self, condition: Condition, scope: RuleScope) -> list[Var]:
        """The variables that a condition binds to objects of their type."""
        if not isinstance(condition, Literal) or condition.negated:
            return []
        name, arguments = condition.predicate, condition.arguments
        if name == "true":
            inner = arguments[0]
            name = str(inner[0]) if isinstance(inner, tuple) else ""
            arguments = inner[1:] if isinstance(inner, tuple) else ()
        elif name == "does":
            move = arguments[1]
            inside = move[1:] if isinstance(move, tuple) else ()
            return [v for v in (arguments[0], *inside) if isinstance(v, Var)]
        declared = self._declared(name)
        return [
            argument
            for argument, types in zip(arguments, declared, strict=False)
            if isinstance(argument, Var) and fits(self.world, types, scope.types[argument])
        ]

    def _declared(self, name: str) -> tuple[tuple[syntax.Name, ...], ...]:
        """The types of a relation's arguments. A test binds nothing: it only asks."""
        if name == "role":
            return (self.role_types,)
        if name in self._made:
            return self._made[name]
        for predicate, relation in self.relations.items():
            if relation == name and predicate in self._well_typed:
                declaration = self.world.predicates[predicate]
                return tuple(parameter.types for parameter in declaration.parameters)
        return ()


def compound(name: str, arguments: tuple[Pattern, ...]) -> Pattern:
    """A name with arguments, or alone."""
    return (name, *arguments) if arguments else name


def well_typed(world: World, domain: syntax.Domain, problem: syntax.Problem) -> frozenset[str]:
    """The predicates that are derived, stated and added with arguments of their types only."""
    loose = {
        derived.head.name.text
        for derived in domain.derived
        if not _fit(world, derived.head.name, [p.types for p in derived.head.parameters])
    }
    for atom, types in (*_added(domain.actions), *((fact, {}) for fact in problem.facts)):
        if not _fit(world, atom.name, [_types(world, term, types) for term in atom.arguments]):
            loose.add(atom.name.text)
    return frozenset(world.predicates) - loose


def fits(world: World, narrow: Iterable[syntax.Name], wide: Iterable[syntax.Name]) -> bool:
    """Whether all that is of some types is of others."""
    inside, outside = world.mask(narrow), world.mask(wide)
    return outside == ANYTHING or (UNKNOWN not in {inside, outside} and not inside & ~outside)


def _fit(
    world: World, predicate: syntax.Name, given: Sequence[tuple[syntax.Name, ...] | None]
) -> bool:
    """Whether arguments fit a predicate; those of a head may leave out their types."""
    declared = world.predicates[predicate.text].parameters
    return all(
        own is not None and (not own or fits(world, own, parameter.types))
        for own, parameter in zip(given, declared, strict=True)
    )


def _added(
    actions: Iterable[syntax.Action],
) -> Iterator[tuple[syntax.Atom, dict[str, tuple[syntax.Name, ...]]]]:
    """Each atom that an effect adds, with the types of the variables around it."""
    for action in actions:
        work: list[tuple[syntax.Effect | None, dict[str, tuple[syntax.Name, ...]]]]
        work = [(action.effect, _bound(action.parameters))]
        while work:
            effect, types = work.pop()
            match effect:
                case syntax.Add(atom):
                    yield atom, types
                case syntax.Effects(inner):
                    work += [(part, types) for part in inner]
                case syntax.When(_, part):
                    work.append((part, types))
                case syntax.ForEach(variables, part):
                    work.append((part, types | _bound(variables)))


def _bound(variables: Iterable[syntax.Typed]) -> dict[str, tuple[syntax.Name, ...]]:
    return {
        item.term.name: item.types for item in variables if isinstance(item.term, syntax.Variable)
    }


def _types(
    world: World, term: syntax.Term, types: dict[str, tuple[syntax.Name, ...]]
) -> tuple[syntax.Name, ...] | None:
    """The types of an argument; None if it may be anything."""
    own = types[term.name] if isinstance(term, syntax.Variable) else world.objects[term.text]
    return own or None
