"""Checks of every use of a name: is it declared, with so many arguments of such types?

One walk over the whole game, which also keeps what lint asks for afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Span
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.check.declarations import check_variables
from fogspiel.rules.pogddl.syntax import PLACEHOLDER
from fogspiel.rules.pogddl.world import ANYTHING, UNKNOWN, World


@dataclass(slots=True)
class BoundVariables:
    """Variables that are bound at some place, each with what it may be."""

    masks: dict[str, int]
    used: set[str] = field(default_factory=set)
    outer: BoundVariables | None = None

    def mask(self, name: str) -> int | None:
        """What a variable may be; None if nothing binds it."""
        scope: BoundVariables | None = self
        while scope is not None:
            if name in scope.masks:
                scope.used.add(name)
                return scope.masks[name]
            scope = scope.outer
        return None

    def suppose(self, name: str) -> None:
        """Take a variable as bound from here on, so that its lack is said once."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        scope.masks[name] = UNKNOWN


@dataclass(slots=True)
class UsageRecord:
    """What the rules ask for and what they bring about, for lint."""

    asked: dict[str, tuple[FindingCollector, Span]] = field(default_factory=dict)
    """Predicates and functions that are asked for, with the first place."""
    stated: set[str] = field(default_factory=set)
    """Predicates that come true, and functions that get a value, somewhere or at the start."""
    unused: list[tuple[FindingCollector, syntax.Variable]] = field(default_factory=list)
    """Variables that nothing in their scope mentions."""
    undeclared: dict[tuple[str, str], tuple[FindingCollector, Span]] = field(default_factory=dict)
    """Kinds and names of what is used without a declaration, with the first place."""
    counts: dict[tuple[str, str], DeclaredUses] = field(default_factory=dict)
    """Kinds and names of what is declared, with its uses."""


@dataclass(slots=True)
class DeclaredUses:
    """The uses of one declaration, by their numbers of arguments."""

    declaration: syntax.Declaration
    right: int = 0
    wrong: list[tuple[FindingCollector, syntax.Atom | syntax.Fluent]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class UseChecker:
    """Walks over the formulas of one text."""

    world: World
    notes: FindingCollector
    record: UsageRecord

    def scope(
        self,
        variables: Sequence[syntax.Typed],
        outer: BoundVariables | None = None,
        default: int = ANYTHING,
    ) -> BoundVariables:
        """The scope of some variables, checked; an untyped one may be what `default` says."""
        check_variables(self.world, variables, self.notes)
        masks: dict[str, int] = {}
        for item in variables:
            if isinstance(item.term, syntax.Variable):
                mask = self.world.mask(item.types) if item.types else default
                masks.setdefault(item.term.name, mask)
        return BoundVariables(masks, outer=outer)

    def leave(self, variables: Sequence[syntax.Typed], scope: BoundVariables) -> None:
        """Remember the variables that nothing in their scope mentioned."""
        self.record.unused += [
            (self.notes, item.term)
            for item in variables
            if isinstance(item.term, syntax.Variable) and item.term.name not in scope.used
        ]

    def condition(self, condition: syntax.Condition, scope: BoundVariables) -> None:
        """A condition with all that it is made of."""
        match condition:
            case syntax.Atom():
                self.asked(condition.name)
                self.predicate(condition, scope)
            case syntax.And(inner) | syntax.Or(inner):
                for part in inner:
                    self.condition(part, scope)
            case syntax.Not(inner):
                self.condition(inner, scope)
            case syntax.Imply(premise, conclusion):
                self.condition(premise, scope)
                self.condition(conclusion, scope)
            case syntax.Quantified(_, variables, inner):
                inside = self.scope(variables, scope)
                self.condition(inner, inside)
                self.leave(variables, inside)
            case syntax.Equal(left, right):
                self._equal(left, right, condition.span, scope)
            case syntax.Comparison(_, left, right):
                self.expression(left, scope)
                self.expression(right, scope)

    def _equal(
        self, left: syntax.Term, right: syntax.Term, span: Span, scope: BoundVariables
    ) -> None:
        first, second = self.term(left, scope), self.term(right, scope)
        if UNKNOWN not in {first, second} and not first & second:
            fix = "compare objects of one type, or remove the condition"
            self.notes.warning("POG028", span, "objects of these two types are never equal", fix)

    def expression(self, expression: syntax.Expression, scope: BoundVariables) -> None:
        """An expression with all that it is made of."""
        match expression:
            case syntax.Fluent():
                self.asked(expression.name)
                self.function(expression, scope)
            case syntax.Arithmetic(_, operands):
                for operand in operands:
                    self.expression(operand, scope)
            case syntax.Number():
                pass

    def asked(self, name: syntax.Name) -> None:
        """Remember that a condition or an expression asks for a name."""
        self.record.asked.setdefault(name.text, (self.notes, name.span))

    def predicate(self, atom: syntax.Atom, scope: BoundVariables) -> None:
        """An atom of a condition, an effect or the start."""
        name = atom.name.text
        declaration = self.world.predicates.get(name)
        if declaration is None:
            self.record.undeclared.setdefault(("predicate", name), (self.notes, atom.name.span))
        self.arguments(atom, declaration, "predicate", scope)

    def function(self, fluent: syntax.Fluent, scope: BoundVariables) -> None:
        """A function in an expression, an effect or the start."""
        name = fluent.name.text
        declaration = self.world.functions.get(name)
        if declaration is None:
            self.record.undeclared.setdefault(("function", name), (self.notes, fluent.name.span))
        self.arguments(fluent, declaration, "function", scope)

    def arguments(
        self,
        use: syntax.Atom | syntax.Fluent,
        declaration: syntax.Declaration | None,
        kind: str,
        scope: BoundVariables,
    ) -> None:
        """Number and types of arguments; those of an unknown name are looked at alone."""
        masks = [self.term(term, scope) for term in use.arguments]
        if declaration is None:
            return
        wanted = declaration.parameters
        counted = self.record.counts.setdefault((kind, use.name.text), DeclaredUses(declaration))
        if len(masks) != len(wanted):
            counted.wrong.append((self.notes, use))
            return
        counted.right += 1
        for term, mask, parameter in zip(use.arguments, masks, wanted, strict=True):
            self.fits(term, mask, parameter)

    def fits(self, term: syntax.Term, mask: int, parameter: syntax.Typed) -> None:
        """Whether a term may, and must, be of the type of a parameter."""
        allowed = self.world.mask(parameter.types)
        if allowed == UNKNOWN or not mask & ~allowed:
            return
        kind = " or ".join(name.text for name in parameter.types)
        if mask & allowed and isinstance(term, syntax.Variable):
            message = f"`{term}` may be something else than the `{kind}` that is expected"
            self.notes.warning("POG028", term.span, message, f"give it the type `{kind}`")
        else:
            message = f"`{term}` is no `{kind}`, which is expected here"
            self.notes.error("POG028", term.span, message, f"write something of type `{kind}`")

    def term(self, term: syntax.Term, scope: BoundVariables, *, observed: bool = False) -> int:
        """What a term may be. `_` stands in observations only."""
        if isinstance(term, syntax.Variable):
            mask = scope.mask(term.name)
            if mask is None:
                fix = "add it to the parameters, or bind it by `exists` or `forall`"
                message = f"the variable `?{term.name}` is bound by nothing"
                self.notes.error("POG025", term.span, message, fix)
                scope.suppose(term.name)
            return UNKNOWN if mask is None else mask
        if term.text == PLACEHOLDER:
            if not observed:
                fix = "name an object, or bind a variable by `exists`"
                message = "`_` hides an argument of an observation, and means nothing elsewhere"
                self.notes.error("POG030", term.span, message, fix)
            return UNKNOWN
        if term.text not in self.world.objects:
            fix = self.notes.meant(
                term.text, self.world.objects, "declare it in `:constants` or `:objects`"
            )
            self.notes.error("POG024", term.span, f"the object `{term.text}` is not declared", fix)
        return self.world.object_mask(term.text)
