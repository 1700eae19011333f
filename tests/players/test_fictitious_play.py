"""Fictitious play responds exactly, with the probability given, and only to observed moves."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.players.catalogue import make_player
from fogspiel.players.modelling.fictitious_play import PATIENCE, FictitiousPlayer, against
from fogspiel.players.protocol import Seat, Shares

FIRST = RoleId(0)
STEPS = 6


def budget() -> Budget:
    return Budget.of(simulations=20)


def test_an_answer_is_worth_its_mean_over_what_others_do() -> None:
    rng = np.random.default_rng(1)
    stage = rng.random((2, 3, 4))
    second, third = (rng.dirichlet(np.ones(count)) for count in stage.shape[1:])
    # Term by term, against the product of two models.
    by_hand = [
        sum(second[b] * third[c] * stage[a, b, c] for b in range(3) for c in range(4))
        for a in range(2)
    ]
    np.testing.assert_allclose(against(stage, [second, third]), by_hand)
    np.testing.assert_allclose(against(stage[0], [third]), stage[0] @ third)


def after_ones(trust: str, steps: int) -> tuple[FictitiousPlayer, Shares]:
    """A player of `smallest` that saw both others name 1 in every step, and its mixed strategy."""
    machine = load("smallest").machine
    player = make_player(f"cfr:trust={trust},1")
    assert isinstance(player, FictitiousPlayer)
    player.start(Seat(machine, FIRST, 3), budget())
    state, joint = machine.initial(), (MoveId(0),) * 3
    for _ in range(steps):
        player.observe(observation_of(machine, state, joint, FIRST))
        state = machine.step(state, joint)
    return player, player.mixture(budget())


def test_both_others_who_always_collide_leave_every_other_number_to_win() -> None:
    solved, trusting = (after_ones(trust, STEPS)[1] for trust in ("0", "1"))
    added = trusting - (1.0 - STEPS / (STEPS + PATIENCE)) * solved
    # The response is one number other than 1: if all three name 1, nobody gets anything.
    assert sorted(added)[-1] == pytest.approx(STEPS / (STEPS + PATIENCE), abs=1e-9)
    assert int(added.argmax()) != 0


def test_nobody_has_habits_before_the_first_move() -> None:
    without, trusting = (after_ones(trust, 0)[1] for trust in ("0", "1"))
    np.testing.assert_allclose(trusting, without)
    assert trusting.max() < 0.9


@pytest.mark.parametrize("name", ["cfr:trust=1", "sm-lp:safe=3"])
def test_to_take_note_of_a_step_asks_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is observed after the clock of one turn has ended and before the next one begins."""
    machine, player = load("goofspiel_4").machine, make_player(name)
    player.start(Seat(machine, FIRST, 3), budget())
    own = player.choose(budget())
    joint = (own, machine.legal(machine.initial(), RoleId(1))[0])

    def refuse(*_: object) -> None:
        raise AssertionError("the belief was asked")

    with monkeypatch.context() as patched:
        patched.setattr(ClockedBelief, "sample", refuse)
        player.observe(Observation(own, machine.percepts(machine.initial(), joint, FIRST)))
    after = machine.step(machine.initial(), joint)
    assert player.choose(budget()) in machine.legal(after, FIRST)


def test_moves_that_cannot_be_made_again_are_no_habit() -> None:
    machine = load("goofspiel_4").machine
    player, plain = make_player("cfr:trust=1"), make_player("cfr:trust=0")
    joint = (
        machine.legal(machine.initial(), FIRST)[0],
        machine.legal(machine.initial(), RoleId(1))[2],
    )
    mixtures = []
    for own in (player, plain):
        assert isinstance(own, FictitiousPlayer)
        own.start(Seat(machine, FIRST, 3), budget())
        own.observe(observation_of(machine, machine.initial(), joint, FIRST))
        mixtures.append(own.mixture(budget()))
    np.testing.assert_allclose(mixtures[0], mixtures[1])


@pytest.mark.parametrize("name", ["cfr:trust=2", "cfr:trust=", "cfr:trust=x,2", "sm-lp:trust=1"])
def test_what_is_no_trust_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        make_player(name)
