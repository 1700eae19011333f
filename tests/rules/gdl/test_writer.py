"""What is written reads back equal: on random descriptions, in both dialects."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import read_description
from fogspiel.rules.gdl.syntax import (
    KEYWORDS,
    And,
    Atom,
    Compound,
    Description,
    Distinct,
    Formula,
    Not,
    Notation,
    Or,
    Rule,
    Term,
    Variable,
)
from fogspiel.rules.gdl.write import write

SOURCE = Source("random", "")

plain_names = st.sampled_from(["a", "b", "cell", "1", "-1", "+2", "0.5", "x-1", "Big", "_u", "não"])
odd_names = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6).filter(
    lambda name: name.lower() not in KEYWORDS
)
names = plain_names | odd_names
predicates = names | st.sampled_from(["legal", "true", "next"])
variables = st.builds(Variable, st.sampled_from(["x", "X", "y", "_", "_z", "x-1", "x_1", "1", "ß"]))


def compounds(arguments: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.builds(Compound, names, st.lists(arguments, max_size=3).map(tuple))


terms = st.recursive(variables | st.builds(Compound, names), compounds, max_leaves=6)
atoms = st.builds(Atom, predicates, st.lists(terms, max_size=3).map(tuple))


def connectives(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(parts, min_size=1, max_size=3).map(tuple)
    return st.builds(Not, parts) | st.builds(And, several) | st.builds(Or, several)


formulas = st.recursive(atoms | st.builds(Distinct, terms, terms), connectives, max_leaves=6)
rules = st.builds(Rule, atoms, st.lists(formulas, max_size=3).map(tuple))
descriptions = st.lists(rules, min_size=1, max_size=4).map(
    lambda some: Description(tuple(some), SOURCE)
)


def with_numbered_variables(rule: Rule) -> Rule:
    """The rule with its variables renamed in the order they occur."""
    numbers: dict[str, str] = {}

    def of_term(term: Term) -> Term:
        if isinstance(term, Variable):
            return Variable(numbers.setdefault(term.name, f"V{len(numbers)}"))
        return Compound(term.functor, tuple(map(of_term, term.arguments)))

    def of_formula(formula: Formula) -> Formula:
        match formula:
            case Atom(predicate, arguments):
                return Atom(predicate, tuple(map(of_term, arguments)))
            case Distinct(left, right):
                return Distinct(of_term(left), of_term(right))
            case Not(inner):
                return Not(of_formula(inner))
            case And(parts) | Or(parts):
                return replace(formula, formulas=tuple(map(of_formula, parts)))

    head = of_formula(rule.head)
    assert isinstance(head, Atom)
    return Rule(head, tuple(map(of_formula, rule.body)))


def read_back(description: Description, dialect: Notation) -> Description:
    text = write(description, dialect)
    again, findings = read_description(Source("written", text))
    assert again.dialect is dialect, text
    assert errors_in(findings) == [], text
    return again


def cased_alike(description: Description) -> bool:
    """Whether reading would take two relations for one: see `lettercase`."""
    _, findings = read_description(Source("written", write(description, Notation.PREFIX)))
    return any(finding.code == "GDL054" for finding in findings)


@settings(max_examples=80)
@given(descriptions)
def test_prefix_reads_back_equal(description: Description) -> None:
    if not cased_alike(description):
        assert read_back(description, Notation.PREFIX) == description


@settings(max_examples=80)
@given(descriptions)
def test_infix_reads_back_equal_but_for_the_names_of_variables(description: Description) -> None:
    if not cased_alike(description):
        again = read_back(description, Notation.INFIX)
        expected = [with_numbered_variables(rule) for rule in description.rules]
        assert [with_numbered_variables(rule) for rule in again.rules] == expected


def test_rules_are_laid_out_for_reading() -> None:
    text = (
        "(role x) (role o) (<= terminal open) "
        "(<= (next (cell ?m ?n x)) (does x (mark ?m ?n)) (true (cell ?m ?n b)))"
    )
    description, _ = read_description(Source("rules.kif", text))
    assert write(description) == (
        "(role x)\n(role o)\n\n(<= terminal open)\n\n"
        "(<= (next (cell ?m ?n x))\n    (does x (mark ?m ?n))\n    (true (cell ?m ?n b)))\n"
    )
    assert write(description, Notation.INFIX) == (
        "role(x).\nrole(o).\n\nterminal :- open.\n\n"
        "next(cell(M, N, x)) :- does(x, mark(M, N)), true(cell(M, N, b)).\n"
    )


@pytest.mark.parametrize(
    ("variables", "written"),
    [("?x ?X", "p(X_2, X)."), ("?x-1 ?x_1", "p(X_1, X_1_2)."), ("?_ ?1", "p(V_, V1).")],
)
def test_variables_get_capitals_and_stay_apart(variables: str, written: str) -> None:
    description, _ = read_description(Source("rules.kif", f"(p {variables})"))
    assert write(description, Notation.INFIX) == written + "\n"
