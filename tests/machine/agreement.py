"""Walks a game at random on the reference machine and compares each state with another model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeAlias

from naive_evaluator import Facts, naive_model

from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.protocol import State
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.clauses import Program

Model: TypeAlias = Callable[[Program, Iterable[GroundTerm], Iterable[GroundTerm]], Facts]


def check_walk(program: Program, seed: int, max_steps: int, model: Model = naive_model) -> int:
    """Compare both along one random walk; returns the states compared."""
    machine = ReferenceMachine(program)
    random = Random(seed)
    nothing = model(program, (), ())
    state = machine.initial()
    assert set(machine.fluent_terms(state)) == {fluent for (fluent,) in nothing["init", 1]}
    for step in range(max_steps):
        moves = check_state(program, machine, state, model)
        if machine.terminal(state) or not all(moves):
            return step + 1
        joint = [random.choice(legal) for legal in moves]
        state = check_step(program, machine, state, joint, model)
    return max_steps


def check_state(
    program: Program, machine: ReferenceMachine, state: State, model: Model
) -> list[tuple[MoveId, ...]]:
    """Compare all properties of a state; returns the legal moves of each role."""
    expected = model(program, machine.fluent_terms(state), ())
    assert machine.terminal(state) == (() in expected["terminal", 0])
    moves = []
    for index, name in enumerate(machine.roles):
        role = RoleId(index)
        legal = machine.legal(state, role)
        assert list(legal) == sorted(legal)
        assert {machine.move_term(role, move) for move in legal} == _last(expected, "legal", name)
        values = [goal for goal in _last(expected, "goal", name) if isinstance(goal, str)]
        goals = sorted(int(value) for value in values if value.isdigit())
        assert list(machine.goal_values(state, role)) == goals
        assert machine.goals(state)[index] == max(goals, default=0)
        moves.append(legal)
    return moves


def check_step(
    program: Program,
    machine: ReferenceMachine,
    state: State,
    joint: list[MoveId],
    model: Model,
) -> State:
    """Compare the successor and the percepts of a joint move; returns the successor."""
    terms = [machine.move_term(RoleId(role), move) for role, move in enumerate(joint)]
    expected = model(program, machine.fluent_terms(state), terms)
    successor = machine.step(state, joint)
    assert set(machine.fluent_terms(successor)) == {fluent for (fluent,) in expected["next", 1]}
    everything = {("does", *pair) for pair in zip(program.roles, terms, strict=True)}
    for index, name in enumerate(machine.roles):
        role = RoleId(index)
        seen = {machine.percept_term(role, p) for p in machine.percepts(state, joint, role)}
        assert seen == (_last(expected, "sees", name) if program.has_percepts else everything)
    return successor


def _last(facts: Facts, relation: str, role: str) -> set[GroundTerm]:
    return {term for name, term in facts[relation, 2] if name == role}
