"""The value of cashing a winner first, if the next lead must then be the same in all worlds.

A winner that is cashed decides nothing, and double dummy it costs nothing either: all guesses are
put off, and will be right. So plans that wait look better than they are. Here the lead after the
winner is one card for all worlds that look alike by then.
Source of the difficulty: Frank and Basin (1998), Search in games with incomplete information: a
case study using bridge card play, Artificial Intelligence 100: strategy fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, Hand, Hands, cards_of, length, suit_cards, suit_of
from fogspiel.cases.bridge.table import CardTable, without
from fogspiel.cases.bridge.tignum.position import TrickPosition

TEN = 8  #: The lowest rank of a defender's card that is not a small one
SMALL, NONE = -1, -2
"""Observations of a defender that are no card: a small one, or none of the suit."""

CardValues: TypeAlias = Callable[[Hands, CardTable], dict[Card, float]]
"""Gives the value of each card of the player to move in a deal."""


@dataclass(frozen=True, slots=True)
class Later:
    """One world at our next lead."""

    seen: tuple[int, ...]  #: The observations of both defenders
    values: dict[Card, float]  #: The value of each card then


@dataclass(frozen=True, slots=True)
class Postponed:
    """Evaluates leads one trick later, in the worlds of a position."""

    position: TrickPosition
    card_values: CardValues

    def postpones(self, card: Card) -> bool:
        """Whether a lead is a sure winner to which our other hand follows."""
        table, unseen = self.position.table, self.position.unseen
        other = self.position.ours[0 if table.turn == table.contract.dummy else 1]
        suit = suit_of(card)
        is_master = not suit_cards(unseen, suit) >> card
        return not table.trick and is_master and bool(suit_cards(other, suit))

    def values(
        self,
        card: Card,
        worlds: Sequence[int],
        values: Sequence[float],
        weights: NDArray[np.float64],
    ) -> list[float]:
        """(worlds,) values of a winner if the lead after it is the same in worlds that look alike.

        worlds, weights: those of the race, from the first on as many as there are values.
        values: double dummy; worlds that are lost stay lost.
        """
        found = [
            (self._later(world, card) if value else None) or value
            for world, value in zip(worlds, values, strict=False)
        ]
        return chosen_once(found, weights)

    def _later(self, world: int, card: Card) -> Later | None:
        """A world one trick later, if the others play naturally; None if they take the trick."""
        hands, table = self.position.leaf(world)
        suit = suit_of(card)
        seen: list[int] = []
        for _ in range(4):
            if not table.trick:
                played = card
            elif table.is_declarers_turn:
                played = next(iter(cards_of(suit_cards(hands[table.turn], suit))))
            else:
                played = natural_card(hands[table.turn], table, suit)
                small = SMALL if played % 13 < TEN else played
                seen.append(small if suit_of(played) == suit else NONE)
            hands, table = without(hands, table.turn, played), table.play(played)
        if not table.is_declarers_turn or not any(hands):
            return None
        return Later(tuple(seen), self.card_values(hands, table))


def natural_card(hand: Hand, table: CardTable, led: int) -> Card:
    """The lowest card of the suit led, else of the longest side suit, and a trump at last."""
    if own := suit_cards(hand, led):
        return next(iter(cards_of(own)))
    trump = table.contract.denomination
    held = [suit for suit in range(4) if length(hand, suit)]
    suit = max(held, key=lambda suit: (suit != trump, length(hand, suit)))
    return next(iter(cards_of(suit_cards(hand, suit))))


def chosen_once(worlds: Sequence[Later | float], weights: NDArray[np.float64]) -> list[float]:
    """(worlds,) values if one card is led in all worlds that look alike.

    worlds: a number where nothing is left to choose.
    """
    sums: dict[tuple[int, ...], dict[Card, float]] = {}
    for world, weight in zip(worlds, weights, strict=False):
        if isinstance(world, Later):
            group = sums.setdefault(world.seen, {})
            for card, value in world.values.items():
                group[card] = group.get(card, 0.0) + float(weight) * value
    best = {
        seen: max(sorted(group), key=lambda card: round(group[card], 9))
        for seen, group in sums.items()
    }
    return [
        world.values[best[world.seen]] if isinstance(world, Later) else world for world in worlds
    ]
