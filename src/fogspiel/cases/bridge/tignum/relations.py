"""Relations that methods can ask for; everything here is known to declarer.

Each relation is a function from the facts to rows of words. `KNOWN` lists them all, with those
about the trick on the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from fogspiel.cases.bridge.cards import NOTRUMP, SUITS, card_name, cards_of, length, suit_cards
from fogspiel.cases.bridge.tignum import facts as trick
from fogspiel.cases.bridge.tignum.facts import HANDS, Facts, Row

NINE, TEN = 7, 8  #: Ranks: the lowest card with which to finesse, and the lowest honour

EACH = tuple((hand, suit) for hand in (0, 1) for suit in range(4))  #: Both hands, with every suit
Relation: TypeAlias = Callable[[Facts], Iterator[Row]]


def _suits(facts: Facts, *, trump: bool) -> Iterator[Row]:
    for suit in range(4):
        if (suit == facts.trump) == trump:
            yield (SUITS[suit],)


def _low(facts: Facts) -> Iterator[Row]:
    for hand, suit in EACH:
        if groups := facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(groups[0])


def _high(facts: Facts) -> Iterator[Row]:
    """The highest group of each suit with more than one."""
    for hand, suit in EACH:
        groups = facts.classes(hand, suit)
        if len(groups) > 1:
            yield HANDS[hand], SUITS[suit], card_name(groups[-1])


def _cards(facts: Facts) -> Iterator[Row]:
    for hand, suit in EACH:
        for card in facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(card)


def _masters(facts: Facts) -> Iterator[Row]:
    """The lowest card of each suit that no defender can beat in it."""
    for hand, suit in EACH:
        card = next((card for card in facts.classes(hand, suit) if not facts.above(card)), None)
        if card is not None:
            yield HANDS[hand], SUITS[suit], card_name(card)


def _tenaces(facts: Facts, missing: range) -> Iterator[Row]:
    """Cards from the nine up with a number of missing ones above them, to which we can lead."""
    for hand, suit in EACH:
        if facts.top(1 - hand, suit) < 0:
            continue
        for card in facts.classes(hand, suit):
            if card % 13 >= NINE and facts.above(card) in missing:
                yield HANDS[hand], SUITS[suit], card_name(card)


def _voids(facts: Facts) -> Iterator[Row]:
    for hand, suit in EACH:
        if facts.top(hand, suit) < 0:
            yield HANDS[hand], SUITS[suit]


def _out(facts: Facts) -> Iterator[Row]:
    """Suits of which defenders may hold cards."""
    return ((SUITS[suit],) for suit in range(4) if length(facts.unseen, suit))


def _shorter(facts: Facts) -> Iterator[Row]:
    for hand, suit in EACH:
        if length(facts.ours[hand], suit) < length(facts.ours[1 - hand], suit):
            yield HANDS[hand], SUITS[suit]


def _trumps(facts: Facts, sign: int) -> Iterator[Row]:
    """The hand with more trumps (sign 1) or fewer (-1), if it has any; both if they are equal."""
    counts = (facts.trumps(0), facts.trumps(1))
    for hand in (0, 1):
        if counts[hand] and sign * counts[hand] >= sign * counts[1 - hand]:
            yield (HANDS[hand],)


def _spares(facts: Facts) -> Iterator[Row]:
    """Cards to throw: the lowest of each suit but trumps and the suit led."""
    for hand, suit in EACH:
        if suit in (facts.trump, facts.led):
            continue
        if groups := facts.classes(hand, suit):
            yield HANDS[hand], SUITS[suit], card_name(groups[0])


def _losers(facts: Facts) -> Iterator[Row]:
    """Suits in which a hand's lowest card would lose to a defender's."""
    for hand, suit in EACH:
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
    """Suits with at least four cards in a hand, more than half of those that defenders hold."""
    for hand, suit in EACH:
        mine, theirs = length(facts.ours[hand], suit), length(facts.unseen, suit)
        if suit != facts.trump and mine >= 4 and theirs and mine > theirs / 2:
            yield HANDS[hand], SUITS[suit]


def _gaps(facts: Facts) -> Iterator[Row]:
    """Suits with a guess left in a hand: one or two missing cards lie over its second-best card,
    or one over its best."""
    for hand, suit in EACH:
        above = [facts.above(card) for card in facts.classes(hand, suit)]
        if suit != facts.trump and len(above) > 1 and (above[-1] == 1 or 0 < above[-2] <= 2):
            yield HANDS[hand], SUITS[suit]


def _stripped(facts: Facts) -> Iterator[Row]:
    """Side suits that neither of our hands has any more."""
    for suit in range(4):
        if suit != facts.trump and not suit_cards(facts.both, suit):
            yield (SUITS[suit],)


def _both_ruff(facts: Facts) -> Iterator[Row]:
    """Both hands have trumps: a defender who leads a stripped suit gives a ruff and discard."""
    if facts.trumps(0) and facts.trumps(1):
        yield ()


def _honours(facts: Facts) -> Iterator[Row]:
    """Tens and higher that a defender can beat, with a card below them in the hand or beside."""
    for hand, suit in EACH:
        for card in facts.classes(hand, suit):
            if card % 13 >= TEN and facts.above(card):
                yield HANDS[hand], SUITS[suit], card_name(card)


def _top_losers(facts: Facts) -> Iterator[Row]:
    """The best card of both hands, where defenders hold a better one."""
    for hand, suit in EACH:
        top = facts.top(hand, suit)
        if top > facts.top(1 - hand, suit) and facts.above(top):
            yield HANDS[hand], SUITS[suit], card_name(facts.classes(hand, suit)[-1])


def _ruffs_to_come(facts: Facts) -> Iterator[Row]:
    """Suits in which the other hand has a loser when this one is void."""
    for hand, suit in EACH:
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
    sure = sum(
        min(facts.masters(suit), max(length(hand, suit) for hand in facts.ours))
        for suit in range(4)
    )
    if sure == facts.tricks_left - 1:
        yield ()


def _one_stopper(facts: Facts) -> Iterator[Row]:
    """Suits in which we can stop defenders once: one master, and nothing that becomes one next."""
    for suit in range(4):
        missing = [facts.above(card) for card in cards_of(suit_cards(facts.both, suit))]
        if missing.count(0) == 1 and 1 not in missing:
            yield (SUITS[suit],)


def _solid(facts: Facts) -> Iterator[Row]:
    """Suits in which we hold as many masters as defenders could need rounds."""
    for suit in range(4):
        if 0 < facts.masters(suit) >= (length(facts.unseen, suit) + 1) // 2:
            yield (SUITS[suit],)


def _over(facts: Facts) -> Iterator[Row]:
    """The other hand's best card of a suit, where it beats this hand's best."""
    for hand, suit in EACH:
        mine, other = facts.top(hand, suit), facts.top(1 - hand, suit)
        if 0 <= mine < other:
            yield HANDS[hand], HANDS[1 - hand], SUITS[suit], card_name(other)


def _only_trumps(facts: Facts) -> Iterator[Row]:
    """Hands with nothing but trumps, and no card of the suit led."""
    for hand in (0, 1):
        cards = facts.ours[hand]
        if cards and facts.trump != NOTRUMP and not cards & ~suit_cards(cards, facts.trump):
            yield (HANDS[hand],)


def _danger(facts: Facts) -> Iterator[Row]:
    """The defender who must not gain the lead, where the cards show one.

    At notrump it is the one who led a long suit; with trumps the one who could lead through a
    guarded king.
    """
    if facts.trump == NOTRUMP:
        if length(facts.unseen, facts.opening_suit) >= 3:
            yield ("left",)
        return
    for hand, defender in ((0, "right"), (1, "left")):
        for suit in range(4):
            cards, king = facts.ours[hand], suit * 13 + 11
            guarded = cards >> king & 1 and length(cards, suit) > 1
            if suit != facts.trump and guarded and facts.unseen >> (king + 1) & 1:
                yield (defender,)
                break


def _needed(facts: Facts) -> Iterator[Row]:
    """Whether the contract can afford to lose a trick on the way."""
    left = facts.tricks_left
    yield ("some",) if left > facts.tricks_needed else ("none",)


KNOWN: dict[str, tuple[int, Relation]] = {
    "leads": (2, lambda facts: trick.places(facts, 0)),
    "second": (2, lambda facts: trick.places(facts, 1)),
    "third": (2, lambda facts: trick.places(facts, 2)),
    "fourth": (2, lambda facts: trick.places(facts, 3)),
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
    "short-trumps": (1, lambda facts: _trumps(facts, -1)),
    "long-trumps": (1, lambda facts: _trumps(facts, 1)),
    "spare": (3, _spares),
    "loser": (2, _losers),
    "weak": (1, _weak),
    "long": (2, _long_suits),
    "gap": (2, _gaps),
    "stripped": (1, _stripped),
    "trumps-in-both": (0, _both_ruff),
    "takes-cheaply": (2, trick.takes_cheaply),
    "takes-surely": (2, trick.takes_surely),
    "ruffs-with": (3, trick.ruffs),
    "winning": (1, trick.winning_side),
    "danger": (1, _danger),
    "affords": (1, _needed),
    "card": (3, _cards),
    "turn": (1, lambda facts: iter([(HANDS[facts.turn],)])),
    "next": (2, trick.plays_next),
    "takes": (2, trick.taken_by),
    "can-take": (1, lambda facts: iter({row[:1]: None for row in trick.taken_by(facts)})),
    "can-take-surely": (
        1,
        lambda facts: (row[:1] for row in trick.takes_surely(facts)),
    ),
    "ruffs-high": (1, lambda facts: (row[:1] for row in trick.ruffs(facts) if row[1] == "high")),
    "lowest": (2, trick.lowest),
    "honour-in": (3, _honours),
    "top-loser": (3, _top_losers),
    "loser-after-ruff": (2, _ruffs_to_come),
    "trumps-of": (1, lambda facts: ((HANDS[hand],) for hand in (0, 1) if facts.trumps(hand))),
    "only-trumps": (1, _only_trumps),
    "notrump": (0, lambda facts: iter([()] if facts.trump == NOTRUMP else [])),
    "one-stopper": (1, _one_stopper),
    "solid": (1, _solid),
    "led-holds": (0, trick.led_holds),
    "over": (4, _over),
    "threat": (1, _threats),
    "all-but-one-trick": (0, _all_but_one),
}
"""Relations by name, each with its number of arguments."""
