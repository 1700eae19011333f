"""Walks the two machines of a game in POGDDL side by side, errors of play included."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

import numpy as np
from two_machines import compare_states

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.ground.arithmetic.ranges import UNSEEN
from fogspiel.machine.protocol import Machine, State


@dataclass(slots=True)
class Walked:
    """Events during the walks, since games without events would test nothing."""

    steps: int = 0
    ends: int = 0
    """Walks to a terminal state."""
    choices: int = 0
    """States in which the mover had more than one move."""
    weighed: int = 0
    """States in which chance did not play uniformly."""
    percepts: int = 0
    changes: int = 0
    """Steps after which a number had another value."""
    payoffs: set[Fraction] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    """Codes of errors that both machines raised."""


def walk_together(
    first: Machine, second: Machine, *, walks: int, seed: int, max_steps: int = 200
) -> Walked:
    """Compare all results of two machines along random walks; fails at the first difference."""
    assert (first.roles, first.chance_role) == (second.roles, second.chance_role)
    assert first.goal_scale == second.goal_scale
    random, walked = Random(seed), Walked()
    for _ in range(walks):
        states: tuple[State, State] | None = first.initial(), second.initial()
        for _ in range(max_steps):
            if states is None:
                break
            states = _go_on(first, second, states, random, walked)
    return walked


def _go_on(
    first: Machine, second: Machine, states: tuple[State, State], random: Random, walked: Walked
) -> tuple[State, State] | None:
    """One step; None at the end of a walk."""
    one, other = states
    (moves,) = compare_states(first, second, one[None, :], [other])
    for machine, state in ((first, one), (second, other)):
        assert machine.key(machine.state_of(second.fluent_terms(other))) == machine.key(state)
    _compare_weights(first, second, states, walked)
    walked.payoffs |= {Fraction(goal, first.goal_scale) for goal in first.goals(one)}
    if not all(moves):
        walked.ends += 1
        return None
    walked.choices += any(len(of_role) > 1 for of_role in moves)
    joint = [random.choice(sorted(of_role, key=repr)) for of_role in moves]
    successors = [_step(first, one, joint), _step(second, other, joint)]
    codes = [found if isinstance(found, str) else None for found in successors]
    if codes == ["MCH008", None] and not isinstance(successors[1], str):
        # Where no bound is declared, registers end somewhere: the other machine knows no end.
        assert max(_sizes(second, successors[1])) > UNSEEN // 2
        walked.faults["no end seen"] += 1
        return None
    assert codes[0] == codes[1], f"{joint} in {set(second.fluent_terms(other))}"
    if codes[0] is not None:
        walked.faults[codes[0]] += 1
        return None
    for role, name in enumerate(first.roles):
        seen = _percepts(first, one, joint, RoleId(role))
        assert seen == _percepts(second, other, joint, RoleId(role)), f"percepts of {name}: {joint}"
        walked.percepts += len(seen)
    walked.steps += 1
    after = successors[0], successors[1]
    assert not isinstance(after[0], str)
    assert not isinstance(after[1], str)
    walked.changes += _numbers(first, one) != _numbers(first, after[0])
    return after[0], after[1]


def _compare_weights(
    first: Machine, second: Machine, states: tuple[State, State], walked: Walked
) -> None:
    weights = [_weights(m, state) for m, state in zip((first, second), states, strict=True)]
    assert weights[0].keys() == weights[1].keys()
    for move, weight in weights[0].items():
        assert np.isclose(weight, weights[1][move], rtol=1e-12), f"{move} of chance"
    walked.weighed += len(set(weights[0].values())) > 1


def _weights(machine: Machine, state: State) -> dict[GroundTerm, float]:
    role = machine.chance_role
    if role is None:
        return {}
    moves = [machine.move_term(role, move) for move in machine.legal(state, role)]
    return dict(zip(moves, machine.chance_weights(state).tolist(), strict=True))


def _percepts(
    machine: Machine, state: State, joint: list[GroundTerm], role: RoleId
) -> set[GroundTerm]:
    return {
        machine.percept_term(role, percept)
        for percept in machine.percepts(state, _ids(machine, joint), role)
    }


def _step(machine: Machine, state: State, joint: list[GroundTerm]) -> State | str:
    """The successor, or the code of the error."""
    try:
        return machine.step(state, _ids(machine, joint))
    except PlayError as error:
        return error.findings[0].code


def _numbers(machine: Machine, state: State) -> set[GroundTerm]:
    return {
        t
        for t in machine.fluent_terms(state)
        if isinstance(t, tuple) and t[0] == "=" and t[1] != "time"
    }


def _sizes(machine: Machine, state: State) -> list[Fraction]:
    return [abs(Fraction(str(term[2]))) for term in _numbers(machine, state)]


def _ids(machine: Machine, joint: list[GroundTerm]) -> list[MoveId]:
    return [machine.move_id(RoleId(role), move) for role, move in enumerate(joint)]
