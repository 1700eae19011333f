"""Players `double-dummy`, who see all hands: their results are bounds for the others.

The defender is the hardest opponent there is, and yet a natural one: among cards that are equally
good it takes the one that a person would, so that it gives away nothing that a person would not.
Between touching honours it draws lots, since a fixed habit would tell declarer which it holds.
"""

from __future__ import annotations

import numpy as np

from fogspiel.cases.bridge.cards import Card, Hands, rank_of
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.players.natural.defender import preferences
from fogspiel.cases.bridge.players.natural.judgement import TEN
from fogspiel.cases.bridge.players.pimc import declarers_order
from fogspiel.cases.bridge.table import equal_groups
from fogspiel.cases.bridge.view import DeclarerView, DefenderView


class DoubleDummyDeclarer:
    """Plays a card that is best against best defence, with all cards seen."""

    def start(self, seed: int) -> None:
        """Nothing is left to chance."""

    def reveal(self, hands: Hands) -> None:
        """The four hands before the next card."""
        self._hands = hands

    def card(self, view: DeclarerView) -> Card:
        """Ties are broken as `pimc` breaks them."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        tricks = card_tricks(self._hands, view.table)
        return max(order, key=lambda card: tricks[card])


class DoubleDummyDefender:
    """Plays a card that leaves declarer the fewest tricks, with all cards seen."""

    def start(self, seed: int) -> None:
        """Only the draw between touching honours follows from the seed."""
        self._seed = seed

    def reveal(self, hands: Hands) -> None:
        """The four hands before the next card."""
        self._hands = hands

    def card(self, view: DefenderView) -> Card:
        """The most natural of the best cards."""
        order = preferences(view)
        groups = equal_groups(view.hand, view.legal, view.table)
        if len(groups) > 1:
            tricks = card_tricks(self._hands, view.table)
            # The first of several least ones, and so the most natural.
            chosen = min(order, key=lambda card: tricks[card])
        else:
            chosen = order[0]
        group = next(group for group in groups if chosen in group)
        return self._one_of(group, chosen, view)

    def _one_of(self, group: tuple[Card, ...], chosen: Card, view: DefenderView) -> Card:
        """Leads tell partner what is held; who follows has no reason to tell declarer."""
        if not view.table.trick or rank_of(group[0]) < TEN:
            return chosen
        rng = np.random.default_rng([self._seed, view.seat, len(view.table.history)])
        return int(rng.choice(group))
