"""`bayes`: observed moves tell the type of an opponent, and the best response depends on types."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.clocks import Timing
from fogspiel.play.loop import play_match
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.players.modelling.bayes import BayesPlayer
from fogspiel.players.protocol import Seat
from fogspiel.search.mcts.keys import memory_of
from fogspiel.search.mcts.opponent_types import SIGHTED, typed_roots

FIRST, SECOND = RoleId(1), RoleId(2)
"""Roles of the players of Meier; role 0 throws the dice."""


def judge(claim: str, even: float, simulations: int = 4_000) -> tuple[BayesPlayer, str]:
    """The second player of Meier, and its response to a first claim."""
    machine = load("meier").machine
    player, budget = BayesPlayer(even), Budget.of(simulations=simulations)
    player.start(Seat(machine, SECOND, 5), budget)
    state = _told(machine, player, machine.initial(), None)
    _told(machine, player, state, f"(claim {claim})")
    return player, format_term(machine.move_term(SECOND, player.choose(budget)))


def _told(
    machine: Machine, player: BayesPlayer, state: np.ndarray, claim: str | None
) -> np.ndarray:
    """A step with the first legal moves but for the claim; the player sees it."""
    joint = [machine.legal(state, RoleId(role))[0] for role in range(3)]
    for move in machine.legal(state, FIRST):
        if format_term(machine.move_term(FIRST, move)) == claim:
            joint[FIRST] = move
    player.observe(observation_of(machine, state, joint, SECOND))
    return machine.step(state, joint)


@pytest.mark.parametrize(
    ("claim", "even", "does"),
    [
        # Uniform random players claim anything: a doubt wins 34 times of 36.
        ("61", 1.0, "doubt"),
        # Players who think that everybody sees the dice tell the truth: only higher dice can win.
        ("61", 0.2, "roll"),
        # After the lowest claim most dice allow a true higher claim, whoever made it.
        ("31", 0.75, "roll"),
        ("65", 0.75, "doubt"),
    ],
)
def test_doubts_depend_on_whom_they_are_about(claim: str, even: float, does: str) -> None:
    assert judge(claim, even)[1] == does


def test_a_sighted_opponent_is_held_to_tell_the_truth() -> None:
    player, _ = judge("53", 0.5)
    roots = typed_roots(player.belief, 0.5, player._search, 0)
    true = np.array(
        [
            "(dice 53)" in map(format_term, player.machine.fluent_terms(state))
            for state in roots.states
        ]
    )
    sighted = np.where(roots.tags == SIGHTED, roots.shares, 0.0)
    # After some 200 simulations for each throw; two of 36 throws are this one.
    assert sighted[true].sum() > 0.25 * sighted.sum()
    even = roots.shares - sighted
    assert even[true].sum() / even.sum() == pytest.approx(2 / 36, abs=0.01)


def test_the_order_of_what_was_seen_is_forgotten() -> None:
    player, _ = judge("53", 0.5, simulations=10)
    one, other = player.observations
    assert memory_of(player.machine, SECOND, [one, other]) == memory_of(
        player.machine, SECOND, [other, one]
    )
    assert memory_of(player.machine, SECOND, [one]) != memory_of(player.machine, SECOND, [other])


@pytest.mark.parametrize("argument", ["", "2", "often"])
def test_the_prior_is_a_probability(argument: str) -> None:
    with pytest.raises(UsageError, match="PLY021"):
        make_player(f"bayes:{argument}")


def test_what_follows_from_many_moves_is_not_followed_beyond_the_clock() -> None:
    """256 guesses lead to different beliefs over 256 codes, which takes seconds to solve."""
    machine = load("mastermind").machine
    role = player_roles(machine)[0]
    entrant = Entrant("bayes", BayesPlayer)
    warm_up(machine, [entrant])
    budget = partial(Budget.of, seconds=0.1, clock=time.process_time)
    timings: list[Timing] = []
    play_match(
        machine,
        {role: entrant.make()},
        start_budget=budget,
        turn_budget=budget,
        seed=2,
        on_timing=timings.append,
    )
    assert max(timing.over_seconds for timing in timings) < 0.3
