"""Opening leads: the conventional card from each holding, and what a lead tells."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import SOUTH, card, played

from fogspiel.cases.bridge.cards import RANKS, length
from fogspiel.cases.bridge.deals import parse_hands, random_hands
from fogspiel.cases.bridge.knowledge import (
    FOLLOWED,
    LeadTable,
    lead_probabilities,
    notrump_leads,
    side_suit_leads,
    trump_leads,
)
from fogspiel.cases.bridge.sampling import Worlds, sample_worlds
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import Habits, view_of

NO_HABITS = Habits(equals=False, leads=False)


def bits(names: str) -> int:
    return sum(1 << RANKS.index(name) for name in names)


def led(table: LeadTable, names: str) -> str:
    """The card that is led most often from a holding."""
    return RANKS[int(table.cards[bits(names)].argmax())]


SUIT_CONTRACT = [
    ("7", "7"),
    ("72", "7"),
    ("AJ42", "A"),  # no lead away from an ace
    ("KQ5", "K"),
    ("QJ42", "Q"),
    ("JT5", "J"),
    ("KJT4", "J"),
    ("QT95", "T"),
    ("K53", "3"),
    ("K8532", "3"),
    ("Q642", "2"),
    ("T976", "T"),
    ("852", "8"),
]
NOTRUMP = [
    ("Q2", "Q"),
    ("KQJ3", "K"),
    ("QJ93", "Q"),
    ("AQJ4", "Q"),
    ("KJT4", "J"),
    ("AT95", "T"),
    ("AQ743", "4"),
    ("K8532", "3"),
    ("AK752", "5"),
    ("QJ2", "Q"),
    ("K73", "3"),
]


@pytest.mark.parametrize(("holding", "card_led"), SUIT_CONTRACT)
def test_against_a_suit_the_conventional_card_is_led(holding: str, card_led: str) -> None:
    assert led(side_suit_leads(), holding) == card_led


@pytest.mark.parametrize(("holding", "card_led"), NOTRUMP)
def test_against_notrump_the_conventional_card_is_led(holding: str, card_led: str) -> None:
    assert led(notrump_leads(), holding) == card_led


@pytest.mark.parametrize(
    ("table", "holding"), [(side_suit_leads(), "AK4"), (notrump_leads(), "AKQ5")]
)
def test_from_ace_and_king_each_is_led_as_often(table: LeadTable, holding: str) -> None:
    """The choice is a matter of taste."""
    shares = table.cards[bits(holding)]
    assert shares[RANKS.index("A")] + shares[RANKS.index("K")] > FOLLOWED
    assert shares[RANKS.index("A")] == shares[RANKS.index("K")]


@pytest.mark.parametrize("table", [side_suit_leads(), notrump_leads(), trump_leads()])
def test_every_holding_leads_some_card_that_it_has(table: LeadTable) -> None:
    held = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
    assert not table.cards[held == 0].any()
    assert np.allclose(table.cards[1:].sum(axis=1), 1.0)
    assert table.invites[0] == 0
    assert (table.invites[1:] > 0).all()
    # No card is excluded: a lead against convention is unlikely, not impossible.
    assert (table.cards[held == 1] > 0).all()


@pytest.mark.parametrize("denomination", range(5))
def test_the_leads_of_a_hand_have_probability_one_together(denomination: int) -> None:
    rng = np.random.default_rng(denomination)
    dealt = np.array([random_hands(rng)[0] for _ in range(50)], np.uint64)
    total = sum(lead_probabilities(dealt, lead, denomination) for lead in range(52))
    assert np.allclose(total, 1.0)


def test_convention_is_followed_mostly() -> None:
    top_of_two = side_suit_leads().cards[bits("K5"), RANKS.index("K")]
    assert top_of_two == pytest.approx(FOLLOWED + (1 - FOLLOWED) / 2)


DEAL = "N:7654.A43.432.432 QJT.JT98.QJT.Q98 AK98.Q52.AK.AJ76 32.K76.98765.KT5"


def worlds_after(denomination: int, lead: str, habits: Habits) -> Worlds:
    hands, table = played(
        parse_hands(DEAL), CardTable.start(Contract(3, denomination, SOUTH)), lead
    )
    return sample_worlds(view_of(hands, table, habits=habits), 4_000, np.random.default_rng(1))


def share_of(worlds: Worlds, name: str) -> float:
    """The probability that the leader, West, holds another card too."""
    held = worlds.left >> np.uint64(card(name)) & np.uint64(1)
    return float(worlds.weights[held > 0].sum())


@pytest.mark.parametrize(
    ("denomination", "lead", "other", "change"),
    [
        (0, "HK", "HJ", -0.05),  # the queen is declarer's: a king without it is short
        (4, "D6", "DQ", 0.03),  # a low card against notrump, from an honour
        (0, "CT", "C9", 0.05),  # the top of a sequence
    ],
)
def test_a_lead_tells_of_cards_beside_it(
    denomination: int, lead: str, other: str, change: float
) -> None:
    told = share_of(worlds_after(denomination, lead, Habits(equals=False)), other)
    silent = share_of(worlds_after(denomination, lead, NO_HABITS), other)
    assert (told - silent) / change > 1


def test_against_notrump_a_lead_tells_of_a_long_suit() -> None:
    lengths = []
    for habits in (Habits(equals=False), NO_HABITS):
        worlds = worlds_after(4, "D6", habits)
        lengths.append(
            sum(
                w * length(int(hand), 2)
                for w, hand in zip(worlds.weights, worlds.left, strict=True)
            )
        )
    told, silent = lengths
    assert told > silent + 0.1
