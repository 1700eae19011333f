"""Derived predicates and negation: circles are refused, layers are not."""

from __future__ import annotations

import pytest

from pogddl_games import NOUGHTS, findings_of, places

LINE = 10
"""The place of the rules in the game of noughts and crosses: right before its action."""

CIRCLES = {
    "itself": "(:derived (row ?r) (not (row ?r)))",
    "two": "(:derived (row ?r) (not (diagonal ?r))) (:derived (diagonal ?r) (row ?r))",
    "a premise": "(:derived (row ?r) (imply (row ?r) (whoseturn ?r)))",
    "a quantifier": "(:derived (row ?r) (exists (?s - role) (and (whoseturn ?r) (not (row ?s)))))",
}
LAYERS = {
    "a lower one": "(:derived (row ?r) (not (diagonal ?r)))",
    "twice": "(:derived (row ?r) (not (not (row ?r))))",
    "a fact": "(:derived (row ?r) (and (row ?r) (not (whoseturn ?r))))",
    "a conclusion": "(:derived (row ?r) (imply (whoseturn ?r) (row ?r)))",
}


def with_rules(rules: str) -> str:
    lines = NOUGHTS.split("\n")
    assert lines[LINE].startswith("  (:action")
    return "\n".join([*lines[:LINE], rules, *lines[LINE:]])


@pytest.mark.parametrize("name", CIRCLES)
def test_a_circle_through_a_negation_is_an_error_at_the_negation(name: str) -> None:
    rules = CIRCLES[name]
    negated = {"two": "(diagonal ?r)", "a quantifier": "(row ?s)"}.get(name, "(row ?r)")
    first = rules.index(negated, rules.index("?r)") + 3)
    assert places(findings_of(with_rules(rules))) == [("POG033", LINE + 1, first + 1)]


@pytest.mark.parametrize("name", LAYERS)
def test_negation_of_what_does_not_depend_on_it_is_sound(name: str) -> None:
    assert findings_of(with_rules(LAYERS[name])) == []
