"""The hidden-information games played by hand where a rule is easily got wrong."""

from __future__ import annotations

import pytest
from scripted import Game, start

from fogspiel.games.library import bundled_games


def test_latent_tic_tac_toe_repeats_a_failed_try() -> None:
    game = start("latent_tic_tac_toe").play(x="(mark 2 2)").play(o="(mark 2 2)")
    assert game.moves("x") == ["noop"]
    assert "(mark 2 2)" not in game.moves("o")
    assert game.seen["o"] == ("(turn o)",)
    game.play(o="(mark 1 1)")
    assert game.seen["x"] == ("(turn x)",)
    # x does not know of 1 1, and may try it.
    assert "(mark 1 1)" in game.moves("x")


def test_blind_tic_tac_toe_lets_chance_break_a_tie() -> None:
    game = start("blind_tic_tac_toe")
    game.play(x="(mark 2 2)", o="(mark 2 2)", random="(favour o)")
    assert (game.seen["x"], game.seen["o"]) == ((), ("ok",))
    assert "(mark 2 2)" not in game.moves("x")
    # A cell that is taken stays with its owner, whomever chance favours.
    game.play(x="(mark 1 1)", o="(mark 3 3)", random="(favour x)")
    game.play(x="(mark 3 3)", o="(mark 1 2)", random="(favour x)")
    assert game.seen["x"] == ()


def test_phantom_connect_four_refuses_a_full_column() -> None:
    game = start("phantom_connect_four")
    for _ in range(3):
        game.play(red="(drop 1)").play(yellow="(drop 1)")
    # Yellow put the last disc on column 1 and knows that it is full; red does not.
    assert game.seen["yellow"] == ("(landed 6)", "(turn red)")
    game.play(red="(drop 1)")
    assert game.seen["red"] == ("(turn red)",)
    assert "(drop 1)" not in game.moves("red")
    game.play(red="(drop 2)")
    assert "(drop 1)" not in game.moves("yellow")


def test_phantom_connect_four_sees_lines_in_all_directions() -> None:
    drops = {
        "column": "1 2 1 2 1 2 1",
        "row": "1 1 2 2 3 3 4",
        "rising": "1 2 2 3 3 4 3 4 4 6 4",
        "falling": "7 6 6 5 5 4 5 4 4 2 4",
    }
    for line in drops.values():
        game = start("phantom_connect_four")
        for turn, column in enumerate(line.split()):
            assert not game.over
            game.play(**{("red", "yellow")[turn % 2]: f"(drop {column})"})
        assert game.over
        assert (game.goal("red"), game.goal("yellow")) == (100, 0)


def test_blind_breakthrough_tells_of_blocked_pawns_and_captures() -> None:
    game = start("blind_breakthrough_6")
    game.play(white="(move 1 2 1 3)").play(black="(move 1 5 1 4)")
    assert game.seen["white"] == ("(blocked 1 3)",)
    assert "(move 1 3 1 4)" not in game.moves("white")
    game.play(white="(move 2 2 2 3)")
    assert game.seen["black"] == ("(blocked 1 4)",)
    game.play(black="(move 1 4 2 3)")
    assert "(captured 2 3)" in game.seen["white"]


def test_battleship_offers_every_placement_and_names_the_ship_that_is_hit() -> None:
    placements = bundled_games()["battleship_4"].facts["placements"].value
    game = start("battleship_4")
    assert len(game.moves("first")) == placements["boat"]
    boat = "(place boat across 1 1)"
    game.play(first=boat, second=boat)
    # A boat on 1 1 and 2 1 rules out 2 places across row 1, and one down in each of 2 columns.
    assert len(game.moves("first")) == placements["cruiser"] - 4
    cruiser = "(place cruiser across 1 4)"
    game.play(first=cruiser, second=cruiser)
    targets = [("1 1", "boat"), ("2 1", "boat"), ("1 4", "cruiser"), ("2 4", "cruiser")]
    for column, (cell, ship) in enumerate(targets, start=1):
        game.play(first=f"(shoot {cell})")
        assert f"(hit {ship})" in game.seen["first"]
        game.play(second=f"(shoot {column} 2)")
        assert game.seen["second"] == ()
        assert not game.over
    game.play(first="(shoot 3 4)")
    assert (game.goal("first"), game.goal("second")) == (100, 0)


@pytest.mark.parametrize(
    ("wrong", "goal"), [(0, 100), (3, 100), (4, 95), (5, 90), (6, 85), (7, 80), (8, 0)]
)
def test_mastermind_scores_by_the_number_of_guesses(wrong: int, goal: int) -> None:
    game = start("mastermind").play(random="(set red green blue red)")
    for _ in range(wrong):
        game.play(player="(try red red blue blue)")
        assert game.seen["player"] == ("(right 1)", "(right 3)")
    if wrong < 8:
        game.play(player="(try red green blue red)")
    assert game.over
    assert game.goal("player") == goal


@pytest.mark.parametrize("name", ["number_guessing_8", "number_guessing_16"])
def test_number_guessing_scores_by_the_questions_beyond_binary_search(name: str) -> None:
    facts = bundled_games()[name].facts
    scores = facts["scores"].value
    for more, score in enumerate(scores):
        game = start(name).play(random="(choose 3)")
        for _ in range(facts["binary_search_questions"].value + more):
            game.play(player="(ask 3)")
            assert game.seen["player"] == ("yes",)
        assert game.play(player="ready").play(player="(guess 3)").goal("player") == score


def test_binary_search_finds_every_number() -> None:
    facts = bundled_games()["number_guessing_16"].facts
    for secret in range(1, 17):
        game = start("number_guessing_16").play(random=f"(choose {secret})")
        low, high = 1, 16
        for _ in range(facts["binary_search_questions"].value):
            middle = (low + high) // 2
            game.play(player=f"(ask {middle})")
            low, high = (low, middle) if game.seen["player"] == ("yes",) else (middle + 1, high)
        assert low == high
        assert game.play(player="ready").play(player=f"(guess {low})").goal("player") == 100


def test_number_guessing_forces_a_guess_after_thirteen_questions() -> None:
    game = start("number_guessing_8").play(random="(choose 8)")
    for _ in range(13):
        game.play(player="(ask 7)")
        assert game.seen["player"] == ("no",)
    assert all(move.startswith("(guess") for move in game.moves("player"))
    assert game.play(player="(guess 7)").goal("player") == 0


def claim(game: Game, role: str, dice: str, value: int) -> Game:
    """A roll and a claim of Meier."""
    return game.play(random=f"(roll {dice})").play(**{role: f"(claim {value})"})


def test_meier_claims_rise_until_meier_which_can_only_be_doubted() -> None:
    game = claim(start("meier"), "first", "1 2", 65)
    assert game.seen["second"] == ("(move first (claim 65))",)
    game.play(second="roll").play(random="(roll 3 4)")
    assert game.seen["second"] == ("(dice 43)",)
    assert game.moves("second") == [f"(claim {v})" for v in (11, 21, 22, 33, 44, 55, 66)]
    game.play(second="(claim 21)")
    assert game.moves("first") == ["doubt"]


@pytest.mark.parametrize(("dice", "winner"), [("4 3", "first"), ("5 3", "second")])
def test_meier_doubt_wins_unless_the_claim_is_what_the_dice_show(dice: str, winner: str) -> None:
    game = claim(start("meier"), "first", dice, 43).play(second="doubt")
    assert game.over
    assert game.goal(winner) == 100
    assert any(percept.startswith("(dice") for percept in game.seen["second"])


def test_meier_knows_all_values() -> None:
    game = start("meier").play(random="(roll 1 1)")
    assert len(game.moves("first")) == bundled_games()["meier"].facts["values"].value


@pytest.mark.parametrize(
    ("betting", "public", "second_round", "chips"),
    # First holds a queen, second a jack: the first player wins unless it folds or jacks pair.
    [
        ("rf", None, "", 1), ("rrf", None, "", -3), ("rrc", "king_1", "rf", 5),
        ("crc", "king_1", "rrf", -7), ("cc", "king_1", "cc", 1), ("rrc", "king_1", "rrc", 13),
        ("cc", "jack_2", "crrc", -9), ("rc", "queen_2", "crc", 7),
    ],
)  # fmt: skip
def test_leduc_poker_pays_what_the_loser_put_in(
    betting: str, public: str | None, second_round: str, chips: int
) -> None:
    game = start("leduc_poker").play(random="(deal queen_1)").play(random="(deal jack_1)")
    bet(game, betting)
    if public is not None:
        bet(game.play(random=f"(deal {public})"), second_round)
    assert game.over
    unit = bundled_games()["leduc_poker"].unit
    assert unit is not None
    assert unit.value(game.goal("first")) == chips
    assert unit.value(game.goal("second")) == -chips


def bet(game: Game, letters: str) -> None:
    """A betting round: f, c and r in turn, the first player beginning."""
    names = {"f": "fold", "c": "call", "r": "raise"}
    for turn, letter in enumerate(letters):
        game.play(**{("first", "second")[turn % 2]: names[letter]})


def test_leduc_poker_shares_the_pot_between_equal_cards() -> None:
    game = start("leduc_poker").play(random="(deal king_1)").play(random="(deal king_2)")
    bet(game, "rc")
    bet(game.play(random="(deal jack_1)"), "cc")
    assert game.goal("first") == game.goal("second") == 50
