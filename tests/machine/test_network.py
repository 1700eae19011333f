"""Compilation finds constant fluents and dead moves, and describes the compiled game."""

from __future__ import annotations

from two_machines import compiled_of, reference_of, walk_both

from fogspiel.core.terms import RoleId
from fogspiel.machine.compiled.compile.network import MAX_ROUNDS

ROLE = RoleId(0)


def test_fluents_that_never_change_take_no_bit_but_are_told() -> None:
    machine = compiled_of("""
        (role r) (init always) (init (now a)) (legal r go)
        (<= (next always) (true always))
        (<= (next (now b)) (true (now a))) (<= (next (now a)) (true (now b)))
    """)
    assert machine.network.fluents == (("now", "a"), ("now", "b"))
    assert machine.network.always == ("always",)
    assert machine.fluent_terms(machine.initial()) == (("now", "a"), "always")


def test_moves_that_are_never_legal_are_dropped() -> None:
    machine = compiled_of("""
        (role r) (init p) (legal r go)
        (<= (next p) (true p)) (<= (legal r never) (not (true p)))
    """)
    assert machine.network.moves == (("go",),)


def test_a_chain_of_constants_longer_than_the_rounds_is_still_told_once() -> None:
    # Each round learns that one more fluent is constant; then the rounds are over.
    count = MAX_ROUNDS + 4
    lines = ["(role r) (legal r go) (init t0) (<= (next t0) (true t0))"]
    lines += [f"(init t{i + 1}) (<= (next t{i + 1}) (true t{i}))" for i in range(count)]
    text = "\n".join(lines)
    machine = compiled_of(text)
    told = machine.fluent_terms(machine.initial())
    assert sorted(map(str, told)) == sorted(f"t{i}" for i in range(count + 1))
    assert walk_both(machine, reference_of(text), walks=1, seed=0, max_steps=4).steps == 4


def test_only_names_that_are_numbers_in_gdl_are_goals() -> None:
    text = """
        (role r) (legal r go) (init p) terminal
        (goal r 40) (goal r 1_00) (goal r +90) (goal r high) (goal r 007) (goal r ٣)
    """
    for machine in (compiled_of(text), reference_of(text)):
        assert machine.goal_values(machine.initial(), ROLE) == (7, 40)
        assert machine.goals(machine.initial()) == (40,)


def test_of_several_goals_the_largest_counts_and_all_are_told() -> None:
    machine = compiled_of("""
        (role r) (legal r go) (init p) (init q) (<= (next p) (true q)) (<= (next q) (does r go))
        (<= (goal r 30) (true p)) (<= (goal r 60) (true q)) (<= (goal r 10) (not (true q)))
    """)
    both = machine.state_of(["p", "q"])
    assert machine.goals(both) == (60,)
    assert machine.goal_values(both, ROLE) == (30, 60)
    assert machine.goals(machine.state_of(["p"])) == (30,)
    assert machine.goals(machine.state_of([])) == (10,)


def test_gates_and_inputs_are_counted() -> None:
    # p and q together take one gate of two inputs; nothing else needs any.
    machine = compiled_of("""
        (role r) (legal r go) (init p) (init q) (<= (next p) (true q)) (<= (next q) (true p))
        (<= terminal (true p) (true q))
    """)
    assert (machine.network.gate_count, machine.network.input_count) == (1, 2)
