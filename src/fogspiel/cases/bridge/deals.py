"""Boards: deals, contracts and the cards played, as people write them, checked against the rules.

Faults are findings, all of them at once, without a place: whoever knows the file in which a text
stands adds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.cases.bridge.cards import (
    DECK,
    DENOMINATIONS,
    HAND_SIZE,
    RANKS,
    SEAT_NAMES,
    SEATS,
    SUIT_NAMES,
    SUITS,
    Card,
    Hand,
    Hands,
    Seat,
    card_name,
    cards_of,
    hand_of,
    hand_text,
    parse_card,
    suit_of,
)
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, HandLimits
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.core.findings import Finding, RulesError

LONGEST_TEXT = 200  #: Characters of a deal; a full one has 69. A longer text is not read.


@dataclass(frozen=True, slots=True)
class OtherTag:
    """A tag of a file that is kept as it is."""

    name: str
    value: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecord:
    """A board: a deal with its contract, and as much of the play as is written down."""

    hands: Hands  #: The hands as they were dealt
    contract: Contract
    play: tuple[Card, ...] = ()  #: The cards played, in order; the first is the opening lead
    number: int | None = None
    dealer: Seat | None = None
    vulnerable: str | None = None  #: `None`, `NS`, `EW` or `All`
    calls: tuple[str, ...] = ()
    limits: tuple[HandLimits, ...] = (NO_LIMITS,) * 4
    """Limits of each hand by the auction or by tags: North, East, South, West."""
    tags: tuple[OtherTag, ...] = ()

    @property
    def lead(self) -> Card | None:
        """The opening lead, if it is known."""
        return self.play[0] if self.play else None

    @property
    def defenders_limits(self) -> tuple[HandLimits, HandLimits]:
        """Limits of the defenders to the left and to the right of declarer."""
        declarer = self.contract.declarer
        return self.limits[(declarer + 1) % 4], self.limits[(declarer + 3) % 4]

    @property
    def table(self) -> CardTable:
        """The table after all cards of the record."""
        return play_cards(self.hands, self.contract, self.play)

    def tag(self, name: str) -> str | None:
        """The value of another tag; None if there is none of that name."""
        return next((tag.value for tag in self.tags if tag.name == name), None)


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
    """A hand of `432.5432.5432.32`, suits from spades to clubs, and its faults."""
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
                findings.append(_twice(SUITS[suit] + rank, f"twice in {who}'s hand"))
            hand |= card
    return hand, findings


def check_hands(hands: Hands) -> list[Finding]:
    """Faults that keep four hands from being a full deal."""
    findings = []
    for who, hand in zip(SEAT_NAMES, hands, strict=True):
        count = hand.bit_count()
        if off := HAND_SIZE - count:
            difference = f"{off} too few" if off > 0 else f"{-off} too many"
            message = f"{who} has {_counted(count, 'card')}, {difference}"
            findings.append(Finding("BRI004", message, fix="give each hand 13 cards"))
    for card in range(52):
        holders = [who for who, hand in zip(SEAT_NAMES, hands, strict=True) if hand >> card & 1]
        if len(holders) > 1:
            findings.append(_twice(card_name(card), "with " + " and ".join(holders)))
    if missing := DECK & ~(hands[0] | hands[1] | hands[2] | hands[3]):
        names = [card_name(card) for card in cards_of(missing)]
        listed = " ".join(names[:6]) + (" …" if len(names) > 6 else "")
        message = f"{_counted(len(names), 'card')} of the pack in nobody's hand: {listed}"
        findings.append(Finding("BRI006", message, fix="deal all 52 cards"))
    return findings


def hands_text(hands: Hands, first: Seat = 0) -> str:
    """Four hands as PBN writes them, beginning with a seat."""
    return f"{SEATS[first]}:" + " ".join(hand_text(hands[(first + k) % 4]) for k in range(4))


def random_hands(rng: np.random.Generator) -> Hands:
    """A random deal, all equally probable."""
    order = rng.permutation(52)
    north, east, south, west = (hand_of(order[13 * seat : 13 * seat + 13]) for seat in range(4))
    return north, east, south, west


def remaining(hands: Hands, table: CardTable) -> Hands:
    """The cards of four hands that are left after those played."""
    north, east, south, west = (hand & ~table.played for hand in hands)
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
        message = f"{_shown(declarer)} is not a declarer"
        findings.append(Finding("BRI008", message, fix="name the declarer: N, E, S or W"))
    bid = word.rstrip("X")
    level, denomination = bid[:1], bid[1:].replace("NT", "N")
    why = ""
    if word.startswith("PASS"):
        why = "the deal was passed out, and there is nothing to play"
    elif not level or level not in "1234567":
        why = "the level must be from 1 to 7"
    elif len(denomination) != 1 or denomination not in DENOMINATIONS:
        why = "the denomination must be S, H, D, C or NT"
    elif len(word) - len(bid) > 2:
        why = "a contract is doubled by X and redoubled by XX"
    if why:
        message = f"{_shown(text)} is no contract to play: {why}"
        fix = "write a level and a denomination, such as 5S, 3NT or 4HX"
        findings.append(Finding("BRI007", message, fix=fix))
    if findings or seat is None:
        raise RulesError(findings)
    return Contract(int(level), DENOMINATIONS.index(denomination), seat, word[len(bid) :])


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


def no_card(word: str) -> Finding:
    """The finding about a word that is no card."""
    fix = "write a suit and a rank, such as SA, H10 or DT"
    return Finding("BRI013", f"{_shown(word)} is no card", fix=fix)


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
    """The place of the first card that breaks the rules, and the finding about it."""
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
    name, who = card_name(card), SEAT_NAMES[table.turn]
    where = f"trick {place // 4 + 1}, card {place % 4 + 1}"
    if table.played >> card & 1:
        trick = table.history.index(card) // 4 + 1
        message = f"{where}: {name} was played in trick {trick} already"
        return Finding("BRI010", message, fix="write each card once")
    if held >> card & 1:
        led = SUIT_NAMES[suit_of(table.trick[0])]
        message = f"{where}: {who} plays {name}, and holds {led}, which were led"
        return Finding("BRI011", message, fix="follow suit")
    owner = next(SEAT_NAMES[seat] for seat in range(4) if hands[seat] >> card & 1)
    if place == 0:
        message = f"{who} leads and does not hold {name}, which is {owner}'s"
        fix = f"lead a card of {who}'s, who sits to the left of declarer"
        return Finding("BRI009", message, fix=fix)
    message = f"{where}: it is {who}'s turn, and {name} is {owner}'s"
    fix = "write the cards in the order of play: who wins a trick leads to the next"
    return Finding("BRI012", message, fix=fix)


def _shown(text: str) -> str:
    return f"`{text}`" if len(text) <= 80 else f"`{text[:77]}…`"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _no_deal(why: str) -> Finding:
    fix = (
        "write N: and four hands clockwise from North, each with four suits from spades to "
        "clubs, such as 432.5432.5432.32"
    )
    return Finding("BRI003", f"this is no deal: {why}", fix=fix)


def _twice(card: str, where: str) -> Finding:
    fix = "leave it where it belongs, and put another card in its place"
    return Finding("BRI005", f"{card} is {where}", fix=fix)
