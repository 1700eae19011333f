"""What methods can ask about our own cards: everything here is known to declarer.

Cards of a hand that nobody can tell apart in play (no card of another hand lies between) count as
one, called by the lowest of them. `Facts` is what a position knows; each relation is a function
from it to rows of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.plan.bridge.cards import (
    DECK,
    NOTRUMP,
    SUITS,
    Card,
    Hand,
    card_name,
    cards_of,
    holding,
    length,
    suit_cards,
    suit_of,
)
from fogspiel.plan.bridge.table import winner_of
from fogspiel.plan.bridge.tignum.defence import least_needed

Row: TypeAlias = tuple[str, ...]
HANDS = ("declarer", "dummy")


@dataclass(frozen=True, slots=True)
class Facts:
    """What declarer knows at one turn of his."""

    ours: tuple[Hand, Hand]
    unseen: Hand
    """What defenders may still hold."""
    trump: int
    trick: tuple[Card, ...]
    turn: int
    """0 for declarer's own hand, 1 for dummy."""
    opening_suit: int
    """The suit that was led first of all."""
    tricks_needed: int
    """To make the contract, from here."""

    @property
    def table_cards(self) -> Hand:
        """The cards of the trick, as a set."""
        return sum(1 << card for card in self.trick)

    @property
    def led(self) -> int:
        """The suit of the trick; -1 for a lead."""
        return suit_of(self.trick[0]) if self.trick else -1

    def classes(self, hand: int, suit: int) -> list[Card]:
        """The lowest card of each group of equal cards, from low to high."""
        own = suit_cards(self.ours[hand], suit)
        # A card of the trick on the table still keeps the cards beside it apart.
        others = suit_cards(self.unseen | self.ours[1 - hand] | self.table_cards, suit)
        groups: list[Card] = []
        last = -1
        for card in cards_of(own):
            between = others & ((1 << card) - 1) & ~((1 << (last + 1)) - 1)
            if last < 0 or between:
                groups.append(card)
            last = card
        return groups

    def above(self, card: Card) -> int:
        """How many higher cards of the suit defenders may hold."""
        return (holding(self.unseen, suit_of(card)) >> (card % 13 + 1)).bit_count()

    def top(self, hand: int, suit: int) -> Card:
        """The highest card of a suit; -1 for a void."""
        return suit_cards(self.ours[hand], suit).bit_length() - 1

    def trumps(self, hand: int) -> int:
        """How many trumps a hand has."""
        return length(self.ours[hand], self.trump) if self.trump != NOTRUMP else 0

    def best(self) -> Card:
        """The card that would win the trick if it ended now."""
        return self.trick[winner_of(self.trick, self.trump)]

    def takes(self, card: Card) -> bool:
        """Whether a card takes the trick from those before it."""
        best = self.best()
        if suit_of(card) == suit_of(best):
            return card > best
        return suit_of(card) == self.trump

    def follows(self) -> bool:
        """Whether the hand whose turn it is has the suit that was led."""
        return bool(suit_cards(self.ours[self.turn], self.led))


def _places(facts: Facts, place: int) -> Iterator[Row]:
    if len(facts.trick) == place:
        yield HANDS[facts.turn], HANDS[1 - facts.turn]


def _suits(facts: Facts, *, trump: bool) -> Iterator[Row]:
    for suit in range(4):
        if (suit == facts.trump) == trump:
            yield (SUITS[suit],)


def _each(facts: Facts) -> Iterator[tuple[int, int]]:
    return ((hand, suit) for hand in (0, 1) for suit in range(4))


def _low(facts: Facts) -> Iterator[Row]:
    for hand, suit in _each(facts):
        if groups := facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(groups[0])


def _high(facts: Facts) -> Iterator[Row]:
    """The highest group of each suit with more than one."""
    for hand, suit in _each(facts):
        groups = facts.classes(hand, suit)
        if len(groups) > 1:
            yield HANDS[hand], SUITS[suit], card_name(groups[-1])


def _cards(facts: Facts) -> Iterator[Row]:
    for hand, suit in _each(facts):
        for card in facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(card)


def _masters(facts: Facts) -> Iterator[Row]:
    """The lowest card of each suit that no defender can beat in it."""
    for hand, suit in _each(facts):
        card = next((card for card in facts.classes(hand, suit) if not facts.above(card)), None)
        if card is not None:
            yield HANDS[hand], SUITS[suit], card_name(card)


def _tenaces(facts: Facts, missing: range) -> Iterator[Row]:
    """Cards with a number of missing ones above them, and something higher or lower beside them."""
    for hand, suit in _each(facts):
        groups = facts.classes(hand, suit)
        partner = facts.top(1 - hand, suit)
        for card in groups:
            is_lowest_of_all = card == groups[0] and len(groups) > 1
            if facts.above(card) in missing and not is_lowest_of_all and partner >= 0:
                yield HANDS[hand], SUITS[suit], card_name(card)


def _voids(facts: Facts) -> Iterator[Row]:
    for hand, suit in _each(facts):
        if facts.top(hand, suit) < 0:
            yield HANDS[hand], SUITS[suit]


def _out(facts: Facts) -> Iterator[Row]:
    """Suits of which defenders may hold cards."""
    return ((SUITS[suit],) for suit in range(4) if length(facts.unseen, suit))


def _shorter(facts: Facts) -> Iterator[Row]:
    for hand, suit in _each(facts):
        if length(facts.ours[hand], suit) < length(facts.ours[1 - hand], suit):
            yield HANDS[hand], SUITS[suit]


def _short_trumps(facts: Facts) -> Iterator[Row]:
    """The hand with fewer trumps, if it has any; both where they are equal."""
    counts = (facts.trumps(0), facts.trumps(1))
    for hand in (0, 1):
        if 0 < counts[hand] <= counts[1 - hand]:
            yield (HANDS[hand],)


def _long_trumps(facts: Facts) -> Iterator[Row]:
    counts = (facts.trumps(0), facts.trumps(1))
    for hand in (0, 1):
        if counts[hand] and counts[hand] >= counts[1 - hand]:
            yield (HANDS[hand],)


def _spares(facts: Facts) -> Iterator[Row]:
    """What the hands could throw: the lowest card of each suit but trumps and the suit led."""
    for hand, suit in _each(facts):
        if suit in (facts.trump, facts.led):
            continue
        if groups := facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(groups[0])


def _losers(facts: Facts) -> Iterator[Row]:
    """Suits in which a hand's lowest card would lose to a defender's."""
    for hand, suit in _each(facts):
        groups = facts.classes(hand, suit)
        if groups and facts.above(groups[0]) and suit != facts.trump:
            yield HANDS[hand], SUITS[suit]


def _weak(facts: Facts) -> Iterator[Row]:
    """Suits in which neither hand can be sure of the next trick."""
    for suit in range(4):
        best = max(facts.top(0, suit), facts.top(1, suit))
        if best >= 0 and facts.above(best):
            yield (SUITS[suit],)


def _long_suits(facts: Facts) -> Iterator[Row]:
    """Suits with at least four cards in a hand, more than a defender's fair share."""
    for hand, suit in _each(facts):
        mine, theirs = length(facts.ours[hand], suit), length(facts.unseen, suit)
        if suit != facts.trump and mine >= 4 and theirs and mine > theirs / 2:
            yield HANDS[hand], SUITS[suit]


def _gaps(facts: Facts) -> Iterator[Row]:
    """Suits with a finesse left in a hand: a card a defender can beat, below one he cannot."""
    for hand, suit in _each(facts):
        if suit == facts.trump:
            continue
        above = [facts.above(card) for card in facts.classes(hand, suit)]
        if len(above) > 1 and (above[-1] == 1 or above[-2] == 1 > above[-1]):
            yield HANDS[hand], SUITS[suit]


def _stripped(facts: Facts) -> Iterator[Row]:
    """Side suits that neither of our hands has any more."""
    for suit in range(4):
        if suit != facts.trump and facts.top(0, suit) < 0 and facts.top(1, suit) < 0:
            yield (SUITS[suit],)


def _both_ruff(facts: Facts) -> Iterator[Row]:
    """Both hands have trumps: a defender who leads a stripped suit gives a ruff and discard."""
    if facts.trumps(0) and facts.trumps(1):
        yield ()


def _takes_cheaply(facts: Facts) -> Iterator[Row]:
    """The lowest card of the suit led that takes the trick as it stands."""
    if facts.trick and facts.follows():
        for card in facts.classes(facts.turn, facts.led):
            if facts.takes(card):
                yield HANDS[facts.turn], card_name(card)
                return


def _takes_surely(facts: Facts) -> Iterator[Row]:
    """The lowest card of the suit led that takes the trick and that no defender beats in suit."""
    if facts.trick and facts.follows():
        for card in facts.classes(facts.turn, facts.led):
            if facts.takes(card) and not facts.above(card):
                yield HANDS[facts.turn], card_name(card)
                return


def _ruffs(facts: Facts) -> Iterator[Row]:
    """The lowest and the highest trump that take the trick, for a hand that cannot follow."""
    if not facts.trick or facts.follows() or facts.trump in (facts.led, NOTRUMP):
        return
    fit = [card for card in facts.classes(facts.turn, facts.trump) if facts.takes(card)]
    if fit:
        yield HANDS[facts.turn], "low", card_name(fit[0])
    if len(fit) > 1:
        yield HANDS[facts.turn], "high", card_name(fit[-1])


def _taken_by(facts: Facts) -> Iterator[Row]:
    """Cards of the hand whose turn it is that take the trick as it stands."""
    if facts.trick:
        suit = facts.led if facts.follows() else facts.trump
        for card in cards_of(suit_cards(facts.ours[facts.turn], suit)):
            if facts.takes(card):
                yield HANDS[facts.turn], card_name(card)


def _lowest(facts: Facts) -> Iterator[Row]:
    """The lowest card that follows suit; else what is needed least."""
    hand = facts.ours[facts.turn]
    suited = suit_cards(hand, facts.led) if facts.trick else 0
    if suited:
        yield HANDS[facts.turn], card_name(next(cards_of(suited)))
        return
    plain = hand & ~suit_cards(hand, facts.trump) if facts.trump != NOTRUMP else hand
    yield HANDS[facts.turn], card_name(least_needed(plain or hand, facts.unseen))


def _honours(facts: Facts) -> Iterator[Row]:
    """Tens and higher that a defender can beat, with a card below them in the hand or beside."""
    for hand, suit in _each(facts):
        for card in facts.classes(hand, suit):
            if card % 13 >= TEN and facts.above(card):
                yield HANDS[hand], SUITS[suit], card_name(card)


def _top_losers(facts: Facts) -> Iterator[Row]:
    """The best card of both hands, where defenders hold a better one."""
    for hand, suit in _each(facts):
        top = facts.top(hand, suit)
        if top > facts.top(1 - hand, suit) and facts.above(top):
            yield HANDS[hand], SUITS[suit], card_name(facts.classes(hand, suit)[-1])


def _ruffs_to_come(facts: Facts) -> Iterator[Row]:
    """Suits in which the other hand has a loser when this one is void."""
    for hand, suit in _each(facts):
        mine, other = length(facts.ours[hand], suit), length(facts.ours[1 - hand], suit)
        if 0 < mine < other and suit != facts.trump and facts.trumps(hand):
            lowest = facts.classes(1 - hand, suit)[0]
            if facts.above(lowest):
                yield HANDS[hand], SUITS[suit]


def _threats(facts: Facts) -> Iterator[Row]:
    """Suits with a card that would be good if one or two defenders' cards were gone."""
    for suit in range(4):
        cards = [card for hand in (0, 1) for card in facts.classes(hand, suit)]
        if suit != facts.trump and any(0 < facts.above(card) <= 2 for card in cards):
            yield (SUITS[suit],)


def _all_but_one(facts: Facts) -> Iterator[Row]:
    """Whether sure winners make all tricks that are left but one."""
    sure = 0
    for suit in range(4):
        both = suit_cards(facts.ours[0] | facts.ours[1], suit)
        masters = sum(1 for card in cards_of(both) if not facts.above(card))
        sure += min(masters, max(length(hand, suit) for hand in facts.ours))
    if sure == length_of_play(facts) - 1:
        yield ()


def _one_stopper(facts: Facts) -> Iterator[Row]:
    """Suits in which we can stop defenders once: one master, and nothing that becomes one next."""
    for suit in range(4):
        both = suit_cards(facts.ours[0] | facts.ours[1], suit)
        missing = [facts.above(card) for card in cards_of(both)]
        if missing.count(0) == 1 and 1 not in missing:
            yield (SUITS[suit],)


def _over(facts: Facts) -> Iterator[Row]:
    """The other hand's best card of a suit, where it beats this hand's best."""
    for hand, suit in _each(facts):
        mine, other = facts.top(hand, suit), facts.top(1 - hand, suit)
        if 0 <= mine < other:
            yield HANDS[hand], HANDS[1 - hand], SUITS[suit], card_name(other)


def _only_trumps(facts: Facts) -> Iterator[Row]:
    """Hands with nothing but trumps, and no card of the suit led."""
    for hand in (0, 1):
        cards = facts.ours[hand]
        if cards and facts.trump != NOTRUMP and not cards & ~suit_cards(cards, facts.trump):
            yield (HANDS[hand],)


def _next(facts: Facts) -> Iterator[Row]:
    """Who plays after each of our hands."""
    yield "declarer", "left"
    yield "dummy", "right"


def _losing(facts: Facts) -> Iterator[Row]:
    """Whether a defender's card would win the trick as it stands."""
    if len(facts.trick) >= 2:
        place = winner_of(facts.trick, facts.trump)
        ours = (len(facts.trick) - place) % 2 == 0
        yield ("ours" if ours else "theirs",)
    elif facts.trick:
        yield ("theirs",)


def _danger(facts: Facts) -> Iterator[Row]:
    """The defender who must not gain the lead, where the cards show one.

    At notrump he who led his long suit; with trumps he who could lead through a guarded king.
    """
    if facts.trump == NOTRUMP:
        if length(facts.unseen, facts.opening_suit) >= 3:
            yield ("left",)
        return
    for hand, defender in ((0, "right"), (1, "left")):
        for suit in range(4):
            cards = suit_cards(facts.ours[hand], suit)
            king = 1 << (suit * 13 + 11)
            ace = king << 1
            if (
                suit != facts.trump
                and cards & king
                and facts.unseen & ace
                and length(cards, suit) > 1
            ):
                yield (defender,)
                break


def _needed(facts: Facts) -> Iterator[Row]:
    """Whether the contract can afford to lose a trick on the way."""
    left = length_of_play(facts)
    yield ("some",) if left > facts.tricks_needed else ("none",)


def length_of_play(facts: Facts) -> int:
    """Tricks that are still to be played, with the one on the table."""
    return max((hand & DECK).bit_count() for hand in facts.ours)


Relation: TypeAlias = Callable[[Facts], Iterator[Row]]

TEN = 8
KNOWN: dict[str, tuple[int, Relation]] = {
    "leads": (2, lambda facts: _places(facts, 0)),
    "second": (2, lambda facts: _places(facts, 1)),
    "third": (2, lambda facts: _places(facts, 2)),
    "fourth": (2, lambda facts: _places(facts, 3)),
    "led": (1, lambda facts: iter([(SUITS[facts.led],)] if facts.trick else [])),
    "trump": (1, lambda facts: _suits(facts, trump=True)),
    "side": (1, lambda facts: _suits(facts, trump=False)),
    "low": (3, _low),
    "high": (3, _high),
    "master": (3, _masters),
    "tenace": (3, lambda facts: _tenaces(facts, range(1, 2))),
    "deep-tenace": (3, lambda facts: _tenaces(facts, range(2, 14))),
    "void": (2, _voids),
    "out": (1, _out),
    "shorter": (2, _shorter),
    "short-trumps": (1, _short_trumps),
    "long-trumps": (1, _long_trumps),
    "spare": (3, _spares),
    "loser": (2, _losers),
    "weak": (1, _weak),
    "long": (2, _long_suits),
    "gap": (2, _gaps),
    "stripped": (1, _stripped),
    "trumps-in-both": (0, _both_ruff),
    "takes-cheaply": (2, _takes_cheaply),
    "takes-surely": (2, _takes_surely),
    "ruffs-with": (3, _ruffs),
    "winning": (1, _losing),
    "danger": (1, _danger),
    "affords": (1, _needed),
    "card": (3, _cards),
    "turn": (1, lambda facts: iter([(HANDS[facts.turn],)])),
    "next": (2, _next),
    "takes": (2, _taken_by),
    "can-take": (1, lambda facts: iter({row[:1]: None for row in _taken_by(facts)})),
    "can-take-surely": (1, lambda facts: (row[:1] for row in _takes_surely(facts))),
    "ruffs-high": (1, lambda facts: (row[:1] for row in _ruffs(facts) if row[1] == "high")),
    "lowest": (2, _lowest),
    "honour-in": (3, _honours),
    "top-loser": (3, _top_losers),
    "loser-after-ruff": (2, _ruffs_to_come),
    "trumps-of": (1, lambda facts: ((HANDS[hand],) for hand in (0, 1) if facts.trumps(hand))),
    "only-trumps": (1, _only_trumps),
    "notrump": (0, lambda facts: iter([()] if facts.trump == NOTRUMP else [])),
    "one-stopper": (1, _one_stopper),
    "over": (4, _over),
    "threat": (1, _threats),
    "all-but-one-trick": (0, _all_but_one),
}
"""By name: how many arguments, and the rows."""
