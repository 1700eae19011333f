"""Strategies, solutions and trees in the unit of the game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kuhn_values import KUHN_VALUE, uniform

import fogspiel as fs
from fogspiel.core.findings import LimitError


def test_kuhn_poker_is_solved_in_chips(solution: fs.Solution) -> None:
    assert solution.value["first"] == pytest.approx(KUHN_VALUE)
    assert solution.exploitability == pytest.approx(0.0, abs=1e-9)
    assert solution.nash_conv == pytest.approx(0.0, abs=1e-9)
    # 50 goals are 0 chips, and 25 goals a chip.
    assert solution.goals["first"] == pytest.approx(50 + 25 * KUHN_VALUE)
    assert repr(solution) == (
        "Solution('kuhn_poker', first -0.05556, second +0.05556, exploitability 0, by lp)"
    )


def test_a_target_is_in_the_unit_of_the_game(kuhn: fs.Game) -> None:
    found = kuhn.solve("cfr+", target=1e-2, iterations=10_000)
    assert found.exploitability <= 1e-2
    assert found.reached
    assert found.iterations < 10_000
    assert found.curve[-1].exploitability == pytest.approx(found.exploitability)


def test_exact_values_are_fractions(kuhn: fs.Game) -> None:
    exact = kuhn.solve("lp-exact").exact_value
    assert exact is not None
    assert exact["first"] == Fraction(-1, 18)


def test_a_strategy_is_asked_by_views(kuhn: fs.Game, solution: fs.Solution) -> None:
    king = kuhn.begin().play(random="(deal queen)").play(random="(deal king)")
    facing_bet = king.play(first="bet").view("second")
    # A king calls every bet, whatever the equilibrium.
    assert solution.strategy[facing_bet]["bet"] == pytest.approx(1.0)
    assert sum(solution.strategy[king.view("first")].values()) == pytest.approx(1.0)
    forced = king.view("second")
    assert solution.strategy[forced] == {"noop": 1.0}


def test_a_strategy_lists_the_information_sets(kuhn: fs.Game, solution: fs.Solution) -> None:
    views = list(solution.strategy)
    assert len(views) == len(set(views)) == len(solution.strategy) == 12
    assert all(sum(solution.strategy[view].values()) == pytest.approx(1.0) for view in views)


def test_a_saved_solution_opens_again(kuhn: fs.Game, solution: fs.Solution, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.json"
    solution.save(path)
    again = fs.Solution.open(path, kuhn)
    assert again.value == pytest.approx(solution.value)
    assert again.exploitability == pytest.approx(0.0, abs=1e-9)
    loaded = kuhn.strategy(path)
    assert all(loaded[view] == pytest.approx(solution.strategy[view]) for view in loaded)
    with pytest.raises(ValueError, match="computed for other rules"):
        fs.Solution.open(path, fs.load("leduc_poker"))


def test_the_uniform_strategy_in_kuhn_poker_is_exploitable_by_eleven_24ths(
    kuhn: fs.Game,
) -> None:
    """Source: OpenSpiel's `exploitability` of the uniform policy, 0.458333 (nash_conv 0.916667)."""
    assert kuhn.exploitability(uniform) == pytest.approx(11 / 24)


def test_all_kinds_of_strategies_are_measured_alike(kuhn: fs.Game, solution: fs.Solution) -> None:
    as_mapping: Mapping[fs.View, Any] = {
        view: solution.strategy[view] for view in solution.strategy
    }
    for strategy in (solution, solution.strategy, as_mapping, as_mapping.get):
        assert kuhn.exploitability(strategy) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"bet": 0.5, "pass": 0.4}, "sum to 0.9, not 1"),
        ({"bet": 1.5, "pass": -0.5}, "the probability of pass is -0.5"),
        ({"bet": float("nan"), "pass": 1.0}, "the probability of bet is nan"),
        ({"call": 1.0}, "it names 'call'.*legal: bet, pass"),
        ({"bet": "all"}, "the probability of bet is 'all'"),
        ([0.5, 0.5], "it is a list"),
        (None, "does not say what first does"),
    ],
)
def test_what_is_no_strategy_is_refused_with_the_place(kuhn: fs.Game, said: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        kuhn.exploitability(lambda view: said)
    assert "API006" in str(caught.value)


def test_something_else_is_no_strategy(kuhn: fs.Game) -> None:
    with pytest.raises(TypeError, match="got int"):
        kuhn.exploitability(7)  # type: ignore[arg-type]


def test_the_tree_of_kuhn_poker_has_its_textbook_size(kuhn: fs.Game) -> None:
    """Source: OpenSpiel's tree of Kuhn poker has 24 decision nodes and 30 ends, 12 infosets."""
    tree = kuhn.tree()
    assert tree.infosets == 12
    assert int((tree.movers > 0).sum()) == 24
    assert repr(tree).endswith("12 information sets)")
    assert tree.action_starts[-1] == 24
    assert {tree.view(i) for i in range(tree.infosets)} == set(kuhn.solve("lp").strategy)


def test_reach_and_values_of_a_tree_fit_together(kuhn: fs.Game) -> None:
    tree = kuhn.tree()
    rng = np.random.default_rng(0)
    play = tree.normalised(rng.random(int(tree.action_starts[-1])))
    reach, ends = tree.reach(play), tree.movers < 0
    visited = tree.chance_reach * reach.prod(axis=1)
    assert visited[ends].sum() == pytest.approx(1.0)
    value = (visited[:, None] * tree.payoffs)[ends].sum(axis=0)
    assert tree.node_values(play)[0] == pytest.approx(value)
    assert list(tree.values(play).values()) == pytest.approx(value)


def test_counterfactual_values_differ_by_what_an_action_gains(kuhn: fs.Game) -> None:
    """Moving all probability to one action changes the value by reach times the difference."""
    tree = kuhn.tree()
    play = tree.uniform()
    gains, own = tree.action_values(play), tree.own_reach(play)
    for infoset in range(tree.infosets):
        actions = slice(*tree.action_starts[infoset : infoset + 2].tolist())
        player = tree.players[int(tree.infoset_players[infoset]) - 1]
        changed = play.copy()
        changed[actions] = [1.0, 0.0]
        mean = float((play[actions] * gains[actions]).sum())
        expected = tree.values(play)[player] + own[infoset] * (gains[actions][0] - mean)
        assert tree.values(changed)[player] == pytest.approx(expected)


def test_a_best_response_earns_what_exploitability_counts(kuhn: fs.Game) -> None:
    tree = kuhn.tree()
    play, gained = tree.uniform(), []
    for role in tree.players:
        value, response = tree.best_response(play, role)
        assert tree.values(response)[role] == pytest.approx(value)
        gained.append(value - tree.values(play)[role])
    assert sum(gained) / 2 == pytest.approx(tree.exploitability(play))


def test_regret_matching_of_ones_own_finds_the_equilibrium(kuhn: fs.Game) -> None:
    tree = kuhn.tree()
    regrets, average = np.zeros_like(tree.uniform()), np.zeros_like(tree.uniform())
    counts = np.diff(tree.action_starts)
    for _ in range(2_000):
        play = tree.normalised(np.maximum(regrets, 0.0))
        gains = tree.action_values(play)
        means = np.add.reduceat(play * gains, tree.action_starts[:-1])
        regrets += gains - np.repeat(means, counts)
        average += np.repeat(tree.own_reach(play), counts) * play
    found = tree.normalised(average)
    assert tree.exploitability(found) < 0.01
    assert tree.values(found)["first"] == pytest.approx(KUHN_VALUE, abs=0.01)


def test_arrays_and_views_are_two_sides_of_a_strategy(kuhn: fs.Game) -> None:
    tree = kuhn.tree()
    play = tree.normalised(np.arange(1.0, 25.0))
    assert tree.probabilities(tree.strategy(play)) == pytest.approx(play)
    with pytest.raises(ValueError, match="no strategy for the game"):
        tree.exploitability(play * 0.9)


def test_a_tree_that_is_too_large_is_a_limit(kuhn: fs.Game) -> None:
    with pytest.raises(LimitError, match="TRE001"):
        fs.load("tic_tac_toe").tree(max_nodes=100)


def test_simultaneous_games_are_solved_by_their_states() -> None:
    game = fs.load("goofspiel_4")
    solution = game.solve()
    assert solution.method == "induction-lp"
    assert solution.tree is None
    # The game is symmetric.
    assert solution.value["first" if "first" in solution.value else game.players[0]] == (
        pytest.approx(game.payoff(50.0), abs=1e-6)
    )
    start = game.begin().play_out(0, steps=0)
    mixed = solution.strategy[start.view(game.players[0])]
    assert sum(mixed.values()) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="which strategy files do not hold"):
        solution.save("nowhere.json")
    assert len(solution.rows(game.players[0], 3)) == 3


def test_rows_show_where_play_comes_most(kuhn: fs.Game, solution: fs.Solution) -> None:
    rows = solution.rows("second", 6)
    reach = [row.reach or 0.0 for row in rows]
    assert reach == sorted(reach, reverse=True)
    assert reach[0] > 0.0
    assert sum(rows[0].actions.values()) == pytest.approx(1.0)
    exact = kuhn.solve("lp-exact").rows("first", 1)[0]
    assert exact.exact is not None
    assert sum(exact.exact.values()) == 1
