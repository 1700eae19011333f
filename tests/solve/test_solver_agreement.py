"""All ways to an equilibrium lead to the same value, on every bundled game that is small enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from fogspiel.core.findings import PlayError
from fogspiel.games.load import load
from fogspiel.solve.induction.simultaneous import on_tree, solve_states
from fogspiel.solve.lp.double_oracle import double_oracle
from fogspiel.solve.lp.exact import solve_exactly
from fogspiel.solve.lp.linear import solve_linear, solve_normal_form
from fogspiel.solve.regret.cfr import CFR_PLUS, VARIANTS, minimise_regrets
from fogspiel.solve.result import Solution, SolveLimits
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import build_state_graph

SMALL = [
    "biased_rps",
    "goofspiel_4",
    "hidden_goofspiel_4",
    "kuhn_poker",
    "kuhn_poker_pogddl",
    "leduc_poker",
    "simple_poker",
    "simple_poker_pogddl",
]
"""Two players, constant sum, something hidden or at once, and a tree of at most 10,000 nodes."""
FEW_STRATEGIES = [
    "biased_rps",
    "kuhn_poker",
    "kuhn_poker_pogddl",
    "simple_poker",
    "simple_poker_pogddl",
]
WITHOUT_SECRETS = ["biased_rps", "goofspiel_4"]


@cache
def tree_of(name: str) -> GameTree:
    return build(load(name).machine)


@cache
def reference(name: str) -> Solution:
    return solve_linear(tree_of(name))


def agrees(name: str, result: Solution, tolerance: float) -> None:
    assert result.values == pytest.approx(reference(name).values, abs=tolerance)
    found = strategy_value(tree_of(name), result.strategy)
    assert found.exploitability == pytest.approx(0.0, abs=tolerance)
    assert found.exploitability == pytest.approx(result.exploitability, abs=1e-9)


WHOLE: Mapping[str, Callable[[GameTree], Solution]] = {
    "exact": solve_exactly,
    "double oracle": double_oracle,
}


@pytest.mark.parametrize("method", WHOLE)
@pytest.mark.parametrize("name", SMALL)
def test_methods_that_end_agree_to_a_millionth(name: str, method: str) -> None:
    agrees(name, WHOLE[method](tree_of(name)), 1e-6)


@pytest.mark.parametrize("name", FEW_STRATEGIES)
def test_the_normal_form_agrees(name: str) -> None:
    agrees(name, solve_normal_form(tree_of(name)), 1e-6)


@pytest.mark.parametrize("name", WITHOUT_SECRETS)
def test_one_matrix_a_state_agrees(name: str) -> None:
    graph = build_state_graph(load(name).machine)
    agrees(name, on_tree(graph, solve_states(graph), tree_of(name)), 1e-6)


@pytest.mark.parametrize("name", sorted(set(SMALL) - set(WITHOUT_SECRETS)))
def test_games_with_secrets_have_no_states_to_solve(name: str) -> None:
    with pytest.raises(PlayError) as caught:
        build_state_graph(load(name).machine)
    assert caught.value.findings[0].code == "TRE005"


@pytest.mark.parametrize("name", SMALL)
def test_cfr_plus_comes_as_close_as_it_says(name: str) -> None:
    target = 1e-5 * (4.0 if name.endswith("_pogddl") else 100.0)
    limits = SolveLimits(target=target, iterations=1_000_000)
    result = minimise_regrets(tree_of(name), CFR_PLUS, limits=limits)
    assert result.exploitability <= target
    # With a constant sum the value is off by no more than what both could gain together.
    agrees(name, result, 2 * target)


@pytest.mark.parametrize("name", SMALL)
def test_predictive_regrets_agree_to_a_millionth(name: str) -> None:
    limits = SolveLimits(target=5e-7, iterations=1_000_000)
    agrees(name, minimise_regrets(tree_of(name), VARIANTS["pcfr+"], limits=limits), 1e-6)
