"""Semantics of single forms of POGDDL: effects, numbers, derived predicates, choices."""

from __future__ import annotations

import pytest
from pogddl_machines import after, choosing, fluents, game, interpreted_of, legal_texts, told

from fogspiel.core.terms import RoleId
from fogspiel.machine.interpreter.machine import InterpretedMachine


def value_of(machine: InterpretedMachine, function: str, moves: int = 1) -> str:
    """The value of a function after some moves, as text."""
    state = after(machine, *["act"] * moves)
    (found,) = [text for text in fluents(machine, state) if text.startswith(f"(= {function} ")]
    return found.removeprefix(f"(= {function} ").removesuffix(")")


def test_adds_win_over_deletes_of_one_action() -> None:
    machine = game(effect="(and (at a) (not (at a)) (not (at b)))", init="(at a) (at b)")
    assert fluents(machine, after(machine, "act")) == {"(at a)"}


def test_conditions_and_values_are_read_before_the_action() -> None:
    machine = game(
        effect="""(and (not (at a)) (at b) (assign (f) 5)
                       (when (at a) (increase (g) (+ (f) 1)))
                       (when (at b) (increase (g) 100)))""",
        init="(at a) (= (f) 2)",
    )
    assert value_of(machine, "g") == "3"
    assert value_of(machine, "f") == "5"
    assert value_of(machine, "g", moves=2) == "103"


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ("(assign (f) 7/2)", "7/2"),
        ("(increase (f) 1/2)", "13/2"),
        ("(and (increase (f) 1/2) (decrease (f) 2) (increase (f) 1/2))", "5"),
        ("(scale-up (f) 1/4)", "3/2"),
        ("(scale-down (f) 4)", "3/2"),
        ("(and (scale-up (f) 2) (scale-down (f) 3))", "4"),
        ("(and (assign (f) 3) (assign (f) (+ 1 2)))", "3"),
        # Set, then multiplied, then added to: in whatever order the effects stand.
        ("(and (increase (f) 1) (scale-up (f) 10) (assign (f) 2))", "21"),
        ("(forall (?r - role) (increase (f) (h ?r)))", "13"),
        ("(assign (f) (- (f)))", "-6"),
        ("(assign (f) (- (f) 8))", "-2"),
        ("(assign (f) (* (f) (f) 1/2))", "18"),
        ("(assign (f) (/ (f) 4))", "3/2"),
        ("(when (< (f) 6) (assign (f) 1))", "6"),
        ("(when (<= (f) 6) (assign (f) 1))", "1"),
        ("(when (= (f) (+ 2 4)) (assign (f) 1))", "1"),
        ("(when (not (>= (f) 13/2)) (assign (f) 1))", "1"),
        ("(when (> (f) (h ben)) (assign (f) 1))", "1"),
    ],
)
def test_numbers_are_exact(effect: str, expected: str) -> None:
    machine = game(effect=effect, init="(= (f) 6) (= (h ann) 3) (= (h ben) 4)")
    assert value_of(machine, "f") == expected


def test_functions_without_a_value_count_as_zero() -> None:
    machine = game(effect="(increase (h ben) (+ (f) 2))")
    assert fluents(machine, machine.initial()) == {
        "(= (h ann) 0)", "(= (h ben) 0)", "(= (h chance) 0)",
    }  # fmt: skip
    assert value_of(machine, "(h ben)") == "2"
    assert value_of(machine, "(h ann)") == "0"


def test_a_state_is_the_same_however_a_value_came_about() -> None:
    machine = game(
        parameters="?n ?r - role", effect="(and (increase (h ?n) 1) (decrease (h ?r) 1))"
    )
    there = after(machine, ("act", "ann", "ben"))
    back = after(machine, ("act", "ann", "ben"), ("act", "ben", "ann"))
    assert machine.key(there) != machine.key(machine.initial()) == machine.key(back)
    short = machine.state_of([("=", ("h", "ann"), "1/1")])
    assert "(= (h ann) 1)" in fluents(machine, short)
    assert "(= (h ben) 0)" in fluents(machine, short)


def test_fractions_of_payoffs_scale_the_goals() -> None:
    machine = game(
        effect="(increase (f) 1/2)",
        sections="(:gain ann (f) ()) (:gain (ann ben) 1/3 ()) (:gain ?r -1/6 (not (= ?r ann)))",
    )
    assert machine.goal_scale == 6
    assert machine.goals(after(machine, "act")) == (3 + 2, 2 - 1, -1)


def test_payoffs_without_a_common_denominator_are_rounded() -> None:
    machine = game(
        effect="(increase (f) 1)", sections="(:gain ann (/ 2 (f)) (> (f) 0))", functions="(f)"
    )
    assert machine.goal_scale == 1_000_000
    assert machine.goals(after(machine, "act", "act", "act"))[0] == 666_667


def test_a_gain_of_two_variables_is_for_both_in_each_case() -> None:
    machine = game(
        sections="(:gain (?r ?s - role) (h ?s) (and (not (= ?r ?s)) (not (= ?r chance))))",
        init="(= (h ann) 1) (= (h ben) 10)",
    )
    # (ann ben): 10 for both; (ben ann): 1 for both; (ann chance), (ben chance): 0.
    assert machine.goals(machine.initial()) == (11, 11, 0)


def test_each_role_is_told_what_the_list_says() -> None:
    machine = game(
        parameters="?s - spot ?r - role",
        precondition="(and (whoseturn ann) (at ?s) (not (= ?r chance)))",
        effect="""(and (observe (?r (at ?s)) (ann (at _)) (others (unclear)))
                       (when (= ?r ben) (observe (all (moved ?r ?s _)) (ann (at ?s)) (ann (at ?s))))
                       (forall (?o - role) (when (= ?o chance) (observe (?o (saw ?o))))))""",
        init="(at c)",
    )
    assert told(machine, machine.initial(), ("act", "c", "ann")) == {
        "ann": {"(at c)", "(at _)"}, "ben": {"unclear"}, "chance": {"unclear", "(saw chance)"},
    }  # fmt: skip
    assert told(machine, machine.initial(), ("act", "c", "ben")) == {
        "ann": {"(at _)", "(moved ben c _)", "(at c)"},
        "ben": {"(at c)", "(moved ben c _)"},
        "chance": {"unclear", "(moved ben c _)", "(saw chance)"},
    }


CHAIN = "(next a b) (next b c) (next c d) (next d b)"


def reachable(rule: str, *, start: str = "(at a)") -> list[str]:
    """The spots for which a recursive rule of `far` holds, as moves that go there."""
    machine = game(
        parameters="?s - spot",
        precondition="(and (whoseturn ann) (far ?s))",
        declarations="(far ?s - spot) (lone ?s - spot) (path ?s ?t - spot)",
        sections=f"{rule} (:gain ann 1 ())",
        init=f"{start} {CHAIN}",
    )
    return legal_texts(machine, machine.initial(), "ann")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("(:derived (far ?s) (or (at ?s) (exists (?t - spot) (and (far ?t) (next ?t ?s)))))",
         "a b c d"),
        ("(:derived (far ?s) (at ?s)) "
         "(:derived (far ?s) (exists (?t - spot) (and (next ?t ?s) (far ?t))))", "a b c d"),
        # Over pairs, in two recursions at once.
        ("""(:derived (path ?s ?t) (or (next ?s ?t)
              (exists (?m - spot) (and (path ?s ?m) (path ?m ?t)))))
            (:derived (far ?s) (path ?s ?s))""", "b c d"),
        # What is not reached, over a negation; and what only that reaches.
        ("""(:derived (path ?s ?t) (or (next ?s ?t)
              (exists (?m - spot) (and (next ?s ?m) (path ?m ?t)))))
            (:derived (far ?s) (not (path a ?s)))""", "a e"),
        # All ways lead there: a recursion under `forall`.
        ("""(:derived (far ?s) (or (at ?s) (and (exists (?t - spot) (next ?t ?s))
              (forall (?t - spot) (imply (next ?t ?s) (far ?t))))))""", "a"),
        ("(:derived (far ?s) (or (at ?s) (not (forall (?t - spot) (not (and (next ?t ?s) "
         "(far ?t)))))))", "a b c d"),
        # Two predicates that ask for each other.
        ("""(:derived (lone ?s) (or (at ?s) (exists (?t - spot) (and (far ?t) (next ?t ?s)))))
            (:derived (far ?s) (exists (?t - spot) (and (lone ?t) (next ?t ?s))))""", "b c d"),
    ],
)  # fmt: skip
def test_derived_predicates_are_the_least_that_follows(rule: str, expected: str) -> None:
    assert reachable(rule) == [f"(act {spot})" for spot in expected.split()]


def test_what_is_derived_follows_the_state() -> None:
    machine = game(
        parameters="?s ?t - spot",
        precondition="(and (whoseturn ann) (at ?s) (far ?t))",
        effect="(and (not (at ?s)) (at ?t) (not (next ?s ?t)))",
        declarations="(far ?s - spot)",
        sections="""(:derived (far ?s) (exists (?t - spot)
                      (and (or (at ?t) (far ?t)) (next ?t ?s))))""",
        init="(at a) (next a b) (next b c)",
    )
    assert legal_texts(machine, machine.initial(), "ann") == ["(act a b)", "(act a c)"]
    state = after(machine, ("act", "a", "b"))
    assert legal_texts(machine, state, "ann") == ["(act b c)"]
    assert machine.terminal(after(machine, ("act", "a", "b"), ("act", "b", "c")))


def test_an_action_of_the_name_noop_leaves_the_idle_move_another_name() -> None:
    text = """
    (define (domain idle)
      (:types role) (:constants ann ben - role)
      (:predicates (whoseturn ?r - role))
      (:action noop :parameters () :precondition (whoseturn ann)
        :effect (and (not (whoseturn ann)) (whoseturn ben)))
      (:gain ann 1 (whoseturn ben)))
    (define (problem p) (:domain idle) (:init (whoseturn ann)))
    """
    machine = interpreted_of(text)
    assert legal_texts(machine, machine.initial(), "ann") == ["noop"]
    assert legal_texts(machine, machine.initial(), "ben") == ["noop-1"]
    # Ben is to move and has no action: the game is over.
    state = after(machine, "noop")
    assert machine.terminal(state)
    assert legal_texts(machine, state, "ben") == []
    assert machine.goals(state) == (1, 0)


def test_weights_of_all_holding_choices_are_summed() -> None:
    machine = choosing("""
        (:choose :parameters (?s ?t - spot) :condition (next ?s ?t) :select (1 (go ?s) (f) (go ?t)))
        (:choose :parameters () :condition (at a) :select (0 (go a) 3 (go b) 100 (go e)))
        (:choose :parameters () :condition (at d) :select (100 (go a)))
        """, init="(next c b) (next d c) (= (f) 1/2)")  # fmt: skip
    state = after(machine, "act")
    # c: 1 and 1/2; b: 1/2 and 3; d and e are no moves here; a has the weight 0.
    assert legal_texts(machine, state, "chance") == ["(go b)", "(go c)"]
    chance = RoleId(2)
    terms = [machine.move_term(chance, move) for move in machine.legal(state, chance)]
    by_term = dict(zip(terms, machine.chance_weights(state).tolist(), strict=True))
    assert by_term == {("go", "b"): 0.7, ("go", "c"): 0.3}


def test_where_no_choice_holds_all_moves_are_equally_likely() -> None:
    machine = choosing("(:choose :parameters () :condition (at d) :select (100 (go a)))")
    assert machine.chance_weights(after(machine, "act")).tolist() == [1 / 3] * 3


def test_a_variable_without_a_use_asks_for_some_object_of_its_type() -> None:
    machine = game(precondition="(exists (?v ?w ?x ?y ?z - spot) (whoseturn ann))")
    assert legal_texts(machine, machine.initial(), "ann") == ["act"]
    nobody = interpreted_of("""
    (define (domain empty)
      (:types role ghost) (:constants ann - role)
      (:predicates (whoseturn ?r - role))
      (:action a :parameters () :precondition (exists (?g - ghost) (whoseturn ann)))
      (:action b :parameters () :precondition (forall (?g - ghost) (not (whoseturn ann))))
      (:gain ann 1 ()))
    (define (problem p) (:domain empty) (:init (whoseturn ann)))
    """)
    assert legal_texts(nobody, nobody.initial(), "ann") == ["b"]


def test_actions_are_found_by_joining_facts() -> None:
    """Six parameters of 60 objects each: 46 billion tuples, of which 60 are applicable."""
    count = 60
    things = " ".join(f"t{number}" for number in range(count))
    ring = " ".join(f"(next t{number} t{(number + 1) % count})" for number in range(count))
    machine = interpreted_of(f"""
    (define (domain ring)
      (:types role thing)
      (:constants ann - role {things} - thing)
      (:predicates (whoseturn ?r - role) (next ?x ?y - thing) (seen ?x - thing))
      (:action go :parameters (?a ?b ?c ?d ?e ?f - thing)
        :precondition (and (not (seen ?f)) (next ?e ?f) (next ?d ?e) (next ?c ?d) (next ?b ?c)
                           (next ?a ?b) (whoseturn ann))
        :effect (seen ?f))
      (:gain ann 1 (forall (?x - thing) (imply (next t0 ?x) (seen ?x)))))
    (define (problem p) (:domain ring) (:init (whoseturn ann) {ring}))
    """, seconds_per_query=5)  # fmt: skip
    state = machine.initial()
    assert len(machine.legal(state, RoleId(0))) == count
    assert machine.goals(state) == (0,)
    state = after(machine, ("go", "t56", "t57", "t58", "t59", "t0", "t1"))
    assert len(machine.legal(state, RoleId(0))) == count - 1
    assert machine.goals(state) == (1,)
