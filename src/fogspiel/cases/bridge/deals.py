"""Deals, contracts and records of play as people write them, checked against the rules of bridge.

What is wrong is told as findings, all of them at once, without a place: whoever knows the file in
which a text stands adds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fogspiel.cases.bridge.cards import (
    DECK,
    DENOMINATIONS,
    RANKS,
    SEAT_NAMES,
    SEATS,
    SUIT_NAMES,
    SUITS,
    Card,
    Hand,
    Seat,
    card_name,
    cards_of,
    hand_text,
    parse_card,
    suit_of,
)
from fogspiel.cases.bridge.double_dummy import Hands
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import HAND_SIZE
from fogspiel.core.findings import Finding, RulesError

LONGEST_TEXT = 200
"""Characters of a deal; a full one has 69. What is longer is not looked through."""


def parse_hands(text: str) -> Hands:
    """The four hands of `N:432.5432.5432.32 7.JT87.QJ97.KQJT …`: North first, here, then clockwise.

    Raises `RulesError` with BRI003 for text that is no deal, BRI004 for hands without thirteen
    cards, BRI005 for cards that occur twice, BRI006 for cards that are nowhere.
    """
    first, colon, rest = text.strip().partition(":")
    words = rest.split()
    if len(text) > LONGEST_TEXT or not colon or first.upper() not in tuple(SEATS):
        raise RulesError(_no_deal(f"{_shown(text)} does not begin with a seat and a colon"))
    if len(words) != 4:
        raise RulesError(_no_deal(f"it has {_counted(len(words), 'hand')}, not four"))
    start = SEATS.index(first.upper())
    hands, findings = [0, 0, 0, 0], []
    for place, word in enumerate(words):
        seat = (start + place) % 4
        hands[seat], found = _parse_hand(word, SEAT_NAMES[seat])
        findings += found
    north, east, south, west = hands
    findings += check_hands((north, east, south, west)) if not findings else []
    if findings:
        raise RulesError(findings)
    return north, east, south, west


def _parse_hand(word: str, who: str) -> tuple[Hand, list[Finding]]:
    """A hand of `432.5432.5432.32`, suits from spades to clubs, and what is wrong with it."""
    suits = word.upper().replace("10", "T").split(".")
    if len(suits) != 4:
        return 0, [_no_deal(f"{who}'s hand {_shown(word)} has {_counted(len(suits), 'suit')}")]
    hand, findings = 0, []
    for suit, ranks in enumerate(suits):
        for rank in ranks:
            card = 1 << (13 * suit + RANKS.index(rank)) if rank in RANKS else 0
            if not card:
                findings.append(_no_deal(f"{who} has {_shown(rank)} among the {SUIT_NAMES[suit]}"))
            elif hand & card:
                findings.append(_twice(SUITS[suit] + rank, [who, who]))
            hand |= card
    return hand, findings


def check_hands(hands: Hands) -> list[Finding]:
    """What keeps four hands from being a full deal."""
    findings = []
    for who, hand in zip(SEAT_NAMES, hands, strict=True):
        if hand.bit_count() != HAND_SIZE:
            findings.append(_wrong_count(who, hand.bit_count()))
    for card in range(52):
        holders = [who for who, hand in zip(SEAT_NAMES, hands, strict=True) if hand >> card & 1]
        if len(holders) > 1:
            findings.append(_twice(card_name(card), holders))
    missing = DECK & ~(hands[0] | hands[1] | hands[2] | hands[3])
    if missing:
        findings.append(_nowhere(missing))
    return findings


def hands_text(hands: Hands, first: Seat = 0) -> str:
    """Four hands as PBN writes them, beginning with a seat."""
    return f"{SEATS[first]}:" + " ".join(hand_text(hands[(first + k) % 4]) for k in range(4))


def random_hands(rng: np.random.Generator) -> Hands:
    """A deal, each as probable as any other."""
    order = rng.permutation(52)
    north, east, south, west = (
        sum(1 << int(card) for card in order[13 * seat : 13 * seat + 13]) for seat in range(4)
    )
    return north, east, south, west


def parse_seat(text: str) -> Seat | None:
    """The seat of `S`, `south` or `South`; None if it is none."""
    word = text.strip().upper()
    names = [name.upper() for name in SEAT_NAMES]
    for known in (list(SEATS), names):
        if word in known:
            return known.index(word)
    return None


def parse_contract(text: str, declarer: str) -> Contract:
    """The contract of `5S`, `3NTx` or `4HXX` and its declarer.

    Raises `RulesError` with BRI007 for what is no contract, BRI008 for what is no declarer.
    """
    word = text.strip().upper()
    findings = []
    seat = parse_seat(declarer)
    if seat is None:
        findings.append(
            Finding(
                "BRI008",
                f"{_shown(declarer)} is not a declarer",
                fix="name the declarer: N, E, S or W",
            )
        )
    bid = word.rstrip("X")
    level, denomination = bid[:1], bid[1:].replace("NT", "N")
    if word.startswith("PASS"):
        findings.append(_no_contract(text, "the deal was passed out, and there is nothing to play"))
    elif not level or level not in "1234567":
        findings.append(_no_contract(text, "the level must be from 1 to 7"))
    elif len(denomination) != 1 or denomination not in DENOMINATIONS:
        findings.append(_no_contract(text, "the denomination must be S, H, D, C or NT"))
    elif len(word) - len(bid) > 2:
        findings.append(_no_contract(text, "a contract is doubled by X and redoubled by XX"))
    if findings or seat is None:
        raise RulesError(findings)
    return Contract(int(level), DENOMINATIONS.index(denomination), seat, word[len(bid) :])


def play_cards(hands: Hands, contract: Contract, cards: Sequence[Card]) -> CardTable:
    """The table after these cards, in the order of play.

    Raises `RulesError` with BRI009 for an opening lead that the leader does not hold, BRI010 for
    a card that was played before, BRI011 for a revoke, BRI012 for a card of another hand.
    """
    fault = first_fault(hands, contract, cards)
    if fault:
        raise RulesError(fault[1])
    table = CardTable.start(contract)
    for card in cards:
        table = table.play(card)
    return table


def first_fault(
    hands: Hands, contract: Contract, cards: Sequence[Card]
) -> tuple[int, Finding] | None:
    """Which card of a record is the first against the rules, and why."""
    table = CardTable.start(contract)
    for place, card in enumerate(cards):
        finding = _against_rules(hands, table, card, place)
        if finding:
            return place, finding
        table = table.play(card)
    return None


def _against_rules(hands: Hands, table: CardTable, card: Card, place: int) -> Finding | None:
    held = hands[table.turn] & ~table.played
    if table.legal(held) >> card & 1:
        return None
    if table.played >> card & 1:
        return Finding(
            "BRI010",
            f"{_when(place)}: {card_name(card)} was played in trick "
            f"{table.history.index(card) // 4 + 1} already",
            fix="write each card once",
        )
    if not held >> card & 1:
        owner = next(seat for seat in range(4) if hands[seat] >> card & 1)
        wrong = _illegal_lead if place == 0 else _out_of_turn
        return wrong(card, place, table.turn, owner)
    return Finding(
        "BRI011",
        f"{_when(place)}: {SEAT_NAMES[table.turn]} plays {card_name(card)}, and holds "
        f"{SUIT_NAMES[suit_of(table.trick[0])]}, which were led",
        fix="follow suit",
    )


def parse_cards(words: Iterable[str]) -> list[Card]:
    """The cards of `D6`, `♦2` and so on. Raises `RulesError` BRI013 for other words."""
    cards, findings = [], []
    for word in words:
        card = parse_card(word)
        if card is None:
            findings.append(no_card(word))
        else:
            cards.append(card)
    if findings:
        raise RulesError(findings)
    return cards


def remaining(hands: Hands, table: CardTable) -> Hands:
    """What is left of four hands after the cards played."""
    north, east, south, west = (hand & ~table.played for hand in hands)
    return north, east, south, west


def _shown(text: str) -> str:
    return f"`{text}`" if len(text) <= 80 else f"`{text[:77]}…`"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _no_deal(why: str) -> Finding:
    return Finding(
        "BRI003",
        f"this is no deal: {why}",
        fix="write N: and four hands clockwise from North, each with four suits from spades to "
        "clubs, such as 432.5432.5432.32",
    )


def _wrong_count(who: str, count: int) -> Finding:
    off = HAND_SIZE - count
    difference = f"{off} too few" if off > 0 else f"{-off} too many"
    return Finding(
        "BRI004",
        f"{who} has {_counted(count, 'card')}, {difference}",
        fix="give each hand 13 cards",
    )


def _twice(card: str, holders: Sequence[str]) -> Finding:
    where = (
        f"twice in {holders[0]}'s hand"
        if len(set(holders)) == 1
        else "with " + " and ".join(holders)
    )
    return Finding(
        "BRI005",
        f"{card} is {where}",
        fix="leave it where it belongs, and put another card in its place",
    )


def _nowhere(missing: Hand) -> Finding:
    names = [card_name(card) for card in cards_of(missing)]
    listed = " ".join(names[:6]) + (" …" if len(names) > 6 else "")
    return Finding(
        "BRI006",
        f"{_counted(len(names), 'card')} of the pack in nobody's hand: {listed}",
        fix="deal all 52 cards",
    )


def _no_contract(text: str, why: str) -> Finding:
    return Finding(
        "BRI007",
        f"{_shown(text)} is no contract to play: {why}",
        fix="write a level and a denomination, such as 5S, 3NT or 4HX",
    )


def _illegal_lead(card: Card, place: int, turn: Seat, owner: Seat) -> Finding:
    return Finding(
        "BRI009",
        f"{SEAT_NAMES[turn]} leads and does not hold {card_name(card)}, which is "
        f"{SEAT_NAMES[owner]}'s",
        fix=f"lead a card of {SEAT_NAMES[turn]}'s, who sits to the left of declarer",
    )


def _out_of_turn(card: Card, place: int, turn: Seat, owner: Seat) -> Finding:
    return Finding(
        "BRI012",
        f"{_when(place)}: it is {SEAT_NAMES[turn]}'s turn, and {card_name(card)} is "
        f"{SEAT_NAMES[owner]}'s",
        fix="write the cards in the order of play: who wins a trick leads to the next",
    )


def no_card(word: str) -> Finding:
    """That a word is none."""
    return Finding(
        "BRI013", f"{_shown(word)} is no card", fix="write a suit and a rank, such as SA, H10 or DT"
    )


def _when(place: int) -> str:
    return f"trick {place // 4 + 1}, card {place % 4 + 1}"
