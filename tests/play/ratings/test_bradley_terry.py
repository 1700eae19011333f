"""Ratings against closed forms, a published example, another algorithm and simulated matches."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fogspiel.play.ratings.bradley_terry import (
    ELO,
    Comparisons,
    Rating,
    Ratings,
    centred,
    comparisons_of,
    groups_of,
    rate,
    strengths_of,
)
from fogspiel.play.tournament.schedule import MatchResult
from made_results import counted, drawn_by_strength, result

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""Agresti, Categorical Data Analysis, 2nd edition (2002), section 10.6: American League 1987."""
PUBLISHED = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)
"""Strengths beyond Baltimore's, as the package BradleyTerry2 for R prints them in its vignette."""
STRENGTHS = {"a": 0.9, "b": 0.3, "c": -0.2, "d": -1.0}


def by_player(ratings: Ratings) -> dict[str, Rating]:
    return {rating.player: rating for rating in ratings.ratings}


def half_width(rating: Rating) -> float:
    assert rating.interval is not None
    return (rating.interval[1] - rating.interval[0]) / 2


def test_two_players_are_apart_by_the_logarithm_of_their_odds() -> None:
    results = counted({("a", "b"): 30, ("b", "a"): 10})
    found = by_player(rate(comparisons_of(results), prior_draws=1e-9))
    assert found["a"].elo - found["b"].elo == pytest.approx(400 * math.log10(3), rel=1e-6)
    assert found["a"].elo + found["b"].elo == pytest.approx(0)
    # The information of n matches is n p (1 - p) for the difference, of which each has half.
    half = 1.959964 * ELO / 2 / math.sqrt(40 * 0.75 * 0.25)
    assert half_width(found["a"]) == pytest.approx(half, rel=0.03)


def test_draws_count_as_half_a_win() -> None:
    draws = [result(number, {"a": 50, "b": 50}) for number in range(2)]
    wins = counted({("a", "b"): 1, ("b", "a"): 1})
    extra = [replace(r, number=r.number + 10) for r in counted({("a", "b"): 3})]
    one, other = (by_player(rate(comparisons_of(some + extra))) for some in (draws, wins))
    assert one["a"].elo == pytest.approx(other["a"].elo)
    assert one["a"].elo > 0


def test_a_published_example_comes_out() -> None:
    table = np.array(WON, dtype=np.float64)
    strengths = strengths_of(table, prior_draws=1e-7)
    assert strengths - strengths[-1] == pytest.approx(PUBLISHED, abs=6e-5)


def test_the_prior_changes_a_season_of_baseball_by_few_points() -> None:
    table = np.array(WON, dtype=np.float64)
    without, usual = (strengths_of(table, prior_draws=prior) for prior in (1e-7, 1.0))
    moved = ELO * np.abs((usual - usual.mean()) - (without - without.mean()))
    assert 0.1 < moved.max() < 15


def hunters_iteration(table: NDArray[np.float64], rounds: int = 20_000) -> NDArray[np.float64]:
    """Equation 3 of Hunter (2004); the imaginary player keeps its strength."""
    met, won = table + table.T, table.sum(axis=1) + 0.5
    gamma = np.ones(len(table))
    for _ in range(rounds):
        gamma = won / ((met / (gamma[:, None] + gamma)).sum(axis=1) + 1.0 / (gamma + 1.0))
    logarithms: NDArray[np.float64] = np.log(gamma)
    return logarithms


@pytest.mark.parametrize("seed", range(3))
def test_newton_agrees_with_hunters_iteration(seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 6, (5, 5)).astype(np.float64) / 2
    np.fill_diagonal(table, 0.0)
    assert strengths_of(table) == pytest.approx(hunters_iteration(table), abs=1e-8)


def test_known_strengths_are_recovered() -> None:
    results = drawn_by_strength(STRENGTHS, matches=8_000, seed=1)
    found = by_player(rate(comparisons_of(results)))
    for player, strength in STRENGTHS.items():
        assert found[player].elo == pytest.approx(ELO * strength, abs=25)
        assert half_width(found[player]) < 15
    assert [rating.player for rating in rate(comparisons_of(results)).ratings] == list("abcd")


def test_intervals_hold_the_truth_in_some_95_of_100_tournaments() -> None:
    held = []
    for seed in range(150):
        results = drawn_by_strength(STRENGTHS, matches=120, seed=seed)
        for rating in rate(comparisons_of(results)).ratings:
            assert rating.interval is not None
            low, high = rating.interval
            held.append(low <= ELO * STRENGTHS[rating.player] <= high)
    assert 0.93 <= np.mean(held) <= 0.985


def bootstrap_deviations(results: list[MatchResult], blocks: int, rounds: int) -> dict[str, float]:
    """The scatter of ratings when blocks of matches are drawn again with replacement."""
    rng, whole = np.random.default_rng(5), comparisons_of(results)
    rows = [np.flatnonzero(whole.block == block) for block in range(blocks)]
    drawn = []
    for _ in range(rounds):
        chosen = np.concatenate([rows[block] for block in rng.integers(blocks, size=blocks)])
        table = picked(whole, chosen).table()
        drawn.append(ELO * centred(strengths_of(table), groups_of(table)[0]))
    return dict(zip(whole.players, np.std(drawn, axis=0), strict=True))


def picked(whole: Comparisons, rows: NDArray[np.int64]) -> Comparisons:
    return replace(
        whole,
        first=whole.first[rows],
        second=whole.second[rows],
        points=whole.points[rows],
        block=whole.block[rows],
        match=whole.match[rows],
    )


@pytest.mark.parametrize("seats", [2, 4])
def test_intervals_agree_with_a_bootstrap_over_matches(seats: int) -> None:
    results = drawn_by_strength(STRENGTHS, matches=400, seed=2, seats=seats)
    scattered = bootstrap_deviations(results, blocks=400, rounds=300)
    for rating in rate(comparisons_of(results)).ratings:
        assert half_width(rating) / 1.959964 == pytest.approx(scattered[rating.player], rel=0.15)


def test_matches_that_share_their_luck_do_not_count_as_independent() -> None:
    one = drawn_by_strength(STRENGTHS, matches=100, seed=3)
    # The same results four times over, as if a seed decided them alone.
    copies = [replace(r, number=4 * r.number + copy) for r in one for copy in range(4)]
    single, fourfold = (by_player(rate(comparisons_of(some))) for some in (one, copies))
    unknowing = by_player(rate(comparisons_of([replace(r, seed=r.number) for r in copies])))
    for player in STRENGTHS:
        assert half_width(fourfold[player]) == pytest.approx(half_width(single[player]), rel=0.15)
        assert half_width(unknowing[player]) < 0.6 * half_width(single[player])


def test_unbeaten_players_have_finite_ratings_that_rise_with_their_matches() -> None:
    few, many = (rate(comparisons_of(counted({("a", "b"): wins}))) for wins in (3, 300))
    assert (few.held_by_prior, many.held_by_prior) == ((0,), (0,))
    assert 100 < by_player(few)["a"].elo < by_player(many)["a"].elo < 2_000
    assert half_width(by_player(few)["a"]) > 100


def test_a_draw_each_way_needs_no_prior() -> None:
    results = [result(0, {"a": 50, "b": 50}), result(1, {"b": 30, "c": 30})]
    assert rate(comparisons_of(results)).held_by_prior == ()


def test_players_whom_no_match_connects_stand_in_groups_of_their_own() -> None:
    results = counted({("a", "b"): 4, ("b", "a"): 2, ("x", "y"): 1, ("y", "z"): 1, ("z", "x"): 1})
    alone = result(100, {"alone": 70})
    ratings = rate(comparisons_of([*results, alone]))
    assert ratings.groups == 3
    assert [(r.player, r.group) for r in ratings.ratings] == [
        ("x", 0), ("y", 0), ("z", 0), ("a", 1), ("b", 1), ("alone", 2),
    ]  # fmt: skip
    for group in range(3):
        own = [rating.elo for rating in ratings.ratings if rating.group == group]
        assert sum(own) == pytest.approx(0)
    assert ratings.ratings[-1].interval is None
    apart = by_player(rate(comparisons_of(results[:6])))
    assert by_player(ratings)["a"].elo == pytest.approx(apart["a"].elo)


def test_nothing_is_rated_where_nothing_was_played() -> None:
    assert rate(comparisons_of([])).ratings == ()
    failed = rate(comparisons_of([result(0, {"a": 0, "b": 0}, failed="crashed")]))
    assert [(r.elo, r.interval) for r in failed.ratings] == [(0.0, None), (0.0, None)]


def test_a_prior_without_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 0; got 0"):
        rate(comparisons_of([]), prior_draws=0.0)


GOALS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 3), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(st.lists(GOALS, min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_the_order_of_results_and_the_names_of_players_do_not_matter(
    goals: list[dict[str, int]], random: Random
) -> None:
    results = [result(number, one) for number, one in enumerate(goals)]
    usual = by_player(rate(comparisons_of(results)))
    shuffled = results.copy()
    random.shuffle(shuffled)
    assert by_player(rate(comparisons_of(shuffled))) == usual
    named = dict(zip("abcde", "pecan", strict=True))
    renamed = [replace(r, players=tuple(named[p] for p in r.players)) for r in results]
    found = by_player(rate(comparisons_of(renamed)))
    for player, rating in usual.items():
        assert found[named[player]].elo == pytest.approx(rating.elo, abs=1e-6)
        assert (found[named[player]].interval is None) == (rating.interval is None)


def test_a_player_that_sits_twice_is_compared_with_others_alone() -> None:
    comparisons = comparisons_of([result(0, [("a", 60), ("a", 40), ("b", 50)])])
    pairs = zip(comparisons.first, comparisons.second, comparisons.points, strict=True)
    assert [(int(f), int(s), float(p)) for f, s, p in pairs] == [(0, 1, 1.0), (0, 1, 0.0)]
