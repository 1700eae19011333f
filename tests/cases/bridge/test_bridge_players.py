"""Declarers and defenders: what each may see, what it prefers, and the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import EAST, SOUTH, WEST, card, figure_3, hand, played

from fogspiel.cases.bridge.cards import DECK, NOTRUMP, card_name, length, points
from fogspiel.cases.bridge.deals import BoardRecord, parse_hands, random_hands
from fogspiel.cases.bridge.double_dummy import tricks
from fogspiel.cases.bridge.matches.board_play import play_board
from fogspiel.cases.bridge.players import pimc
from fogspiel.cases.bridge.players.catalogue import (
    DECLARERS,
    DEFENDERS,
    DoubleDummyDefender,
    make_declarer,
    make_defender,
)
from fogspiel.cases.bridge.players.pimc import (
    POINTS,
    PimcDeclarer,
    PimcDefender,
    Prospect,
    best_card,
    declarers_order,
    possible_hands,
    prospects,
)
from fogspiel.cases.bridge.players.protocol import SeesAllHands
from fogspiel.cases.bridge.table import CardTable, Contract, equal_groups
from fogspiel.cases.bridge.view import DefenderView, view_of
from fogspiel.core.findings import UsageError

SPADE_GAME = Contract(5, 0, SOUTH)
TWO_WAYS = "N:AJT4.A32.432.A32 87.QJ98.KQJ.QJT9 K932.K54.A65.K54 Q65.T76.T987.876"
"""The queen of spades can be finessed either way."""


def names(groups: list[tuple[int, ...]]) -> list[str]:
    return [" ".join(card_name(each) for each in group) for group in groups]


def test_equals_are_joined_by_cards_of_finished_tricks_only() -> None:
    north = hand("KJ9.2.AT.")
    table = CardTable(Contract(3, NOTRUMP, SOUTH), trick_leader=0)
    assert names(equal_groups(north, north, table)) == ["S9", "SJ", "SK", "H2", "DT", "DA"]
    gone = hand("QT..KQJ.")
    after = CardTable(Contract(3, NOTRUMP, SOUTH), trick_leader=0, played=gone)
    assert names(equal_groups(north, north, after)) == ["S9 SJ SK", "H2", "DT DA"]
    queen = card("SQ")
    during = CardTable(Contract(3, NOTRUMP, SOUTH), (queen,), 3, 0, 1 << queen)
    legal = during.legal(north)
    assert names(equal_groups(north, legal, during)) == ["S9", "SJ", "SK"]


def test_the_contract_comes_before_tricks_if_it_is_the_objective() -> None:
    safe, greedy = Prospect(1, tricks=9.2, made=0.8), Prospect(2, tricks=9.5, made=0.5)
    assert best_card([safe, greedy], "contract", [1, 2]) == 1
    assert best_card([safe, greedy], "tricks", [1, 2]) == 2
    assert best_card([safe, greedy], "contract", [1, 2], for_defence=True) == 2
    assert best_card([safe, greedy], "tricks", [1, 2], for_defence=True) == 1


def test_ties_go_to_the_earlier_card_and_the_other_number_comes_first() -> None:
    alike = [Prospect(1, 9.0, 0.5), Prospect(2, 9.0 + 1e-12, 0.5), Prospect(3, 9.0, 0.4)]
    assert best_card(alike, "tricks", [3, 2, 1]) == 2
    assert best_card(alike, "tricks", [1, 2, 3], for_defence=True) == 3


def test_low_cards_of_long_suits_come_first_where_declarer_has_a_tie() -> None:
    hands, table = played(parse_hands(TWO_WAYS), CardTable.start(Contract(3, NOTRUMP, SOUTH)), "D9")
    hands, table = played(hands, table, "D2 DJ DA")
    order = [card_name(each) for each in declarers_order(view_of(hands, table))]
    # Spades are four and four, the other suits three and three; the five and the six are equals.
    assert order == ["S2", "H4", "C4", "D5", "S9", "SK", "HK", "CK"]


def test_prospects_are_weighted_means_of_double_dummy() -> None:
    dealt = parse_hands(TWO_WAYS)
    hands, table = played(dealt, CardTable.start(Contract(3, NOTRUMP, SOUTH)), "D9 D2 DJ DA")
    other = (hands[0], hands[WEST], hands[SOUTH], hands[EAST])
    one, two = (tricks_after(world, table, "SK") for world in (hands, other))
    assert one != two
    needed = table.contract.needed
    (found,) = prospects([card("SK")], table, [hands, other], np.array([0.25, 0.75]))
    assert found.tricks == pytest.approx(0.25 * one + 0.75 * two)
    assert found.made == pytest.approx(0.25 * (one >= needed) + 0.75 * (two >= needed))


def tricks_after(hands: tuple[int, int, int, int], table: CardTable, name: str) -> int:
    left, after = played(hands, table, name)
    return tricks(left, after)


def test_a_card_without_an_alternative_is_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it thought about a forced card")

    monkeypatch.setattr(pimc, "sample_worlds", refuse)
    monkeypatch.setattr(pimc, "possible_hands", refuse)
    hands, table = played(figure_3(), CardTable.start(SPADE_GAME), "D6")
    # Dummy has 5432 of diamonds: all the same.
    assert card_name(PimcDeclarer().card(view_of(hands, table))) == "D2"
    hands, table = played(figure_3(), CardTable.start(SPADE_GAME), "D6 D2 DJ DA S5 S8 S2")
    # East has the seven of spades alone.
    assert card_name(PimcDefender().card(DefenderView(table, EAST, hands[EAST], hands[0]))) == "S7"


def test_pimc_makes_figure_3_and_says_it_the_same_way_twice() -> None:
    record = BoardRecord(hands=figure_3(), contract=SPADE_GAME, play=(card("D6"),))
    histories = []
    for seed in (1, 1, 2):
        declarer = make_declarer("pimc:12", "contract")
        defenders = [make_defender("double-dummy") for _ in range(2)]
        done = play_board(record, declarer, defenders, seed=seed)
        histories.append(done.table.history)
        assert done.tricks == 11
    assert histories[0] == histories[1]


def test_double_dummy_against_double_dummy_is_the_solvers_number() -> None:
    rng = np.random.default_rng(11)
    for _ in range(4):
        contract = Contract(1, int(rng.integers(5)), int(rng.integers(4)))
        record = BoardRecord(hands=random_hands(rng), contract=contract)
        declarer = make_declarer("double-dummy")
        defenders = [make_defender("double-dummy") for _ in range(2)]
        done = play_board(record, declarer, defenders, seed=0)
        assert done.tricks == done.double_dummy == done.double_dummy_before
        assert done.lost == 0


def test_nobody_else_gains_on_double_dummy_defenders() -> None:
    rng = np.random.default_rng(12)
    for name in ("pimc:3", "alpha-mu:3,2,4"):
        record = BoardRecord(hands=random_hands(rng), contract=Contract(1, NOTRUMP, 1))
        defenders = [make_defender("double-dummy") for _ in range(2)]
        assert play_board(record, make_declarer(name), defenders, seed=3).lost >= 0


def test_only_players_called_double_dummy_are_shown_all_hands() -> None:
    seeing = {name for name in DECLARERS if isinstance(make_declarer(name), SeesAllHands)}
    assert seeing == {"double-dummy"}
    seeing = {name for name in DEFENDERS if isinstance(make_defender(name), SeesAllHands)}
    assert seeing == {"double-dummy"}


def test_a_double_dummy_defender_draws_between_touching_honours_it_follows_with() -> None:
    hands, table = played(figure_3(), CardTable.start(SPADE_GAME), "D6 D2")
    drawn = set()
    for seed in range(12):
        defender = DoubleDummyDefender()
        defender.start(seed)
        defender.reveal(hands)
        drawn.add(card_name(defender.card(DefenderView(table, EAST, hands[EAST], hands[0]))))
    assert drawn == {"DJ", "DQ"}


TWO_SPADES = "D6 D2 DJ DA SA S8 S2 S7 SK S9 S3 H7"
"""East has no second spade."""


def test_deals_of_a_defender_fit_what_it_sees() -> None:
    hands, table = played(figure_3(), CardTable.start(SPADE_GAME), f"{TWO_SPADES} C4 C7 C2")
    view = DefenderView(table, EAST, hands[EAST], hands[0])
    worlds = possible_hands(view, 40, np.random.default_rng(1))
    assert len(set(worlds)) == 40
    shown = points(hand("AK..A."))
    for world in worlds:
        assert (world[0], world[EAST]) == (hands[0], hands[EAST])
        assert world[0] | world[1] | world[2] | world[3] == DECK & ~table.played
        assert (world[SOUTH].bit_count(), world[WEST].bit_count()) == (9, 9)
        # Dummy has no points: declarer must have what five spades ask for.
        assert points(world[SOUTH]) + shown >= POINTS[5]


def test_a_defender_knows_in_what_its_partner_is_void() -> None:
    hands, table = played(figure_3(), CardTable.start(SPADE_GAME), f"{TWO_SPADES} C4")
    view = DefenderView(table, WEST, hands[WEST], hands[0])
    worlds = possible_hands(view, 30, np.random.default_rng(2))
    assert {length(world[EAST], 0) for world in worlds} == {0}
    assert len({length(world[EAST], 1) for world in worlds}) > 1


def test_before_dummy_is_seen_deals_have_points_for_the_contract() -> None:
    hands = figure_3()
    view = DefenderView(CardTable.start(Contract(6, 0, SOUTH)), WEST, hands[WEST], 0)
    worlds = possible_hands(view, 30, np.random.default_rng(1))
    assert len(set(worlds)) == 30
    for world in worlds:
        assert world[WEST] == hands[WEST]
        assert [held.bit_count() for held in world] == [13] * 4
        assert points(world[SOUTH] | world[0]) >= POINTS[6]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("gib", "BRI031"),
        ("", "BRI031"),
        ("pimc:many", "BRI033"),
        ("pimc:0", "BRI033"),
        ("pimc:20,3", "BRI033"),
        ("pimc:99999999999999999999", "BRI033"),
        ("double-dummy:3", "BRI033"),
        ("alpha-mu:20,", "BRI033"),
        ("pimc:²", "BRI033"),
    ],
)
def test_names_that_nobody_has_are_refused(name: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_declarer(name)
    assert [finding.code for finding in caught.value.findings] == [code]


def test_an_unknown_defence_is_refused() -> None:
    with pytest.raises(UsageError, match="BRI032"):
        make_defender("passive")
