"""The race where the solver is slow: one line runs, and the others only where it can be beaten.

The line that the knowledge base prefers is the champion. In each world it is judged, and then it is
asked whether any card does better there: mostly none does, and nothing more is asked. A card that
does better somewhere challenges the champion, and only then it is worth while to know where it does
worse: always the one that may still come out best is judged further. A card that is better nowhere
would not be chosen whatever it loses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, Hand

DOUBT = 2.0
"""Standard errors by which a card must be behind to drop out."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a card comes to in a world."""

    value: float
    better: Hand
    """The cards that are worth more."""


class Questions(Protocol):
    """What the solver is asked of a world, each question as cheap as can be."""

    @property
    def unit(self) -> float:
        """The difference between a card and one that is better."""

    def judge(self, world: int, card: Card) -> Judgement:
        """What a card is worth, and which are worth more."""

    def better(self, world: int, value: float) -> Hand:
        """The cards that are worth more than a value."""

    def reaches(self, world: int, card: Card, value: float) -> bool:
        """Whether a card is worth a value at least."""


@dataclass(slots=True)
class Challenge:
    """Cards that are compared over worlds, one of them the champion."""

    champion: Card
    others: list[Card]
    """In order of preference."""
    worlds: Sequence[int]
    weights: NDArray[np.float64]
    """(worlds,) belief."""
    questions: Questions
    values: dict[Card, NDArray[np.float64]] = field(default_factory=dict)
    """By card: (worlds,) what it is worth; where that is not known, what it is worth at most."""
    known: dict[Card, NDArray[np.bool_]] = field(default_factory=dict)
    """By card: (worlds,) whether its value is known."""
    looked: int = 0
    """Worlds that were looked at, from the first on."""

    def __post_init__(self) -> None:
        for card in (self.champion, *self.others):
            self.values[card] = np.zeros(len(self.worlds))
            self.known[card] = np.zeros(len(self.worlds), np.bool_)

    def look(self, count: int) -> None:
        """Judge the champion in some more worlds, and who may be better than it in all."""
        start, self.looked = self.looked, min(self.looked + count, len(self.worlds))
        for place in range(start, self.looked):
            found = self.questions.judge(self.worlds[place], self.champion)
            self.values[self.champion][place] = found.value
            self.known[self.champion][place] = True
            self._compare(place, found.better)
        self._follow_up()

    def drop_out(self) -> None:
        """Let the best challenger take the champion's place if that is behind by more than chance
        explains."""
        judged = [self.champion, *self.challengers()]
        best = max(judged, key=self._score)
        weights = self.weights[: self.looked]
        if is_behind(self.seen(self.champion), self.seen(best), weights, DOUBT):
            self.champion = best
            self.others.remove(best)

    def devalue(self, card: Card, values: Sequence[float]) -> None:
        """Take it that a card is worth less than it seemed; others may be better then."""
        lower = np.flatnonzero(np.asarray(values) < self.seen(card))
        self.values[card][: self.looked] = values
        if card == self.champion:
            for place in lower.tolist():
                self._compare(place, self.questions.better(self.worlds[place], values[place]))
            self._follow_up()

    def challengers(self) -> list[Card]:
        """The cards that were judged in every world, since they might be the best."""
        return [card for card in self.others if self.known[card][: self.looked].all()]

    def seen(self, card: Card) -> NDArray[np.float64]:
        """(looked,) what a card is worth in the worlds that were looked at."""
        return self.values[card][: self.looked]

    def _score(self, card: Card) -> float:
        """What a card comes to, at most."""
        return round(float(self.seen(card) @ self.weights[: self.looked]), 9)

    def _compare(self, place: int, better: Hand) -> None:
        """Note which cards beat the champion in a world: the others are not better there."""
        worth = float(self.values[self.champion][place])
        for card in self.others:
            if not self.known[card][place]:
                is_better = bool(better >> card & 1)
                self.values[card][place] = worth + self.questions.unit * is_better
                self.known[card][place] = is_better

    def _follow_up(self) -> None:
        """Judge the card that may be best in world after world, until it is or falls back."""
        if not self.others:
            return
        own = self._score(self.champion)
        scores = {card: self._score(card) for card in self.others}
        while True:
            # Of equals the first: that which is preferred.
            card = max(self.others, key=lambda card: scores[card])
            unknown = np.flatnonzero(~self.known[card][: self.looked])
            if scores[card] <= own or not len(unknown):
                return
            place = int(unknown[0])
            worth = float(self.values[card][place])
            if not self.questions.reaches(self.worlds[place], card, worth):
                self.values[card][place] = worth - self.questions.unit
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
