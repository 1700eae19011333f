"""The rules of an unrolled step, evaluated one by one, against all that the machine can do."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest
from belief_cases import machine_of

from fogspiel.belief.sat.logic import (
    FALSE,
    TRUE,
    Ban,
    Definition,
    ExactlyOne,
    ImpossibleError,
    Logic,
)
from fogspiel.belief.sat.unrolled import Unrolled
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.library import bundled_games
from fogspiel.machine.protocol import Machine, State

MOST_JOINTS = 300


def model_of(logic: Logic, chosen: set[int]) -> list[bool] | None:
    """The value of every atom, given those of choices that hold; None where a rule is broken."""
    values = [False] * (logic.atoms + 1)
    values[TRUE] = True

    def holds(literal: int) -> bool:
        return values[abs(literal)] == (literal > 0)

    bans = []
    for rule in logic.rules:
        match rule:
            case Definition(atom, body):
                values[atom] = all(map(holds, body))
            case ExactlyOne(atoms):
                for atom in atoms:
                    values[atom] = atom in chosen
                if sum(values[atom] for atom in atoms) != 1:
                    return None
            case Ban(body):
                bans.append(body)
    return None if any(all(map(holds, body)) for body in bans) else values


def chosen_atoms(unrolled: Unrolled, joint: tuple[MoveId, ...]) -> set[int] | None:
    """The atoms by which the only step is a joint move; None where that is plainly impossible."""
    atoms = set()
    hidden = {choice.role: choice for choice in unrolled.hidden}
    for role, move in enumerate(joint):
        if unrolled.steps[0][role] == move:
            continue
        if role not in hidden or move not in hidden[role].moves:
            return None
        atoms.add(hidden[role].atoms[hidden[role].moves.index(move)])
    return atoms


def check_step(machine: Machine, role: RoleId, state: State, random: Random) -> None:
    """All joint moves of a state: those that fit are models, and lead where the machine goes."""
    roles = [RoleId(number) for number in range(len(machine.roles))]
    legal = [machine.legal(state, other) for other in roles]
    made = [random.choice(moves) for moves in legal]
    percepts = machine.percepts(state, made, role)
    circuit = machine.circuit()
    assert circuit is not None
    unrolled = Unrolled(circuit, role, state)
    unrolled.advance(Observation(made[role], percepts))
    following = unrolled.following()
    for joint in product(*legal):
        fits = joint[role] == made[role] and machine.percepts(state, joint, role) == percepts
        atoms = chosen_atoms(unrolled, joint)
        values = None if atoms is None else model_of(unrolled.logic, atoms)
        assert (values is not None) == fits
        if values is not None:
            after = np.unpackbits(machine.step(state, joint).view(np.uint8), bitorder="little")
            told = [values[abs(literal)] == (literal > 0) for literal in following]
            assert told == [bool(bit) for bit in after[: len(told)]]
            for atom, known in unrolled.logic.known.items():
                assert values[atom] == (known == TRUE)


@pytest.mark.parametrize("name", sorted(bundled_games()))
def test_the_models_of_a_step_are_the_joint_moves_that_fit(name: str) -> None:
    machine = machine_of(name)
    random = Random(name)
    roles = [RoleId(number) for number in range(len(machine.roles))]
    state = machine.initial()
    for _ in range(4):
        legal = [machine.legal(state, role) for role in roles]
        if prod(map(len, legal)) <= MOST_JOINTS:
            check_step(machine, random.choice(roles), state, random)
        state = machine.step(state, [random.choice(moves) for moves in legal])
        if machine.terminal(state):
            state = machine.initial()


def test_known_inputs_are_folded_away() -> None:
    logic = Logic()
    x, y = logic.choice([TRUE, TRUE])
    assert logic.conjunction([x, TRUE]) == x
    assert logic.conjunction([x, FALSE, y]) == FALSE
    assert logic.conjunction([x, -x]) == FALSE
    assert logic.conjunction([]) == TRUE
    assert logic.either([x, TRUE]) == TRUE
    assert logic.conjunction([x, -y]) == logic.conjunction([-y, x, x])


def test_what_is_required_settles_gates_and_choices() -> None:
    logic = Logic()
    x, y, z = logic.choice([TRUE, TRUE, TRUE])
    u, v = logic.choice([TRUE, TRUE])
    logic.require(logic.either([logic.conjunction([x, u]), logic.conjunction([y, u])]))
    assert logic.value(x) == x
    logic.require(-x)
    # Now only y and u can be the reason.
    assert [logic.value(literal) for literal in (y, z, u, v)] == [TRUE, FALSE, TRUE, FALSE]


def test_a_plain_contradiction_is_told_at_once() -> None:
    logic = Logic()
    x, y = logic.choice([TRUE, TRUE])
    logic.require(-x)
    with pytest.raises(ImpossibleError):
        logic.require(-y)
    with pytest.raises(ImpossibleError):
        Logic().choice([FALSE, FALSE])
