"""What methods can ask about the trick on the table; everything here is known to declarer."""

from __future__ import annotations

from collections.abc import Iterator

from fogspiel.cases.bridge.cards import NOTRUMP, card_name, cards_of, suit_cards
from fogspiel.cases.bridge.table import winner_of
from fogspiel.cases.bridge.tignum.defence import least_needed
from fogspiel.cases.bridge.tignum.facts import HANDS, Facts, Row


def places(facts: Facts, place: int) -> Iterator[Row]:
    """The hand whose turn it is and the other one, if so many cards of the trick are played."""
    if len(facts.trick) == place:
        yield HANDS[facts.turn], HANDS[1 - facts.turn]


def takes_cheaply(facts: Facts) -> Iterator[Row]:
    """The lowest card of the suit led that takes the trick as it stands."""
    if facts.trick and facts.follows():
        for card in facts.classes(facts.turn, facts.led):
            if facts.takes(card):
                yield HANDS[facts.turn], card_name(card)
                return


def takes_surely(facts: Facts) -> Iterator[Row]:
    """The lowest card of the suit led that takes the trick and that no defender beats in suit."""
    if facts.trick and facts.follows():
        for card in facts.classes(facts.turn, facts.led):
            if facts.takes(card) and not facts.above(card):
                yield HANDS[facts.turn], card_name(card)
                return


def ruffs(facts: Facts) -> Iterator[Row]:
    """The lowest and the highest trump that take the trick, for a hand that cannot follow."""
    if not facts.trick or facts.follows() or facts.trump in (facts.led, NOTRUMP):
        return
    fit = [card for card in facts.classes(facts.turn, facts.trump) if facts.takes(card)]
    if fit:
        yield HANDS[facts.turn], "low", card_name(fit[0])
    if len(fit) > 1:
        yield HANDS[facts.turn], "high", card_name(fit[-1])


def taken_by(facts: Facts) -> Iterator[Row]:
    """Cards of the hand whose turn it is that take the trick as it stands."""
    if facts.trick:
        suit = facts.led if facts.follows() else facts.trump
        for card in cards_of(suit_cards(facts.ours[facts.turn], suit)):
            if facts.takes(card):
                yield HANDS[facts.turn], card_name(card)


def lowest(facts: Facts) -> Iterator[Row]:
    """The lowest card that follows suit; else what is needed least."""
    hand = facts.ours[facts.turn]
    suited = suit_cards(hand, facts.led) if facts.trick else 0
    if suited:
        yield HANDS[facts.turn], card_name(next(cards_of(suited)))
        return
    plain = hand & ~suit_cards(hand, facts.trump) if facts.trump != NOTRUMP else hand
    yield HANDS[facts.turn], card_name(least_needed(plain or hand, facts.unseen))


def winning_side(facts: Facts) -> Iterator[Row]:
    """Whether a defender's card would win the trick as it stands."""
    if len(facts.trick) >= 2:
        place = winner_of(facts.trick, facts.trump)
        ours = (len(facts.trick) - place) % 2 == 0
        yield ("ours" if ours else "theirs",)
    elif facts.trick:
        yield ("theirs",)


def led_holds(facts: Facts) -> Iterator[Row]:
    """The card that we led wins so far, and no defender can beat it in its suit."""
    if len(facts.trick) == 2 and facts.best() == facts.trick[0] and not facts.above(facts.trick[0]):
        yield ()


def plays_next(facts: Facts) -> Iterator[Row]:
    """Who plays after each of our hands."""
    yield "declarer", "left"
    yield "dummy", "right"
