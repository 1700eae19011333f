"""Choosing a card by what double-dummy play makes of it in each of several deals.

Source: Levy (1989), "The million pound bridge program"; Ginsberg (2001), "GIB: Imperfect
Information in a Computationally Challenging Game", Journal of Artificial Intelligence Research 14,
section 3 ("Monte Carlo card play").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card
from fogspiel.cases.bridge.double_dummy import Hands, card_tricks
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.table import CardTable

NEAR = 1e-9
"""Means that differ by less differ by rounding alone."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a card promises declarer's side over the deals that were looked at."""

    card: Card
    tricks: float
    """Mean number of tricks at the end of play."""
    made: float
    """In which share of the deals the contract is made."""


def prospects(
    cards: Sequence[Card], table: CardTable, worlds: Sequence[Hands], weights: NDArray[np.float64]
) -> list[Prospect]:
    """What each card promises, in the order of the cards.

    worlds: the four hands in each deal, as they are now; weights: (worlds,) summing to 1.
    """
    tricks = np.empty((len(worlds), len(cards)))
    for row, hands in zip(tricks, worlds, strict=True):
        found = card_tricks(hands, table)
        row[:] = [found[card] for card in cards]
    means = weights @ tricks
    made = weights @ (tricks >= table.contract.needed)
    return [
        Prospect(card, float(mean), float(share))
        for card, mean, share in zip(cards, means, made, strict=True)
    ]


def best_for_declarer(
    found: Sequence[Prospect], objective: Objective, order: Sequence[Card]
) -> Card:
    """The card with the best prospect; among equally good ones the first of the order."""
    return _first_of_best({p.card: _worth(p, objective) for p in found}, order)


def best_for_defence(
    found: Sequence[Prospect], objective: Objective, order: Sequence[Card]
) -> Card:
    """The same for those who want declarer to get little."""
    worth = {p.card: _worth(p, objective) for p in found}
    return _first_of_best({card: (-first, -then) for card, (first, then) in worth.items()}, order)


def _worth(prospect: Prospect, objective: Objective) -> tuple[float, float]:
    """What counts first, and what counts where that is equal."""
    if objective == "tricks":
        return prospect.tricks, prospect.made
    return prospect.made, prospect.tricks


def _first_of_best(worth: Mapping[Card, tuple[float, float]], order: Sequence[Card]) -> Card:
    left = dict(worth)
    for part in (0, 1):
        best = max(values[part] for values in left.values())
        left = {card: values for card, values in left.items() if values[part] > best - NEAR}
    return next(card for card in order if card in left)
