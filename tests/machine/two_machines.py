"""What tests of both machines share: machines from a text, and walking them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.limits import Deadline
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.ground.program import ground
from fogspiel.lang.clauses import Program
from fogspiel.lang.gdl.normal import normalise
from fogspiel.lang.gdl.read import read_description
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine, State
from fogspiel.machine.reference import ReferenceMachine


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


@dataclass(slots=True)
class Agreement:
    """How far two machines were walked side by side without a difference."""

    walks: int = 0
    steps: int = 0


def walk_both(
    first: Machine,
    second: Machine,
    *,
    walks: int,
    seed: int,
    seconds: float = 60.0,
    max_steps: int = 1_000,
) -> Agreement:
    """Compare two machines of one game along random walks; fails at the first difference.

    Stops after `walks` walks, or when the seconds are over (a walk begun may then be cut short).
    """
    random = Random(seed)
    deadline = Deadline(seconds)
    done = Agreement()
    assert first.roles == second.roles
    assert first.chance_role == second.chance_role
    while done.walks < walks and not deadline.passed:
        states = first.initial(), second.initial()
        for _ in range(max_steps):
            moves = compare_states(first, second, states)
            if first.terminal(states[0]) or not all(moves) or deadline.passed:
                break
            joint = [random.choice(sorted(of_role, key=repr)) for of_role in moves]
            states = compare_steps(first, second, states, joint)
            done.steps += 1
        done.walks += 1
    return done


def compare_states(
    first: Machine, second: Machine, states: tuple[State, State]
) -> list[set[GroundTerm]]:
    """Compare all that a state says by itself; the legal moves of each role."""
    pairs = list(zip((first, second), states, strict=True))
    fluents = [set(machine.fluent_terms(state)) for machine, state in pairs]
    assert fluents[0] == fluents[1]
    ended = [machine.terminal(state) for machine, state in pairs]
    assert ended[0] == ended[1], f"terminal in {fluents[0]}"
    goals = [machine.goals(state) for machine, state in pairs]
    assert goals[0] == goals[1], f"goals in {fluents[0]}"
    moves = []
    for index in range(len(first.roles)):
        role = RoleId(index)
        values = [machine.goal_values(state, role) for machine, state in pairs]
        assert values[0] == values[1], f"goals of role {index} in {fluents[0]}"
        legal = [legal_terms(machine, state, role) for machine, state in pairs]
        assert legal[0] == legal[1], f"legal moves of role {index} in {fluents[0]}"
        moves.append(legal[0])
    return moves


def compare_steps(
    first: Machine, second: Machine, states: tuple[State, State], joint: list[GroundTerm]
) -> tuple[State, State]:
    """Compare what each role sees of a joint move; the successors, to be compared next."""
    ids = [_ids(machine, joint) for machine in (first, second)]
    for index in range(len(first.roles)):
        role = RoleId(index)
        seen = [
            {machine.percept_term(role, p) for p in machine.percepts(state, moves, role)}
            for machine, state, moves in zip((first, second), states, ids, strict=True)
        ]
        assert seen[0] == seen[1], f"percepts of role {index} after {joint}"
    return first.step(states[0], ids[0]), second.step(states[1], ids[1])


def legal_terms(machine: Machine, state: State, role: RoleId) -> set[GroundTerm]:
    """The legal moves of a role as terms."""
    return {machine.move_term(role, move) for move in machine.legal(state, role)}


def _ids(machine: Machine, joint: list[GroundTerm]) -> list[MoveId]:
    return [machine.move_id(RoleId(role), move) for role, move in enumerate(joint)]
