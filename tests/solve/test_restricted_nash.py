"""Responses to a model: Shafiei's trade-off, computed instead of sampled."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import SolveLimits, Strategy, uniform
from fogspiel.solve.strategy_value import best_response, strategy_value
from fogspiel.tree.game_tree import GameTree
from level_order import from_preorder
from unfolding import unfold

CONFIDENCES = (0.0, 0.25, 0.5, 0.75, 1.0)


def tree_of(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


@pytest.fixture(scope="module")
def leduc() -> GameTree:
    return tree_of("leduc_poker")


def always_rock(tree: GameTree) -> Strategy:
    strategy = uniform(tree)
    actions = [tree.infosets.names.actions(infoset) for infoset in (0, 1)]
    rocks = [float(action == "rock") for own in actions for action in own]
    return replace(strategy, probabilities=strategy.probabilities * 0.0 + rocks)


def test_rock_is_exploited_as_shafiei_found() -> None:
    tree = tree_of("biased_rps")
    modelled = ModelledGame(tree, always_rock(tree), 0)
    replies = [modelled.restricted(confidence) for confidence in CONFIDENCES]
    # Shafiei (2010), table 5.6, averages of 100 matches: 75 to 25 against UCT and 45 to 55 against
    # a best response for p = 1 and 0.75, about 50 for both at p = 0, and 73.25 at p = 0.25.
    assert [reply.exploitation for reply in replies[3:]] == pytest.approx([75.0, 75.0])
    assert [reply.worst for reply in replies[3:]] == pytest.approx([45.0, 45.0])
    assert (replies[0].exploitation, replies[0].worst) == pytest.approx((50.0, 50.0))
    assert replies[1].exploitation == pytest.approx(73.25, abs=0.5)
    # By hand for p = 0.25: 15/16 paper, 1/16 rock keeps the other from gaining by scissors.
    assert replies[1].exploitation == pytest.approx((15 * 75 + 50) / 16)
    assert replies[1].worst == pytest.approx(48.4375)


def test_mixing_is_the_straight_line_between_its_ends() -> None:
    tree = tree_of("biased_rps")
    modelled = ModelledGame(tree, always_rock(tree), 0)
    replies = [modelled.mixed(confidence) for confidence in CONFIDENCES]
    # Shafiei (2010), figure 5.9: the line from the equilibrium to the best response.
    assert [reply.exploitation for reply in replies] == pytest.approx([50, 56.25, 62.5, 68.75, 75])
    assert [reply.worst for reply in replies] == pytest.approx([50, 48.75, 47.5, 46.25, 45])


@pytest.mark.parametrize("player", [0, 1])
def test_more_confidence_exploits_more_and_risks_more(leduc: GameTree, player: int) -> None:
    model = uniform(leduc)
    modelled = ModelledGame(leduc, model, player)
    replies = [modelled.restricted(confidence) for confidence in CONFIDENCES]
    for before, after in pairwise(replies):
        assert after.exploitation > before.exploitation
        assert after.exploitability > before.exploitability
    assert replies[0].exploitability == pytest.approx(0.0, abs=1e-9)
    assert replies[-1].exploitation == pytest.approx(best_response(leduc, model, player).value)


@pytest.mark.parametrize("player", [0, 1])
def test_a_restricted_response_beats_every_mix(leduc: GameTree, player: int) -> None:
    # Johanson et al. (2007): no strategy exploits more at the same weights of model and best
    # response. A mixture is one of the others.
    modelled = ModelledGame(leduc, uniform(leduc), player)
    for confidence in CONFIDENCES:
        best, mixture = modelled.restricted(confidence), modelled.mixed(confidence)
        worths = [
            confidence * reply.exploitation + (1 - confidence) * reply.worst
            for reply in (best, mixture)
        ]
        assert worths[0] >= worths[1] - 1e-9


def test_what_is_claimed_is_what_the_tree_says(leduc: GameTree) -> None:
    modelled = ModelledGame(leduc, uniform(leduc), 1)
    for reply in (modelled.restricted(0.5), modelled.mixed(0.5)):
        assert strategy_value(leduc, reply.strategy).values[1] == pytest.approx(reply.exploitation)
        assert 100 - best_response(leduc, reply.strategy, 0).value == pytest.approx(reply.worst)


def test_regrets_find_the_same_response() -> None:
    tree = tree_of("kuhn_poker")
    modelled = ModelledGame(tree, uniform(tree), 0)
    planned = modelled.restricted(0.4)
    regretted = modelled.restricted(0.4, limits=SolveLimits(target=1e-3))
    # Both are optimal; where there are several, only the weighted sum is the same.
    assert 0.4 * planned.exploitation + 0.6 * planned.worst == pytest.approx(
        0.4 * regretted.exploitation + 0.6 * regretted.worst, abs=2e-3
    )


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_confidence_is_a_probability(confidence: float) -> None:
    tree = tree_of("biased_rps")
    modelled = ModelledGame(tree, uniform(tree), 0)
    for respond in (modelled.restricted, modelled.mixed):
        with pytest.raises(UsageError) as caught:
            respond(confidence)
        assert caught.value.findings[0].code == "SOL014"


def test_general_sums_are_refused() -> None:
    tree = tree_of("prisoners_dilemma")
    with pytest.raises(UsageError) as caught:
        ModelledGame(tree, uniform(tree), 0)
    assert caught.value.findings[0].code == "SOL002"
