"""Searches from any position, with parts that are combined anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import fogspiel as fs

Reals = NDArray[np.float64]


@pytest.fixture(scope="module")
def winning() -> fs.View:
    """The view of x in tic-tac-toe, who wins at once in the corner."""
    start = fs.load("tic_tac_toe").begin()
    moves = ("(mark 1 1)", "(mark 2 1)", "(mark 2 2)", "(mark 3 1)")
    for move in moves:
        start = start.play(move)
    return start.view("x")


@pytest.mark.parametrize("name", ["uct", "sm-uct", "ismcts", "so-ismcts"])
def test_a_search_finds_a_win(winning: fs.View, name: str) -> None:
    report = winning.search(name, simulations=400, seed=1)
    assert report.best == "(mark 3 3)"
    assert report.simulations == 400
    assert report.values[report.best] == 100.0
    assert sum(report.strategy.values()) == pytest.approx(1.0)
    assert list(report.visits.values()) == sorted(report.visits.values(), reverse=True)


def test_the_best_mean_of_norns_is_the_win(winning: fs.View) -> None:
    """Others are part of chance there, and simulations go on exploring."""
    values = winning.search("norns", simulations=400, seed=1).values
    assert max(values, key=values.__getitem__) == "(mark 3 3)"


@pytest.mark.parametrize("name", ["sm-exp3", "sm-rm", "shodan"])
def test_rules_that_mix_tell_their_average_strategy(winning: fs.View, name: str) -> None:
    report = winning.search(name, simulations=3000, seed=1)
    assert report.best == "(mark 3 3)"
    assert report.values == {}
    assert sum(report.strategy.values()) == pytest.approx(1.0)


def test_values_are_in_the_unit_of_the_game(kuhn: fs.Game) -> None:
    """Calling a bet with a king wins two chips, and passing loses the ante."""
    dealt = kuhn.begin().play("(deal queen)").play("(deal king)")
    report = dealt.play("bet").view("second").search("ismcts", simulations=500, seed=1)
    assert report.values["bet"] == pytest.approx(2.0)  # type: ignore[index]
    assert report.values["pass"] == pytest.approx(-1.0)  # type: ignore[index]


def test_the_same_seed_gives_the_same_report(winning: fs.View) -> None:
    reports = [winning.search("uct", simulations=200, seed=seed) for seed in (1, 1, 2)]
    assert reports[0] == reports[1] != reports[2]


def test_leaves_can_be_evaluated(winning: fs.View) -> None:
    assert winning.search("uct", simulations=200, evaluation="mobility").best == "(mark 3 3)"
    with pytest.raises(ValueError, match="SEA002"):
        winning.search("uct", evaluation="material")


def test_a_rule_of_ones_own_is_searched_by_and_played(winning: fs.View) -> None:
    class Fixed(NamedTuple):
        place: int

    @fs.parts.selection_rule(Fixed)
    def last(rule: Fixed, visits: Reals, means: Reals, draw: float) -> int:
        return len(visits) + rule.place

    own = fs.parts.Algorithm(keys="state", rule=Fixed(-1))  # type: ignore[arg-type]
    report = winning.search(own, simulations=100, seed=1)
    # Once all moves were met, the rule goes on with the last one.
    assert report.best == winning.legal[-1]
    assert report.visits[report.best] > 80


def test_a_searcher_plays_as_the_player_of_the_same_parts(kuhn: fs.Game) -> None:
    own = fs.parts.Searcher("ismcts")
    for seed in range(3):
        one, other = (
            kuhn.match(first=player, second="random", simulations=60, seed=seed)
            for player in (own, "ismcts")
        )
        assert one.history == other.history


def test_a_search_that_needs_more_than_a_position_is_refused(winning: fs.View) -> None:
    with pytest.raises(ValueError, match=r"SEA005.*no search 'outguess'"):
        winning.search("outguess")
    with pytest.raises(ValueError, match=r"SEA005.*found by 'belief'"):
        winning.search(fs.parts.Algorithm(keys="belief", rule=fs.parts.Ucb(0.4)))
    with pytest.raises(TypeError, match="got int"):
        winning.search(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1 playout; got 0"):
        winning.search("uct", playouts=0)
    with pytest.raises(TypeError, match="a NamedTuple"):
        fs.parts.selection_rule(dict)
