"""The race where the solver is slow: one line runs, and the others only where it can be beaten.

The line that the knowledge base prefers is the champion. It is evaluated in each world, and then
the solver is asked whether any card does better there: mostly none does, and nothing more is asked.
A card that does better somewhere challenges the champion, and only then its losses matter: always
the card that may still come out best is evaluated further. A card that is better nowhere would not
be chosen whatever it loses.
Where many cards are left a call of the solver takes milliseconds, and its kind matters: whether one
card reaches a number of tricks is found several times as fast as the value of every card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, Hand, Hands
from fogspiel.cases.bridge.double_dummy import is_reached, reaching_cards, tricks
from fogspiel.cases.bridge.table import CardTable, without
from fogspiel.cases.bridge.tignum.position import Leaf

ALL_TRICKS = 13
DOUBT = 2.0  #: Standard errors by which a card must be behind to drop out


@dataclass(frozen=True, slots=True)
class Judgement:
    """The value of a card in a world."""

    value: float
    better: Hand  #: The cards of higher value


class Questions(Protocol):
    """Questions to the solver about a world, each as cheap as can be."""

    @property
    def unit(self) -> float:
        """The difference between a card and one that is better."""

    def judge(self, world: int, card: Card) -> Judgement:
        """The value of a card, and the cards of higher value."""

    def better(self, world: int, value: float) -> Hand:
        """The cards whose value is higher than a given one."""

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether the value of a card is at least a given one."""


@dataclass(slots=True)
class Challenge:
    """Cards that are compared over worlds, one of them the champion."""

    champion: Card
    others: list[Card]  #: The other cards, in order of preference
    worlds: Sequence[int]
    weights: NDArray[np.float64]  #: (worlds,) belief
    questions: Questions
    values: dict[Card, NDArray[np.float64]] = field(default_factory=dict)
    """Values of each card, (worlds,); upper bounds where they are not known."""
    known: dict[Card, NDArray[np.bool_]] = field(default_factory=dict)
    """Whether the value of each card is known, (worlds,)."""
    looked: int = 0  #: Number of worlds that were evaluated, from the first on

    def __post_init__(self) -> None:
        for card in (self.champion, *self.others):
            self.values[card] = np.zeros(len(self.worlds))
            self.known[card] = np.zeros(len(self.worlds), np.bool_)

    def look(self, count: int) -> None:
        """Evaluate the champion in some more worlds, and the cards that may be better."""
        start, self.looked = self.looked, min(self.looked + count, len(self.worlds))
        for place in range(start, self.looked):
            found = self.questions.judge(self.worlds[place], self.champion)
            self.values[self.champion][place] = found.value
            self.known[self.champion][place] = True
            self._compare(place, found.better)
        self._follow_up()

    def drop_out(self) -> None:
        """Replace the champion by a challenger if it is behind by more than chance explains."""
        judged = [self.champion, *self.challengers()]
        best = max(judged, key=self._score)
        weights = self.weights[: self.looked]
        if is_behind(self.seen(self.champion), self.seen(best), weights, DOUBT):
            self.champion = best
            self.others.remove(best)

    def devalue(self, card: Card, values: Sequence[float]) -> None:
        """Lower the values of a card; others may be better then."""
        lower = np.flatnonzero(np.asarray(values) < self.seen(card))
        self.values[card][: self.looked] = values
        if card == self.champion:
            for place in lower.tolist():
                self._compare(place, self.questions.better(self.worlds[place], values[place]))
            self._follow_up()

    def challengers(self) -> list[Card]:
        """The cards that were evaluated in every world, since they might be the best."""
        return [card for card in self.others if self.known[card][: self.looked].all()]

    def seen(self, card: Card) -> NDArray[np.float64]:
        """(looked,) values of a card in the worlds that were evaluated."""
        return self.values[card][: self.looked]

    def _score(self, card: Card) -> float:
        """The upper bound of a card's weighted value."""
        return round(float(self.seen(card) @ self.weights[: self.looked]), 9)

    def _compare(self, place: int, better: Hand) -> None:
        """Note the cards that beat the champion in a world: the others are not better there."""
        value = float(self.values[self.champion][place])
        for card in self.others:
            if not self.known[card][place]:
                is_better = bool(better >> card & 1)
                self.values[card][place] = value + self.questions.unit * is_better
                self.known[card][place] = is_better

    def _follow_up(self) -> None:
        """Evaluate the card that may be best in world after world, until it is or falls back."""
        if not self.others:
            return
        own = self._score(self.champion)
        scores = {card: self._score(card) for card in self.others}
        while True:
            # The first of equals: that which is preferred.
            card = max(self.others, key=lambda card: scores[card])
            unknown = np.flatnonzero(~self.known[card][: self.looked])
            if scores[card] <= own or not len(unknown):
                return
            place = int(unknown[0])
            bound = float(self.values[card][place])
            if not self.questions.reaches(self.worlds[place], card, bound):
                self.values[card][place] = bound - self.questions.unit
            self.known[card][place] = True
            scores[card] = self._score(card)


def is_behind(
    values: Sequence[float] | NDArray[np.float64],
    best: Sequence[float] | NDArray[np.float64],
    weights: NDArray[np.float64],
    doubt: float,
) -> bool:
    """Whether values are worse than the best by more than chance explains.

    values, best: by world, from the first on; weights: (worlds,) of all of them.
    """
    gaps = np.subtract(best, values)
    seen = weights[: len(gaps)] / weights[: len(gaps)].sum()
    mean = float(gaps @ seen)
    spread = math.sqrt(max(float((gaps - mean) ** 2 @ seen), 0.0) / len(gaps))
    return mean > 0.0 and mean > doubt * spread


@dataclass(frozen=True, slots=True)
class ContractQuestions:
    """The value of a card is 1 in a world where the contract is made after it, else 0."""

    leaf: Callable[[int], Leaf]
    unit: float = 1.0

    def judge(self, world: int, card: Card) -> Judgement:
        """Whether the contract is made after a card; if not, the cards that make it."""
        made = self.reaches(world, card, 1.0)
        return Judgement(float(made), 0 if made else self.better(world, 0.0))

    def better(self, world: int, value: float) -> Hand:
        """The cards that make a contract that is not made."""
        hands, table = self.leaf(world)
        return 0 if value else reaching_cards(hands, table, table.contract.needed)

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether a card makes the contract, where the value asks for that."""
        hands, table = after(self.leaf(world), card)
        return not value or is_reached(hands, table, table.contract.needed)


@dataclass(frozen=True, slots=True)
class TricksQuestions:
    """The value of a card is the number of tricks at the end of play, divided by 13."""

    leaf: Callable[[int], Leaf]
    unit: float = 1 / ALL_TRICKS

    def judge(self, world: int, card: Card) -> Judgement:
        """The tricks after a card, and the cards that win more."""
        value = tricks(*after(self.leaf(world), card)) * self.unit
        return Judgement(value, self.better(world, value))

    def better(self, world: int, value: float) -> Hand:
        """The cards that win a trick more; two more are nearly never to be had."""
        hands, table = self.leaf(world)
        return reaching_cards(hands, table, round(value * ALL_TRICKS) + 1)

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether a card wins the tricks of a value."""
        hands, table = after(self.leaf(world), card)
        return is_reached(hands, table, round(value * ALL_TRICKS))


def after(leaf: Leaf, card: Card) -> tuple[Hands, CardTable]:
    """The hands and the table of a world after the next card."""
    hands, table = leaf
    return without(hands, table.turn, card), table.play(card)
