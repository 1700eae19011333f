"""Regrets on the sequence form: known values, bounds, agreement, limits, the same bytes again."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.regret.cfr import (
    CFR,
    CFR_PLUS,
    VARIANTS,
    Variant,
    minimise_regrets,
)
from fogspiel.solve.result import Point, Solution, SolveLimits, checked
from fogspiel.solve.sequence_form import sequence_game
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_tree import GameTree
from level_order import from_preorder
from unfolding import unfold

EVERY = tuple(VARIANTS.values())
Matrix = NDArray[np.float64]


def bundled(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return bundled("kuhn_poker")


@pytest.fixture(scope="module")
def leduc() -> GameTree:
    return bundled("leduc_poker")


def chips(result: Solution, scale: float = 25.0) -> float:
    """The first player's value in the unit of the games' index."""
    return (result.values[0] - 50.0) / scale


def named(tree: GameTree, result: Solution) -> dict[tuple[str, str], float]:
    """Probabilities by what the player knows and what it does."""
    names = tree.infosets.names
    return {
        (names.infoset(infoset), action): float(probability)
        for infoset in range(len(tree.infosets))
        for action, probability in zip(
            names.actions(infoset), result.strategy.at(infoset), strict=True
        )
    }


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("variant", EVERY, ids=lambda variant: variant.name)
def test_every_variant_finds_the_value_of_kuhn_poker(
    kuhn: GameTree, variant: Variant, alternating: bool
) -> None:
    chosen = replace(variant, alternating=alternating)
    result = minimise_regrets(kuhn, chosen, limits=SolveLimits(target=0.05, iterations=100_000))
    # Kuhn (1950): the first player loses 1/18 chip a game. A value is off by nash_conv at most.
    assert result.exploitability <= 0.05
    assert chips(result) == pytest.approx(-1 / 18, abs=2 * 0.05 / 25)
    assert result.method == variant.name
    assert result.parameters["alternating"] is alternating


def test_kuhn_poker_has_a_family_of_equilibria(kuhn: GameTree) -> None:
    result = minimise_regrets(kuhn, VARIANTS["pcfr+"], limits=SolveLimits(target=1e-9))
    assert chips(result) == pytest.approx(-1 / 18, abs=1e-9)
    play = {
        infoset: chance
        for (infoset, action), chance in named(kuhn, result).items()
        if action == "bet"
    }
    # Kuhn (1950): the first player bluffs with the jack as often as it likes up to 1/3, and all
    # else follows from that; the second player has one equilibrium strategy only.
    bluff = play["(holds first jack)"]
    assert -1e-4 <= bluff <= 1 / 3 + 1e-4
    answer, passed, bet = "; pass; (move second bet)", "; (move first pass)", "; (move first bet)"
    assert play == pytest.approx(
        {
            "(holds first jack)": bluff,
            "(holds first queen)": 0.0,
            "(holds first king)": 3 * bluff,
            f"(holds first jack){answer}": 0.0,
            f"(holds first queen){answer}": bluff + 1 / 3,
            f"(holds first king){answer}": 1.0,
            f"(holds second jack){passed}": 1 / 3,
            f"(holds second queen){passed}": 0.0,
            f"(holds second king){passed}": 1.0,
            f"(holds second jack){bet}": 0.0,
            f"(holds second queen){bet}": 1 / 3,
            f"(holds second king){bet}": 1.0,
        },
        abs=1e-4,
    )


def test_leduc_poker_is_worth_what_openspiel_says(leduc: GameTree) -> None:
    result = minimise_regrets(leduc, VARIANTS["dcfr"], limits=SolveLimits(target=3e-5))
    # OpenSpiel 2.0.2, sequence-form linear program: -0.0856064; 3 goals a chip.
    assert chips(result, 3) == pytest.approx(-0.0856064, abs=2e-5)


def test_biased_rock_paper_scissors() -> None:
    tree = bundled("biased_rps")
    result = minimise_regrets(tree, VARIANTS["pcfr+"], limits=SolveLimits(target=1e-7))
    # Shafiei Khadem 2010, section 3.6.1: the only equilibrium, and worth 50 to both.
    expected = {"rock": 1 / 16, "paper": 10 / 16, "scissors": 5 / 16}
    assert named(tree, result) == pytest.approx(
        {
            (tree.infosets.names.infoset(infoset), action): expected[action]
            for infoset in (0, 1)
            for action in tree.infosets.names.actions(infoset)
        },
        abs=1e-4,
    )
    assert result.values == pytest.approx((50, 50), abs=1e-6)


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("iterations", [1, 10, 100, 1000])
def test_plain_cfr_keeps_the_bound_of_its_proof(
    kuhn: GameTree, iterations: int, alternating: bool
) -> None:
    chosen = replace(CFR, alternating=alternating)
    result = minimise_regrets(kuhn, chosen, limits=SolveLimits(iterations=iterations))
    # Zinkevich et al. (2007), theorem 4: regret <= D |I| sqrt(|A|) sqrt(T) for each player, with
    # payoffs that differ by D = 100 at most, 6 infosets and 2 actions.
    assert result.exploitability <= 100 * 6 * math.sqrt(2 / iterations)


def test_variants_agree_on_the_value_of_goofspiel() -> None:
    game = sequence_game(bundled("hidden_goofspiel_4"))
    for variant in (CFR_PLUS, VARIANTS["dcfr"], VARIANTS["pcfr+"]):
        result = minimise_regrets(game, variant, limits=SolveLimits(target=0.005))
        assert result.values == pytest.approx((50, 50), abs=0.01)  # symmetry


@pytest.mark.parametrize("variant", EVERY, ids=lambda variant: variant.name)
def test_what_a_result_claims_holds_on_the_tree(kuhn: GameTree, variant: Variant) -> None:
    result = minimise_regrets(kuhn, variant, limits=SolveLimits(iterations=37))
    found = strategy_value(kuhn, checked(kuhn, result.strategy))
    assert result.iterations == 37
    assert result.values == pytest.approx(found.values, abs=1e-10)
    assert result.exploitability == pytest.approx(found.exploitability, abs=1e-10)


def test_the_same_call_gives_the_same_bytes(leduc: GameTree) -> None:
    def solve() -> bytes:
        result = minimise_regrets(leduc, limits=SolveLimits(target=0.05))
        return result.strategy.probabilities.tobytes()

    points: list[Point] = []

    def watch(point: Point) -> bool:
        points.append(point)
        return False

    watched = minimise_regrets(leduc, limits=SolveLimits(target=0.05), on_point=watch)
    assert solve() == solve() == watched.strategy.probabilities.tobytes()
    assert watched.curve == tuple(points)


def test_points_come_at_growing_iterations_and_can_stop(leduc: GameTree) -> None:
    points: list[Point] = []

    def stop_at_seven(point: Point) -> bool:
        points.append(point)
        return len(points) == 7

    result = minimise_regrets(leduc, limits=SolveLimits(iterations=10**9), on_point=stop_at_seven)
    done = [point.iteration for point in points]
    assert done == sorted(set(done))
    assert len(points) == 7
    assert result.iterations == done[-1] < 10**9
    assert points[-1].exploitability < points[0].exploitability


def test_seconds_are_kept(leduc: GameTree) -> None:
    result = minimise_regrets(leduc, limits=SolveLimits(seconds=0.2))
    assert result.seconds >= 0.2
    assert result.iterations > 10


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "at least one limit"),
        ({"iterations": 0}, "iterations"),
        ({"seconds": 0.0}, "seconds"),
        ({"target": -1.0}, "target"),
        ({"target": math.nan}, "target"),
    ],
)
def test_limits_that_are_none_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SolveLimits(**given)


def test_general_sums_and_one_player_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        minimise_regrets(bundled("prisoners_dilemma"), limits=SolveLimits(iterations=1))
    assert caught.value.findings[0].code == "SOL002"
    with pytest.raises(UsageError) as caught:
        minimise_regrets(bundled("monty_hall"), limits=SolveLimits(iterations=1))
    assert caught.value.findings[0].code == "SOL003"


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("variant", EVERY, ids=lambda variant: variant.name)
def test_one_decision_each_goes_as_the_papers_say(variant: Variant, alternating: bool) -> None:
    tree = bundled("biased_rps")
    result = minimise_regrets(
        tree, replace(variant, alternating=alternating), limits=SolveLimits(iterations=30)
    )
    averages = matched(payoff_matrix(tree), replace(variant, alternating=alternating), 30)
    assert np.allclose(result.strategy.probabilities, np.concatenate(averages), atol=1e-12)


def payoff_matrix(tree: GameTree) -> Matrix:
    """(actions, actions) payoffs of the first player, the second choosing after it unseen."""
    ends = tree.targets[tree.first_edges[1] :]
    return np.asarray(tree.payoffs[tree.node_payoffs[ends], 0].reshape(3, 3) - 50.0)


def matched(matrix: Matrix, variant: Variant, iterations: int) -> list[Matrix]:
    """Regret matching in a matrix game, written down plainly: both averages."""
    games = [matrix, -matrix.T]
    regrets, sums = np.zeros((2, 3)), np.zeros((2, 3))
    plans = np.full((2, 3), 1 / 3)
    for iteration in range(1, iterations + 1):
        before = plans.copy()
        for own in (0, 1):
            other = plans[1 - own] if variant.alternating else before[1 - own]
            values = games[own] @ other
            gains = values - plans[own] @ values
            regrets[own] += gains
            for sign, exponent in ((1, variant.alpha), (-1, variant.beta)):
                chosen = regrets[own] * sign > 0
                if math.isfinite(exponent):
                    power = iteration**exponent
                    regrets[own][chosen] *= power / (power + 1)
                elif exponent < 0:
                    regrets[own][chosen] = 0.0
            positive = np.maximum(regrets[own] + variant.prediction * gains, 0.0)
            plans[own] = positive / positive.sum() if positive.any() else 1 / 3
        sums += iteration**variant.gamma * (plans if variant.alternating else before)
    return [own / own.sum() for own in sums]


def test_extreme_discounts_stay_numbers(kuhn: GameTree) -> None:
    extreme = replace(VARIANTS["dcfr"], alpha=400.0, beta=-400.0)
    result = minimise_regrets(kuhn, extreme, limits=SolveLimits(iterations=500))
    assert result.exploitability < 0.05
    with pytest.raises(ValueError, match="gamma"):
        replace(CFR, gamma=-1.0)
    with pytest.raises(ValueError, match="alpha"):
        replace(CFR, alpha=math.nan)
    with pytest.raises(ValueError, match="prediction"):
        replace(CFR, prediction=1.5)
