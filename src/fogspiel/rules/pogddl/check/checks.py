"""All checks of a game in POGDDL before it is played, by its rules and by what is declared.

An error means that the game has no meaning; a warning, that it says something odd; a note is a
remark. All findings are reported at once.

Derived predicates must not depend on their own negation (Edelkamp & Hoffmann 2004, PDDL 2.2).
Departure: recursion under `not` is refused only where it is a circle, as in stratified programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from fogspiel.core.findings import Finding, FindingCollector, errors_in, in_order
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import DEFAULT_LIMITS
from fogspiel.rules.graphs import components
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.check.declarations import check_domain, check_problem
from fogspiel.rules.pogddl.check.declared_uses import check_declared
from fogspiel.rules.pogddl.check.uses import BoundVariables, UsageRecord, UseChecker
from fogspiel.rules.pogddl.read.read import read_pogddl
from fogspiel.rules.pogddl.syntax import ALL, MOVER, OTHERS
from fogspiel.rules.pogddl.world import UNKNOWN, World


def read_and_check(
    sources: Sequence[Source], limits: ReadLimits = DEFAULT_LIMITS
) -> tuple[syntax.GameDescription, list[Finding]]:
    """The game that some texts define, with the findings of reading and checking, in their order.

    Raises `LimitError` for a text beyond the limits.
    """
    description, findings = read_pogddl(sources, limits)
    found = check(description, lint=not errors_in(findings))
    return description, in_order([*findings, *found], sources)


def check(description: syntax.GameDescription, *, lint: bool = True) -> list[Finding]:
    """Every finding about a game.

    lint: whether to look for what nothing uses. In a text that could not be read as a whole, the
    use may be in what was lost.
    """
    domain, problem = description.domain, description.problem
    if domain is None:
        return []
    world = World(description)
    notes = FindingCollector(domain.source)
    one_file = problem is None or problem.source is domain.source
    problem_notes = notes if one_file or problem is None else FindingCollector(problem.source)
    record = UsageRecord()
    check_domain(world, domain, notes)
    check_derivation(domain.derived, notes)
    _check_rules(RuleChecker(world, notes, record), domain)
    if problem is not None:
        check_problem(world, problem, problem_notes)
        checker = RuleChecker(world, problem_notes, record)
        checker.start(problem)
        _check_ends(checker, problem)
    check_declared(world, notes, record)
    every = [notes] if problem_notes is notes else [notes, problem_notes]
    if lint and not any(errors_in(own.findings) for own in every):
        check_unused(world, domain, notes, record)
    return [finding for own in every for finding in own.findings]


def _check_rules(checker: RuleChecker, domain: syntax.Domain) -> None:
    for derived in domain.derived:
        checker.derived(derived)
    for action in domain.actions:
        checker.action(action)
    for choice in domain.choices:
        checker.choice(choice)
    _check_ends(checker, domain)


def _check_ends(checker: RuleChecker, part: syntax.Domain | syntax.Problem) -> None:
    """Gains and terminal conditions, which may stand in either part."""
    for gain in part.gains:
        checker.gain(gain)
    for terminal in part.terminals:
        checker.condition(terminal, BoundVariables({}))


def check_unused(
    world: World, domain: syntax.Domain, notes: FindingCollector, record: UsageRecord
) -> None:
    """Variables, predicates and functions without a use, and conditions that never hold."""
    for where, variable in record.unused:
        fix = "remove it: each of its objects makes one more copy of the same"
        where.warning("POG060", variable.span, f"nothing uses `?{variable.name}`", fix)
    for declaration in (*domain.predicates, *domain.functions):
        name = declaration.name
        if name.text not in record.asked and name.text != MOVER:
            notes.note(
                "POG061", name.span, f"nothing asks for `{name.text}`", "remove it, or use it"
            )
    if world.problem is None:
        return
    for text, (where, span) in record.asked.items():
        if text in record.stated:
            continue
        if text in world.predicates:
            fix = "state it in `:init`, or let an effect add it"
            where.warning("POG062", span, f"nothing makes `{text}` true: it never holds", fix)
        elif text in world.functions:
            fix = f"give it a value in `:init`: (= ({text} …) 0)"
            where.warning("POG062", span, f"nothing gives `{text}` a value", fix)


def check_derivation(rules: Sequence[syntax.Derived], notes: FindingCollector) -> None:
    """Negations that close a circle of derived predicates, one finding for each."""
    names = {rule.head.name.text for rule in rules}
    graph: dict[str, set[str]] = {name: set() for name in names}
    negations: list[tuple[str, syntax.Atom]] = []
    for rule in rules:
        head = rule.head.name.text
        for atom, is_negated in _atoms(rule.condition):
            if atom.name.text in names:
                graph[head].add(atom.name.text)
                if is_negated:
                    negations.append((head, atom))
    circle = components({name: sorted(graph[name]) for name in sorted(graph)})
    for head, atom in negations:
        if circle[head] == circle[atom.name.text]:
            fix = "derive what is negated without asking for this predicate"
            message = f"`{head}` depends on the negation of itself"
            notes.error("POG033", atom.span, message, fix)


def _atoms(condition: syntax.Condition) -> Iterator[tuple[syntax.Atom, bool]]:
    """The atoms of a condition, each with whether it stands under an odd number of negations."""
    work: list[tuple[syntax.Condition, bool]] = [(condition, False)]
    while work:
        item, is_negated = work.pop()
        match item:
            case syntax.Atom():
                yield item, is_negated
            case syntax.And(inner) | syntax.Or(inner):
                work += [(part, is_negated) for part in reversed(inner)]
            case syntax.Not(inner):
                work.append((inner, not is_negated))
            case syntax.Imply(premise, conclusion):
                work += [(conclusion, is_negated), (premise, not is_negated)]
            case syntax.Quantified(_, _, inner):
                work.append((inner, is_negated))
            case _:
                pass  # comparisons ask for no predicate


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
            self.arguments(call, None, "action", scope)
        else:
            head = syntax.Declaration(action.name, action.parameters)
            self.arguments(call, head, "action", scope)

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
