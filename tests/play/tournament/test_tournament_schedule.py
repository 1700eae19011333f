"""Schedules: who meets whom, in which seats, with which luck."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import SMALL, game, matches_of, plan_of

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.play.tournament.schedule import fingerprint

CLOCK = "[clock]\nsimulations = 1\n"


def plan_text(names: list[str], *, games: list[str], repetitions: int = 1) -> str:
    listed = ", ".join(f'"{name}"' for name in games)
    players = "".join(f'[[players]]\nname = "{name}"\nplayer = "random"\n' for name in names)
    return f"games = [{listed}]\nrepetitions = {repetitions}\n{CLOCK}{players}"


def test_pairs_play_both_ways_round_with_the_same_luck() -> None:
    plan = plan_of(plan_text(["a", "b", "c"], games=["g"]))
    matches = matches_of(plan, [game("g", "white", "black")])
    assert [match.players for match in matches] == [
        ("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b"),
    ]  # fmt: skip
    assert len({match.seed for match in matches}) == 1
    assert [match.number for match in matches] == list(range(6))


def test_alone_everybody_plays_once_a_repetition() -> None:
    plan = plan_of(plan_text(["a", "b"], games=["g"], repetitions=2))
    matches = matches_of(plan, [game("g", "robot")])
    assert [match.players for match in matches] == [("a",), ("b",), ("a",), ("b",)]
    assert [match.seed for match in matches[:2]] != [match.seed for match in matches[2:]]


@given(players=st.integers(1, 6), roles=st.integers(1, 4), repetitions=st.integers(1, 3))
def test_all_sit_in_every_role_as_often(players: int, roles: int, repetitions: int) -> None:
    names = [f"p{number}" for number in range(players)]
    plan = plan_of(plan_text(names, games=["g"], repetitions=repetitions))
    seats = [f"r{number}" for number in range(roles)]
    if roles > players:
        with pytest.raises(UsageError, match="TOU004"):
            matches_of(plan, [game("g", *seats)])
        return
    matches = matches_of(plan, [game("g", *seats)])
    for seat in range(roles):
        often = Counter(match.players[seat] for match in matches)
        assert len(set(often.values())) == 1
        assert set(often) == set(names)
    groups = {frozenset(match.players) for match in matches}
    assert groups == {frozenset(group) for group in permutations(names, roles)}


def test_a_game_keeps_its_seeds_when_another_one_comes() -> None:
    one = matches_of(plan_of(plan_text(["a", "b"], games=["g"])), [game("g", "x", "y")])
    two = matches_of(
        plan_of(plan_text(["a", "b"], games=["f", "g"])), [game("f", "x"), game("g", "x", "y")]
    )
    assert {m.seed for m in one} == {m.seed for m in two if m.game == "g"}
    assert {m.seed for m in one}.isdisjoint({m.seed for m in two if m.game == "f"})


def test_a_game_of_chance_alone_cannot_be_contested() -> None:
    with pytest.raises(UsageError, match="every role is chance"):
        matches_of(plan_of(SMALL), [game("kuhn_poker")])


def test_a_million_matches_are_enough() -> None:
    plan = plan_of(plan_text(["a", "b"], games=["g"], repetitions=500_001))
    with pytest.raises(LimitError, match="TOU005"):
        matches_of(plan, [game("g", "x", "y")])


def test_the_fingerprint_depends_on_the_plan_and_on_the_seating() -> None:
    plan = plan_of(plan_text(["a", "b"], games=["g"]))
    matches = matches_of(plan, [game("g", "x", "y")])
    assert fingerprint("plan", matches) == fingerprint("plan", list(matches))
    assert fingerprint("plan", matches) != fingerprint("other", matches)
    assert fingerprint("plan", matches) != fingerprint("plan", matches[::-1])
