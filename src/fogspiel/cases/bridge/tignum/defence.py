"""Expected plays of the defenders, in one world at a time.

Second and third hand low, covering an honour, winning as cheaply as possible or holding up,
ruffing, and throwing what is least needed. Where a defender has a choice between them, each is a
method of its own and the tree holds both.
"""

from __future__ import annotations

from dataclasses import dataclass

from fogspiel.cases.bridge.cards import (
    Card,
    Hand,
    card_name,
    cards_of,
    holding,
    parse_card,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.table import winner_of

SMALL, RUFF, THROW = "small", "ruff", "throw"
TEN = 8  #: The rank of the lowest honour: to cover one always matters


@dataclass(frozen=True, slots=True)
class DefenderTurn:
    """A defender's turn in one world."""

    hand: Hand
    trick: tuple[Card, ...]
    trump: int
    watched: Hand
    """The cards of the hand of ours that plays next, other than the lowest of a third hand: a
    defender's card matters if it beats one of them that would have taken the trick."""
    ours: Hand  #: The cards that declarer and dummy still hold

    @property
    def best(self) -> Card:
        """The card that would win if the trick ended now."""
        return self.trick[winner_of(self.trick, self.trump)]

    @property
    def followers(self) -> Hand:
        """Cards of the suit that was led."""
        return suit_cards(self.hand, suit_of(self.trick[0]))


def moves(turn: DefenderTurn) -> dict[str, str]:
    """The kind of card of each method: follows-low, covers, wins-cheaply, ruffs, discards."""
    if not turn.followers:
        return _moves_without(turn)
    lowest = next(cards_of(turn.followers))
    found = {"follows-low": kind_of(turn, lowest)}
    best = turn.best
    if suit_of(best) != suit_of(lowest):
        return found  # somebody has ruffed: no card of the suit matters
    higher = [card for card in cards_of(turn.followers) if card > best]
    if higher:
        if kind_of(turn, higher[0]) != SMALL:
            found["covers"] = card_name(higher[0])
        ceiling = max(cards_of(suit_cards(turn.watched, suit_of(best))), default=-1)
        winning = [card for card in higher if card > ceiling]
        if winning and kind_of(turn, winning[0]) != SMALL:
            found["wins-cheaply"] = card_name(winning[0])
    return found


def _moves_without(turn: DefenderTurn) -> dict[str, str]:
    """The moves of a defender who cannot follow suit."""
    found = {}
    if _ruff(turn) is not None:
        found["ruffs"] = RUFF
    if turn.hand & ~_trumps(turn):
        found["discards"] = THROW
    elif not found:
        found["discards"] = card_name(next(cards_of(turn.hand)))
    return found


def kind_of(turn: DefenderTurn, card: Card) -> str:
    """The kind of a defender's card: small if it matters to nobody, else its name."""
    if suit_of(card) != suit_of(turn.trick[0]):
        return RUFF if suit_of(card) == turn.trump else THROW
    best = turn.best
    mine = suit_cards(turn.watched, suit_of(card)) if suit_of(best) == suit_of(card) else 0
    covers = suit_of(best) == suit_of(card) and card > best and best % 13 >= TEN
    matters = covers or any(best < own < card for own in cards_of(mine))
    return card_name(card) if matters else SMALL


def card_of(turn: DefenderTurn, kind: str) -> Card | None:
    """The card that a kind of move is in this world; None where it cannot be made."""
    if kind == RUFF:
        return None if turn.followers else _ruff(turn)
    if kind == THROW:
        rest = turn.hand & ~_trumps(turn)
        return None if turn.followers or not rest else least_needed(rest, turn.ours)
    if kind == SMALL:
        lowest = next(cards_of(turn.followers), None)
        return lowest if lowest is not None and kind_of(turn, lowest) == SMALL else None
    card = parse_card(kind)
    assert card is not None
    legal = turn.followers or turn.hand
    return card if legal >> card & 1 else None


def _trumps(turn: DefenderTurn) -> Hand:
    return suit_cards(turn.hand, turn.trump) if turn.trump < 4 else 0


def _ruff(turn: DefenderTurn) -> Card | None:
    """The lowest trump that takes the trick."""
    best = turn.best
    return next(
        (card for card in cards_of(_trumps(turn)) if suit_of(best) != turn.trump or card > best),
        None,
    )


def least_needed(hand: Hand, ours: Hand) -> Card:
    """The card to throw: the lowest of the suit with most to spare.

    A suit has to spare the cards that are not needed to guard its highest card: a card that will
    win once our higher ones are gone needs as many cards below it as we have above it.
    """
    best: tuple[int, int, Card] | None = None
    for suit in range(4):
        cards = holding(hand, suit)
        if not cards:
            continue
        top = cards.bit_length() - 1
        mine = holding(ours, suit)
        above, below = (mine >> (top + 1)).bit_count(), (mine & ((1 << top) - 1)).bit_count()
        guard = above + 1 if below else 0
        count = cards.bit_count()
        spare = count - guard if count >= guard else count
        lowest = suit * 13 + (cards & -cards).bit_length() - 1
        rank = (spare, count, -lowest)
        if best is None or rank > (best[0], best[1], -best[2]):
            best = (spare, count, lowest)
    assert best is not None
    return best[2]
