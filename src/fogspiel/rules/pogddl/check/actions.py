"""Checks of what an action does, what roles get and see, and how a game starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod

from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.check.uses import BoundVariables, UseChecker
from fogspiel.rules.pogddl.syntax import ALL, MOVER, OTHERS
from fogspiel.rules.pogddl.world import UNKNOWN


class RuleChecker(UseChecker):
    """Walks over the structures of one text."""

    def action(self, action: syntax.Action) -> None:
        """An action with its precondition and effect."""
        scope = self.scope(action.parameters)
        if action.precondition is not None:
            self.condition(action.precondition, scope)
        if action.effect is not None:
            self.effect(action.effect, scope)
        self.leave(action.parameters, scope)

    def effect(self, effect: syntax.Effect, scope: BoundVariables) -> None:
        """An effect with all that it is made of."""
        match effect:
            case syntax.Add(atom):
                self.stated(atom)
                self.predicate(atom, scope)
            case syntax.Delete(atom):
                self._not_derived(atom)
                self.predicate(atom, scope)
            case syntax.Change(operator, fluent, value):
                if operator == "assign":
                    self.record.stated.add(fluent.name.text)
                self.function(fluent, scope)
                self.expression(value, scope)
            case syntax.Effects(inner):
                for part in inner:
                    self.effect(part, scope)
            case syntax.When(condition, inner):
                self.condition(condition, scope)
                self.effect(inner, scope)
            case syntax.ForEach(variables, inner):
                inside = self.scope(variables, scope)
                self.effect(inner, inside)
                self.leave(variables, inside)
            case syntax.Observe(observations):
                for observation in observations:
                    self._observation(observation, scope)

    def stated(self, atom: syntax.Atom) -> None:
        """Remember that something comes true; what is derived cannot be made true besides."""
        self.record.stated.add(atom.name.text)
        self._not_derived(atom)

    def _not_derived(self, atom: syntax.Atom) -> None:
        if atom.name.text in self.world.derived:
            fix = "change what it is derived from, or remove its `:derived`"
            message = f"`{atom.name.text}` is derived: it cannot be set"
            self.notes.error("POG032", atom.name.span, message, fix)

    def _observation(self, observation: syntax.ObservationClause, scope: BoundVariables) -> None:
        # Names of observations need no declaration; the objects in them do.
        for term in observation.atom.arguments:
            self.term(term, scope, observed=True)
        recipient = observation.recipient
        if isinstance(recipient, syntax.Variable) or recipient.text not in {ALL, OTHERS}:
            self._role(recipient, scope, "POG042", "an observation is for")

    def _role(self, term: syntax.Term, scope: BoundVariables, code: str, what: str) -> None:
        """A term that must be a role. Without a type of roles, that is said once and elsewhere."""
        roles = self.world.role_mask
        if isinstance(term, syntax.Variable):
            mask = self.term(term, scope)
            is_role = roles is None or mask == UNKNOWN or bool(mask & roles)
        else:
            is_role = roles is None or term.text in self.world.roles
        if not is_role:
            known = [*self.world.roles, *([ALL, OTHERS] if code == "POG042" else [])]
            fix = self.notes.meant(str(term), known, "name a role, or a variable of its type")
            message = f"{what} a role, and `{term}` is none"
            self.notes.error(code, term.span, message, fix)

    def derived(self, derived: syntax.Derived) -> None:
        """A derived predicate: its head as declared, its condition in the scope of the head."""
        head = derived.head
        declared = self.world.predicates.get(head.name.text)
        scope = self.scope(head.parameters)
        if declared is not None and len(declared.parameters) == len(head.parameters):
            # Types that the head leaves out are those of the declaration.
            for own, other in zip(head.parameters, declared.parameters, strict=True):
                if isinstance(own.term, syntax.Variable) and not own.types:
                    scope.masks[own.term.name] = self.world.mask(other.types)
        terms = tuple(item.term for item in head.parameters)
        self.predicate(syntax.Atom(head.name, terms, span=head.span), scope)
        self.record.stated.add(head.name.text)
        self.condition(derived.condition, scope)

    def gain(self, gain: syntax.Gain) -> None:
        """What roles get: the roles, the amount and the condition."""
        variables: Sequence[syntax.Typed] = [
            r for r in gain.roles if isinstance(r.term, syntax.Variable)
        ]
        scope = self.scope(variables, default=self.world.role_mask or UNKNOWN)
        for role in gain.roles:
            self._role(role.term, scope, "POG043", "a gain is for")
        self.expression(gain.value, scope)
        self.condition(gain.condition, scope)

    def choice(self, choice: syntax.Choice) -> None:
        """A weighted choice: actions with arguments that fit, and weights that mean something."""
        scope = self.scope(choice.parameters)
        if choice.condition is not None:
            self.condition(choice.condition, scope)
        for option in choice.options:
            self.expression(option.weight, scope)
            self._call(option.action, scope)
            if isinstance(option.weight, syntax.Number) and option.weight.value < 0:
                fix = "write a weight of 0 or more"
                self.notes.error("POG046", option.weight.span, "this weight is negative", fix)
        weights = [option.weight for option in choice.options]
        if all(isinstance(weight, syntax.Number) and weight.value == 0 for weight in weights):
            fix = "give some action a weight above 0"
            self.notes.error("POG046", choice.span, "no action here has a chance", fix)
        self.leave(choice.parameters, scope)

    def _call(self, call: syntax.Atom, scope: BoundVariables) -> None:
        name = call.name.text
        action = self.world.actions.get(name)
        if action is None:
            fix = self.notes.meant(name, self.world.actions, "name an action of this domain")
            self.notes.error("POG029", call.name.span, f"there is no action `{name}`", fix)
            self.arguments(call, None, "the action", scope)
        else:
            head = syntax.Declaration(action.name, action.parameters)
            self.arguments(call, head, "the action", scope)

    def start(self, problem: syntax.Problem) -> None:
        """The facts and values of `:init`."""
        nothing = BoundVariables({})
        for fact in problem.facts:
            self.stated(fact)
            self.predicate(fact, nothing)
        given: Counter[tuple[str, tuple[syntax.Term, ...]]] = Counter()
        for value in problem.values:
            self.record.stated.add(value.fluent.name.text)
            self.function(value.fluent, nothing)
            given[value.fluent.name.text, value.fluent.arguments] += 1
            if given[value.fluent.name.text, value.fluent.arguments] > 1:
                fix = "keep one of the values"
                self.notes.error("POG026", value.span, "this is given a value twice", fix)
            self._within_bounds(value)
        self._unstated_within_bounds(problem, Counter(name for name, _ in given))
        movers = list(dict.fromkeys(f for f in problem.facts if f.name.text == MOVER))
        if MOVER in self.world.predicates and len(movers) != 1:
            message = "it is nobody's turn at the start" if not movers else "two roles are to move"
            span = problem.name.span if not movers else movers[1].span
            self.notes.error("POG044", span, message, "state (whoseturn role) once in `:init`")

    def _within_bounds(self, value: syntax.Assignment) -> None:
        """A value at the start against the bounds of its function."""
        declared = self.world.functions.get(value.fluent.name.text)
        bounds = declared.bounds if declared else None
        if bounds is None or bounds.low > bounds.high:
            return
        if not bounds.low <= value.value.value <= bounds.high:
            message = f"{value.value.value} is outside the bounds {bounds.low} to {bounds.high}"
            fix = f"give `{value.fluent.name.text}` another value, or wider bounds"
            self.notes.error("POG049", value.value.span, message, fix)

    def _unstated_within_bounds(self, problem: syntax.Problem, given: Counter[str]) -> None:
        """A function without a value at the start counts as 0."""
        for name, declared in self.world.functions.items():
            bounds = declared.bounds
            if bounds is None or bounds.low <= 0 <= bounds.high or bounds.low > bounds.high:
                continue
            if given[name] < prod(map(len, self.world.domains(declared))):
                message = f"`{name}` starts at 0, outside its bounds {bounds.low} to {bounds.high}"
                fix = f"state its value in `:init`: (= ({name} …) {bounds.low})"
                self.notes.error("POG049", problem.name.span, message, fix)
