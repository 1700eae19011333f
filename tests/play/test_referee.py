"""The referee: the same answers and seed make the same match, whoever else has played before."""

from __future__ import annotations

import pytest

from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.referee import Answer, Fault, FaultKind, Referee

ABSENT = Answer(fault=Fault(FaultKind.TIMEOUT, "nobody there"))


def course(machine: Machine, seed: int) -> list[list[GroundTerm]]:
    """A match in which nobody answers: all is drawn."""
    referee = Referee(machine, seed=seed)
    moves = []
    while not referee.over:
        step = referee.play(dict.fromkeys(player_roles(machine), ABSENT))
        moves.append([machine.move_term(RoleId(r), m) for r, m in enumerate(step.joint)])
    return moves


@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker"])
def test_draws_depend_on_the_seed_and_not_on_what_a_machine_met_before(game: str) -> None:
    """The reasoner numbers moves as it meets them, the compiled machine by their text."""
    used = load(game, engine="reference").machine
    compiled = load(game, engine="compiled").machine
    courses = [course(used, seed) for seed in range(6)]
    for seed in (5, 3):
        assert course(load(game, engine="reference").machine, seed) == courses[seed]
        assert course(compiled, seed) == courses[seed]
    assert courses[0] != courses[1]


def test_moves_that_cannot_count_are_replaced_and_the_fault_is_kept() -> None:
    machine = load("tic_tac_toe").machine
    referee = Referee(machine, seed=1)
    x, o = player_roles(machine)
    legal = referee.legal(x)
    step = referee.play({x: Answer(move=legal[3]), o: Answer(move=MoveId(10_000))})
    assert step.joint[x] == legal[3]
    assert list(step.faults) == [o]
    assert step.faults[o].kind is FaultKind.ILLEGAL_MOVE
    taken = Answer(move=legal[3])
    again = referee.play({x: ABSENT, o: taken})
    assert again.joint[o] != legal[3]
    assert again.faults[x] == ABSENT.fault
