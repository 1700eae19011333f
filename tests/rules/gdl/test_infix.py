"""The infix form: what it accepts, what its findings point at, and how it goes on after them."""

from __future__ import annotations

import pytest

from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.infix import read_infix
from fogspiel.rules.gdl.prefix import read_prefix
from fogspiel.rules.gdl.syntax import Compound, Rule, Variable
from pogddl_games import places

LIMITS = ReadLimits()


def rules(text: str) -> tuple[Rule, ...]:
    description, findings = read_infix(Source("infix.gdl", text), LIMITS)
    assert findings == []
    return description.rules


def prefix_rules(text: str) -> tuple[Rule, ...]:
    description, findings = read_prefix(Source("prefix.kif", text), LIMITS)
    assert findings == []
    return description.rules


@pytest.mark.parametrize(
    ("infix", "prefix"),
    [
        ("role(white).", "(role white)"),
        ("terminal.", "terminal"),
        ("terminal :- true(step(2)).", "(<= terminal (true (step 2)))"),
        ("p(X) :- q(X) & ~r(X).", "(<= (p ?X) (q ?X) (not (r ?X)))"),
        ("p(X) :- q(X), not r(X).", "(<= (p ?X) (q ?X) (not (r ?X)))"),
        ("p(X) :- q(X), \\+ r(X).", "(<= (p ?X) (q ?X) (not (r ?X)))"),
        ("p(X) <= q(X).", "(<= (p ?X) (q ?X))"),
        ("p(X) :- distinct(X, b), q(X).", "(<= (p ?X) (distinct ?X b) (q ?X))"),
        ("p :- a | b.", "(<= p (or a b))"),
        ("p :- a ; b.", "(<= p (or a b))"),
        ("p :- a or b.", "(<= p (or a b))"),
        ("p :- or(a, not b).", "(<= p (or a (not b)))"),
        ("p :- a, b | c.", "(<= p (or (and a b) c))"),
        ("p :- a, (b | c & d).", "(<= p a (or b (and c d)))"),
        ("p :- not (a | b).", "(<= p (not (or a b)))"),
        ("p :- ~~a.", "(<= p (not (not a)))"),
        ("p :- ((a)).", "(<= p a)"),
        ("goal(white, -1).", "(goal white -1)"),
        ("p(0.5, +1, 'not', 'A b', \"c\").", "(p 0.5 +1 not |A b| c)"),
        ("p((X, Y)) :- q(X), q(Y).", "(<= (p (tuple ?X ?Y)) (q ?X) (q ?Y))"),
        ("p(?x) :- q(?x).", "(<= (p ?x) (q ?x))"),
        ("note(x). nothing(y).", "(note x) (nothing y)"),
        ("a. % comment\n;; comment\n/* com\nment */ b.", "a b"),
    ],
)
def test_infix_says_the_same_as_prefix(infix: str, prefix: str) -> None:
    assert rules(infix) == prefix_rules(prefix)


def test_final_dots_may_be_left_out_where_lines_end() -> None:
    assert rules("p(a)\nq(X) :- p(X) &\n  p(X)\n  r(b)") == rules(
        "p(a).\nq(X) :- p(X), p(X).\nr(b)."
    )


def test_an_anonymous_variable_is_new_each_time_and_never_one_that_is_written() -> None:
    (rule,) = rules("p(_, _1, _).")
    names = [term.name for term in rule.head.arguments if isinstance(term, Variable)]
    assert len(set(names)) == 3
    assert "_1" in names


def test_spans_cover_the_text_of_an_atom() -> None:
    text = "p(X) :- q(X), not r(X, f(a))."
    description, _ = read_infix(Source("infix.gdl", text), LIMITS)
    (rule,) = description.rules
    assert text[slice(*rule.span)] == text[:-1]
    assert text[slice(*rule.body[1].span)] == "not r(X, f(a))"
    head = rule.head.arguments[0]
    assert text[slice(*head.span)] == "X"
    assert rule.head == rules("p(X) :- q(X).")[0].head
    assert not isinstance(head, Compound)


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("p(a)) .", "GDL001", 1, 5),
        ("p(a.\nq(b).", "GDL002", 1, 1),
        ("p :- .", "GDL009", 1, 6),
        ("p :- a,, b.", "GDL009", 1, 8),
        ("p :- a b.", "GDL009", 1, 8),
        ("p, q.", "GDL009", 1, 2),
        ("p :- a :- b.", "GDL009", 1, 8),
        ("p(a & b).", "GDL009", 1, 5),
        ("p(a | b).", "GDL009", 1, 5),
        ("p(not a).", "GDL009", 1, 3),
        ("p(a,).", "GDL009", 1, 5),
        ("p :- #.", "GDL009", 1, 6),
        (":- p.", "GDL009", 1, 1),
        ("p('a).", "GDL010", 1, 3),
        ("p :- X.", "GDL007", 1, 6),
        ("a. /* open", "GDL009", 1, 4),
    ],
)
def test_a_fault_is_reported_where_it_stands(text: str, code: str, line: int, column: int) -> None:
    _, findings = read_infix(Source("infix.gdl", text), LIMITS)
    assert places(findings)[:1] == [(code, line, column)]


def test_reading_goes_on_after_every_fault() -> None:
    text = "p :- .\nq(a).\nr(,).\ns(b)\nt :- :- u.\nv.\n"
    description, findings = read_infix(Source("infix.gdl", text), LIMITS)
    assert [rule.head.predicate for rule in description.rules] == ["q", "s", "v"]
    assert len(findings) == 3


def test_a_missing_comma_is_no_new_statement_where_dots_are_used() -> None:
    _, findings = read_infix(Source("infix.gdl", "p :- a\n    b.\nq."), LIMITS)
    assert [finding.code for finding in findings] == ["GDL009"]
