"""Skills of OpenSkill: ties, matches of many players, and the order of matches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fogspiel.play.ratings.summary import Skill, skills_of
from made_results import drawn_by_strength, result

START_MU, START_SIGMA = 25.0, 25.0 / 3.0
"""The skill of a player without matches, as TrueSkill has it and Weng & Lin (2011) keep it."""


def by_player(skills: tuple[Skill, ...]) -> dict[str, Skill]:
    return {skill.player: skill for skill in skills}


def test_a_winner_rises_as_far_as_the_loser_falls() -> None:
    winner, loser = skills_of([result(0, {"a": 0, "b": 100})])
    assert (winner.player, loser.player) == ("b", "a")
    assert winner.mu - START_MU == pytest.approx(START_MU - loser.mu)
    assert winner.mu > START_MU
    assert winner.sigma == pytest.approx(loser.sigma)
    assert winner.sigma < START_SIGMA
    assert winner.ordinal == pytest.approx(winner.mu - 3 * winner.sigma)


def test_a_single_win_moves_skills_as_the_paper_computes_it() -> None:
    """Algorithm 4 of Weng & Lin (2011) by hand, for two equals: mu moves by sigma^2/c * 1/2."""
    winner, _ = skills_of([result(0, {"a": 100, "b": 0})])
    c = (2 * (START_SIGMA**2 + (START_MU / 6) ** 2)) ** 0.5
    assert winner.mu - START_MU == pytest.approx(START_SIGMA**2 / c / 2, rel=1e-3)


def test_a_draw_of_equals_leaves_their_means_alone() -> None:
    for skill in skills_of([result(0, {"a": 50, "b": 50, "c": 50})]):
        assert skill.mu == pytest.approx(START_MU)
        assert skill.sigma < START_SIGMA


def test_ranks_of_a_match_of_four_give_the_order_of_skills() -> None:
    skills = skills_of([result(0, {"a": 10, "b": 90, "c": 40, "d": 40})])
    assert [skill.player for skill in skills] == ["b", "c", "d", "a"]
    assert skills[1].mu == pytest.approx(skills[2].mu)


def test_matches_count_by_number_and_not_by_arrival() -> None:
    results = drawn_by_strength({"a": 1.0, "b": 0.0, "c": -1.0}, matches=60, seed=4, seats=3)
    assert skills_of(reversed(results)) == skills_of(results)
    # And the number matters: each match moves what the ones before it came to.
    turned = [replace(own, number=-own.number) for own in results]
    assert skills_of(turned) != skills_of(results)


def test_strong_players_come_first_after_many_matches() -> None:
    results = drawn_by_strength({"a": 1.0, "b": 0.0, "c": -1.0}, matches=300, seed=4, seats=3)
    assert [skill.player for skill in skills_of(results)] == ["a", "b", "c"]


def test_a_match_alone_or_with_oneself_or_without_end_moves_nothing() -> None:
    skills = by_player(
        skills_of(
            [
                result(0, {"alone": 100}),
                result(1, [("twice", 100), ("twice", 0), ("other", 50)]),
                result(2, {"broken": 0, "other": 0}, failed="crashed"),
            ]
        )
    )
    assert set(skills) == {"alone", "twice", "broken", "other"}
    for skill in skills.values():
        assert (skill.mu, skill.matches) == (START_MU, 0)
        assert skill.sigma == pytest.approx(START_SIGMA)
