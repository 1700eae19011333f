"""`answer`: the exact best response to random play where that fits, a search elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.play.loop import play_match
from fogspiel.players.modelling import answer_cache
from fogspiel.players.modelling.answer_cache import AnswerCache, AnswerKey
from fogspiel.players.modelling.bayes import AnswerPlayer, BayesPlayer
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.simple import RandomPlayer
from fogspiel.solve.response.belief_mdp import solve_belief_mdp


def enough() -> Budget:
    return Budget.of(simulations=2_000)


@pytest.mark.parametrize(("seat", "least"), [(0, 92.5), (1, 87.5)])
def test_random_play_in_meier_is_beaten_as_well_as_can_be(seat: int, least: float) -> None:
    """Exact best responses get 98.04 and 95.28 (tests/solve/test_belief_mdp.py)."""
    machine = load("meier").machine
    roles = [RoleId(role) for role in range(3) if role != machine.chance_role]
    own, other = roles[seat], roles[1 - seat]
    goals = [
        play_match(
            machine,
            {own: AnswerPlayer(), other: RandomPlayer()},
            start_budget=enough,
            turn_budget=enough,
            seed=seed,
        ).goals[own]
        for seed in range(20)
    ]
    assert np.mean(goals) >= least


def test_what_was_found_with_more_is_not_used_with_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same budget makes the same moves, whatever was played before on the machine."""
    searched: list[int | None] = []
    search = BayesPlayer.searched

    def spied(player: BayesPlayer, legal: tuple[MoveId, ...], budget: Budget) -> Shares:
        searched.append(budget.simulations)
        return search(player, legal, budget)

    monkeypatch.setattr(BayesPlayer, "searched", spied)
    # Its 5,478 states are the beliefs of tic-tac-toe.
    machine = load("tic_tac_toe").machine
    for simulations in (100, 1_000, 100, 1_000):
        player, budget = AnswerPlayer(), Budget.of(simulations=simulations)
        player.start(Seat(machine, RoleId(0), 3), budget)
        player.choose(budget)
    assert searched == [100, 100]


def test_an_answer_that_waited_for_kernels_gets_another_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine, now = load("tic_tac_toe").machine, [0.0]
    states, answers = machine.initial()[None, :], AnswerCache()
    question = AnswerKey(machine, RoleId(0), states, np.ones(1))

    def best(seconds: float) -> MoveId | None:
        return answers.best(question, Budget.of(seconds=seconds, clock=lambda: now[0]))

    def slow(*arguments: Any, **settings: Any) -> Any:
        now[0] += 30.0
        return solve_belief_mdp(*arguments, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(answer_cache, "solve_belief_mdp", slow)
        assert best(10.0) is None
    assert best(10.0) is not None


def test_an_answer_that_took_too_long_is_not_tried_again_with_the_same_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine, tried = load("latent_tic_tac_toe").machine, list[int]()
    question = AnswerKey(machine, RoleId(0), machine.initial()[None, :], np.ones(1))
    answers = AnswerCache()

    def spied(*arguments: Any, **settings: Any) -> Any:
        tried.append(settings["max_rows"])
        return solve_belief_mdp(*arguments, **settings)

    monkeypatch.setattr(answer_cache, "solve_belief_mdp", spied)
    for _ in range(2):
        assert answers.best(question, Budget.of(simulations=10)) is None
    assert len(tried) == 1
