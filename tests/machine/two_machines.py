"""Helpers of tests of both machines: machines from a text, and walks on them side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.clauses import Program
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description


def program_of(text: str) -> Program:
    """The clauses of a rule text that reads without a finding."""
    description, findings = read_description(Source("test.gdl", text))
    assert not findings
    return normalise(description)


def compiled_of(text: str) -> CompiledMachine:
    """The compiled machine of a rule text."""
    return CompiledMachine(ground(program_of(text)))


def reference_of(text: str) -> ReferenceMachine:
    """The reference machine of a rule text."""
    return ReferenceMachine(program_of(text))


BATCH = 16
"""Number of walks side by side, for which the first machine is called once a step."""


@dataclass(slots=True)
class Agreement:
    """Number of walks and steps on which two machines did not differ."""

    walks: int = 0
    """Walks that reached their end."""
    steps: int = 0


def walk_both(
    first: Machine,
    second: Machine,
    *,
    walks: int,
    seed: int,
    seconds: float = math.inf,
    max_steps: int = 1_000,
    total_steps: float = math.inf,
) -> Agreement:
    """Compare two machines of one game along random walks; fails at the first difference.

    The first is asked by its batched methods, the second state by state. Stops after `walks` walks,
    or soon after so many steps in all, or soon after the seconds are over.
    """
    random = Random(seed)
    deadline = Budget.of(seconds=seconds)
    done = Agreement()
    assert first.roles == second.roles
    assert first.chance_role == second.chance_role

    def is_over() -> bool:
        return done.steps >= total_steps or deadline.is_over

    while done.walks < walks and not is_over():
        count = min(BATCH, walks - done.walks)
        states: States = np.repeat(first.initial()[None, :], count, axis=0)
        others = [second.initial()] * count
        for step in range(max_steps + 1):
            moves = compare_states(first, second, states, others)
            going = [i for i, of_roles in enumerate(moves) if step < max_steps and all(of_roles)]
            done.walks += len(moves) - len(going)
            if not going or is_over():
                break
            states, others = states[going], [others[i] for i in going]
            joints = [[random.choice(sorted(of, key=repr)) for of in moves[i]] for i in going]
            states, others = compare_steps(first, second, states, others, joints)
            done.steps += len(others)
    return done


def compare_states(
    first: Machine, second: Machine, states: States, others: list[State]
) -> list[list[set[GroundTerm]]]:
    """Compare states without moves; returns each one's legal moves by role, none if terminal."""
    terminal = first.terminal_batch(states)
    goals = first.goals_batch(states)
    legal = [first.legal_batch(states, RoleId(role)) for role in range(len(first.roles))]
    moves = []
    for row, other in enumerate(others):
        fluents = set(second.fluent_terms(other))
        assert set(first.fluent_terms(states[row])) == fluents
        assert bool(terminal[row]) == second.terminal(other), f"terminal in {fluents}"
        assert tuple(goals[row]) == second.goals(other), f"goals in {fluents}"
        of_roles = []
        for index, name in enumerate(first.roles):
            role = RoleId(index)
            found = {
                first.move_term(role, MoveId(int(m))) for m in np.flatnonzero(legal[role][row])
            }
            assert found == legal_terms(second, other, role), f"moves of {name} in {fluents}"
            if terminal[row]:
                values = first.goal_values(states[row], role)
                assert values == second.goal_values(other, role), f"goals of {name} in {fluents}"
            of_roles.append(set[GroundTerm]() if terminal[row] else found)
        moves.append(of_roles)
    return moves


def compare_steps(
    first: Machine,
    second: Machine,
    states: States,
    others: list[State],
    joints: list[list[GroundTerm]],
) -> tuple[States, list[State]]:
    """Compare each role's percepts of joint moves; returns the successors."""
    ids = np.array([_ids(first, joint) for joint in joints], np.int32)
    for index, name in enumerate(first.roles):
        role = RoleId(index)
        seen = first.percepts_batch(states, ids, role)
        for row, other in enumerate(others):
            found = {first.percept_term(role, PerceptId(int(p))) for p in np.flatnonzero(seen[row])}
            percepts = second.percepts(other, _ids(second, joints[row]), role)
            expected = {second.percept_term(role, percept) for percept in percepts}
            assert found == expected, f"percepts of {name} after {joints[row]}"
    successors = [
        second.step(other, _ids(second, joint)) for other, joint in zip(others, joints, strict=True)
    ]
    return first.step_batch(states, ids), successors


def legal_terms(machine: Machine, state: State, role: RoleId) -> set[GroundTerm]:
    """The legal moves of a role as terms."""
    return {machine.move_term(role, move) for move in machine.legal(state, role)}


def _ids(machine: Machine, joint: list[GroundTerm]) -> list[MoveId]:
    return [machine.move_id(RoleId(role), move) for role, move in enumerate(joint)]
