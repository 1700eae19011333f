"""The rules of the POGDDL games by plays that were written by hand, and what each role may see."""

from __future__ import annotations

import pytest
from planning import begin, numbers, on_turn, planned, play

from fogspiel.core.findings import UsageError
from fogspiel.games.library import bundled_games, game_source
from fogspiel.rules.pogddl.check.checks import read_and_check


class TestBattleship:
    """Two ships on 4x4 cells, unless said otherwise."""

    LAID_OUT = (
        "(place first a1 across)", "(place second d1 down)",
        "(place first a2 down)", "(place second a4 across)",
    )  # fmt: skip

    def test_a_ship_lies_within_the_sea_and_on_no_other(self) -> None:
        game = begin("battleship_4_2")
        assert (
            len(game.moves("first")) == bundled_games()["battleship_4_2"].facts["placements"].value
        )
        assert "(place first d1 across)" not in game.moves("first")
        play(game, "(place first a1 across)", "(place second a1 across)")
        # Of its 16 places a cruiser loses those on a1 or b1: two across, and one down from each.
        assert len(game.moves("first")) == 16 - 4
        assert "(place first b1 down)" not in game.moves("first")
        assert "(place first c1 down)" in game.moves("first")

    def test_who_lays_out_a_ship_shows_nothing_of_its_place(self) -> None:
        game = begin("battleship_4_2", "(place first a1 across)")
        assert game.seen["second"] == ("(placed first destroyer)",)
        play(game, "(place second d1 down)")
        assert game.seen["first"] == ("(placed second destroyer)",)

    def test_a_ship_is_hit_and_sunk_and_the_whole_fleet_ends_the_game(self) -> None:
        game = begin("battleship_4_2", *self.LAID_OUT)
        play(game, "(shoot first d1)")
        assert set(game.seen["first"]) == {"(shot-at first d1)", "(hit destroyer)"}
        assert game.seen["second"] == game.seen["first"]
        play(game, "(shoot second d4)")
        assert set(game.seen["first"]) == {"(shot-at second d4)", "missed"}
        play(game, "(shoot first d2)")
        assert set(game.seen["second"]) == {"(shot-at first d2)", "(sunk destroyer)"}
        assert numbers(game)["afloat second destroyer"] == "0"
        play(game, "(shoot second d3)", "(shoot first a4)", "(shoot second d2)")
        play(game, "(shoot first b4)", "(shoot second d1)")
        assert not game.over
        game = play(game, "(shoot first c4)")
        assert set(game.seen["second"]) == {"(shot-at first c4)", "(sunk cruiser)"}
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (1, -1)

    def test_no_cell_is_shot_at_twice(self) -> None:
        game = begin("battleship_4_2", *self.LAID_OUT)
        assert len(game.moves("first")) == 16
        play(game, "(shoot first a1)", "(shoot second a1)")
        assert "(shoot first a1)" not in game.moves("first")
        assert len(game.moves("first")) == 15

    def test_who_has_no_room_for_a_ship_gives_up(self) -> None:
        first = ["a1 across", "c2 down", "d1 down"]  # in every row and column of the board
        second = ["a1 across", "a2 across", "a3 across"]
        moves = [
            f"(place {player} {place})"
            for pair in zip(first, second, strict=True)
            for player, place in zip(("first", "second"), pair, strict=True)
        ]
        game = begin("battleship(4,4)", *moves)
        assert game.moves("first") == ["(give-up first)"]
        play(game, "(give-up first)")
        assert game.seen["second"] == ("(gave-up first)",)
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (-1, 1)

    def test_the_standard_fleet_takes_as_many_hits_as_the_index_says(self) -> None:
        facts = bundled_games()["battleship_10"].facts
        game = begin("battleship_10")
        assert len(game.moves("first")) == facts["placements"].value
        afloat = [int(n) for name, n in numbers(game).items() if name.startswith("afloat first")]
        assert sum(afloat) == facts["fleet_cells"].value
        assert sorted(afloat) == [2, 3, 3, 4, 5]


class TestRacko:
    """Eight or six cards and two slots; the deal goes first s1, second s1, first s2, second s2."""

    def dealt(self, *cards: int) -> tuple[str, ...]:
        return tuple(f"(deal c{card})" for card in cards)

    def test_only_the_owner_sees_the_card_that_is_dealt(self) -> None:
        game = begin("racko(8,2)", "(deal c5)")
        assert game.seen["first"] == ("(dealt first s1 c5)",)
        assert game.seen["second"] == ("(dealt first s1 _)",)

    def test_a_card_that_lies_open_brings_a_rack_in_order(self) -> None:
        game = begin("racko(8,2)", *self.dealt(5, 7, 2, 1, 6))
        assert game.seen["second"] == ("(turned-up c6)",)
        assert game.moves("first") == ["(draw first)", "(take first s1)", "(take first s2)"]
        play(game, "(take first s2)")
        assert set(game.seen["second"]) == {"(took first s2)", "(turned-up c2)", "(racko first)"}
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (1, -1)

    def test_a_drawn_card_is_seen_by_none_but_the_player(self) -> None:
        game = begin("racko(8,2)", *self.dealt(5, 7, 2, 1, 6), "(draw first)")
        assert set(game.moves("chance")) == {"(deal c3)", "(deal c4)", "(deal c8)"}
        play(game, "(deal c3)")
        assert (game.seen["first"], game.seen["second"]) == (("(drew c3)",), ("(drew _)",))
        play(game, "(put first s1)")
        assert set(game.seen["second"]) == {"(put first s1)", "(turned-up c5)"}
        assert numbers(game)["rack first s1"] == "3"
        assert (numbers(game)["top"], numbers(game)["turns"]) == ("5", "15")
        assert on_turn(game) == "second"
        play(game, "(draw second)", "(deal c8)", "(put second s2)")
        assert set(game.seen["first"]) == {"(put second s2)", "(turned-up c1)", "(racko second)"}
        assert (game.goal("first"), game.goal("second")) == (-1, 1)

    def test_a_drawn_card_may_be_discarded(self) -> None:
        game = begin("racko(8,2)", *self.dealt(5, 7, 2, 1, 6), "(draw first)", "(deal c8)")
        assert game.moves("first") == ["(discard first)", "(put first s1)", "(put first s2)"]
        play(game, "(discard first)")
        assert set(game.seen["second"]) == {"(discarded first)", "(turned-up c8)"}
        assert game.moves("second") == ["(draw second)", "(take second s1)", "(take second s2)"]

    def test_nobody_wins_when_the_pile_is_used_up(self) -> None:
        game = begin("racko(6,2)", *self.dealt(5, 4, 2, 1, 6), "(draw first)", "(deal c3)")
        assert not game.over
        game = play(game, "(discard first)")
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (0, 0)

    def test_nobody_wins_after_as_many_turns_of_each_as_there_are_cards(self) -> None:
        game = begin("racko(6,2)", *self.dealt(5, 4, 2, 1, 6))
        for turn in range(12):
            assert not game.over, turn
            play(game, f"(take {on_turn(game)} s1)")
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (0, 0)

    def test_two_racks_in_order_as_dealt_are_a_draw(self) -> None:
        game = begin("racko(6,2)", *self.dealt(1, 3, 2, 4, 5))
        assert set(game.seen["first"]) == {"(turned-up c5)", "(racko first)", "(racko second)"}
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (0, 0)


class TestGops:
    """Three rounds and nine cards."""

    HANDS = ("(deal c9)", "(deal c7)", "(deal c8)", "(deal c6)", "(deal c4)", "(deal c5)")

    def test_hands_are_dealt_in_secret(self) -> None:
        game = begin("gops(3,0)", "(deal c9)")
        assert (game.seen["first"], game.seen["second"]) == (
            ("(dealt first c9)",),
            ("(dealt first _)",),
        )

    def test_a_bid_is_hidden_until_it_is_answered(self) -> None:
        game = begin("gops(3,0)", *self.HANDS, "(deal c1)")
        assert game.seen["first"] == game.seen["second"] == ("(prize c1)",)
        assert game.moves("first") == ["(bid-first c4)", "(bid-first c8)", "(bid-first c9)"]
        play(game, "(bid-first c9)")
        assert game.seen["second"] == ("(bid first _)",)
        play(game, "(bid-second c7)")
        assert set(game.seen["first"]) == {"(bid first c9)", "(bid second c7)"}
        assert set(game.seen["second"]) == {"(bid first c9)", "(bid second c7)"}
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("1", "0")

    def test_equal_scores_are_a_draw(self) -> None:
        game = begin(
            "gops(3,0)", *self.HANDS, "(deal c1)", "(bid-first c9)", "(bid-second c7)",
            "(deal c2)", "(bid-first c8)", "(bid-second c6)", "(deal c3)", "(bid-first c4)",
        )  # fmt: skip
        assert not game.over
        game = play(game, "(bid-second c5)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("3", "3")
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (0, 0)

    def test_the_higher_score_wins(self) -> None:
        game = begin("gops(1,2)", "(deal c1)", "(deal c5)", "(deal c2)")
        play(game, "(bid-first c1)", "(bid-second c5)")
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (-1, 1)


class TestDifference:
    """Five cards, so two turns."""

    DEALT = ("(deal c3)", "(deal c5)", "(deal c1)", "(deal c4)")

    def test_all_see_the_centre_and_only_the_owner_its_cards(self) -> None:
        game = begin("difference(5)", "(deal c3)")
        assert game.seen["first"] == game.seen["second"] == ("(centre c3)",)
        play(game, "(deal c5)")
        assert (game.seen["first"], game.seen["second"]) == (
            ("(dealt first c5)",),
            ("(dealt first _)",),
        )
        play(game, "(deal c1)")
        assert (game.seen["first"], game.seen["second"]) == (
            ("(dealt second _)",),
            ("(dealt second c1)",),
        )

    def test_the_score_is_how_far_a_card_is_from_the_one_beneath(self) -> None:
        game = begin("difference(5)", *self.DEALT)
        assert game.moves("first") == ["(play first c4)", "(play first c5)"]
        play(game, "(play first c5)")
        assert game.seen["second"] == ("(played first c5)",)
        assert numbers(game)["score first"] == "2"
        play(game, "(deal c2)", "(play second c1)")
        assert numbers(game)["score second"] == "4"
        assert game.over
        assert (game.goal("first"), game.goal("second")) == (-1, 1)

    def test_the_first_player_wins_by_a_higher_score(self) -> None:
        game = begin("difference(5)", "(deal c1)", "(deal c5)", "(deal c4)", "(deal c2)")
        play(game, "(play first c5)", "(deal c3)", "(play second c4)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("4", "1")
        assert (game.goal("first"), game.goal("second")) == (1, -1)

    def test_equal_scores_are_a_draw(self) -> None:
        game = begin("difference(5)", *self.DEALT, "(play first c4)", "(deal c2)")
        play(game, "(play second c1)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("1", "3")
        game = begin("difference(5)", "(deal c3)", "(deal c5)", "(deal c4)", "(deal c1)")
        play(game, "(play first c1)", "(deal c2)", "(play second c2)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("2", "1")
        game = begin("difference(5)", "(deal c3)", "(deal c5)", "(deal c4)", "(deal c2)")
        play(game, "(play first c2)", "(deal c1)", "(play second c1)")
        assert (game.goal("first"), game.goal("second")) == (0, 0)

    def test_the_highest_cards_may_lie_there_from_the_beginning(self) -> None:
        """Richards (2012), appendix B.4."""
        game = begin("difference(9,1)", "(deal c2)")
        assert (game.seen["first"], game.seen["second"]) == (
            ("(dealt first c2)",),
            ("(dealt first _)",),
        )
        assert game.moves("first") == ["(play first c2)", "(play first c7)"]
        play(game, "(play first c2)")
        assert numbers(game)["score first"] == "7"
        play(game, "(deal c1)")
        assert game.moves("second") == ["(play second c1)", "(play second c8)"]

    def test_equal_scores_are_then_a_win_for_the_second(self) -> None:
        game = begin("difference(5,1)", "(deal c1)", "(play first c1)", "(deal c2)")
        play(game, "(play second c2)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("4", "1")
        assert (game.goal("first"), game.goal("second")) == (1, 0)
        game = begin("difference(5,1)", "(deal c2)", "(play first c3)", "(deal c1)")
        play(game, "(play second c1)")
        assert (numbers(game)["score first"], numbers(game)["score second"]) == ("2", "2")
        assert (game.goal("first"), game.goal("second")) == (0, 1)


@pytest.mark.parametrize("name", ["gops_10_40", "difference_9", "difference_11"])
def test_every_game_has_the_same_number_of_steps(name: str) -> None:
    expected = bundled_games()[name].facts["steps"].value
    machine = planned(name).machine
    result = machine.playouts(machine.initial()[None, :], seed=1, count=5)
    assert (result.steps, result.cut, result.stuck) == (5 * expected, 0, 0)


# Richards (2012), table 4.1: every instance that he measured.
TABLE_4_1 = [
    *(f"racko({cards},{slots})" for slots in range(6, 11) for cards in (30, 40, 50, 60)),
    *(f"battleship({size},{ships})" for ships in range(1, 6) for size in (4, 6, 8, 10)),
    *(f"gops({rounds},{extra})" for rounds in range(2, 11, 2) for extra in (10, 20, 30, 40)),
]


@pytest.mark.parametrize("name", [name for name in TABLE_4_1 if name != "battleship(4,5)"])
def test_every_instance_of_table_4_1_is_written_without_findings(name: str) -> None:
    description, findings = read_and_check([game_source(name)])
    assert not findings
    assert description.problem is not None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("battleship(4,5)", "size must be from 5 to 10; got 4"),
        ("battleship(10,6)", "ships must be from 1 to 5; got 6"),
        ("racko(21,10)", "cards must be from 22 to 60; got 21"),
        ("gops(0,10)", "rounds must be from 1 to 13; got 0"),
        ("difference(3)", "cards must be from 4 to 40; got 3"),
        ("difference(9,2)", "known must be from 0 to 1; got 2"),
    ],
)
def test_parameters_that_make_no_game_are_refused(name: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        game_source(name)
    assert reason in caught.value.findings[0].message
