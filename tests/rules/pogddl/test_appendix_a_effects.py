"""The effects of the grammar of POGDDL, played: changes and observations, on both machines.

Source: Richards (2012), appendix A.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from small_plays import ON_BOTH, left, paid, play, told

from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Engine


@ON_BOTH
def test_the_empty_effect_changes_nothing(engine: Engine) -> None:
    game = play(engine, "(:action wait :precondition (whoseturn ann) :effect ()) (:gain ann 1 ())")
    assert game.make("wait").legal() == {"wait"}


@ON_BOTH
def test_effects_take_place_together(engine: Engine) -> None:
    assert left(engine, "(and (p c) (not (p a)))") == "bc"
    assert left(engine, "(and)") == "ab"


@ON_BOTH
def test_an_atom_comes_true(engine: Engine) -> None:
    assert left(engine, "(p c)") == "abc"
    # What is deleted and added at once holds.
    assert left(engine, "(and (p ?x) (not (p ?x)))") == "ab"


@ON_BOTH
def test_an_atom_comes_false(engine: Engine) -> None:
    assert left(engine, "(not (p ?x))") == "a"


@ON_BOTH
def test_forall_changes_every_object(engine: Engine) -> None:
    assert left(engine, "(forall (?y - thing) (not (p ?y)))") == ""
    assert paid(engine, "(total)", "(forall (?y - thing) (increase (total) (n ?y)))") == 8


@ON_BOTH
def test_when_looks_at_the_state_before(engine: Engine) -> None:
    assert left(engine, "(when (q ?x) (not (p a)))") == "b"
    assert left(engine, "(when (r ?x a) (not (p a)))") == "ab"
    assert left(engine, "(and (p c) (when (p c) (not (p a))))") == "abc"


@ON_BOTH
def test_a_condition_may_have_several_effects(engine: Engine) -> None:
    assert left(engine, "(when (q ?x) (and (p c) (not (p ?x))))") == "ac"


@ON_BOTH
@pytest.mark.parametrize(
    ("operator", "value"),
    [("assign", 2), ("increase", 7), ("decrease", 3), ("scale-up", 10)],
)
def test_numbers_are_changed(engine: Engine, operator: str, value: Fraction) -> None:
    assert paid(engine, "(total)", f"({operator} (total) (n b))") == value


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_scale_down_divides(engine: EngineChoice) -> None:
    # Registers do not hold ever smaller fractions: such rules are played as they are written.
    assert paid(engine, "(total)", "(scale-down (total) (n b))") == Fraction(5, 2)


@ON_BOTH
def test_what_a_change_adds_is_read_before_it(engine: Engine) -> None:
    swapped = "(assign (total) (n a)) (assign (n a) (total))"
    assert paid(engine, "(- (* 10 (total)) (n a))", swapped) == 5


@ON_BOTH
def test_an_observation_reaches_the_role_that_it_names(engine: Engine) -> None:
    assert told(engine, "(observe (ben (did ?x)))") == (set(), {"(did b)"})
    assert told(engine, "(observe (?r (did ?x)))") == ({"(did b)"}, set())


@ON_BOTH
def test_several_recipients_are_told_the_same(engine: Engine) -> None:
    both = {"(did b)", "more"}
    assert told(engine, "(observe (ann ben (did ?x) (more)))") == (both, both)
    # Whoever stands in a list of recipients is not among the others.
    assert told(engine, "(observe (?r ben (did ?x)) (others (more)))") == ({"(did b)"},) * 2


@ON_BOTH
def test_an_observation_for_all_reaches_every_role(engine: Engine) -> None:
    assert told(engine, "(observe (all (did)))") == ({"did"}, {"did"})


@ON_BOTH
def test_an_observation_for_others_reaches_whom_the_list_does_not_name(engine: Engine) -> None:
    both = told(engine, "(observe (?r (did ?x)) (others (did _)))")
    assert both == ({"(did b)"}, {"(did _)"})


@ON_BOTH
def test_an_observation_may_depend_on_a_condition(engine: Engine) -> None:
    assert told(engine, "(when (q ?x) (observe (ben (yes))))") == (set(), {"yes"})
    assert told(engine, "(when (r ?x a) (observe (ben (yes))))") == (set(), set())
