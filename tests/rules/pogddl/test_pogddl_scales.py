"""Denominators of numbers and payoffs, worked out by hand, and the move of idle roles."""

from __future__ import annotations

import pytest

from fogspiel.core.source import Source
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.lower.scales import ROUNDED_SCALE, function_scales, payoff_scale
from fogspiel.rules.pogddl.syntax import Domain, GameDescription
from fogspiel.rules.pogddl.world import changed_functions, changed_predicates, idle_move
from pogddl_games import CARDS, CART, NOUGHTS


def game(effect: str, *, gain: str = "(f)", init: str = "", action: str = "act") -> str:
    return f"""
    (define (domain numbers)
      (:types role)
      (:constants ann ben - role)
      (:predicates (whoseturn ?r - role) (done))
      (:functions (f) (g) (h ?r - role))
      (:action {action} :parameters () :precondition (not (done)) :effect (and (done) {effect}))
      (:gain ann {gain} ()))
    (define (problem p) (:domain numbers) (:init (whoseturn ann) {init}))
    """


def description_of(text: str) -> GameDescription:
    return read_and_check([Source("game.pogddl", text)])[0]


def domain_of(text: str) -> Domain:
    domain = description_of(text).domain
    assert domain is not None
    return domain


@pytest.mark.parametrize(
    ("effect", "init", "expected"),
    [
        ("", "", {"f": 1, "g": 1, "h": 1}),
        ("", "(= (f) 1/2) (= (h ann) 1/3) (= (h ben) 5/4)", {"f": 2, "g": 1, "h": 12}),
        ("(increase (f) (/ (g) 6))", "(= (g) 1/2)", {"f": 12, "g": 2, "h": 1}),
        # A chain against the order of the text: f takes g's denominator, g that of h.
        ("(increase (f) (g)) (increase (g) (h ann)) (increase (h ann) 1/7)", "",
         {"f": 7, "g": 7, "h": 7}),
        # One divided by 2 again and again has no common denominator; multiplied by 2, it has.
        ("(scale-down (f) 2)", "(= (f) 1)", {"f": None, "g": 1, "h": 1}),
        ("(scale-up (f) .5)", "(= (f) 1)", {"f": None, "g": 1, "h": 1}),
        ("(scale-down (f) .5)", "(= (f) 1/3)", {"f": 3, "g": 1, "h": 1}),
        ("(assign (f) (* 1/2 (f)))", "(= (f) 1)", {"f": None, "g": 1, "h": 1}),
        # By a number that never changes, and by one of a few: 1, 2, 3 (0 ends play).
        ("(increase (f) (/ 1 (g)))", "(= (g) 4/3)", {"f": 4, "g": 3, "h": 1}),
        ("(increase (f) (/ 1 (g))) (assign (g) (+ 1 (h ben)))", "(= (h ben) 1) (= (g) 3)",
         {"f": 6, "g": 1, "h": 1}),
        # By a number that counts on, so by any.
        ("(increase (f) (/ 1 (g))) (increase (g) 1)", "", {"f": None, "g": 1, "h": 1}),
        ("(assign (f) (- (- (g)) (h ann)))", "(= (g) 1/2) (= (h ann) 1/5)",
         {"f": 10, "g": 2, "h": 5}),
    ],
)  # fmt: skip
def test_functions_have_a_common_denominator_or_none(
    effect: str, init: str, expected: dict[str, int | None]
) -> None:
    assert function_scales(description_of(game(effect, init=init))) == expected


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("5", 1), ("1/3", 3), (".25", 4), ("(f)", 2), ("(* (f) 1/3)", 6), ("(/ 1 (g))", 1_000_000)],
)
def test_payoffs_have_the_denominator_of_all_gains(gain: str, expected: int) -> None:
    text = game("(increase (f) 1/2) (increase (g) 1)", gain=gain)
    assert payoff_scale(description_of(text)) == expected
    assert ROUNDED_SCALE == 1_000_000


def test_the_denominator_of_large_primes_is_none() -> None:
    text = game("", gain="(+ (f) (g))", init="(= (f) 1/99991) (= (g) 1/99989)")
    assert payoff_scale(description_of(text)) == ROUNDED_SCALE


@pytest.mark.parametrize("text", [CARDS, CART, NOUGHTS])
def test_the_games_of_the_tests_have_whole_payoffs(text: str) -> None:
    assert payoff_scale(description_of(text)) == 1


@pytest.mark.parametrize(
    ("action", "expected"), [("act", "noop"), ("noop", "noop-1"), ("noop-1", "noop")]
)
def test_the_idle_move_is_not_the_name_of_an_action(action: str, expected: str) -> None:
    assert idle_move(domain_of(game("", action=action))) == expected


def test_an_action_with_parameters_may_have_the_name_of_the_idle_move() -> None:
    text = game("", action="noop").replace(":parameters ()", ":parameters (?r - role)")
    assert idle_move(domain_of(text)) == "noop"


def test_what_no_effect_touches_is_no_part_of_a_state() -> None:
    domain = domain_of(CARDS)
    assert changed_predicates(domain) == {
        "indeck", "holds", "served", "whoseturn", "folded", "showdown",
    }  # fmt: skip
    assert changed_functions(domain) == {"pot", "chips"}
