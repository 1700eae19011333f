"""Declarer `tignum`: plans by schemes, evaluated on deals that are possible.

Source: Smith and Nau (1993), sections 4 and 5.
Departures: declarer plans anew at every card that leaves a choice. A plan takes milliseconds here,
and each card of a defender tells something about the deals that are left.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fogspiel.cases.bridge.cards import Card, Hands, cards_of
from fogspiel.cases.bridge.double_dummy import best_cards, is_made, making_cards, tricks
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.sampling import Worlds, sample_worlds
from fogspiel.cases.bridge.table import CardTable, equal_groups
from fogspiel.cases.bridge.tignum.champion import ContractQuestions, TricksQuestions
from fogspiel.cases.bridge.tignum.deferred_lead import Postponed
from fogspiel.cases.bridge.tignum.position import Leaf, TrickPosition, knowledge_base
from fogspiel.cases.bridge.tignum.racing import (
    CardLikelihood,
    SchemeLine,
    by_tricks,
    challenge,
    is_settled,
    lines_of,
    race,
)
from fogspiel.cases.bridge.view import DeclarerView
from fogspiel.plan.tree.building import grow, root_of
from fogspiel.plan.tree.nodes import TIGNUM_NODES, TreeLimits

WORLDS = 128  #: The largest number of worlds at any card
CONTRACT_WORLDS = (
    {13: (24, 48), 12: (32, 64), 11: (48, 96), 10: (64, 128), 9: (64, 128)},
    (48, 128),
)
"""Worlds by the number of cards in a hand, as solutions get cheaper, and with fewer cards: how many
are enough where all lines have the same value, and how many are evaluated if not. For the
objective `contract`."""
TRICKS_WORLDS = (
    {13: (8, 10), 12: (8, 16), 11: (12, 28), 10: (16, 40), 9: (16, 48), 8: (20, 48)},
    (32, 64),
)
"""Worlds for the objective `tricks`, which takes the solver longer."""
EASY_PLACES = (1, 3)
"""Places where a card seldom costs a trick, second and last: half as many worlds are enough."""
WORLDS_FOR_TRICKS = 8  #: Worlds to choose by tricks where the contract is out of doubt
THRIFT_FROM = {"contract": 10, "tricks": 9}
"""Cards in a hand from which on it is quicker to ask about few cards than about all at once. With
so many, it is not clear either that a contract is out of doubt: rare layouts are not seen."""
LIKELIHOOD_UP_TO = 7  #: Cards in a hand up to which worlds are weighed by the defenders' last card


@dataclass(slots=True)
class TurnReasoning:
    """The reasoning at one turn."""

    lines: list[SchemeLine]  #: The lines that were still in the race, best first
    position: TrickPosition  #: The position with its worlds


@dataclass(slots=True)
class Tignum:
    """A declarer that plans by schemes."""

    worlds: int = WORLDS
    objective: Objective = "contract"
    seed: int = 0
    last: TurnReasoning | None = None
    """The reasoning about the last card; None if there was no choice."""
    scheme: str = ""
    """The name of the scheme that the last card belongs to; empty if there was no choice."""

    def start(self, seed: int) -> None:
        """Begin a deal."""
        self.seed = seed

    def card(self, view: DeclarerView) -> Card:
        """The card that declarer plays, from hand or dummy."""
        self.last, self.scheme = None, ""
        hand = view.hand_of(view.table.turn)
        groups = equal_groups(hand, view.table.legal(hand), view.table)
        return groups[0][0] if len(groups) == 1 else self._plan(view)

    def _plan(self, view: DeclarerView) -> Card:
        """The card of the best line."""
        rng = np.random.default_rng([self.seed, len(view.table.history)])
        enough, most = worlds_for(view, self.objective)
        worlds = shuffled(sample_worlds(view, min(self.worlds, most), rng), rng)
        position = TrickPosition.of(view, worlds, self._evaluate)
        root = root_of(position)
        grow(root, knowledge_base(), TreeLimits(), TIGNUM_NODES)
        if cards_left(view) >= THRIFT_FROM[self.objective] and not worlds.is_complete:
            ranked = self._challenged(lines_of(root), position, enough)
        else:
            late = cards_left(view) <= LIKELIHOOD_UP_TO
            likelihood = CardLikelihood.of(view, worlds) if late else None
            ranked = self._raced(lines_of(root), position, enough, worlds.is_complete, likelihood)
        self.last = TurnReasoning(ranked, position)
        self.scheme = ranked[0].method.name
        return ranked[0].card

    def _challenged(
        self, lines: list[SchemeLine], position: TrickPosition, enough: int
    ) -> list[SchemeLine]:
        """The lines, best first, with few questions to the solver."""
        if self.objective == "tricks":
            return challenge(lines, position.weights, TricksQuestions(position.leaf), enough=enough)
        return challenge(
            lines,
            position.weights,
            ContractQuestions(position.leaf),
            enough=enough,
            postponed=Postponed(position, contract_values),
        )

    def _raced(
        self,
        lines: list[SchemeLine],
        position: TrickPosition,
        enough: int,
        exact: bool,
        likelihood: CardLikelihood | None,
    ) -> list[SchemeLine]:
        """The lines, best first, with one call of the solver for all cards of a world."""
        for_contract = self.objective == "contract"
        ranked = race(
            lines,
            position.weights,
            partial(self._makes if for_contract else self._tricks, position),
            enough=enough,
            exact=exact,
            postponed=Postponed(position, contract_values) if for_contract else None,
            likelihood=likelihood,
        )
        if for_contract and is_settled(ranked):
            judge = partial(self._tricks, position)
            ranked = by_tricks(ranked, position.weights, judge, WORLDS_FOR_TRICKS)
        return ranked

    def _makes(self, position: TrickPosition, world: int, cards: Set[Card]) -> dict[Card, float]:
        """Whether the contract is made after each card, in a world."""
        hands, table = position.leaf(world)
        values = contract_values(hands, table)
        return {card: values[card] for card in cards}

    def _tricks(self, position: TrickPosition, world: int, cards: Set[Card]) -> dict[Card, float]:
        """Tricks after each card in a world, divided by 13.

        A card that is not best is assumed to lose one trick, which is nearly always so.
        """
        hands, table = position.leaf(world)
        most, good = best_cards(hands, table)
        return {card: (most - 1 + (good >> card & 1)) / 13 for card in cards}

    def _evaluate(self, leaf: Leaf) -> float:
        """The double-dummy value of a world at a leaf."""
        hands, table = leaf
        if self.objective == "contract":
            return float(is_made(hands, table))
        return tricks(hands, table) / 13


def worlds_for(view: DeclarerView, objective: Objective) -> tuple[int, int]:
    """The number of worlds that is enough where all lines have the same value, and if not."""
    early, later = CONTRACT_WORLDS if objective == "contract" else TRICKS_WORLDS
    enough, most = early.get(cards_left(view), later)
    if objective == "tricks" and len(view.table.trick) in EASY_PLACES:
        return enough // 2, most // 2
    return enough, most


def cards_left(view: DeclarerView) -> int:
    """Tricks that are still to be played, with the one on the table."""
    return max(view.declarer_hand.bit_count(), view.dummy_hand.bit_count())


def contract_values(hands: Hands, table: CardTable) -> dict[Card, float]:
    """Whether the contract is made after each card of the one to play."""
    good = making_cards(hands, table)
    return {card: float(good >> card & 1) for card in cards_of(table.legal(hands[table.turn]))}


def shuffled(worlds: Worlds, rng: np.random.Generator) -> Worlds:
    """The deals in random order: sampling lists like ones side by side, and few may be used."""
    order = rng.permutation(len(worlds.weights))
    return replace(
        worlds,
        left=worlds.left[order],
        right=worlds.right[order],
        weights=worlds.weights[order],
    )
