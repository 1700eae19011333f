"""Grounding of rules: what is found, what is left out, and which rule explodes."""

from __future__ import annotations

import pytest
from ground_texts import child_processes, program_of

from fogspiel.core.findings import LimitError
from fogspiel.core.limits import GroundLimits
from fogspiel.core.terms import format_term
from fogspiel.ground.program import ALWAYS, GroundProgram, ground
from fogspiel.rules.clauses import Program


def grounded(text: str) -> GroundProgram:
    return ground(program_of(text))


def moves_of(program: GroundProgram) -> set[str]:
    return {format_term(move) for _, move in program.legal}


def test_all_relations_of_play_are_found() -> None:
    program = grounded("""
        (role white) (role random)
        (init (at a))
        (legal random flip)
        (<= (legal white (go ?x)) (true (at ?x)))
        (<= (next (at b)) (does white (go a)))
        (<= (sees white (now ?x)) (does white (go ?x)))
        (<= (goal white 100) (true (at b)))
        (<= terminal (true (at b)))
    """)
    assert (program.roles, program.chance_role) == (("white", "random"), "random")
    assert program.has_percepts
    assert program.initial == {("at", "a")}
    assert list(program.fluents) == [("at", "a"), ("at", "b")]
    assert list(program.moves) == [
        ("random", "flip"),
        ("white", ("go", "a")),
        ("white", ("go", "b")),
    ]
    assert list(program.next) == [("at", "b")]
    assert list(program.sees) == [("white", ("now", "a")), ("white", ("now", "b"))]
    assert list(program.goals) == [("white", "100")]
    assert program.legal["random", "flip"] == ALWAYS
    assert program.terminal not in {None, ALWAYS}


def test_facts_that_stand_after_the_rules_that_need_them_count() -> None:
    program = grounded("""
        (<= (legal r (go ?x)) (place ?x) (open ?x))
        (<= (open ?x) (door ?x ?y) (role ?y))
        (role r) (place a) (place b) (door a r) (door b nobody)
    """)
    assert moves_of(program) == {"(go a)"}


def test_what_never_holds_is_left_out_and_what_always_does_is_marked() -> None:
    program = grounded("""
        (role r) (init p) (legal r stay)
        (<= (legal r never) (nowhere ?x))
        (<= (legal r always) (not (nowhere a)))
        (<= (legal r maybe) (not (true p)))
    """)
    assert moves_of(program) == {"stay", "always", "maybe"}
    assert program.legal["r", "always"] == ALWAYS
    assert program.legal["r", "maybe"] != ALWAYS
    assert program.terminal is None


def test_recursive_rules_are_ground_to_their_closure() -> None:
    program = grounded("""
        (role r) (edge a b) (edge b c) (edge c a) (edge d a)
        (<= (reach ?x ?y) (edge ?x ?y))
        (<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))
        (<= (legal r (go ?y)) (reach a ?y))
    """)
    assert moves_of(program) == {"(go a)", "(go b)", "(go c)"}


def test_function_terms_are_taken_apart_and_put_together() -> None:
    program = grounded("""
        (role r) (init (stack (on a (on b table)))) (block a) (block b)
        (<= (legal r (lift ?x)) (true (stack (on ?x ?rest))))
        (<= (next (stack ?rest)) (true (stack (on ?x ?rest))) (does r (lift ?x)))
    """)
    assert moves_of(program) == {"(lift a)", "(lift b)"}
    assert {format_term(fluent) for fluent in program.fluents} == {
        "(stack (on a (on b table)))",
        "(stack (on b table))",
        "(stack table)",
    }


def test_an_atom_about_a_role_that_is_no_name_is_dropped() -> None:
    program = grounded("(role r) (legal r stay) (legal (f r) stay)")
    assert list(program.legal) == [("r", "stay")]


def test_grounding_repeats_to_the_byte() -> None:
    text = "(role r) (d a) (d b) (<= (legal r (m ?x ?y)) (d ?x) (d ?y)) (<= (next ?x) (does r ?x))"
    first, second = grounded(text), grounded(text)
    assert list(first.moves.items()) == list(second.moves.items())
    assert first.rules.literals.tobytes() == second.rules.literals.tobytes()


EXPLODES = """
(role r)
(init p)
{digits}
(<= (legal r go) (true p))
(<= (legal r (guess ?a ?b ?c ?d ?e))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))
(<= (next p) (does r (guess ?a ?b ?c ?d ?e)))
"""


def exploding() -> Program:
    return program_of(EXPLODES.format(digits=" ".join(f"(digit {n})" for n in range(40))))


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("GRD001", GroundLimits(seconds=1.0, atoms=10**9, rules=10**9)),
        ("GRD003", GroundLimits(atoms=10_000)),
        ("GRD004", GroundLimits(atoms=10**9, rules=10_000)),
    ],
)
def test_the_error_names_the_rule_that_explodes_and_by_how_much(
    code: str, limits: GroundLimits
) -> None:
    program = exploding()
    before = child_processes()
    with pytest.raises(LimitError) as stop:
        ground(program, limits)
    (finding,) = stop.value.findings
    assert finding.code == code
    assert finding.span is not None
    excerpt = program.source.text[finding.span.start : finding.span.end]
    assert "guess" in excerpt
    # 40 digits in five places: 40^5 = 1.0e8 ground rules.
    assert "this rule alone stands for about 1e+08 ground rules" in finding.message
    assert finding.fix
    assert stop.value.exit_code == 4
    assert child_processes() == before


def test_terms_without_end_are_stopped() -> None:
    program = program_of(
        "(role r) (legal r up) (init (n zero)) (<= (next (n (s ?x))) (true (n ?x)))"
    )
    with pytest.raises(LimitError, match=r"GRD00[1234]"):
        ground(program, GroundLimits(seconds=2.0, atoms=100_000))


def test_terms_without_end_are_given_up_soon() -> None:
    endless = program_of(
        "(role white)\n(init (n zero))\n(<= (next (n (s ?x))) (true (n ?x)))\n"
        "(legal white go)\n(<= terminal (true (n (s zero))))\n(goal white 100)\n"
    )
    with pytest.raises(LimitError, match=r"GRD001.*2 s of processor time"):
        ground(endless)
