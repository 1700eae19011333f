"""Estimated ground instances: exact where rules leave no choice, of the right size elsewhere."""

from __future__ import annotations

import time

import pytest

from code_examples import FRAME
from fogspiel.core.source import Source
from fogspiel.rules.gdl.normalise.estimate import CEILING, estimate_instances
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description

DIGITS = " ".join(f"(d {n})" for n in range(10))
PAIRS = " ".join(f"(succ {n} {n + 1})" for n in range(9))


def estimates(rules: str) -> dict[str, float]:
    """The largest estimate of every relation."""
    description, _ = read_description(Source("rules.kif", FRAME + rules))
    program = normalise(description)
    found: dict[str, float] = {}
    for clause, size in zip(program.clauses, estimate_instances(program), strict=True):
        found[clause.head.predicate] = max(size, found.get(clause.head.predicate, 0.0))
    return found


@pytest.mark.parametrize(
    ("rules", "size"),
    [
        (f"{DIGITS} (<= (legal white (go ?x)) (d ?x))", 10),
        (f"{DIGITS} (<= (legal white (go ?x ?y)) (d ?x) (d ?y))", 100),
        (f"{DIGITS} {PAIRS} (<= (legal white (go ?x ?y)) (d ?x) (d ?y) (succ ?x ?y))", 9),
        (f"{DIGITS} {PAIRS} (<= (legal white (go ?x)) (succ 3 ?x))", 1),
        (f"{PAIRS} (<= (legal white (go ?x ?z)) (succ ?x ?y) (succ ?y ?z))", 9),
    ],
)
def test_joins_are_estimated_from_the_facts(rules: str, size: float) -> None:
    assert estimates(rules)["legal"] == pytest.approx(size, rel=0.3)


def test_fluents_have_the_values_that_flow_into_them() -> None:
    rules = (
        f"{PAIRS} (init (at 0)) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))"
        "(<= (legal white (from ?x ?y)) (true (at ?x)) (true (at ?y)))"
    )
    assert estimates(rules)["legal"] == pytest.approx(100)


def test_a_rule_that_joins_without_shared_variables_explodes() -> None:
    variables = " ".join(f"?x{n}" for n in range(12))
    conditions = " ".join(f"(d ?x{n})" for n in range(12))
    found = estimates(
        f"{DIGITS} (<= (big {variables}) {conditions}) (<= (legal white a) (big {variables}))"
    )
    assert found["big"] == pytest.approx(1e12)


@pytest.mark.parametrize(
    "rules",
    [
        "(n zero) (<= (n (s ?x)) (n ?x)) (<= (legal white ?x) (n ?x))",
        "(init (n zero)) (<= (next (n (s ?x))) (true (n ?x))) (<= (legal white ?x) (true (n ?x)))",
        "(n z) (<= (m (s ?x)) (n ?x)) (<= (n (p ?x)) (m ?x)) (<= (legal white ?x) (n ?x))",
    ],
)
def test_terms_that_grow_without_end_are_noticed(rules: str) -> None:
    assert estimates(rules)["legal"] == CEILING


def test_terms_within_terms_are_not_endless() -> None:
    rules = f"{DIGITS} (<= (legal white (go (a (b (c ?x))) (pos ?x ?y))) (d ?x) (d ?y))"
    assert estimates(rules)["legal"] == pytest.approx(100)


def test_an_estimate_is_fast_on_thousands_of_facts() -> None:
    facts = " ".join(f"(sum {a} {b} {a + b})" for a in range(60) for b in range(60))
    rules = f"{facts} (<= (legal white (go ?x ?z)) (sum ?x ?y ?z) (sum ?y ?z ?u) (sum ?u ?x ?v))"
    description, _ = read_description(Source("rules.kif", FRAME + rules))
    program = normalise(description)
    start = time.process_time()
    estimate_instances(program)
    assert time.process_time() - start < 1.0
