"""Steps consistent with a role's observation: compiled machine against reference, edge cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fogspiel.core.findings import LimitError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.load import load, load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.compiled.infoset.continuations import open_moves
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import State

ENGINES: list[EngineChoice] = ["compiled", "reference"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dealt_card_fits_one_deal_only(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    start, first = machine.initial(), RoleId(1)
    joint = [machine.legal(start, RoleId(role))[0] for role in range(len(machine.roles))]
    seen = observation_of(machine, start, joint, first)
    found = machine.continuations(start[None, :], first, seen)
    assert found.joints.tolist() == [list(joint)]
    assert found.parents.tolist() == [0]
    assert found.shares.tolist() == pytest.approx([1 / 3])  # three cards, dealt evenly
    assert machine.key(found.states[0]) == machine.key(machine.step(start, joint))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_card_dealt_to_the_other_may_be_any(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    start, second = machine.initial(), RoleId(2)
    joint = [machine.legal(start, RoleId(role))[0] for role in range(len(machine.roles))]
    seen = observation_of(machine, start, joint, second)
    found = machine.continuations(start[None, :], second, seen)
    assert len(found.parents) == 3
    assert found.shares.tolist() == pytest.approx([1 / 3] * 3)
    with pytest.raises(LimitError, match="MCH014"):
        machine.continuations(start[None, :], second, seen, limit=2)


def test_of_no_states_nothing_follows() -> None:
    machine = load("kuhn_poker", engine="compiled").machine
    start = machine.initial()
    move = machine.legal(start, RoleId(1))[0]
    found = machine.continuations(start[None, :][:0], RoleId(1), Observation(move, ()))
    assert len(found.parents) == len(found.joints) == len(found.states) == 0


@pytest.mark.parametrize("game", ["tic_tac_toe", "meier", "latent_tic_tac_toe"])
def test_moves_that_percepts_rule_out_are_not_tried(game: str) -> None:
    """Moves that were made stay open; if every role sees all moves, no other move does."""
    machine = load(game, engine="compiled").machine
    assert isinstance(machine, CompiledMachine)
    for joint, state in random_course(machine, 4):
        for role in map(RoleId, range(len(machine.roles))):
            seen = machine.percepts(state, joint, role)
            left = open_moves(machine.network, role, seen)
            assert all(own[move] for own, move in zip(left, joint, strict=True))
            if game == "tic_tac_toe":
                assert [int(own.sum()) for own in left] == [1] * len(joint)


def random_course(machine: CompiledMachine, steps: int) -> Iterator[tuple[list[MoveId], State]]:
    """Joint moves and the states in which they were made."""
    rng, state = np.random.default_rng(1), machine.initial()
    for _ in range(steps):
        if machine.terminal(state):
            return
        roles = map(RoleId, range(len(machine.roles)))
        joint = [MoveId(int(rng.choice(machine.legal(state, role)))) for role in roles]
        yield joint, state
        state = machine.step(state, joint)


def test_many_moves_that_are_seen_are_no_reason_to_give_up() -> None:
    """10,000 moves, each of which everybody sees: one of them is tried."""
    digits = " ".join(f"(digit {n})" for n in range(10))
    text = f"""
    (role dealer) (role guest) {digits}
    (init open)
    (<= (legal dealer (deal ?a ?b ?c ?d)) (digit ?a) (digit ?b) (digit ?c) (digit ?d))
    (legal guest wait)
    (<= (next (card ?a ?b)) (does dealer (deal ?a ?b ?c ?d)))
    (<= terminal (not (true open)))
    (goal dealer 50) (goal guest 50)
    """
    machine = load_source(Source("deal.gdl", text), engine="compiled").machine
    start, guest = machine.initial(), RoleId(1)
    joint = [machine.legal(start, RoleId(0))[4321], machine.legal(start, guest)[0]]
    seen = observation_of(machine, start, joint, guest)
    states = np.repeat(start[None, :], 64, axis=0)
    assert expansion_seconds(machine, states, guest, seen.percepts) < 1e-3
    found = machine.continuations(states, guest, seen)
    assert found.joints.tolist() == [joint] * 64
    assert found.shares.tolist() == pytest.approx([1e-4] * 64)
