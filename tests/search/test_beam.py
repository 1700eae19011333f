"""Lines of one player alone: known lengths, exact values, nothing beyond the budget."""

from __future__ import annotations

from itertools import permutations

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine
from fogspiel.search.beam import ActionLine, BeamSearch
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

ALONE = RoleId(0)


def hanoi(disks: int, engine: EngineChoice = "auto") -> Machine:
    """The tower of Hanoi, which ends when all disks lie on the third peg."""
    smaller = " ".join(f"(less {a} {b})" for b in range(1, disks + 1) for a in range(1, b))
    start = " ".join(f"(init (on {disk} a))" for disk in range(1, disks + 1))
    arrived = " ".join(f"(true (on {disk} c))" for disk in range(1, disks + 1))
    pegs = " ".join(f"(way {x} {y})" for x, y in permutations("abc", 2))
    text = f"""
    (role monk) {smaller} {start} {pegs}
    (<= (covered ?d ?p) (true (on ?e ?p)) (less ?e ?d))
    (<= (legal monk (move ?d ?p ?q)) (true (on ?d ?p)) (way ?p ?q)
        (not (covered ?d ?p)) (not (covered ?d ?q)))
    (<= (next (on ?d ?q)) (does monk (move ?d ?p ?q)))
    (<= (moved ?d) (does monk (move ?d ?p ?q)))
    (<= (next (on ?d ?p)) (true (on ?d ?p)) (not (moved ?d)))
    (<= arrived {arrived})
    (<= terminal arrived)
    (<= (goal monk 100) arrived)
    (<= (goal monk 0) (not arrived))
    """
    return load_source(Source("hanoi.gdl", text), engine=engine).machine


def collecting() -> Machine:
    """Eight steps right or up through a field of numbers; what lies under the way is added up."""
    worth = {(x, y): (7 * x + 5 * y + 3 * x * y) % 10 for x in range(9) for y in range(9)}
    cells = " ".join(f"(worth {x} {y} {number})" for (x, y), number in worth.items())
    sums = " ".join(f"(plus {a} {b} {a + b})" for a in range(101) for b in range(10))
    after = " ".join(f"(after {n} {n + 1})" for n in range(8))
    text = f"""
    (role walker) {cells} {sums} {after}
    (init (at 0 0)) (init (sum 0)) (init (step 0))
    (legal walker right) (legal walker up)
    (<= (to ?x ?v) (does walker up) (true (at ?x ?y)) (after ?y ?v))
    (<= (to ?u ?y) (does walker right) (true (at ?x ?y)) (after ?x ?u))
    (<= (next (at ?x ?y)) (to ?x ?y))
    (<= (next (sum ?s)) (to ?x ?y) (worth ?x ?y ?n) (true (sum ?r)) (plus ?r ?n ?s))
    (<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
    (<= terminal (true (step 8)))
    (<= (goal walker ?s) (true (sum ?s)))
    """
    return load_source(Source("collecting.gdl", text)).machine


def search(machine: Machine, seed: int = 1) -> BeamSearch:
    return BeamSearch(machine, ALONE, seed=seed, ranks=[RANDOM_PLAYOUTS.evaluator(machine, 4)])


def replayed(machine: Machine, line: ActionLine) -> int:
    """The goal at the end of a line, each of whose moves must be legal."""
    state = machine.initial()
    for move in line.moves:
        assert not machine.terminal(state)
        assert move in machine.legal(state, ALONE)
        state = machine.step(state, [move])
    assert machine.terminal(state)
    return machine.goals(state)[ALONE]


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_the_tower_of_hanoi_takes_as_many_moves_as_is_known(engine: EngineChoice) -> None:
    """2^n - 1 (Lucas 1883). Moves can be taken back, so that there is no last step."""
    machine = hanoi(4, engine)
    line = search(machine).run(machine.initial(), Budget.of(simulations=10_000))
    assert line is not None
    assert (len(line.moves), line.goal, line.proven) == (15, 100, True)
    assert replayed(machine, line) == 100


def test_the_best_way_is_that_of_exact_solution() -> None:
    machine = collecting()
    line = search(machine).run(machine.initial(), Budget.of(simulations=10_000))
    assert line is not None
    assert line.proven
    assert line.goal == replayed(machine, line) == solve_belief_mdp(machine, ALONE).value


def test_a_narrow_beam_proves_nothing_and_keeps_to_its_budget() -> None:
    machine = collecting()
    beam = search(machine)
    line = beam.run(machine.initial(), Budget.of(simulations=380))
    assert beam.spent == 380
    assert line is not None
    assert not line.proven
    assert line.goal == replayed(machine, line)


def test_the_same_seed_finds_the_same_line() -> None:
    machine = collecting()
    lines = [search(machine).run(machine.initial(), Budget.of(simulations=380)) for _ in range(2)]
    assert lines[0] == lines[1]


def test_a_game_that_nobody_can_end_is_given_up() -> None:
    """The search stops before its simulations are used up: every state was met, and none ends the
    game."""
    text = """
    (role prisoner) (next_to a b) (next_to b a)
    (init (in a))
    (<= (legal prisoner (go ?y)) (true (in ?x)) (next_to ?x ?y))
    (<= (legal prisoner stay) (true (in ?x)))
    (<= (next (in ?y)) (does prisoner (go ?y)))
    (<= (next (in ?x)) (does prisoner stay) (true (in ?x)))
    (<= terminal (true (in c)))
    (<= (goal prisoner 100) (true (in c)))
    (<= (goal prisoner 0) (not (true (in c))))
    """
    machine = load_source(Source("prison.gdl", text)).machine
    beam = search(machine)
    assert beam.run(machine.initial(), Budget.of(simulations=1_000)) is None
    assert beam.spent == 2
