"""Rules that break down in play, or never end: errors that say where, and limits."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from pogddl_machines import after, choosing, game, interpreted_of, legal_texts

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.terms import RoleId


@pytest.mark.parametrize(
    ("effect", "init", "code", "where"),
    [
        ("(increase (f) (/ 1 (g)))", "", "MCH013", "(/ 1 (g))"),
        ("(scale-down (f) (g))", "", "MCH013", "(scale-down (f) (g))"),
        ("(when (< (/ 1 (g)) 2) (done))", "", "MCH013", "(/ 1 (g))"),
        ("(and (assign (f) 1) (assign (f) 2))", "", "MCH009", "(assign (f) 2)"),
        ("(forall (?r - role) (assign (f) (h ?r)))", "(= (h ann) 1)", "MCH009",
         "(assign (f) (h ?r))"),
    ],
)  # fmt: skip
def test_rules_that_break_down_say_where(effect: str, init: str, code: str, where: str) -> None:
    machine = game(effect=effect, init=init)
    with pytest.raises(PlayError) as caught:
        after(machine, "act")
    (finding,) = caught.value.findings
    assert finding.code == code
    assert finding.fix
    assert finding.source is not None
    assert finding.span is not None
    assert finding.source.text[slice(*finding.span)] == where


@pytest.mark.parametrize(("effect", "fails"), [("(increase (f) 3)", 4), ("(decrease (f) 1)", 1)])
def test_a_number_out_of_its_declared_range_is_an_error(effect: str, fails: int) -> None:
    machine = game(effect=effect, functions="(f) - (number 0 9)")
    after(machine, *["act"] * (fails - 1))
    with pytest.raises(PlayError, match=r"MCH008"):
        after(machine, *["act"] * fails)


def test_a_division_is_looked_at_only_where_all_else_holds() -> None:
    machine = game(
        parameters="?r - role",
        precondition="(and (> (/ 6 (h ?r)) 2) (whoseturn ann) (not (= (h ?r) 0)))",
        init="(= (h ann) 2) (= (h ben) 3)",
    )
    assert legal_texts(machine, machine.initial(), "ann") == ["(act ann)"]


def test_two_movers_at_once_are_an_error() -> None:
    machine = game(effect="(whoseturn ben)")
    state = after(machine, "act")
    with pytest.raises(PlayError, match=r"MCH010.*ann and ben"):
        machine.legal(state, RoleId(0))


def test_a_negative_weight_is_an_error() -> None:
    machine = choosing("(:choose :parameters () :select (1 (go a) (- (f) 1) (go b)))")
    with pytest.raises(PlayError, match="MCH012"):
        machine.legal(after(machine, "act"), RoleId(2))


def test_numbers_that_grow_without_end_reach_a_limit() -> None:
    machine = game(effect="(assign (f) (* (f) (f)))", init="(= (f) 3)")
    with pytest.raises(LimitError, match="MCH011"):
        after(machine, *["act"] * 40)
    machine = game(
        effect="(scale-up (f) 1000000000)", init="(= (f) 3)", sections="(:gain ann (f) ())"
    )
    with pytest.raises(LimitError, match="MCH011"):
        machine.goals(after(machine, "act", "act", "act"))


def test_a_question_without_end_reaches_its_limit() -> None:
    variables = " ".join(f"?v{number}" for number in range(24))
    never = " ".join(f"(not (= ?v{number} ?v{number + 1}))" for number in range(23))
    machine = interpreted_of(f"""
    (define (domain slow)
      (:types role) (:constants ann ben cid dan eve - role)
      (:predicates (whoseturn ?r - role) (near ?r ?s - role))
      (:action act :parameters ({variables} - role)
        :precondition (and (whoseturn ann) {never} (near ?v0 ?v23)) :effect (near ann ann))
      (:gain ann 1 ()))
    (define (problem p) (:domain slow) (:init (whoseturn ann) (near ann ben)))
    """, seconds_per_query=0.2)  # fmt: skip
    begin = time.monotonic()
    with pytest.raises(LimitError, match="MCH006"):
        machine.terminal(machine.initial())
    assert time.monotonic() - begin < 5


DEEP = 190
"""Levels of parentheses; the reader allows 200."""


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(or (done) (and (whoseturn ann) ", "))"),
        ("(not (not ", "))"),
        ("(exists (?s - spot) (and (at ?s) ", "))"),
        ("(forall (?s - spot) (imply (at ?s) ", "))"),
        ("(not (exists (?s - spot) ", "))"),
    ],
)
def test_conditions_nested_deep_are_played(opening: str, closing: str) -> None:
    levels = DEEP // 2 // 2 * 2  # an even number of negations
    machine = game(precondition=opening * levels + "(whoseturn ann)" + closing * levels,
                   init="(at a)")  # fmt: skip
    assert legal_texts(machine, machine.initial(), "ann") == ["act"]


def test_too_many_variables_reach_a_limit() -> None:
    names = [f"?v{number}" for number in range(700)]
    differ = " ".join(f"(not (= {a} {b}))" for a, b in pairwise(names))
    machine = game(precondition=f"(exists ({' '.join(names)} - role) (and {differ}))")
    with pytest.raises(LimitError, match="MCH006"):
        machine.terminal(machine.initial())


def test_a_derivation_that_broke_off_is_not_taken_for_finished() -> None:
    machine = game(
        parameters="?s - spot",
        precondition="(and (whoseturn ann) (far ?s))",
        declarations="(far ?s - spot)",
        sections="""(:derived (far ?s) (or (at ?s)
          (exists (?t - spot) (and (far ?t) (next ?t ?s) (> (/ 1 (g)) 0)))))""",
        init="(at a) (next a b)",
    )
    for _ in range(2):
        with pytest.raises(PlayError, match="MCH013"):
            machine.legal(machine.initial(), RoleId(0))


def test_a_long_chain_of_derived_predicates_is_no_danger() -> None:
    length = 2_000
    declared = " ".join(f"(p{n} ?s - spot)" for n in range(length))
    rules = "".join(
        f"(:derived (p{n} ?s) (and (not (done)) (p{n - 1} ?s)))\n" for n in range(1, length)
    )
    machine = game(
        precondition=f"(and (whoseturn ann) (p{length - 1} a) (not (p{length - 1} b)))",
        declarations=declared,
        sections=f"(:derived (p0 ?s) (at ?s)) {rules} (:gain ann 1 ())",
        init="(at a)",
    )
    assert legal_texts(machine, machine.initial(), "ann") == ["act"]
