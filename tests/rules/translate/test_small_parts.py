"""The small parts of translations: names, numerals, and rules that exclude each other."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.rules.clauses import Clause, Literal, Var
from fogspiel.rules.translate.to_gdl.numerals import numeral
from fogspiel.rules.translate.to_gdl.payoffs import Exclusion
from fogspiel.rules.translate.to_pogddl.vocabulary import UniqueNames, spelled


@pytest.mark.parametrize(
    ("name", "written"),
    [("5", "n5"), ("-3", "m3"), ("+", "plus"), ("a.b", "a_b"), ("_x", "x_x"), ("a-b", "a-b")],
)
def test_names_start_with_a_letter(name: str, written: str) -> None:
    assert spelled(name) == written


def test_names_differ_in_more_than_capitals_and_are_no_keywords() -> None:
    names = UniqueNames("taken")
    wanted = ["Cell", "cell", "taken", "forall"]
    assert [names.fresh(name) for name in wanted] == ["Cell", "cell-2", "taken-2", "forall-2"]


@pytest.mark.parametrize(
    ("value", "written"),
    [("3", "3"), ("-2", "-2"), ("1/4", "0.25"), ("-1/2", "-0.5"), ("1/3", "1over3")],
)
def test_numbers_are_written_as_people_do(value: str, written: str) -> None:
    assert numeral(Fraction(value)) == written


def test_what_one_rule_forbids_and_the_other_brings_about_excludes_both() -> None:
    v, w = Var("v"), Var("w")
    exclusion = Exclusion([
        Clause(Literal("low"), (Literal("goal", ("1",)), Literal("better", ("1",), True))),
        Clause(Literal("high"), (Literal("goal", ("2",)),)),
        Clause(Literal("other"), (Literal("goal", ("0",)),)),
        Clause(Literal("better", (v,)), (Literal("goal", (w,)), Literal("above", (w, v)))),
        Clause(Literal("above", ("2", "1"))),
    ])  # fmt: skip
    assert exclusion.excludes(Literal("low"), Literal("high"))
    assert not exclusion.excludes(Literal("low"), Literal("other"))
    assert not exclusion.excludes(Literal("high"), Literal("other"))
