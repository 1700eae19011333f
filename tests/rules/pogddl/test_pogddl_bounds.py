"""Declared bounds of functions: `- (number low high)`, read, checked, written and handed on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.core.source import Source
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.lower.lower import lower
from fogspiel.rules.pogddl.syntax import Bounds, GameDescription
from fogspiel.rules.pogddl.write import write
from pogddl_games import findings_of, places

GAME = """\
(define (domain counting)
  (:types role)
  (:constants ann ben - role)
  (:predicates (whoseturn ?r - role))
  (:functions FUNCTIONS)
  (:action count
    :parameters ()
    :precondition (whoseturn ann)
    :effect (and (increase (pot) 1) (forall (?r - role) (increase (score ?r) 1))))
  (:gain ?r - role (+ (pot) (score ?r)) (< (pot) 5)))
(define (problem start) (:domain counting)
  (:init (whoseturn ann) START))
"""
BOTH = "(= (pot) 1) (= (score ann) 1) (= (score ben) 1)"


def game(functions: str, start: str = BOTH) -> str:
    return GAME.replace("FUNCTIONS", functions).replace("START", start)


def read(text: str) -> GameDescription:
    description, findings = read_and_check([Source("game.pogddl", text)])
    assert not findings
    return description


def bounds_of(description: GameDescription) -> dict[str, Bounds | None]:
    assert description.domain is not None
    return {function.name.text: function.bounds for function in description.domain.functions}


@pytest.mark.parametrize(
    ("functions", "score", "pot"),
    [
        ("(score ?r - role) (pot)", None, None),
        ("(score ?r - role) (pot) - number", None, None),
        ("(score ?r - role) - (number 0 500) (pot) - number", (0, 500), None),
        ("(score ?r - role) - (number 0 500) (pot)", (0, 500), None),
        ("(pot) - number (score ?r - role) - (number -1.5 7/2)", ("-3/2", "7/2"), None),
        ("(score ?r - role) (pot) - (Number 0 9)", (0, 9), (0, 9)),
    ],
)
def test_bounds_belong_to_the_functions_before_them(
    functions: str, score: tuple[str, str] | None, pot: tuple[str, str] | None
) -> None:
    description = read(game(functions))
    expected = {
        name: None if pair is None else Bounds(Fraction(pair[0]), Fraction(pair[1]))
        for name, pair in (("score", score), ("pot", pot))
    }
    assert bounds_of(description) == expected
    assert bounds_of(read(write(description))) == expected
    assert lower(description).numbers.bounds == {
        name: (bounds.low, bounds.high) for name, bounds in expected.items() if bounds is not None
    }


def test_a_low_bound_above_the_high_one_is_an_error_at_the_bounds() -> None:
    findings = findings_of(game("(pot) (score ?r - role) - (number 9 0)", "(= (pot) 0)"))
    assert places(findings) == [("POG047", 5, 41)]
    assert findings[0].fix == "write (number 0 9)"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("(number 0)", "POG003"),
        ("(number 0 1 2)", "POG003"),
        ("(whole 0 1)", "POG003"),
        ("(number low 9)", "POG003"),
        ("(number 0 1/0)", "POG006"),
        ("integer", "POG003"),
    ],
)
def test_what_is_no_bound_is_said_where_it_stands(kind: str, code: str) -> None:
    findings = findings_of(game(f"(score ?r - role) (pot) - {kind}"))
    assert [finding.code for finding in findings] == [code]
    assert findings[0].span is not None
    assert findings[0].fix


def test_a_value_at_the_start_must_be_within_the_bounds() -> None:
    text = game("(score ?r - role) - (number 1 9) (pot)", BOTH.replace("ben) 1", "ben) 10"))
    (finding,) = findings_of(text)
    assert finding.code == "POG049"
    assert finding.message == "10 is outside the bounds 1 to 9"
    assert finding.span is not None
    assert text[finding.span.start : finding.span.end] == "10"


def test_what_has_no_value_at_the_start_is_0_which_must_be_within_the_bounds() -> None:
    text = game("(score ?r - role) - (number 1 9) (pot)", "(= (score ann) 3) (= (pot) 0)")
    (finding,) = findings_of(text)
    assert finding.code == "POG049"
    assert finding.message == "`score` starts at 0, outside its bounds 1 to 9"
    assert not findings_of(text.replace("number 1 9", "number -1 9"))
