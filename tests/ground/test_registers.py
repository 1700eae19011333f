"""Numbers of a game as registers: how wide they are, what they hold, and what passes them."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.ground.arithmetic.ranges import MAX_SIZE, UNSEEN
from fogspiel.ground.arithmetic.register import Register
from fogspiel.ground.program import GroundProgram, ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import State
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.lower.lower import lower

GAME = """\
(define (domain counting)
  (:types role)
  (:constants ann ben - role)
  (:predicates (whoseturn ?r - role))
  (:functions (n) - KIND (m) (score ?r - role) (step))
  (:action go
    :parameters (?r ?s - role)
    :precondition (and (whoseturn ?r) (not (= ?r ?s)) CONDITION)
    :effect (and (not (whoseturn ?r)) (whoseturn ?s) EFFECT))
  (:gain ann (n) ()))
(define (problem start) (:domain counting)
  (:init (whoseturn ann) (= (n) START) (= (m) 2) (= (step) 3)))
"""


def grounded(
    effect: str, condition: str = "", *, start: str = "0", kind: str = "number"
) -> GroundProgram:
    parts = {"EFFECT": effect, "CONDITION": condition, "START": start, "KIND": kind}
    text = GAME
    for name, part in parts.items():
        text = text.replace(name, part)
    description, _ = read_and_check([Source("game.pogddl", text)])
    return ground(lower(description))


def register_of(program: GroundProgram, name: str = "n") -> Register:
    (found,) = [register for register in program.registers if register.term == name]
    return found


def bounds(register: Register) -> tuple[Fraction | int, Fraction | int]:
    low = Fraction(register.low, register.scale)
    return low, low + Fraction(register.most, register.scale)


@pytest.mark.parametrize(
    ("effect", "condition", "start", "kind", "expected"),
    [
        ("(increase (n) 1)", "(< (n) 5)", "0", "number", (0, 5)),
        ("(increase (n) 1)", "(> 5 (n))", "0", "number", (0, 5)),
        ("(increase (n) 1)", "(<= (n) 5)", "0", "number", (0, 6)),
        ("(increase (n) (step))", "(< (n) 5)", "0", "number", (0, 7)),
        ("(increase (n) 1/2)", "(< (n) 3)", "0", "number", (0, 3)),
        ("(decrease (n) 2)", "(> (n) 0)", "7", "number", (-1, 7)),
        ("(increase (n) 3)", "(= (n) 4)", "4", "number", (4, 7)),
        ("(assign (n) 7) (when (= (n) 7) (assign (n) -2))", "", "3", "number", (-2, 7)),
        ("(assign (n) (* (step) (step)))", "", "3", "number", (3, 9)),
        ("(scale-up (n) 2)", "(< (n) 10)", "3", "number", (3, 18)),
        ("(when (< (n) 9) (increase (n) 1)) (when (= (n) 9) (assign (n) 0))", "", "0", "number",
         (0, 9)),
        ("(forall (?x - role) (increase (n) 1))", "(< (step) 2)", "0", "number", None),
        ("(increase (n) 1)", "(< (n) 9)", "0", "(number 0 9)", (0, 9)),
        ("(assign (n) (+ (m) 1))", "", "5", "(number 3 8)", (3, 8)),
    ],
)  # fmt: skip
def test_ranges_that_the_rules_keep(
    effect: str, condition: str, start: str, kind: str, expected: tuple[int, int] | None
) -> None:
    program = grounded(effect, condition, start=start, kind=kind)
    register = register_of(program)
    if expected is None:  # the action never applies, so nothing changes
        assert bounds(register) == (0, 0)
        return
    assert bounds(register) == expected
    assert register.is_sure
    assert len(register.bits) == register.most.bit_length()


@pytest.mark.parametrize(
    ("effect", "kind", "expected"),
    [
        ("(increase (n) 1)", "number", (0, UNSEEN - 1)),
        ("(decrease (n) 1)", "number", (-UNSEEN // 2, 0)),
        ("(increase (n) 100000)", "number", (0, 4_000_000)),
        ("(scale-up (n) 3) (increase (n) 1)", "number", (0, MAX_SIZE)),
        ("(increase (n) 1)", "(number -3 9)", (-3, 9)),
        ("(increase (n) 1/2)", "(number -1/3 10/3)", (0, 3)),
    ],
)
def test_ranges_that_play_may_pass(effect: str, kind: str, expected: tuple[int, int]) -> None:
    register = register_of(grounded(effect, kind=kind))
    assert bounds(register) == expected
    assert not register.is_sure


def test_products_of_products_do_not_run_away() -> None:
    started = time.perf_counter()
    program = grounded("(scale-up (n) (m)) (scale-up (m) (n))", start="3")
    assert bounds(register_of(program)) == (3, MAX_SIZE)
    assert time.perf_counter() - started < 20


def test_values_that_no_step_changes_are_shown_with_the_others() -> None:
    machine = CompiledMachine(grounded("(assign (score ann) 1)"))
    fluents = machine.fluent_terms(machine.initial())
    assert ("=", ("score", "ben"), "0") in fluents
    assert ("=", ("score", "ann"), "0") in fluents
    assert not [fluent for fluent in fluents if fluent[1] == "m"]


def value(machine: CompiledMachine, state: State, name: str = "n") -> Fraction:
    (text,) = [t[2] for t in machine.fluent_terms(state) if t[:2] == ("=", name)]
    return Fraction(str(text))


@pytest.mark.parametrize(
    ("effect", "start", "values"),
    [
        ("(assign (n) (+ (n) (step)))", "1", [1, 4, 7, 10]),
        ("(increase (n) 2) (increase (n) (step))", "0", [0, 5, 10, 15]),
        ("(increase (n) 2) (decrease (n) (step))", "0", [0, -1, -2, -3]),
        ("(when (< (n) 3) (increase (n) 2)) (increase (n) 1)", "0", [0, 3, 4, 5]),
        ("(scale-up (n) 3)", "2", [2, 6, 18, 54]),
        ("(scale-up (n) -2)", "1", [1, -2, 4, -8]),
        ("(scale-down (n) 1/2)", "3", [3, 6, 12, 24]),
        ("(increase (n) 1/3) (decrease (n) .5)", "1/2", ["1/2", "1/3", "1/6", 0]),
        ("(assign (n) (/ (step) 2))", "0", [0, "3/2", "3/2", "3/2"]),
    ],
)
def test_registers_hold_what_the_effects_say(
    effect: str, start: str, values: list[int | str]
) -> None:
    machine = CompiledMachine(grounded(effect, start=start))
    state = machine.initial()
    for expected in values:
        assert value(machine, state) == Fraction(expected)
        assert Fraction(machine.goals(state)[0], machine.goal_scale) == Fraction(expected)
        assert machine.key(machine.state_of(machine.fluent_terms(state))) == machine.key(state)
        state = machine.expand(state).states[0]


@pytest.mark.parametrize(
    ("effect", "reason"),
    [
        ("(assign (n) (/ 6 (m))) (increase (m) 1)", "without a common denominator"),
        ("(scale-down (n) 2)", "without a common denominator"),
        ("(when (> (/ 1 (n)) 1) (increase (n) 1))", "a division by a number that may be 0"),
        ("(when (> (/ 6 0) 1) (increase (n) 1))", "a division by a number that may be 0"),
    ],
)
def test_what_no_register_can_hold_is_left_to_the_other_machine(effect: str, reason: str) -> None:
    with pytest.raises(LimitError, match=reason) as error:
        grounded(effect)
    assert error.value.findings[0].code == "GRD006"


def test_squares_fit_where_their_bounds_are_declared() -> None:
    machine = CompiledMachine(
        grounded("(assign (n) (* (n) (n)))", start="-2", kind="(number -9 99)")
    )
    state = machine.initial()
    for expected in (-2, 4, 16):
        assert value(machine, state) == expected
        state = machine.expand(state).states[0] if expected < 16 else state
    with pytest.raises(PlayError, match=r"n passed its range \(n from -9 to 99\)"):
        machine.expand(state)


def first_joint(machine: CompiledMachine, state: State) -> list[MoveId]:
    return [machine.legal(state, RoleId(role))[0] for role in range(len(machine.roles))]


@pytest.mark.parametrize("kind", ["number", "(number 0 300)"])
def test_a_number_that_passes_its_range_ends_play_with_its_name(kind: str) -> None:
    machine = CompiledMachine(grounded("(increase (n) 100)", kind=kind))
    state = machine.initial()
    last = 65_500 if kind == "number" else 300
    while value(machine, state) < last:
        state = machine.step(state, first_joint(machine, state))
    before = state
    with pytest.raises(PlayError, match=r"MCH008 .*n passed its range \(n from 0 to ") as error:
        machine.step(before, first_joint(machine, before))
    assert error.value.findings[0].code == "MCH008"
    with pytest.raises(PlayError, match="n passed its range"):
        machine.expand(before)
    with pytest.raises(PlayError, match="passed its range"):
        machine.playouts(np.array([before]), seed=1, count=3)
    with pytest.raises(PlayError, match="MCH008"):
        machine.playouts(machine.initial()[None, :], seed=1, count=3)
    assert value(machine, before) == last


def test_a_value_outside_its_register_is_no_fluent() -> None:
    machine = CompiledMachine(grounded("(increase (n) 1)", "(< (n) 5)"))
    state = machine.state_of([("whoseturn", "ann"), ("=", "n", "5")])
    assert value(machine, state) == 5
    assert value(machine, machine.state_of([("whoseturn", "ann")])) == 0
    with pytest.raises(PlayError, match="MCH005"):
        machine.state_of([("=", "n", "6")])
