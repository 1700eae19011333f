"""Relations that methods can ask for; everything here is known to declarer.

Each relation is a function from the facts to rows of words. `KNOWN` lists them all, with those
about the trick on the table. Most are about each suit, or each suit of each hand: these are written
as the condition for one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    SUITS,
    Card,
    card_name,
    cards_of,
    length,
    suit_cards,
)
from fogspiel.cases.bridge.tignum import facts as trick
from fogspiel.cases.bridge.tignum.facts import HANDS, Facts, Row

NINE, TEN = 7, 8  #: Ranks: the lowest card with which to finesse, and the lowest honour

EACH = tuple((hand, suit) for hand in (0, 1) for suit in range(4))  #: Both hands, with every suit
Relation: TypeAlias = Callable[[Facts], Iterator[Row]]
Known: TypeAlias = tuple[int, Relation]  #: A relation with its number of arguments


def either(holds: Callable[[Facts], bool]) -> Known:
    """The relation without arguments that a condition is."""
    return 0, lambda facts: iter([()] if holds(facts) else [])


def hands(fit: Callable[[Facts, int], bool]) -> Known:
    """The hands that fit."""
    return 1, lambda facts: ((HANDS[hand],) for hand in (0, 1) if fit(facts, hand))


def suits(fit: Callable[[Facts, int], bool]) -> Known:
    """The suits that fit."""
    return 1, lambda facts: ((SUITS[suit],) for suit in range(4) if fit(facts, suit))


def suits_of_hands(fit: Callable[[Facts, int, int], bool]) -> Known:
    """The suits of each hand that fit."""
    return 2, lambda facts: ((HANDS[h], SUITS[s]) for h, s in EACH if fit(facts, h, s))


def cards(chosen: Callable[[Facts, int, int], Iterable[Card]]) -> Known:
    """The cards that are chosen from each suit of each hand."""
    return 3, lambda facts: (
        (HANDS[hand], SUITS[suit], card_name(card))
        for hand, suit in EACH
        for card in chosen(facts, hand, suit)
    )


def _highest(facts: Facts, hand: int, suit: int) -> list[Card]:
    """The highest group of a suit with more than one."""
    groups = facts.classes(hand, suit)
    return groups[-1:] if len(groups) > 1 else []


def _master(facts: Facts, hand: int, suit: int) -> list[Card]:
    """The lowest card of a suit that no defender can beat in it."""
    return [card for card in facts.classes(hand, suit) if not facts.above(card)][:1]


def _tenaces(missing: range) -> Known:
    """Cards from the nine up with a number of missing ones above them, to which we can lead."""
    return cards(
        lambda facts, hand, suit: (
            card
            for card in facts.classes(hand, suit)
            if facts.top(1 - hand, suit) >= 0 and card % 13 >= NINE and facts.above(card) in missing
        )
    )


def _trumps(sign: int) -> Known:
    """The hand with more trumps (sign 1) or fewer (-1), if it has any; both if they are equal."""

    def fit(facts: Facts, hand: int) -> bool:
        mine, other = facts.trumps(hand), facts.trumps(1 - hand)
        return bool(mine) and sign * mine >= sign * other

    return hands(fit)


def _spare(facts: Facts, hand: int, suit: int) -> list[Card]:
    """A card to throw: the lowest of a suit but trumps and the suit led."""
    return [] if suit in (facts.trump, facts.led) else facts.classes(hand, suit)[:1]


def _loses(facts: Facts, hand: int, suit: int) -> bool:
    """Whether a hand's lowest card of a suit would lose to a defender's."""
    groups = facts.classes(hand, suit)
    return suit != facts.trump and bool(groups) and facts.above(groups[0]) > 0


def _is_weak(facts: Facts, suit: int) -> bool:
    """Whether neither hand can be sure of the next trick in a suit."""
    best = max(facts.top(0, suit), facts.top(1, suit))
    return best >= 0 and facts.above(best) > 0


def _is_long(facts: Facts, hand: int, suit: int) -> bool:
    """Whether a hand has at least four cards of a suit, more than half of what defenders hold."""
    mine, theirs = length(facts.ours[hand], suit), length(facts.unseen, suit)
    return suit != facts.trump and mine >= 4 and 0 < theirs < 2 * mine


def _has_gap(facts: Facts, hand: int, suit: int) -> bool:
    """Whether there is a guess left in a hand: one or two missing cards lie over its second-best
    card, or one over its best."""
    above = [facts.above(card) for card in facts.classes(hand, suit)]
    return suit != facts.trump and len(above) > 1 and (above[-1] == 1 or 0 < above[-2] <= 2)


def _honours(facts: Facts, hand: int, suit: int) -> list[Card]:
    """Tens and higher that a defender can beat, with a card below them in the hand or beside."""
    return [c for c in facts.classes(hand, suit) if c % 13 >= TEN and facts.above(c)]


def _top_loser(facts: Facts, hand: int, suit: int) -> list[Card]:
    """The best card of both hands, where defenders hold a better one."""
    top = facts.top(hand, suit)
    is_loser = top > facts.top(1 - hand, suit) and facts.above(top)
    return facts.classes(hand, suit)[-1:] if is_loser else []


def _loses_after_ruff(facts: Facts, hand: int, suit: int) -> bool:
    """Whether the other hand has a loser when this one is void."""
    mine, other = length(facts.ours[hand], suit), length(facts.ours[1 - hand], suit)
    if not 0 < mine < other or suit == facts.trump or not facts.trumps(hand):
        return False
    return facts.above(facts.classes(1 - hand, suit)[0]) > 0


def _is_threat(facts: Facts, suit: int) -> bool:
    """Whether a card would be good if one or two defenders' cards were gone."""
    held = [card for hand in (0, 1) for card in facts.classes(hand, suit)]
    return suit != facts.trump and any(0 < facts.above(card) <= 2 for card in held)


def _all_but_one(facts: Facts) -> bool:
    """Whether sure winners make all tricks that are left but one."""
    sure = sum(
        min(facts.masters(suit), max(length(hand, suit) for hand in facts.ours))
        for suit in range(4)
    )
    return sure == facts.tricks_left - 1


def _has_one_stopper(facts: Facts, suit: int) -> bool:
    """Whether we can stop defenders once: one master, and nothing that becomes one next."""
    missing = [facts.above(card) for card in cards_of(suit_cards(facts.both, suit))]
    return missing.count(0) == 1 and 1 not in missing


def _is_solid(facts: Facts, suit: int) -> bool:
    """Whether we hold as many masters as defenders could need rounds."""
    return 0 < facts.masters(suit) >= (length(facts.unseen, suit) + 1) // 2


def _over(facts: Facts) -> Iterator[Row]:
    """The other hand's best card of a suit, where it beats this hand's best."""
    for hand, suit in EACH:
        mine, other = facts.top(hand, suit), facts.top(1 - hand, suit)
        if 0 <= mine < other:
            yield HANDS[hand], HANDS[1 - hand], SUITS[suit], card_name(other)


def _only_trumps(facts: Facts, hand: int) -> bool:
    """Whether a hand has nothing but trumps, and no card of the suit led."""
    held = facts.ours[hand]
    return held > 0 and facts.trump != NOTRUMP and not held & ~suit_cards(held, facts.trump)


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


KNOWN: dict[str, Known] = {
    "leads": (2, lambda facts: trick.places(facts, 0)),
    "second": (2, lambda facts: trick.places(facts, 1)),
    "third": (2, lambda facts: trick.places(facts, 2)),
    "fourth": (2, lambda facts: trick.places(facts, 3)),
    "led": suits(lambda facts, suit: suit == facts.led),
    "trump": suits(lambda facts, suit: suit == facts.trump),
    "side": suits(lambda facts, suit: suit != facts.trump),
    "low": cards(lambda facts, hand, suit: facts.classes(hand, suit)[:1]),
    "high": cards(_highest),
    "master": cards(_master),
    "tenace": _tenaces(range(1, 2)),
    "deep-tenace": _tenaces(range(2, 14)),
    "void": suits_of_hands(lambda facts, hand, suit: facts.top(hand, suit) < 0),
    "out": suits(lambda facts, suit: length(facts.unseen, suit) > 0),
    "shorter": suits_of_hands(
        lambda facts, hand, suit: (
            length(facts.ours[hand], suit) < length(facts.ours[1 - hand], suit)
        )
    ),
    "short-trumps": _trumps(-1),
    "long-trumps": _trumps(1),
    "spare": cards(_spare),
    "loser": suits_of_hands(_loses),
    "weak": suits(_is_weak),
    "long": suits_of_hands(_is_long),
    "gap": suits_of_hands(_has_gap),
    "stripped": suits(lambda facts, suit: suit != facts.trump and not suit_cards(facts.both, suit)),
    # A defender who leads a stripped suit then gives a ruff and discard.
    "trumps-in-both": either(lambda facts: facts.trumps(0) > 0 and facts.trumps(1) > 0),
    "takes-cheaply": (2, trick.takes_cheaply),
    "takes-surely": (2, trick.takes_surely),
    "ruffs-with": (3, trick.ruffs),
    "winning": (1, trick.winning_side),
    "danger": (1, _danger),
    "affords": (1, _needed),
    "card": cards(lambda facts, hand, suit: facts.classes(hand, suit)),
    "turn": hands(lambda facts, hand: hand == facts.turn),
    "next": (2, trick.plays_next),
    "takes": (2, trick.taken_by),
    "can-take": (1, lambda facts: iter({row[:1]: None for row in trick.taken_by(facts)})),
    "can-take-surely": (
        1,
        lambda facts: (row[:1] for row in trick.takes_surely(facts)),
    ),
    "ruffs-high": (1, lambda facts: (row[:1] for row in trick.ruffs(facts) if row[1] == "high")),
    "lowest": (2, trick.lowest),
    "honour-in": cards(_honours),
    "top-loser": cards(_top_loser),
    "loser-after-ruff": suits_of_hands(_loses_after_ruff),
    "trumps-of": hands(lambda facts, hand: facts.trumps(hand) > 0),
    "only-trumps": hands(_only_trumps),
    "notrump": either(lambda facts: facts.trump == NOTRUMP),
    "one-stopper": suits(_has_one_stopper),
    "solid": suits(_is_solid),
    "led-holds": either(trick.led_holds),
    "over": (4, _over),
    "threat": suits(_is_threat),
    "all-but-one-trick": either(_all_but_one),
}
"""Relations by name, each with its number of arguments."""
