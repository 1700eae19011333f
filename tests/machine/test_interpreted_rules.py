"""What single forms of POGDDL mean: effects, numbers, derived predicates, choices, and errors."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from pogddl_machines import after, fluents, interpreted_of, legal_texts, told

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.ids import RoleId
from fogspiel.machine.interpreted import InterpretedMachine


def game(
    *,
    effect: str = "(done)",
    precondition: str = "(whoseturn ann)",
    parameters: str = "",
    declarations: str = "",
    init: str = "",
    sections: str = "(:gain ann 1 ())",
    functions: str = "(f) (g) (h ?r - role)",
) -> InterpretedMachine:
    """A game of ann, ben and chance with one action, `act`."""
    return interpreted_of(f"""
    (define (domain forms)
      (:types role spot)
      (:constants ann ben chance - role a b c d e - spot)
      (:predicates (whoseturn ?r - role) (done) (at ?s - spot) (next ?s ?t - spot) {declarations})
      (:functions {functions})
      (:action act :parameters ({parameters}) :precondition {precondition} :effect {effect})
      {sections})
    (define (problem p) (:domain forms) (:init (whoseturn ann) {init}))
    """)


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


def test_a_derivation_that_broke_off_is_not_taken_for_finished() -> None:
    machine = game(
        parameters="?s - spot",
        precondition="(and (whoseturn ann) (far ?s))",
        declarations="(far ?s - spot)",
        sections="""(:derived (far ?s) (or (at ?s)
          (exists (?t - spot) (and (far ?t) (next ?t ?s) (> (/ 1 (g)) 0)))))""",
        init=f"(at a) {CHAIN}",
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


def choosing(select: str, *, init: str = "") -> InterpretedMachine:
    """A game in which chance takes the turn from ann, and then goes to a spot."""
    return game(
        effect="(and (not (whoseturn ann)) (whoseturn chance))",
        sections=f"""
        (:action go :parameters (?s - spot) :precondition (and (whoseturn chance) (at ?s))
          :effect (done))
        {select} (:gain ann 1 ())""",
        init=f"(at a) (at b) (at c) {init}",
    )


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
