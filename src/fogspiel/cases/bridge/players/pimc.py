"""The declarer `pimc`: perfect information in each of many deals that declarer holds possible.

Source: as in `choosing`. The yardstick of the others: it sees what declarer sees, and knows of the
defenders' hands what voids, the auction, the lead and restricted choice tell.
Departures: equal cards are looked at once, and a card without an alternative is played at once.
"""

from __future__ import annotations

import numpy as np

from fogspiel.cases.bridge.cards import Card, length, rank_of, suit_of
from fogspiel.cases.bridge.players.choosing import Prospect, best_for_declarer, prospects
from fogspiel.cases.bridge.players.protocol import Objective, equal_groups
from fogspiel.cases.bridge.sampling import all_hands, sample_worlds
from fogspiel.cases.bridge.view import DeclarerView

DEFAULT_WORLDS = 50


class PimcDeclarer:
    """Plays the card that is best on average if all cards were seen from then on."""

    def __init__(self, worlds: int = DEFAULT_WORLDS, objective: Objective = "tricks") -> None:
        self._worlds = worlds
        self._objective = objective
        self._seed = 0

    def start(self, seed: int) -> None:
        """Every card is chosen by the seed and the view alone, whatever was asked before."""
        self._seed = seed

    def card(self, view: DeclarerView) -> Card:
        """The lowest of the best group of equals; ties as `declarers_order` has them."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        return best_for_declarer(self.prospects(view), self._objective, order)

    def prospects(self, view: DeclarerView) -> list[Prospect]:
        """What the lowest card of each group of equals promises, low cards first."""
        rng = np.random.default_rng([self._seed, len(view.table.history)])
        worlds = sample_worlds(view, self._worlds, rng)
        return prospects(
            sorted(declarers_order(view)), view.table, all_hands(view, worlds), worlds.weights
        )


def declarers_order(view: DeclarerView) -> list[Card]:
    """The lowest card of each group of equals, in the order in which ties are broken.

    Low cards come first, since a high one may still be wanted; of these the suit in which both
    hands together are longest, and then spades before hearts, diamonds and clubs.
    """
    table = view.table
    hand = view.hand_of(table.turn)
    both = view.declarer_hand | view.dummy_hand
    lowest = [group[0] for group in equal_groups(hand, table.legal(hand), table)]
    return sorted(lowest, key=lambda card: (rank_of(card), -length(both, suit_of(card)), card))
