"""Standings, the cross table and paired differences: counts by hand, intervals by formula."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.values import mean_interval
from fogspiel.play.ratings.summary import cross_table, differences, standings_of, summary_of
from fogspiel.play.tournament.schedule import MatchResult
from made_results import result

RESULTS = [
    result(0, {"a": 100, "b": 0}, faults=({}, {"timeout": 2})),
    result(1, {"b": 50, "a": 50}, faults=({"illegal_move": 1, "timeout": 1}, {})),
    result(2, {"a": 80, "c": 20}, game="deal"),
    result(3, {"c": 100, "b": 0}, failed="the rules broke down", game="deal"),
]


def test_standings_count_what_players_reached() -> None:
    first, second, third = standings_of(RESULTS)
    assert (first.player, first.matches, first.wins, first.draws, first.losses) == ("a", 3, 2, 1, 0)
    assert first.mean_share == pytest.approx((1.0 + 0.5 + 0.8) / 3)
    ends = mean_interval(np.array([1.0, 0.5, 0.8]))
    # A share is never more than 1.
    assert ends is not None
    assert first.interval == (ends[0], 1.0)
    assert first.faults == {}
    assert (second.player, second.draws, second.losses) == ("b", 1, 1)
    assert second.faults == {"illegal_move": 1, "timeout": 3}
    assert (third.player, third.matches, third.interval) == ("c", 1, None)


def test_standings_can_be_told_by_game_and_by_seat() -> None:
    games = [(own.game, own.player, own.matches) for own in standings_of(RESULTS, "game")]
    assert games == [("deal", "a", 1), ("deal", "c", 1), ("toss", "a", 2), ("toss", "b", 2)]
    seats = [(own.game, own.role, own.player) for own in standings_of(RESULTS, "seat")]
    assert seats == [
        ("deal", "first", "a"),
        ("deal", "second", "c"),
        ("toss", "first", "a"),
        ("toss", "first", "b"),
        ("toss", "second", "a"),
        ("toss", "second", "b"),
    ]


def test_goals_are_read_by_their_scale() -> None:
    (alone,) = standings_of([result(0, {"a": 150}, goal_scale=2)])
    assert alone.mean_share == pytest.approx(0.75)
    assert (alone.wins, alone.draws) == (0, 1)
    (full,) = standings_of([result(0, {"a": 200}, goal_scale=2)])
    assert full.wins == 1


def test_the_cross_table_holds_what_each_reached_against_each() -> None:
    cross = cross_table(RESULTS)
    assert set(cross) == {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")}
    assert cross["a", "b"].mean_share == pytest.approx(0.75)
    assert cross["a", "b"].matches == 2
    assert cross["c", "a"].mean_share == pytest.approx(0.2)
    assert cross["c", "a"].interval is None


def test_a_match_of_three_is_a_meeting_of_every_two() -> None:
    cross = cross_table([result(0, {"a": 100, "b": 50, "c": 0})])
    assert len(cross) == 6
    assert cross["b", "a"].mean_share == cross["b", "c"].mean_share == 0.5


def paired(repetitions: int, *, edge: int) -> list[MatchResult]:
    """Luck decides by the seed; seats change; `a` gets an edge on top."""
    rng, results = np.random.default_rng(8), []
    for repetition in range(repetitions):
        luck = int(rng.integers(-40, 41))
        goals = (50 + luck, 50 - luck)
        for swapped in (False, True):
            a, b = goals[::-1] if swapped else goals
            number = 2 * repetition + swapped
            results.append(result(number, {"a": a + edge, "b": b - edge}, seed=repetition))
    return results


def test_differences_use_the_pairs_so_that_shared_luck_falls_out() -> None:
    (difference,) = differences(paired(20, edge=3))
    assert (difference.player, difference.other, difference.blocks) == ("a", "b", 20)
    assert difference.mean == pytest.approx(0.06)
    # All that scatters is luck, and both had the same of it: the interval is a point.
    assert difference.interval == pytest.approx((0.06, 0.06))
    standing = standings_of(paired(20, edge=3))[0]
    assert standing.interval is not None
    assert standing.interval[1] - standing.interval[0] > 0.1


def test_a_difference_is_the_mean_over_blocks_with_students_interval() -> None:
    results = [
        result(0, {"a": 100, "b": 0}, seed=1),
        result(1, {"b": 100, "a": 0}, seed=1),
        result(2, {"a": 60, "b": 40}, seed=2),
        result(3, {"b": 50, "a": 50}, seed=2),
        result(4, {"a": 30, "b": 70}, seed=2, game="deal"),
        result(5, {"b": 70, "a": 30}, seed=2, game="deal"),
    ]
    (difference,) = differences(results)
    assert difference.blocks == 3
    assert difference.mean == pytest.approx((0.0 + 0.1 - 0.4) / 3)
    assert difference.interval == pytest.approx(mean_interval(np.array([0.0, 0.1, -0.4])))


def test_blocks_weigh_as_much_as_they_have_matches() -> None:
    """So that a difference is that of the means in the standings."""
    rng = np.random.default_rng(3)
    sizes = [2, 6, 2, 4, 6] * 8
    seeds = [seed for seed, size in enumerate(sizes) for _ in range(size)]
    results = [
        result(number, {"a": int(rng.integers(40, 101)), "b": int(rng.integers(0, 61))}, seed=seed)
        for number, seed in enumerate(seeds)
    ]
    (difference,) = differences(results)
    a, b = standings_of(results)
    assert difference.mean == pytest.approx(a.mean_share - b.mean_share)
    assert difference.interval is not None
    # Goals are drawn apart here, so that matches are as good as blocks.
    apart = [(r.goals[0] - r.goals[1]) / 100 for r in results]
    expected = mean_interval(np.array(apart))
    assert expected is not None
    width, usual = (high - low for low, high in (difference.interval, expected))
    assert width == pytest.approx(usual, rel=0.2)


def test_players_alone_are_compared_by_the_seeds_they_shared() -> None:
    results = [
        result(2 * seed + who, {player: 60 + 10 * seed - 20 * who}, seed=seed)
        for seed in range(4)
        for who, player in enumerate("ab")
    ]
    (difference,) = differences(results)
    assert difference.mean == pytest.approx(0.2)
    assert difference.interval == pytest.approx((0.2, 0.2))


def test_a_summary_says_how_much_was_played_and_what_failed() -> None:
    summary = summary_of(RESULTS, planned=6)
    assert (summary.played, summary.planned, summary.finished) == (3, 6, False)
    assert [(own.number, own.failed) for own in summary.failures] == [(3, "the rules broke down")]
    assert summary.seconds == pytest.approx(1.0)
    assert summary.players == ("a", "b", "c")
    assert summary_of(RESULTS).finished
    assert summary.rating("a").elo > summary.rating("b").elo


def test_a_difference_can_be_asked_for_both_ways() -> None:
    summary = summary_of(RESULTS)
    one, other = summary.ahead("a", "b"), summary.ahead("b", "a")
    assert one is not None
    assert other is not None
    assert one.interval is not None
    assert one.mean == -other.mean == pytest.approx(0.5)
    assert other.interval == (-one.interval[1], -one.interval[0])
    assert summary.ahead("b", "c") is None


def test_ratings_settle_on_those_of_all_matches() -> None:
    settling = summary_of(RESULTS).settling
    assert settling.matches == (1, 2, 3)
    assert settling.players == ("a", "b", "c")
    assert np.isnan(settling.elo[:2, 2]).all()
    final = {rating.player: rating.elo for rating in summary_of(RESULTS).ratings.ratings}
    assert dict(zip("abc", settling.elo[-1], strict=True)) == pytest.approx(final, abs=1e-6)


def test_many_matches_settle_in_few_points() -> None:
    results = [result(number, {"a": number % 3, "b": 1}) for number in range(500)]
    settling = summary_of(results).settling
    assert len(settling.matches) == 60
    assert settling.matches[-1] == 500


def test_nothing_played_is_an_empty_summary() -> None:
    summary = summary_of([], planned=4)
    assert (summary.played, summary.finished, summary.players) == (0, False, ())
    assert summary.settling.matches == ()
