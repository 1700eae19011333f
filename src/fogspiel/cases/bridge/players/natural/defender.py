"""The defender `natural`: rules of thumb, at once, without search."""

from __future__ import annotations

from fogspiel.cases.bridge.cards import Card, suit_cards, suit_of
from fogspiel.cases.bridge.players.natural.discarding import ruff_or_discard
from fogspiel.cases.bridge.players.natural.follow_suit import follow
from fogspiel.cases.bridge.players.natural.leading import lead
from fogspiel.cases.bridge.players.protocol import DefenderView


def preferences(sight: DefenderView) -> list[Card]:
    """All legal cards, the most natural first. The same sight gives the same order."""
    trick = sight.table.trick
    if not trick:
        return lead(sight)
    if suit_cards(sight.hand, suit_of(trick[0])):
        return follow(sight)
    return ruff_or_discard(sight)


class NaturalDefender:
    """Plays the most natural card."""

    def start(self, seed: int) -> None:
        """Nothing is left to chance."""

    def card(self, sight: DefenderView) -> Card:
        """The first of the preferences."""
        return preferences(sight)[0]
