"""Steps that fit what a role did and saw: the compiled machine against the reference, and edges."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.games.loading import EngineChoice, load

ENGINES: list[EngineChoice] = ["compiled", "reference"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dealt_card_fits_one_deal_only(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    start, first = machine.initial(), RoleId(1)
    joint = [machine.legal(start, RoleId(role))[0] for role in range(len(machine.roles))]
    seen = machine.percepts(start, joint, first)
    found = machine.continuations(start[None, :], first, joint[first], seen)
    assert found.joints.tolist() == [list(joint)]
    assert found.parents.tolist() == [0]
    assert found.shares.tolist() == pytest.approx([1 / 3])  # three cards, dealt evenly
    assert machine.key(found.states[0]) == machine.key(machine.step(start, joint))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_card_dealt_to_the_other_may_be_any(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    start, second = machine.initial(), RoleId(2)
    joint = [machine.legal(start, RoleId(role))[0] for role in range(len(machine.roles))]
    seen = machine.percepts(start, joint, second)
    found = machine.continuations(start[None, :], second, joint[second], seen)
    assert len(found.parents) == 3
    assert found.shares.tolist() == pytest.approx([1 / 3] * 3)
    with pytest.raises(LimitError, match="MCH014"):
        machine.continuations(start[None, :], second, joint[second], seen, limit=2)


def test_of_no_states_nothing_follows() -> None:
    machine = load("kuhn_poker", engine="compiled").machine
    start = machine.initial()
    move = machine.legal(start, RoleId(1))[0]
    found = machine.continuations(start[None, :][:0], RoleId(1), move, ())
    assert len(found.parents) == len(found.joints) == len(found.states) == 0
