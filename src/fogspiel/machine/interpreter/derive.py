"""Derived predicates: their strata, and their facts in a state, computed on demand.

Source: semi-naive evaluation of stratified rules, e.g. Abiteboul, Hull & Vianu (1995), chapter 13.
Departures: a rule that uses its own predicate under `forall`, or under two negations, is evaluated
as a whole in every round. Single facts of nonrecursive predicates are proved from their rules,
without computing all other facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fogspiel.machine.interpreter.conditions import ConditionCompiler, Each
from fogspiel.machine.interpreter.normal import normal
from fogspiel.machine.interpreter.variables import Arguments, ObjectRange, Picker, VariableScope
from fogspiel.machine.interpreter.views import DELTA, FactTable, GroundAtom, StateView, Test
from fogspiel.rules.graphs import components
from fogspiel.rules.pogddl.syntax import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Derived,
    Domain,
    Fluent,
    Imply,
    Name,
    Not,
    Or,
    Quantified,
    Typed,
)
from fogspiel.rules.pogddl.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Predicates that depend on each other, or a single one."""

    predicates: tuple[str, ...]
    is_recursive: bool
    is_static: bool  #: Whether no effect can change its facts
    height: int  #: Number of strata on the longest chain of derivations to basic predicates
    below: frozenset[str]  #: Derived predicates of other strata that its rules use


def strata(rules: Sequence[Derived], changed: frozenset[str]) -> list[Stratum]:
    """The strata, each after those that it depends on.

    changed: the predicates and functions that some effect changes.
    """
    asked: dict[str, set[str]] = {rule.head.name.text: set() for rule in rules}
    for rule in rules:
        asked[rule.head.name.text].update(names_in(rule.condition))
    numbers = components({name: sorted(asked[name] & asked.keys()) for name in asked})
    groups: dict[int, list[str]] = {}
    for name in asked:
        groups.setdefault(numbers[name], []).append(name)
    found: dict[str, Stratum] = {}
    for number in sorted(groups):  # in Tarjan's order, each after those that it depends on
        own = groups[number]
        names = set[str]().union(*[asked[name] for name in own])
        below = frozenset((names & asked.keys()) - set(own))
        stratum = Stratum(
            predicates=tuple(own),
            is_recursive=bool(names & set(own)),
            is_static=not names & changed and all(found[name].is_static for name in below),
            height=1 + max((found[name].height for name in below), default=0),
            below=below,
        )
        found.update((name, stratum) for name in own)
    return list({id(stratum): stratum for stratum in found.values()}.values())


def variants(condition: Condition, predicates: Sequence[str]) -> list[Condition] | None:
    """Copies of a normal condition, one for each place in it with one of the predicates.

    In that place it uses new facts only. None if such a place is under a negation.
    """
    match condition:
        case Atom(name, arguments, span=span):
            new = Name(DELTA + name.text, span=name.span)
            return [Atom(new, arguments, span=span)] if name.text in predicates else []
        case And(parts):
            return _each_part(
                parts, predicates, lambda at, new: And((*parts[:at], new, *parts[at + 1 :]))
            )
        case Or(parts):
            # The other alternatives use no new facts and were tried before.
            return _each_part(parts, predicates, lambda _, new: new)
        case Quantified(quantifier, variables, inner):
            return _each_part(
                (inner,), predicates, lambda _, new: Quantified(quantifier, variables, new)
            )
    return None if set(names_in(condition)) & set(predicates) else []


def _each_part(
    parts: Sequence[Condition],
    predicates: Sequence[str],
    whole: Callable[[int, Condition], Condition],
) -> list[Condition] | None:
    """The whole condition for each variant of a part."""
    found: list[Condition] = []
    for at, part in enumerate(parts):
        options = variants(part, predicates)
        if options is None:
            return None
        found += [whole(at, new) for new in options]
    return found


def names_in(condition: Condition) -> Iterator[str]:
    """The predicates and functions that a condition uses."""
    work: list[Condition | Fluent | Arithmetic] = [condition]
    while work:
        match work.pop():
            case Atom(name) | Fluent(name):
                yield name.text
            case And(inner) | Or(inner):
                work.extend(inner)
            case Not(inner) | Quantified(_, _, inner):
                work.append(inner)
            case Imply(first, second):
                work += [first, second]
            case Comparison(_, left, right):
                work += [side for side in (left, right) if isinstance(side, Fluent | Arithmetic)]
            case Arithmetic(_, operands):
                work += [item for item in operands if isinstance(item, Fluent | Arithmetic)]
            case _:
                pass  # an equation uses no name


MAX_HEIGHT = 12
"""Longest chain of predicates that is proved by recursion before the facts of one are computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationRule:
    """One definition of a predicate."""

    predicate: str
    scope: VariableScope
    head: Picker
    parameters: tuple[tuple[int, ObjectRange], ...]
    """Slots of the arguments, with their ranges."""
    search: Each
    test: Test
    new: tuple[Each, ...] | None
    """Searches for consequences of new facts of its own stratum; None if it uses no such facts."""

    def proves(self, view: StateView, arguments: Arguments) -> bool:
        """Whether the rule derives the fact with these arguments."""
        environment = self.scope.frame.fresh()
        for value, (slot, values) in zip(arguments, self.parameters, strict=True):
            if value not in values.members:
                return False
            environment[slot] = value
        return self.test(environment, view)

    def facts(self, view: StateView, searches: Iterable[Each]) -> dict[Arguments, None]:
        """The facts that some searches find."""
        environment = self.scope.frame.fresh()
        head, found = self.head, dict[Arguments, None]()

        def note() -> bool:
            found[head(environment)] = None
            return False

        for search in searches:
            search(environment, view, note)
        return found


class Derivations:
    """The derived predicates of a game. Implements `Derivation`."""

    def __init__(
        self, domain: Domain, world: World, conditions: ConditionCompiler, changed: frozenset[str]
    ) -> None:
        self._strata: dict[str, Stratum] = {}
        self._rules: dict[str, list[DerivationRule]] = {}
        self._static = StateView({}, {}, self)
        """The facts of static predicates, which are the same in every state."""
        self._static_proofs: dict[GroundAtom, bool] = {}
        self._rests: dict[str, list[str]] = {}
        for stratum in strata(domain.derived, changed):
            self._strata.update((name, stratum) for name in stratum.predicates)
        for derived in domain.derived:
            rule = self._rule(derived, domain, world, conditions)
            self._rules.setdefault(rule.predicate, []).append(rule)

    def work_out(self, view: StateView, predicate: str) -> FactTable:
        """The table of a predicate in a state."""
        stratum = self._strata[predicate]
        for name in self._resting(predicate):
            self._table(view, self._strata[name], name)
        return self._table(view, stratum, predicate)

    def _resting(self, predicate: str) -> list[str]:
        """Predicates to be computed before, so that no recursion over predicates is deep."""
        found = self._rests.get(predicate)
        if found is None:
            needed, work = {predicate}, [predicate]
            while work:
                fresh = self._strata[work.pop()].below - needed
                needed |= fresh
                work.extend(fresh)
            high = [n for n in needed - {predicate} if self._strata[n].height % MAX_HEIGHT == 0]
            found = self._rests[predicate] = sorted(high, key=lambda n: self._strata[n].height)
        return found

    def proves(self, view: StateView, predicate: str, arguments: Arguments) -> bool:
        """Whether a single fact follows in a state."""
        stratum = self._strata[predicate]
        if stratum.is_recursive or stratum.height >= MAX_HEIGHT:
            return arguments in self.work_out(view, predicate).rows
        atom = predicate, arguments
        if atom in self._static_proofs:
            return self._static_proofs[atom]
        proved = any(rule.proves(view, arguments) for rule in self._rules[predicate])
        if stratum.is_static:
            self._static_proofs[atom] = proved
        return proved

    def _table(self, view: StateView, stratum: Stratum, predicate: str) -> FactTable:
        """The table of a predicate, computed with those of its stratum if necessary."""
        table = view.derived_table(predicate)
        if table is None:
            shared = self._static.derived_table(predicate)
            if shared is None:
                self._fill(view, stratum)
            for name in stratum.predicates:
                if shared is not None:
                    view.set_derived(name, self._static.table(name))
                elif stratum.is_static:
                    self._static.set_derived(name, view.table(name))
            table = view.table(predicate)
        return table

    def _fill(self, view: StateView, stratum: Stratum) -> None:
        """Compute the least fixpoint of the rules of a stratum."""
        names = stratum.predicates
        try:
            self._iterate(view, stratum)
        except BaseException:
            view.forget_derived(names)  # unfinished, so that the next query must start anew
            raise
        finally:
            view.forget_derived(DELTA + name for name in names)

    def _iterate(self, view: StateView, stratum: Stratum) -> None:
        """Apply the rules of a stratum in rounds until nothing new follows."""
        names = stratum.predicates
        tables = {name: FactTable() for name in names}
        for name, table in tables.items():
            view.set_derived(name, table)
        rules = [rule for name in names for rule in self._rules[name]]
        found = self._round(view, tables, rules, is_first=True)
        while stratum.is_recursive and any(found.values()):
            for name in names:
                view.set_derived(DELTA + name, FactTable(found[name]))
            found = self._round(view, tables, rules, is_first=False)

    def _round(
        self,
        view: StateView,
        tables: dict[str, FactTable],
        rules: Sequence[DerivationRule],
        *,
        is_first: bool,
    ) -> dict[str, dict[Arguments, None]]:
        """New facts that the rules derive in one round, which are added to the tables."""
        found: dict[str, dict[Arguments, None]] = {name: {} for name in tables}
        for rule in rules:
            searches = (rule.search,) if is_first or rule.new is None else rule.new
            rows = tables[rule.predicate].rows
            facts = rule.facts(view, searches)
            found[rule.predicate].update((row, None) for row in facts if row not in rows)
        for name, fresh in found.items():
            tables[name].grow(fresh)
        return found

    def _rule(
        self, derived: Derived, domain: Domain, world: World, conditions: ConditionCompiler
    ) -> DerivationRule:
        predicate = derived.head.name.text
        parameters = _parameters(derived, world)
        ranges = conditions.objects.ranges(parameters)
        scope = VariableScope.empty(domain.source).inside(parameters)
        stratum = self._strata[predicate]
        own = stratum.predicates if stratum.is_recursive else ()
        new = variants(normal(derived.condition), own)
        terms = [item.term for item in parameters]
        return DerivationRule(
            predicate=predicate,
            scope=scope,
            head=scope.picker(terms),
            parameters=tuple(
                (scope.slot(item.term), conditions.objects.of_types(item.types))
                for item in parameters
            ),
            search=conditions.search(derived.condition, scope, ranges),
            test=conditions.holds(derived.condition, scope),
            new=None if new is None else tuple(conditions.search(c, scope, ranges) for c in new),
        )


def _parameters(derived: Derived, world: World) -> list[Typed]:
    """The parameters of a head, with types from the declaration where it gives none."""
    declared = world.predicates[derived.head.name.text].parameters
    return [
        Typed(own.term, own.types or other.types)
        for own, other in zip(derived.head.parameters, declared, strict=True)
    ]
