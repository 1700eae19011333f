"""Whether two relations can never hold together, as far as a look at their rules tells.

Both are supposed to hold. If what their rules then ask for contradicts itself, or makes something
hold that one of them forbids, they exclude each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from fogspiel.rules.clauses import Bindings, Clause, Literal, Signature, is_ground


class Exclusion:
    """Looks at the rules of one program."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self._rules: dict[Signature, list[Clause]] = defaultdict(list)
        for clause in clauses:
            self._rules[clause.head.signature].append(clause)

    def excludes(self, first: Literal, second: Literal) -> bool:
        """Whether two ground atoms never hold together; False where that is not seen."""
        asked = [*self._asked(first), *self._asked(second)]
        holding = [literal for literal in asked if not literal.negated]
        forbidden = [Literal(c.predicate, c.arguments) for c in asked if c.negated]
        return any(atom in holding or self._follows(atom, holding) for atom in forbidden)

    def _asked(self, atom: Literal) -> Iterator[Literal]:
        """The ground conditions of an atom that has a single rule."""
        rules = self._rules[atom.signature]
        if len(rules) != 1:
            return
        bindings = Bindings()
        if all(map(bindings.unify, rules[0].head.arguments, atom.arguments)):
            for condition in rules[0].literals:
                literal = condition.map(bindings.applied)
                if all(map(is_ground, literal.arguments)):
                    yield literal

    def _follows(self, atom: Literal, holding: list[Literal]) -> bool:
        """Whether one rule derives the atom from what holds and from facts."""
        for rule in self._rules[atom.signature]:
            bindings = Bindings()
            if all(map(bindings.unify, rule.head.arguments, atom.arguments)):
                body = [condition.map(bindings.applied) for condition in rule.positive]
                if len(body) == len(rule.body) and self._holds(body, holding):
                    return True
        return False

    def _holds(self, body: list[Literal], holding: list[Literal]) -> bool:
        """Whether all conditions hold for some values of their variables."""
        if not body:
            return True
        first, *rest = body
        facts = (rule.head for rule in self._rules[first.signature] if not rule.body)
        for known in (*holding, *facts):
            bindings = Bindings()
            if known.signature == first.signature and all(
                map(bindings.unify, first.arguments, known.arguments)
            ):
                following = [condition.map(bindings.applied) for condition in rest]
                if self._holds(following, holding):
                    return True
        return False
