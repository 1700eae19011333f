"""What the solver is asked about the worlds of a position, by what declarer plays for.

Where many cards are left a question takes milliseconds, and its kind matters: whether one card
reaches a number of tricks is told several times as fast as what every card comes to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fogspiel.cases.bridge.cards import Card, Hand
from fogspiel.cases.bridge.double_dummy import Hands, is_reached, reaching_cards, tricks
from fogspiel.cases.bridge.players.protocol import without
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.tignum.champion import Judgement
from fogspiel.cases.bridge.tignum.position import Leaf

ALL_TRICKS = 13


@dataclass(frozen=True, slots=True)
class ContractQuestions:
    """A card is worth 1 in a world where the contract is made after it, else 0."""

    leaf: Callable[[int], Leaf]
    unit: float = 1.0

    def judge(self, world: int, card: Card) -> Judgement:
        """Whether the contract is made after a card; if not, by which it is."""
        made = self.reaches(world, card, 1.0)
        return Judgement(float(made), 0 if made else self.better(world, 0.0))

    def better(self, world: int, value: float) -> Hand:
        """The cards that make a contract that is not made."""
        hands, table = self.leaf(world)
        return 0 if value else reaching_cards(hands, table, table.contract.needed)

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether a card makes the contract, if that is asked."""
        hands, table = after(self.leaf(world), card)
        return not value or is_reached(hands, table, table.contract.needed)


@dataclass(frozen=True, slots=True)
class TricksQuestions:
    """A card is worth the tricks at the end of play, as a share of all."""

    leaf: Callable[[int], Leaf]
    unit: float = 1 / ALL_TRICKS

    def judge(self, world: int, card: Card) -> Judgement:
        """Tricks after a card, and the cards that win more."""
        value = tricks(*after(self.leaf(world), card)) * self.unit
        return Judgement(value, self.better(world, value))

    def better(self, world: int, value: float) -> Hand:
        """The cards that win a trick more; two more are nearly never to be had."""
        hands, table = self.leaf(world)
        return reaching_cards(hands, table, round(value * ALL_TRICKS) + 1)

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether a card wins so many tricks."""
        hands, table = after(self.leaf(world), card)
        return is_reached(hands, table, round(value * ALL_TRICKS))


def after(leaf: Leaf, card: Card) -> tuple[Hands, CardTable]:
    """A world after a card of the one to play."""
    hands, table = leaf
    return without(hands, table.turn, card), table.play(card)
