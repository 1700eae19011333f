"""States with multisets of observations: the game is the same, and only their order is lost."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.belief.positions import random_history
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import State
from fogspiel.machine.wrappers.fixed_opponents import FixedOpponents
from fogspiel.machine.wrappers.wrapper import ObservationMultiset


@pytest.mark.parametrize("name", ["kuhn_poker", "latent_tic_tac_toe", "goofspiel_4"])
def test_the_game_is_the_same(name: str) -> None:
    plain = load(name).machine
    machine = ObservationMultiset(plain)
    state, other = plain.initial(), machine.initial()
    for joint in random_history(plain, 30, seed=2):
        for role in map(RoleId, range(len(plain.roles))):
            assert machine.legal(other, role) == plain.legal(state, role)
            assert machine.percepts(other, joint, role) == plain.percepts(state, joint, role)
        assert machine.fluent_terms(other) == plain.fluent_terms(state)
        state, other = plain.step(state, joint), machine.step(other, joint)
        assert np.array_equal(other[: len(state)], state)
    assert machine.terminal(other) is plain.terminal(state) is True
    assert machine.goals(other) == plain.goals(state)


def after(machine: ObservationMultiset, moves: list[tuple[str, str]]) -> State:
    """Latent tic-tac-toe: the cells that are tried, turn by turn."""
    state = machine.initial()
    for turn in moves:
        joint = []
        for role, text in enumerate(turn):
            term = tuple(text.strip("()").split()) if " " in text else text
            joint.append(machine.move_id(RoleId(role), term))
        state = machine.step(state, joint)
    return state


def test_memories_forget_the_order_alone() -> None:
    machine = ObservationMultiset(load("latent_tic_tac_toe").machine)
    one = after(machine, [("(mark 1 1)", "noop"), ("noop", "(mark 3 3)"), ("(mark 2 2)", "noop")])
    other = after(machine, [("(mark 2 2)", "noop"), ("noop", "(mark 3 3)"), ("(mark 1 1)", "noop")])
    third = after(machine, [("(mark 1 1)", "noop"), ("noop", "(mark 3 3)"), ("(mark 2 1)", "noop")])
    own = [machine.memories(state[None, :], RoleId(0))[0] for state in (one, other, third)]
    assert own[0] == own[1] != own[2]


def test_a_role_alone_meets_the_others_by_their_probabilities() -> None:
    machine = load("kuhn_poker").machine
    first = RoleId(machine.roles.index("first"))
    alone = FixedOpponents(machine, first)
    state = alone.initial()
    weights = alone.chance_weights(state)
    assert weights.tolist() == pytest.approx([1 / 3] * 3)
    assert len(alone.legal(state, RoleId(1))) == 3
    joint = (alone.legal(state, RoleId(0))[0], alone.legal(state, RoleId(1))[0])
    assert "all" in alone.move_text(RoleId(1), joint[1])
    assert alone.move_id(RoleId(1), alone.move_term(RoleId(1), joint[1])) == joint[1]
    assert not alone.terminal(alone.step(state, joint))
