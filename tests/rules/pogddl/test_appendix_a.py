"""Every production of the grammar of POGDDL, played: what the construct means, on both machines.

Source: Richards (2012), appendix A. Effects are in `test_appendix_a_effects.py`, and
`docs/pogddl.md` has a table of all forms.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from small_plays import FRAME, ON_BOTH, paid, picked, play

from fogspiel.core.findings import LimitError, PlayError, RulesError
from fogspiel.machine.protocol import Engine

# Domains and declarations.


@ON_BOTH
def test_a_domain_and_a_problem_make_a_game(engine: Engine) -> None:
    game = play(engine, "(:action stop :precondition (whoseturn ann) :effect (not (whoseturn ann)))"
                        " (:gain ann 1 ())")  # fmt: skip
    assert game.machine.roles == ("ann", "ben")
    assert (game.legal(), game.legal("ben")) == ({"stop"}, {"noop"})
    assert game.make("stop").legal() == set()
    assert game.payoff("ann") == 1
    assert game.payoff("ben") == 0


@ON_BOTH
def test_requirements_change_nothing(engine: Engine) -> None:
    required = FRAME.replace("(:types", "(:requirements :strips :typing :pogddl) (:types")
    section = "(:action go :precondition (or (p c) (whoseturn ann))) (:gain ann 1 ())"
    assert play(engine, section, required).legal() == play(engine, section).legal() == {"go"}


@ON_BOTH
def test_types_bound_what_parameters_stand_for(engine: Engine) -> None:
    section = "(:action go :parameters (?r - role) :precondition (whoseturn ann)) (:gain ann 1 ())"
    assert play(engine, section).legal() == {"(go ann)", "(go ben)"}


@ON_BOTH
def test_a_subtype_is_part_of_its_type(engine: Engine) -> None:
    text = FRAME.replace("role thing)", "role thing gem - thing)").replace(
        "(:constants", "(:constants ruby - gem"
    )
    # A list may go on after a type, and names without one are of the type `object`.
    text = text.replace("(:types role thing gem - thing)", "(:types gem - thing role thing)")
    rules = "(:action go :parameters (?x - {}) :precondition (whoseturn ann)) (:gain ann 1 ())"
    assert play(engine, rules.format("gem"), text).legal() == {"(go ruby)"}
    assert play(engine, rules.format("thing"), text).legal() == {
        "(go ruby)", "(go a)", "(go b)", "(go c)",
    }  # fmt: skip


@ON_BOTH
def test_either_takes_objects_of_each_type(engine: Engine) -> None:
    section = (
        "(:action go :parameters (?x - (either role thing)) :precondition (whoseturn ann))"
        " (:gain ann 1 ())"
    )
    assert len(play(engine, section).legal()) == 5


@ON_BOTH
def test_a_variable_without_a_type_stands_for_every_object(engine: Engine) -> None:
    section = "(:action go :parameters (?x) :precondition (whoseturn ann)) (:gain ann 1 ())"
    assert len(play(engine, section).legal()) == 5


@ON_BOTH
def test_constants_and_objects_are_the_objects(engine: Engine) -> None:
    text = FRAME.replace("(:init", "(:objects d - thing) (:init")
    section = "(:action go :parameters (?x - thing) :precondition (whoseturn ann)) (:gain ann 1 ())"
    assert play(engine, section, text).legal() == {"(go a)", "(go b)", "(go c)", "(go d)"}


@ON_BOTH
def test_what_the_start_does_not_state_is_false(engine: Engine) -> None:
    assert picked(engine, "(p ?x)") == "ab"
    assert picked(engine, "(q ?x)") == "b"


@ON_BOTH
def test_functions_are_numbers_and_start_at_0(engine: Engine) -> None:
    assert paid(engine, "(n b)") == 2
    assert paid(engine, "(n c)") == 0
    typed = FRAME.replace("(n ?x - thing) (total)", "(n ?x - thing) (total) - number")
    assert play(engine, "(:gain ann (total) ()) (:terminal ())", typed).payoff() == 5


@ON_BOTH
def test_a_range_of_a_function_is_kept_or_reported(engine: Engine) -> None:
    bounded = FRAME.replace("(total))", "(total) - (number 0 6))")
    rules = (
        "(:action add :precondition (whoseturn ann) :effect (increase (total) 1))"
        " (:gain ann (total) ())"
    )
    game = play(engine, rules, bounded).make("add")
    assert game.payoff() == 6
    with pytest.raises((PlayError, LimitError), match="MCH008"):
        game.make("add")


# Structures.


@ON_BOTH
def test_parameters_make_a_move_for_each_object(engine: Engine) -> None:
    section = (
        "(:action go :parameters (?x ?y - thing) :precondition (and (whoseturn ann) (r ?x ?y)))"
        " (:gain ann 1 ())"
    )
    assert play(engine, section).legal() == {"(go a b)", "(go b c)"}


@ON_BOTH
def test_an_action_may_lack_a_precondition_and_an_effect(engine: Engine) -> None:
    game = play(engine, "(:action wait :parameters ()) (:gain ann 1 ())")
    assert game.legal() == {"wait"}
    assert game.make("wait").legal() == {"wait"}
    # It is a move of the role to move, and of nobody else.
    assert game.legal("ben") == {"noop"}


@ON_BOTH
def test_an_action_that_takes_time_is_refused(engine: Engine) -> None:
    with pytest.raises(RulesError, match="POG011"):
        play(engine, "(:durative-action wait :parameters ()) (:gain ann 1 ())")


@ON_BOTH
def test_a_derived_predicate_holds_where_its_condition_does(engine: Engine) -> None:
    derived = (
        "(:predicates (far ?x ?y - thing)) (:derived (far ?x ?y - thing) (or (r ?x ?y)"
        " (exists (?z - thing) (and (r ?x ?z) (far ?z ?y)))))"
    )
    assert picked(engine, "(far a ?x)", derived) == "bc"
    assert picked(engine, "(not (far a ?x))", derived) == "a"


@ON_BOTH
def test_gains_that_hold_at_the_end_are_summed(engine: Engine) -> None:
    gains = (
        "(:gain ann 2 (p a)) (:gain ?r - role (total) (= ?r ann)) (:gain (?r - role) 1/2 ())"
        " (:gain ann 100 (p c)) (:terminal ())"
    )
    game = play(engine, gains)
    assert game.payoff("ann") == Fraction(15, 2)
    assert game.payoff("ben") == Fraction(1, 2)
    both = play(engine, "(:gain ann ben 3 ()) (:terminal ())")
    assert both.payoff("ann") == both.payoff("ben") == 3


@ON_BOTH
def test_a_terminal_condition_ends_the_game(engine: Engine) -> None:
    rules = (
        "(:action take :parameters (?x - thing) :precondition (and (whoseturn ann) (p ?x))"
        " :effect (not (p ?x))) (:terminal (not (p a))) (:gain ann 1 ())"
    )
    assert play(engine, rules).make("(take b)").legal() == {"(take a)"}
    assert play(engine, rules).make("(take a)").legal() == set()


@ON_BOTH
def test_chance_chooses_by_weight_where_a_choice_holds(engine: Engine) -> None:
    text = FRAME.replace("ann ben", "ann chance").replace("(whoseturn ann)", "(whoseturn chance)")
    toss = (
        "(:action toss :parameters (?x - thing) :precondition (whoseturn chance)) (:gain ann 1 ())"
    )
    even = play(engine, toss, text)
    assert even.machine.chance_weights(even.state).tolist() == pytest.approx([1 / 3] * 3)
    choice = "(:choose :parameters (?x - thing) :condition (q ?x) :select (3 (toss ?x) 1 (toss a)))"
    uneven = play(engine, toss + choice, text)
    # Moves that no choice names are none.
    assert uneven.legal("chance") == {"(toss a)", "(toss b)"}
    weights = uneven.machine.chance_weights(uneven.state).tolist()
    assert sorted(weights) == pytest.approx([1 / 4, 3 / 4])


# Conditions.


@ON_BOTH
def test_the_empty_condition_holds(engine: Engine) -> None:
    assert picked(engine, "()") == "abc"


@ON_BOTH
def test_an_atom_holds_of_names_and_variables(engine: Engine) -> None:
    assert picked(engine, "(r a ?x)") == "b"
    assert picked(engine, "(r a b)") == "abc"


@ON_BOTH
def test_a_negated_atom_holds_where_the_atom_does_not(engine: Engine) -> None:
    assert picked(engine, "(not (p ?x))") == "c"


@ON_BOTH
def test_and_needs_all_of_them(engine: Engine) -> None:
    assert picked(engine, "(and (p ?x) (q ?x))") == "b"
    assert picked(engine, "(and)") == "abc"


@ON_BOTH
def test_or_needs_one_of_them(engine: Engine) -> None:
    assert picked(engine, "(or (q ?x) (r b ?x))") == "bc"
    assert picked(engine, "(or)") == ""


@ON_BOTH
def test_not_turns_any_condition_round(engine: Engine) -> None:
    assert picked(engine, "(not (and (p ?x) (not (q ?x))))") == "bc"
    assert picked(engine, "(not (exists (?y - thing) (r ?x ?y)))") == "c"


@ON_BOTH
def test_imply_fails_only_where_the_first_holds_alone(engine: Engine) -> None:
    assert picked(engine, "(imply (p ?x) (q ?x))") == "bc"


@ON_BOTH
def test_exists_needs_one_object(engine: Engine) -> None:
    assert picked(engine, "(exists (?y - thing) (r ?x ?y))") == "ab"
    assert picked(engine, "(exists (?y - thing ?z - thing) (and (r ?x ?y) (r ?y ?z)))") == "a"


@ON_BOTH
def test_forall_needs_every_object(engine: Engine) -> None:
    assert picked(engine, "(forall (?y - thing) (not (r ?x ?y)))") == "c"
    assert picked(engine, "(forall (?y - thing) (imply (r ?x ?y) (q ?y)))") == "ac"


@ON_BOTH
def test_equality_compares_objects(engine: Engine) -> None:
    assert picked(engine, "(= ?x b)") == "b"
    assert picked(engine, "(not (= ?x b))") == "ac"


@ON_BOTH
@pytest.mark.parametrize(
    ("comparison", "those"), [(">", "b"), ("<", "c"), ("=", "a"), ("<=", "ac"), (">=", "ab")]
)
def test_comparisons_of_numbers(engine: Engine, comparison: str, those: str) -> None:
    assert picked(engine, f"({comparison} (n ?x) 1)") == those


# Expressions.


@ON_BOTH
@pytest.mark.parametrize(
    ("number", "value"), [("3", 3), ("0.25", Fraction(1, 4)), ("1/3", Fraction(1, 3)), ("-2", -2)]
)
def test_numbers_are_exact(engine: Engine, number: str, value: Fraction) -> None:
    assert paid(engine, number) == value


@ON_BOTH
@pytest.mark.parametrize(
    ("expression", "value"),
    [("(+ (total) 2)", 7), ("(- (total) 2)", 3), ("(* (total) 2)", 10),
     ("(/ (total) 2)", Fraction(5, 2)), ("(- (* 2 (n b)) (/ (total) 4))", Fraction(11, 4))],
)  # fmt: skip
def test_arithmetic(engine: Engine, expression: str, value: Fraction) -> None:
    assert paid(engine, expression) == value
    # Of numbers that change as well.
    assert paid(engine, expression, "(increase (total) 1) (decrease (total) 1)") == value


@ON_BOTH
def test_a_minus_before_an_expression_turns_its_sign(engine: Engine) -> None:
    assert paid(engine, "(- (total))") == -5
    assert paid(engine, "(- (total))", "(increase (total) 1)") == -6


@ON_BOTH
def test_a_function_is_asked_with_and_without_parentheses(engine: Engine) -> None:
    assert paid(engine, "(+ total (n b))") == 7
