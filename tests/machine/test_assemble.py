"""Rules become gates with the same meaning: recursion, negation, and cycles that simplify away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from ground_rules import (
    FIRST_MOVE,
    FLUENTS,
    MOVES,
    Outputs,
    RandomRules,
    least_model,
    random_rules,
)
from hypothesis import given, settings
from two_machines import compiled_of, reference_of, walk_both

from fogspiel.core.findings import RulesError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import State

ROLE = RoleId(0)


@settings(max_examples=100)
@given(random_rules())
def test_random_recursive_rules_mean_their_least_fixpoint(drawn: RandomRules) -> None:
    """Compare all results of a machine in every possible state with plain Python."""
    machine = CompiledMachine(drawn.program())
    outputs = drawn.outputs
    for state in all_states(machine):
        fluents = [1 + int(str(name)[1:]) for name in machine.fluent_terms(state)]
        held = least_model(drawn.rules, fluents)
        assert machine.terminal(state) == (outputs.terminal in held)
        values = tuple(i for i, atom in enumerate(outputs.goals) if atom in held)
        assert machine.goal_values(state, ROLE) == values
        assert machine.goals(state) == (max(values, default=0),)
        legal = [machine.move_term(ROLE, move) for move in machine.legal(state, ROLE)]
        assert legal == [f"m{i}" for i, atom in enumerate(outputs.legal) if atom in held]
        for name in legal:
            move = machine.move_id(ROLE, name)
            after = least_model(drawn.rules, [*fluents, FIRST_MOVE + int(str(name)[1:])])
            percepts = machine.percepts(state, [move], ROLE)
            assert [machine.percept_term(ROLE, p) for p in percepts] == [
                f"s{i}" for i, atom in enumerate(outputs.sees) if atom in after
            ]
            successor = machine.step(state, [move])
            assert set(machine.fluent_terms(successor)) == {
                f"f{i}" for i, atom in enumerate(outputs.next) if atom in after
            }


def all_states(machine: CompiledMachine) -> Iterator[State]:
    """Every set of the fluents that change, reachable or not."""
    changing = machine.network.fluents
    for held in product([False, True], repeat=len(changing)):
        fluents = [fluent for fluent, holds in zip(changing, held, strict=True) if holds]
        yield machine.state_of([*fluents, *machine.network.always])


NODES = "abcd"
RECURSIONS = [
    "(edge ?x ?y) (reach ?y ?z)",
    "(reach ?x ?y) (edge ?y ?z)",
    "(reach ?x ?y) (reach ?y ?z)",
]


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_reachability_is_the_transitive_closure_of_every_graph(recursion: str) -> None:
    nodes = " ".join(f"(node {node})" for node in NODES)
    machine = compiled_of(f"""
        (role r) {nodes}
        (<= (init (edge ?x ?y)) (node ?x) (node ?y))
        (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does r (cut ?x ?y))))
        (<= (legal r (cut ?x ?y)) (reach ?x ?y))
        (<= (edge ?x ?y) (true (edge ?x ?y)))
        (<= (reach ?x ?y) (edge ?x ?y))
        (<= (reach ?x ?z) {recursion})
    """)
    rng = np.random.default_rng(3)
    pairs = list(product(NODES, NODES))
    graphs = [{p for p in pairs if rng.random() < rng.random()} for _ in range(300)]
    states = np.stack([machine.state_of(("edge", *pair) for pair in graph) for graph in graphs])
    legal = machine.legal_batch(states, ROLE)
    for graph, row in zip(graphs, legal, strict=True):
        moves = {machine.move_term(ROLE, MoveId(int(move))) for move in np.flatnonzero(row)}
        assert moves == {("cut", *pair) for pair in closure(graph)}


def closure(graph: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """All pairs joined by a path, by plain iteration."""
    found = set(graph)
    while new := {(x, z) for x, y in found for v, z in graph if v == y} - found:
        found |= new
    return found


# In each, a cycle of the rules falls away when they are simplified, after a gate has been made that
# reads the later relation through a loop variable.
CUT_CYCLES = {
    "a rule that another one contains": "(<= b (true z)) (<= b (true z) a)",
    "a rule that can never hold": "(<= b (true z)) (<= b a (true x) (not (true x)))",
}


@pytest.mark.parametrize("cycle", CUT_CYCLES.values(), ids=list(CUT_CYCLES))
@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_cycle_that_simplification_cuts_keeps_its_meaning(cycle: str, names: str) -> None:
    text = f"""
        (role r) (init x) (init z) (legal r stay) (legal r go)
        {cycle}
        (<= a (true c)) (<= a (true x) b)
        (<= (legal r one) b) (<= (legal r two) a)
        (<= (next x) (does r go)) (<= (next z) (does r stay)) (<= (next c) (does r two))
        (<= terminal (true q)) (<= (next q) (true c) (not (true x)))
    """
    if names == "ba":  # which of the two is met first depends on their order
        text = text.replace("(legal r one) b", "(legal r two) b", 1).replace("two) a", "one) a", 1)
    done = walk_both(compiled_of(text), reference_of(text), walks=20, seed=1, max_steps=8)
    assert done.steps > 20


def test_a_relation_below_its_own_negation_is_refused() -> None:
    odd = RandomRules(
        [(8, [9]), (9, [-8, 1])],
        Outputs(legal=[8] * MOVES, next=[9] * FLUENTS, goals=[], sees=[], terminal=8),
    )
    with pytest.raises(RulesError, match="MCH004"):
        CompiledMachine(odd.program())
