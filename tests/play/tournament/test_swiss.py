"""Swiss tournaments: who meets whom, seats, byes, standings, and going on after a crash."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import game, plan_of, played

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.journal import open_journal, read_journal
from fogspiel.play.tournament.matching import Matching
from fogspiel.play.tournament.plan import TournamentPlan, canonical_text, plan_of_canonical
from fogspiel.play.tournament.schedule import (
    MatchResult,
    PlayedMatch,
    Schedule,
    ScheduledMatch,
    failed_match,
)
from fogspiel.play.tournament.swiss import SwissHistory, SwissRound, pair_round
from fogspiel.play.tournament.tournament import Tournament, run_matches

GAME = game("g", "white", "black")
GOALS = {0: (0, 100), 1: (50, 50), 2: (100, 0)}
"""Goals of both seats by the points of the first."""

Pairs = list[tuple[int, int]]


def plan_text(players: int, rounds: int, *, repetitions: int = 1, seed: int = 1) -> str:
    listed = "".join(f'[[players]]\nname = "p{n}"\nplayer = "random"\n' for n in range(players))
    return (
        f'name = "swiss"\nseed = {seed}\ngames = ["g"]\nformat = "swiss"\nrounds = {rounds}\n'
        f"repetitions = {repetitions}\n[clock]\nsimulations = 1\n{listed}"
    )


def schedule(players: int, rounds: int, *, repetitions: int = 1, seed: int = 1) -> Schedule:
    plan = plan_of(plan_text(players, rounds, repetitions=repetitions, seed=seed))
    return schedule_of(plan, [GAME])


def rounds_of(
    players: int, rounds: int, rng: random.Random
) -> Iterator[tuple[SwissHistory, SwissRound]]:
    """Rounds with random results: each with the history before it."""
    history = SwissHistory(players)
    for _ in range(rounds):
        paired = pair_round(history)
        yield history, paired
        points = Counter[int]()
        for first, second in paired.pairs:
            points[first] = rng.randrange(3)
            points[second] = 2 - points[first]
        history.add(paired, points, bye_points=2)


def all_pairings(players: Sequence[int]) -> Iterator[Pairs]:
    if not players:
        yield []
        return
    first, *rest = players
    for other in rest:
        for pairs in all_pairings([player for player in rest if player != other]):
            yield [(first, other), *pairs]


@given(st.integers(2, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_nobody_meets_twice_while_that_can_be_avoided(
    players: int, rounds: int, rng: random.Random
) -> None:
    for history, paired in rounds_of(players, rounds, rng):
        playing = [player for pair in paired.pairs for player in pair]
        assert sorted([*playing, *([] if paired.bye is None else [paired.bye])]) == list(
            range(players)
        )
        met = max((history.meetings[a][b] for a, b in paired.pairs), default=0)
        if met:
            fewest = min(history.byes)
            spared = (
                [p for p in range(players) if history.byes[p] == fewest] if players % 2 else [None]
            )
            # With nobody who could have the bye is there a round of players who met less often.
            for bye in spared:
                others = [player for player in range(players) if player != bye]
                assert all(
                    max(history.meetings[a][b] for a, b in pairs) >= met
                    for pairs in all_pairings(others)
                )


@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_nobody_has_two_byes_before_everybody_had_one(half: int, rng: random.Random) -> None:
    players = 2 * half + 1
    byes = [paired.bye for _, paired in rounds_of(players, players, rng)]
    assert sorted(bye for bye in byes if bye is not None) == list(range(players))


@given(st.integers(2, 8), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_best_players_meet_the_best_opponents_that_the_others_can_spare(
    players: int, rounds: int, rng: random.Random
) -> None:
    """No opponent with a higher score would leave the others able to be paired."""
    for history, paired in rounds_of(players, rounds, rng):
        met = max((history.meetings[a][b] for a, b in paired.pairs), default=0)
        free = [player for player in history.ranking() if player != paired.bye]
        for pair in paired.pairs:
            best = free[0]
            (opponent,) = set(pair) - {best}
            possible = [
                dict(pairs)[best]
                for pairs in all_pairings(free)
                if all(history.meetings[a][b] <= met for a, b in pairs)
            ]
            assert history.points[opponent] == max(history.points[own] for own in possible)
            free = [player for player in free if player not in pair]


def test_the_upper_half_meets_the_lower_half_in_the_first_round() -> None:
    paired = pair_round(SwissHistory(6))
    assert [set(pair) for pair in paired.pairs] == [{0, 3}, {1, 4}, {2, 5}]
    # Pairs take turns in who sits first.
    assert [pair[0] for pair in paired.pairs] == [0, 4, 2]


def test_of_an_odd_number_the_last_player_has_the_bye() -> None:
    assert pair_round(SwissHistory(5)).bye == 4


@given(st.integers(2, 12), st.randoms(use_true_random=False))
def test_everybody_sits_first_and_second_about_as_often(players: int, rng: random.Random) -> None:
    rounds = min(7, players - 1)
    *_, (history, _) = rounds_of(players, rounds + 1, rng)
    assert max(map(abs, history.seats)) <= 2


@given(st.integers(1, 9), st.randoms(use_true_random=False), st.floats(0.1, 0.9))
def test_a_matching_is_as_large_as_it_can_be(
    players: int, rng: random.Random, density: float
) -> None:
    """Compared with all sets of pairs that share nobody."""
    edges = {pair for pair in combinations(range(players), 2) if rng.random() < density}

    def may_meet(one: int, other: int) -> bool:
        return (min(one, other), max(one, other)) in edges

    def most(left: frozenset[int]) -> int:
        own = [pair for pair in edges if left.issuperset(pair)]
        return max((1 + most(left.difference(pair)) for pair in own), default=0)

    matching = Matching(range(players), may_meet)
    assert matching.pairs == most(frozenset(range(players)))


def test_many_players_are_paired_without_a_rematch() -> None:
    rng = random.Random(1)
    for history, paired in rounds_of(201, 9, rng):
        assert all(not history.meetings[a][b] for a, b in paired.pairs)


def results_of(matches: Sequence[ScheduledMatch], rng: random.Random) -> list[MatchResult]:
    return [played(match, GOALS[rng.randrange(3)]).result for match in matches]


def test_rounds_come_one_after_the_other() -> None:
    own, rng = schedule(5, 3), random.Random(4)
    assert own.planned == 6
    results: list[MatchResult] = []
    for finished in range(3):
        matches = own.settled(results)
        assert [match.number for match in matches] == list(range(2 * finished + 2))
        # One of two results of the round: the next one is not known yet.
        results += results_of(matches[-2:-1], rng)
        assert own.settled(results) == matches
        results += results_of(matches[-1:], rng)
    assert len(own.settled(results)) == own.planned


def test_the_order_of_results_and_the_time_they_came_do_not_matter() -> None:
    own, rng, results = schedule(7, 5), random.Random(8), list[MatchResult]()
    while len(results) < own.planned:
        results += results_of(own.settled(results)[len(results) :], rng)
    whole = own.settled(results)
    rng.shuffle(results)
    assert schedule(7, 5).settled(results) == whole
    assert schedule(7, 5, seed=2).settled(()) != schedule(7, 5).settled(())


def test_two_who_meet_change_seats_between_repetitions_with_luck_of_their_own() -> None:
    first, second = schedule(2, 1, repetitions=2).settled(())
    assert first.players == second.players[::-1]
    assert first.seed != second.seed


def test_all_pairs_of_a_round_share_the_luck() -> None:
    matches = schedule(6, 2).settled(())
    assert len({match.seed for match in matches}) == 1


def test_the_score_counts_wins_draws_and_byes_and_buchholz_breaks_ties() -> None:
    """Three players, three rounds, everybody has a bye: a beats b, b draws with c, c beats a."""
    own, results = schedule(3, 3), list[MatchResult]()
    names = sorted({name for match in own.settled(()) for name in match.players})
    while len(results) < own.planned:
        (match,) = own.settled(results)[len(results) :]
        results.append(played(match, _goals(match.players)).result)
    table = own.table(results)
    assert table is not None
    assert len(names) == 2
    assert table.columns == ("player", "score", "Buchholz", "byes")
    # Scores: p0 a win and a bye, p1 a draw and a bye, p2 a draw, a win and a bye.
    assert table.rows == (
        ("p2", 2.5, 2.5 + 2.0 + 1.5, 1),
        ("p0", 2.0, 2.5 + 2.0 + 1.5, 1),
        ("p1", 1.5, 2.5 + 2.0 + 1.5, 1),
    )


def _goals(players: tuple[str, ...]) -> tuple[int, ...]:
    won = {("p0", "p1"): 2, ("p1", "p2"): 1, ("p2", "p0"): 2}
    return GOALS[won[players]] if players in won else GOALS[2 - won[players[::-1]]]  # type: ignore[index]


def test_a_failed_match_is_a_draw_for_the_score() -> None:
    own = schedule(2, 1)
    (match,) = own.settled(())
    table = own.table([failed_match(match, GAME, "lost").result])
    assert table is not None
    assert [row[1] for row in table.rows] == [0.5, 0.5]


def test_only_matches_of_the_last_round_can_be_played_again() -> None:
    own, rng = schedule(4, 3), random.Random(1)
    assert own.first_repeatable(()) == 0
    results = results_of(own.settled(()), rng)
    assert own.first_repeatable(results) == 0
    results += results_of(own.settled(results)[2:3], rng)
    assert own.first_repeatable(results) == 2


@pytest.mark.parametrize("roles", [(), ("robot",), ("a", "b", "c")])
def test_games_for_another_number_of_players_are_refused(roles: tuple[str, ...]) -> None:
    plan = plan_of(plan_text(4, 3))
    with pytest.raises(UsageError, match=f"TOU004.*has {len(roles)} roles; a Swiss tournament"):
        schedule_of(plan, [GAME, game("h", *roles)])


def test_one_player_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="TOU004"):
        schedule(1, 3)


def test_too_many_matches_are_refused() -> None:
    with pytest.raises(LimitError, match="TOU005"):
        schedule(4, 1_000, repetitions=501)


def test_a_plan_must_say_how_many_rounds_and_only_a_swiss_one() -> None:
    with pytest.raises(UsageError, match="rounds is missing"):
        plan_of(plan_text(4, 3).replace("rounds = 3\n", ""))
    with pytest.raises(UsageError, match="rounds is for the format swiss"):
        plan_of(plan_text(4, 3).replace('format = "swiss"\n', ""))
    with pytest.raises(UsageError, match="format is 'knockout'"):
        plan_of(plan_text(4, 3).replace('"swiss"\nrounds = 3', '"knockout"'))


def test_a_plan_comes_back_from_its_canonical_text() -> None:
    plan = plan_of(plan_text(4, 3))
    again, games = plan_of_canonical(canonical_text(plan, [GAME]))
    assert again == plan
    assert schedule_of(again, games).settled(()) == schedule_of(plan, [GAME]).settled(())


def test_a_tournament_that_is_killed_at_any_moment_comes_to_the_same_end(tmp_path: Path) -> None:
    plan = plan_of(plan_text(5, 4))
    whole = _run(plan, tmp_path / "whole.db", deaths=())
    assert len(whole) == 8
    for death in range(8):
        path = tmp_path / f"killed_{death}.db"
        assert _run(plan, path, deaths=(death,)) == whole


class KilledError(Exception):
    """The process is no more."""


def _run(plan: TournamentPlan, path: Path, *, deaths: Sequence[int]) -> list[MatchResult]:
    """Play a tournament whose process dies after some matches, and go on until it is over.

    Results depend on the match alone.
    """
    left = list(deaths)

    def play(matches: Sequence[ScheduledMatch]) -> Iterator[list[PlayedMatch]]:
        for match in matches:
            if match.number in left:
                left.remove(match.number)
                raise KilledError
            rng = random.Random(f"{match.number} {match.players}")
            yield [played(match, GOALS[rng.randrange(3)])]

    for _ in range(len(deaths) + 1):
        tournament = Tournament(plan=plan, games={"g": GAME}, schedule=schedule_of(plan, [GAME]))
        with open_journal(path, plan, [GAME], tournament.schedule, resume=True) as journal:
            try:
                run_matches(tournament, journal, play)
            except KilledError:
                continue
    with read_journal(path) as journal:
        return journal.results()


def test_a_journal_that_these_results_do_not_lead_to_is_refused(tmp_path: Path) -> None:
    plan, path = plan_of(plan_text(4, 2)), tmp_path / "swiss.db"
    _run(plan, path, deaths=())
    own = schedule_of(plan, [GAME])
    tournament = Tournament(plan=plan, games={"g": GAME}, schedule=own)
    with open_journal(path, plan, [GAME], own, resume=True) as journal:
        journal._connection.execute("UPDATE seats SET goal = 100 - goal WHERE number = 0")
        journal._connection.execute("UPDATE seats SET goal = 100 - goal WHERE number = 1")
        journal._connection.execute("UPDATE seats SET player = 5 - player WHERE number = 2")
        with pytest.raises(UsageError, match="TOU007"):
            run_matches(tournament, journal, lambda _: iter(()))
