"""Joins find what enumerating all values finds: random conditions, tried plainly."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.syntax import (
    And,
    Atom,
    Comparison,
    Condition,
    Equal,
    Expression,
    Fluent,
    GameDescription,
    Imply,
    Not,
    Number,
    Or,
    Quantified,
    Quantifier,
    Term,
    Variable,
)

NODES, LEAVES = ("a", "b", "c"), ("d", "e")
OBJECTS = {"node": NODES, "thing": (*NODES, *LEAVES), "role": ("ann",)}
PARAMETERS = {"x": "node", "y": "thing", "z": "node"}
COMPARE: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip

Facts = frozenset[tuple[str, ...]]

terms = st.sampled_from(["?x", "?x", "?y", "?y", "?z", "a", "d"])
atoms = st.one_of(
    terms.map("(p {})".format),
    st.tuples(terms, terms).map(lambda pair: "(edge {} {})".format(*pair)),
    st.tuples(terms, terms).map(lambda pair: "(linked {} {})".format(*pair)),
    st.tuples(terms, terms).map(lambda pair: "(= {} {})".format(*pair)),
    st.tuples(st.sampled_from(list(COMPARE)), terms, terms).map(
        lambda parts: "({} (f {}) (f {}))".format(*parts)
    ),
    st.tuples(st.sampled_from(list(COMPARE)), terms).map(
        lambda parts: "({} (f {}) 1)".format(*parts)
    ),
)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Conditions made of others. Quantifiers hide the parameters of the same name."""
    variables = st.sampled_from(["?x - node", "?y - thing", "?y - node ?z - thing"])
    return st.one_of(
        inner.map("(not {})".format),
        st.tuples(inner, inner).map(lambda parts: "(imply {} {})".format(*parts)),
        st.tuples(st.sampled_from(["and", "or", "and"]), st.lists(inner, max_size=4)).map(
            lambda parts: f"({parts[0]} {' '.join(parts[1])})"
        ),
        st.tuples(st.sampled_from(["exists", "forall"]), variables, inner).map(
            lambda parts: "({} ({}) {})".format(*parts)
        ),
    )


conditions = st.recursive(atoms, larger, max_leaves=9)
things = st.sampled_from(OBJECTS["thing"])
facts = st.tuples(
    st.frozensets(things.map(lambda thing: ("p", thing)), max_size=4),
    st.frozensets(st.tuples(st.just("edge"), things, things), max_size=7),
)
values = st.dictionaries(things, st.sampled_from([1, 2, Fraction(1, 2)]), max_size=4)


@settings(max_examples=120)
@given(condition=conditions, stated=facts, numbers=values)
def test_the_applicable_actions_are_those_of_all_tuples_that_hold(
    condition: str, stated: tuple[Facts, Facts], numbers: dict[str, Fraction]
) -> None:
    description = game(condition, stated[0] | stated[1], numbers)
    machine = InterpretedMachine(description)
    legal = machine.legal(machine.initial(), RoleId(0))
    found = {machine.move_term(RoleId(0), move) for move in legal}
    plain = Plain(stated[0] | linked(stated[1]), numbers)
    domain = description.domain
    assert domain is not None
    precondition = domain.actions[0].precondition
    assert precondition is not None
    expected = {
        ("act", *choice)
        for choice in product(*(OBJECTS[kind] for kind in PARAMETERS.values()))
        if plain.holds(precondition, dict(zip(PARAMETERS, choice, strict=True)))
    }
    assert found == expected
    assert len(legal) == len(expected)


def game(condition: str, stated: Facts, numbers: dict[str, Fraction]) -> GameDescription:
    """One action with the condition."""
    parameters = " ".join(f"?{name} - {kind}" for name, kind in PARAMETERS.items())
    init = " ".join(f"({' '.join(fact)})" for fact in sorted(stated))
    given_values = " ".join(f"(= (f {thing}) {value})" for thing, value in numbers.items())
    text = f"""
    (define (domain joins)
      (:types node leaf - thing role)
      (:constants a b c - node d e - leaf ann - role)
      (:predicates (whoseturn ?r - role) (p ?x - thing) (edge ?x ?y - thing)
                   (linked ?x ?y - thing))
      (:functions (f ?x - thing))
      (:derived (linked ?x ?y) (or (edge ?x ?y)
        (exists (?z - thing) (and (linked ?x ?z) (linked ?z ?y)))))
      (:action act :parameters ({parameters}) :precondition {condition}
        :effect (and (not (edge ?x ?y)) (p ?z)))
      (:gain ann 1 ()))
    (define (problem p) (:domain joins) (:init (whoseturn ann) {init} {given_values}))
    """
    description, findings = read_and_check([Source("joins.pogddl", text)])
    assert list(map(str, errors_in(findings))) == []
    return description


def linked(edges: Facts) -> Facts:
    """The edges with their transitive closure."""
    pairs = {(a, b) for _, a, b in edges}
    while fresh := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= fresh
    return edges | {("linked", *pair) for pair in pairs}


class Plain:
    """Conditions as their definition says: by trying all objects."""

    def __init__(self, stated: Facts, numbers: Mapping[str, Fraction]) -> None:
        self._facts = stated
        self._numbers = numbers

    def holds(self, condition: Condition, bound: Mapping[str, str]) -> bool:
        match condition:
            case And(inner):
                return all(self.holds(part, bound) for part in inner)
            case Or(inner):
                return any(self.holds(part, bound) for part in inner)
            case Not(inner):
                return not self.holds(inner, bound)
            case Imply(premise, conclusion):
                return not self.holds(premise, bound) or self.holds(conclusion, bound)
            case Quantified():
                return self._quantified(condition, bound)
        return self._literal(condition, bound)

    def _literal(self, condition: Atom | Equal | Comparison, bound: Mapping[str, str]) -> bool:
        match condition:
            case Atom(name, arguments):
                return (name.text, *(value_of(term, bound) for term in arguments)) in self._facts
            case Equal(left, right):
                return value_of(left, bound) == value_of(right, bound)
            case Comparison(operator, left, right):
                return COMPARE[operator](self._number(left, bound), self._number(right, bound))

    def _quantified(self, condition: Quantified, bound: Mapping[str, str]) -> bool:
        names = [item.term.name for item in condition.variables if isinstance(item.term, Variable)]
        kinds = [OBJECTS[item.types[0].text] for item in condition.variables]
        found = (
            self.holds(condition.condition, {**bound, **dict(zip(names, choice, strict=True))})
            for choice in product(*kinds)
        )
        return any(found) if condition.quantifier is Quantifier.EXISTS else all(found)

    def _number(self, expression: Expression, bound: Mapping[str, str]) -> Fraction:
        if isinstance(expression, Number):
            return expression.value
        assert isinstance(expression, Fluent)
        return Fraction(self._numbers.get(value_of(expression.arguments[0], bound), 0))


def value_of(term: Term, bound: Mapping[str, str]) -> str:
    """The object that a term stands for."""
    return bound[term.name] if isinstance(term, Variable) else term.text
