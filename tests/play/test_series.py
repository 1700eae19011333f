"""Series of matches: who sits where, who won, and how sure the means are."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId
from fogspiel.games.load import load, load_sources
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.records.reader import read_record
from fogspiel.play.series import (
    WARM_UP_SECONDS,
    WARM_UP_SIMULATIONS,
    WARM_UP_STEPS,
    Entrant,
    Series,
    outcomes_of,
    play_series,
    warm_up,
)
from fogspiel.players.catalogue import make_player
from fogspiel.players.simple import RandomPlayer

STUCK = """
(role white) (init (step 1)) (<= (legal white wait) (true (step 1)))
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 3))) (goal white 100)
"""
ONLY_CHANCE = """
(role random) (init (step 1)) (legal random wait) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2))) (goal random 100)
"""


def entrants(*names: str) -> list[Entrant]:
    return [Entrant(name, partial(make_player, name)) for name in names]


def few() -> Budget:
    return Budget.of(simulations=16)


def series(game: str, *names: str, games: int, seed: int = 0, swap: bool = False) -> Series:
    return play_series(
        load(game).machine,
        entrants(*names),
        games=games,
        turn_budget=few,
        seed=seed,
        swap=swap,
    )


def test_everybody_sits_everywhere_as_often_when_seats_are_swapped() -> None:
    played = series("smallest", "first", "random", "random", games=6, swap=True)
    assert played.seating.shape == (6, 3)
    for seat in range(3):
        assert np.bincount(played.seating[:, seat]).tolist() == [2, 2, 2]
    assert all(sorted(row) == [0, 1, 2] for row in played.seating.tolist())
    results = played.results()
    assert [(tally.entry, tally.role) for tally in results] == [
        (entry, role) for entry in range(3) for role in played.roles
    ]
    assert {tally.games for tally in results} == {2}
    assert [tally.games for tally in played.totals()] == [6, 6, 6]


def test_without_swapping_everybody_keeps_its_seat() -> None:
    played = series("tic_tac_toe", "first", "random", games=4)
    assert played.seating.tolist() == [[0, 1]] * 4
    assert [(tally.player, tally.role) for tally in played.results()] == [
        ("first", "x"),
        ("random", "o"),
    ]


def test_totals_add_up_from_the_roles() -> None:
    played = series("tic_tac_toe", "uct", "random", games=10, swap=True)
    for total in played.totals():
        parts = [tally for tally in played.results() if tally.entry == total.entry]
        for name in ("games", "wins", "draws", "losses"):
            assert getattr(total, name) == sum(getattr(part, name) for part in parts)
        assert total.mean_goal == pytest.approx(np.mean([part.mean_goal for part in parts]))
        assert total.wins + total.draws + total.losses == total.games
    first, second = played.totals()
    assert first.wins == second.losses


def test_the_same_seed_plays_the_same_and_games_differ() -> None:
    one, other = (series("kuhn_poker", "random", "random", games=20, seed=4) for _ in range(2))
    assert (one.goals == other.goals).all()
    assert (one.goals != series("kuhn_poker", "random", "random", games=20, seed=5).goals).any()
    assert len(np.unique(one.goals, axis=0)) > 1


@pytest.mark.parametrize(
    ("goals", "expected"),
    [
        ([100, 0], [1, -1]),
        ([50, 50], [0, 0]),
        ([0, 0], [0, 0]),
        ([60, 60, 0], [0, 0, -1]),
        ([10, 20, 15], [-1, 1, -1]),
        ([100], [1]),
        ([90], [0]),
        ([0], [-1]),
    ],
)
def test_the_highest_goal_wins(goals: list[int], expected: list[int]) -> None:
    assert outcomes_of(np.array([goals]), full_goal=100).tolist() == [expected]


def test_matches_are_told_as_they_end() -> None:
    told: list[int] = []
    play_series(
        load("tic_tac_toe").machine,
        entrants("first", "first"),
        games=3,
        turn_budget=few,
        seed=0,
        on_match=lambda: told.append(1),
    )
    assert len(told) == 3


@pytest.mark.parametrize(
    ("names", "games", "code"), [(("random",), 2, "MAT003"), (("random", "first"), 3, "MAT006")]
)
def test_what_does_not_fit_is_refused(names: tuple[str, ...], games: int, code: str) -> None:
    with pytest.raises(UsageError, match=code):
        series("tic_tac_toe", *names, games=games, swap=True)


def test_a_game_of_chance_alone_needs_no_players() -> None:
    machine = load_sources([Source("dice.gdl", ONLY_CHANCE)], engine="reference").machine
    with pytest.raises(UsageError, match="MAT005"):
        play_series(machine, [], games=1, turn_budget=few, seed=0)


def test_rules_that_leave_a_role_without_a_move_are_named() -> None:
    machine = load_sources([Source("stuck.gdl", STUCK)], engine="reference").machine
    with pytest.raises(PlayError, match="DYN002"):
        play_series(machine, entrants("random"), games=1, turn_budget=few, seed=0)


def test_warming_up_stops_by_itself() -> None:
    class Counting(RandomPlayer):
        def choose(self, budget: Budget) -> MoveId:
            choices.append(1)
            assert budget.simulations == WARM_UP_SIMULATIONS
            return super().choose(budget)

    choices: list[int] = []
    # A game of 6x6 takes more steps than this.
    warm_up(load("breakthrough_6").machine, [Entrant("counting", Counting)] * 2)
    assert len(choices) == 2 * WARM_UP_STEPS


def test_paired_games_let_chance_draw_alike_for_all_seats(tmp_path: Path) -> None:
    game = load("kuhn_poker")
    folder = RecordFolder(
        folder=tmp_path, game=game.name, rules="", clocks=MatchClocks(simulations=1)
    )
    play_series(
        game.machine,
        [Entrant("random", RandomPlayer), Entrant("random", RandomPlayer)],
        games=12,
        turn_budget=lambda: Budget.of(simulations=1),
        seed=1,
        swap=True,
        paired=True,
        records=folder,
    )
    records = [read_record(folder.path(number)) for number in range(1, 13)]
    dealt = [tuple(line.moves[0] for line in record.steps[:2]) for record in records]
    assert dealt[::2] == dealt[1::2]
    assert len(set(dealt)) > 1


def test_who_was_late_while_warming_up_warms_up_again() -> None:
    choices: list[int] = []

    class Slow(RandomPlayer):
        def choose(self, budget: Budget) -> MoveId:
            if not choices:
                # As long as kernels take to be built.
                time.sleep(2.5 * WARM_UP_SECONDS)
            choices.append(1)
            return super().choose(budget)

    warm_up(load("breakthrough_6").machine, [Entrant("slow", Slow)] * 2)
    assert len(choices) == 2 * 2 * WARM_UP_STEPS
