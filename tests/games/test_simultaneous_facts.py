"""The simultaneous games against published counts and what simple reasoning says about them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from game_play import exact_mean_goals, machine_of
from histories import Knowledge, StateCount, count_states, explorer, mean_goals
from scripted import start

from fogspiel.games.library import bundled_games

COUNTED = ["biased_rps", "repeated_rps_9", "goofspiel_4", "goofspiel_5"]


@pytest.mark.parametrize("name", COUNTED)
def test_distinct_states_are_those_published(name: str) -> None:
    facts = bundled_games()[name].facts
    expected = StateCount(facts["distinct_states"].value, facts["terminal_states"].value)
    assert count_states(explorer(name).machine) == expected


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_goofspiel_states_are_hands_points_and_last_winner(cards: int) -> None:
    # A second way to the count, without rules: states as tuples.
    hand = frozenset(range(1, cards + 1))
    met = {(hand, hand, 0, 0, 0)}
    work = list(met)
    while work:
        mine, theirs, points, others, _ = work.pop()
        prize = cards - len(mine) + 1
        for bid, answer in product(mine, theirs):
            winner = (bid > answer) - (bid < answer)
            gained, lost = prize * (winner > 0), prize * (winner < 0)
            child = (mine - {bid}, theirs - {answer}, points + gained, others + lost, winner)
            if child not in met:
                met.add(child)
                work.append(child)
    terminal = sum(not mine for mine, *_ in met)
    counted = count_states(explorer(f"goofspiel({cards})").machine)
    assert counted == StateCount(len(met), terminal)


def test_points_of_goofspiel_add_up() -> None:
    # Prizes 1 to 5. First takes 3 and 5, second 1, 2 and 4: 8 points against 7.
    game = start("goofspiel_5")
    for bid, answer in [(1, 3), (2, 4), (3, 2), (4, 5), (5, 1)]:
        assert not game.over
        game.play(first=f"(bid {bid})", second=f"(bid {answer})")
    assert game.over
    assert (game.goal("first"), game.goal("second")) == (100, 0)


def test_equal_bids_discard_the_prize_of_goofspiel() -> None:
    game = start("goofspiel_4")
    for bid in "1234":
        game.play(first=f"(bid {bid})", second=f"(bid {bid})")
    assert game.over
    assert game.goal("first") == game.goal("second") == 50


@pytest.mark.parametrize("name", ["goofspiel_4", "goofspiel_5", "repeated_rps_9"])
def test_random_play_of_symmetric_games_is_exactly_even(name: str) -> None:
    expected = bundled_games()[name].facts["mean_goals"].value
    assert list(exact_mean_goals(machine_of(name))) == expected


@pytest.mark.parametrize("name", ["goofspiel_7", "simultaneous_tic_tac_toe"])
def test_random_play_of_large_symmetric_games_is_even(name: str) -> None:
    machine = machine_of(name)
    played = machine.playouts(machine.initial()[None, :], seed=5, count=60_000)
    # A goal strays by 50 at most, so the standard error is below 50 / sqrt(60,000); five of them.
    expected = bundled_games()[name].facts["mean_goals"].value
    assert played.mean_goals == pytest.approx(expected, abs=1.1)


def by_role(
    choices: Mapping[str, Mapping[str, Fraction]], role: str, _known: Knowledge, _: tuple[str, ...]
) -> Mapping[str, Fraction]:
    """The policy in which each role always draws from the same mixture."""
    return choices[role]


def test_biased_rps_has_the_published_equilibrium() -> None:
    facts = bundled_games()["biased_rps"].facts
    mixture = {move: Fraction(share) for move, share in facts["equilibrium"].value.items()}
    for hand in mixture:
        # Every hand earns the value of the game against the mixture: nobody gains by leaving it.
        choices = {"first": mixture, "second": {hand: Fraction(1)}}
        goals = mean_goals(explorer("biased_rps"), partial(by_role, choices))
        assert goals == [facts["value"].value, facts["value"].value]


def test_prisoners_dilemma_rewards_defecting() -> None:
    expected = bundled_games()["prisoners_dilemma"].facts["mean_goals"].value
    assert mean_goals(explorer("prisoners_dilemma")) == expected
    for theirs in ("cooperate", "defect"):
        kind = start("prisoners_dilemma").play(first="cooperate", second=theirs)
        selfish = start("prisoners_dilemma").play(first="defect", second=theirs)
        assert selfish.goal("first") > kind.goal("first")


def test_simultaneous_tic_tac_toe_merges_equal_first_moves() -> None:
    machine = explorer("simultaneous_tic_tac_toe").machine
    children = machine.expand(machine.initial()).states
    expected = bundled_games()["simultaneous_tic_tac_toe"].facts["root_children"].value
    assert len({machine.key(state) for state in children}) == expected


def test_simultaneous_tic_tac_toe_is_drawn_with_two_lines() -> None:
    game = start("simultaneous_tic_tac_toe")
    for row in "123":
        game.play(x=f"(mark 1 {row})", o=f"(mark 2 {row})")
    assert game.over
    assert game.goal("x") == game.goal("o") == 50


def test_simultaneous_tic_tac_toe_leaves_a_disputed_cell_blank_and_ends_after_nine_steps() -> None:
    game = start("simultaneous_tic_tac_toe")
    for _ in range(9):
        assert "(mark 2 2)" in game.moves("x")
        game.play(x="(mark 2 2)", o="(mark 2 2)")
    assert game.over
    assert game.goal("x") == 50


def test_privilege_decides_a_disputed_cell_and_changes_sides() -> None:
    game = start("simultaneous_breakthrough")
    game.play(white="(move 1 1 1 2)", black="(move 3 5 3 4)")
    # White has the privilege first: its pawn takes 2 3, the black pawn is lost.
    game.play(white="(move 1 2 2 3)", black="(move 3 4 2 3)")
    assert "(move 2 3 2 4)" in game.moves("white")
    assert not any(move.startswith("(move 2 3") for move in game.moves("black"))
    # Now black has it: a second dispute at 1 4 leaves a black pawn there.
    game.play(white="(move 2 3 1 4)", black="(move 1 5 1 4)")
    assert "(move 1 4 1 3)" in game.moves("black")
    assert "(move 1 4 2 5)" not in game.moves("white")


def test_breaking_through_together_is_a_draw() -> None:
    game = start("simultaneous_breakthrough")
    for rank in range(1, 5):
        game.play(
            white=f"(move 1 {rank} 1 {rank + 1})" if rank < 4 else "(move 1 4 2 5)",
            black=f"(move 3 {6 - rank} 3 {5 - rank})" if rank < 4 else "(move 3 2 2 1)",
        )
    assert game.over
    assert game.goal("white") == game.goal("black") == 50


def test_simultaneous_breakthrough_never_leaves_a_role_without_a_move() -> None:
    machine = explorer("simultaneous_breakthrough").machine
    played = machine.playouts(machine.initial()[None, :], seed=1, count=20_000)
    assert played.stuck == played.cut == 0


@pytest.mark.parametrize(
    ("named", "winner"),
    # The examples of the source: 1 2 3, then 1 2 1, then three times the same number.
    [("1 2 3", "first"), ("1 2 1", "second"), ("4 4 4", None), ("9 9 10", "third")],
)
def test_smallest_unique_number_earns_ten_points(named: str, winner: str | None) -> None:
    game = start("smallest")
    roles = ("first", "second", "third")
    for _ in range(25):
        if game.over:
            break
        moves = {role: f"(name {n})" for role, n in zip(roles, named.split(), strict=True)}
        game.play(**moves)
    assert game.over
    assert [game.goal(role) for role in roles] == [100 * (role == winner) for role in roles]


def test_smallest_rewards_everyone_alike_in_one_step() -> None:
    game = explorer("smallest")
    machine = game.machine
    share = bundled_games()["smallest"].facts["round_win_probability"].value
    goals = machine.goals_batch(machine.expand(machine.initial()).states)
    assert goals.mean(axis=0) == pytest.approx([10 * share] * 3)
