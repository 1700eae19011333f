"""The situation of declarer within a trick, and the knowledge base that plans are made with.

Source: Smith and Nau (1993), section 5, for the game; the situation itself is section 2's state
information set: our two hands and all cards played are known, the defenders' hands are worlds.

A tree covers one trick. Its leaves stand where declarer's side has played its last card to the
trick: what the defenders still do there is up to the evaluation, which is double dummy. Small cards
of a defender are one move, `small`, in all worlds at once, as a person would think of them; that is
what keeps trees small. Agents are called `declarer`, `left`, `dummy` and `right`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import (
    Card,
    Hand,
    Hands,
    hands_by_seat,
    parse_card,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.sampling import Worlds
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.tignum import defence
from fogspiel.cases.bridge.tignum.defence import DefenderTurn
from fogspiel.cases.bridge.tignum.facts import Facts
from fogspiel.cases.bridge.tignum.relations import KNOWN
from fogspiel.cases.bridge.view import DeclarerView
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.language.method_terms import ANY, GameVocabulary
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.task_network import Bindings, Mask, Pattern, TaskNetwork, Weights, match

AGENTS = ("declarer", "left", "dummy", "right")
"""The agents by their places to the left of declarer."""

DEFENCE = ("follows-low", "covers", "wins-cheaply", "ruffs", "discards")
"""Relations between a defender and a kind of card, which depend on the world."""

Leaf: TypeAlias = tuple[Hands, CardTable]
"""One world at a leaf: the four hands by seat, and the table."""
Evaluator: TypeAlias = Callable[[Leaf], float]
"""Gives the value of a world for declarer, in [0, 1]."""
FILE = Path(__file__).with_name("bridge.methods")
VOCABULARY = GameVocabulary(
    {(name, arity): (ANY,) * arity for name, (arity, _) in KNOWN.items()}
    | {(name, 2): (ANY, ANY) for name in DEFENCE}
)


@dataclass(frozen=True, slots=True)
class TrickPosition:
    """A state information set within one trick."""

    table: CardTable  #: The table when planning began
    ours: tuple[Hand, Hand]  #: The cards left in declarer's hand and in dummy
    left: tuple[Hand, ...]
    """(worlds,) the cards left in the hand on declarer's left; so is `right`."""
    right: tuple[Hand, ...]
    unseen: Hand  #: Cards that defenders held when planning began
    weights: Weights
    evaluator: Evaluator
    plays: tuple[tuple[Card, ...], ...] = ()
    """Cards played since then: of a defender one for each world, of ours just one."""
    rows: dict[str, Mapping[tuple[str, ...], Mask | None]] = field(default_factory=dict)
    """Relations that were asked for, each once."""

    @classmethod
    def of(cls, view: DeclarerView, worlds: Worlds, evaluator: Evaluator) -> TrickPosition:
        """The position that a view shows, with sampled deals as worlds."""
        return cls(
            view.table,
            (view.declarer_hand, view.dummy_hand),
            tuple(map(int, worlds.left)),
            tuple(map(int, worlds.right)),
            view.unseen,
            worlds.weights,
            evaluator,
        )

    @property
    def place(self) -> int:
        """The place of the next card in the trick: 0 for a lead."""
        return len(self.table.history) % 4 + len(self.plays)

    @property
    def turn(self) -> int:
        """The agent to move, as places to the left of declarer."""
        first = self.table.trick_leader - self.table.contract.declarer
        return (first + self.place) % 4

    @property
    def agent(self) -> str:
        """The agent to move."""
        return AGENTS[self.turn]

    @property
    def is_controlled(self) -> bool:
        """Whether declarer chooses the next card."""
        return self.turn % 2 == 0

    @property
    def is_over(self) -> bool:
        """Whether our side has played its last card to the trick."""
        return bool(self.plays) and self.place >= (4 if self.turns_left_to_us else 3)

    @property
    def turns_left_to_us(self) -> bool:
        """Whether the last card of the trick is ours."""
        return (self.table.trick_leader - self.table.contract.declarer) % 2 == 1

    def trick(self, world: int) -> tuple[Card, ...]:
        """The cards of the trick so far, in one world."""
        new = (play[0] if len(play) == 1 else play[world] for play in self.plays)
        return (*self.table.trick, *new)

    def hand(self, agent: str, world: int) -> Hand:
        """The cards of an agent in a world."""
        if agent == "left":
            return self.left[world]
        return self.right[world] if agent == "right" else self.ours[agent == "dummy"]

    def alive(self) -> Iterable[int]:
        """The worlds that are consistent with what happened."""
        return map(int, np.flatnonzero(self.weights))

    @property
    def reports(self) -> Sequence[GroundTerm]:
        """No reports: nothing is told but the cards themselves."""
        return ()

    def relation(self, name: str) -> Mapping[tuple[str, ...], Mask | None]:
        """The tuples of a relation, each with the worlds where it holds; None means all."""
        rows = self.rows.get(name)
        if rows is None:
            if name in KNOWN:
                rows = dict.fromkeys(KNOWN[name][1](self.facts()))
                self.rows[name] = rows
            else:
                self._fill_defence()
                rows = self.rows[name]
        return rows

    def facts(self) -> Facts:
        """The facts at our turn.

        Within a position, defenders' cards differ in nothing that matters, so that those of any
        world stand for all.
        """
        world = next(iter(self.alive()))
        contract = self.table.contract
        return Facts(
            ours=self.ours,
            unseen=self.unseen,
            trump=contract.denomination,
            trick=self.trick(world),
            turn=self.turn // 2,
            opening_suit=suit_of(self.table.history[0]),
            tricks_needed=contract.needed - self.table.won,
        )

    def turn_of(self, world: int) -> DefenderTurn:
        """A defender's turn in one world."""
        coming = self.ours[(self.turn + 1) % 4 // 2] if self.place < 3 else 0
        trick = self.trick(world)
        suited = suit_cards(coming, suit_of(trick[0])) if trick else 0
        return DefenderTurn(
            hand=self.hand(self.agent, world),
            trick=trick,
            trump=self.table.contract.denomination,
            watched=suited if self.place == 2 else suited & (suited - 1),
            ours=self.ours[0] | self.ours[1],
        )

    def _fill_defence(self) -> None:
        """Find the worlds in which the defender to move can make each kind of play."""
        filled: dict[str, dict[tuple[str, ...], Mask | None]] = {name: {} for name in DEFENCE}
        for world in self.alive():
            for name, kind in defence.moves(self.turn_of(world)).items():
                row = filled[name].setdefault((self.agent, kind), np.zeros(len(self.weights), bool))
                assert row is not None
                row[world] = True
        self.rows.update(filled)

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        """Bindings that make an atom true in some world."""
        name = atom if isinstance(atom, str) else atom[0]
        assert isinstance(name, str)
        arguments = () if isinstance(atom, str) else atom[1:]
        for row in self.relation(name):
            found = match(arguments, row, bindings)
            if found is not None:
                yield found

    def holds(self, atom: GroundTerm) -> Mask:
        """(worlds,) truth of an atom."""
        name = atom if isinstance(atom, str) else atom[0]
        words = () if isinstance(atom, str) else tuple(map(str, atom[1:]))
        rows = self.relation(str(name))
        everywhere = np.ones(len(self.weights), np.bool_)
        if words not in rows:
            return ~everywhere
        mask = rows[words]
        return everywhere if mask is None else mask

    def assume(self, mask: Mask) -> TrickPosition:
        """The position in which only some worlds are possible."""
        return replace(self, weights=np.where(mask, self.weights, 0.0), rows={})

    def perform(self, operator: GroundTerm) -> TrickPosition:
        """The position after `(play CARD)`, or a defender's `(play AGENT KIND)` in every world."""
        assert not isinstance(operator, str)
        if len(operator) == 2:
            return self._after_ours(str(operator[1]))
        return self._after_defence(str(operator[1]), str(operator[2]))

    def _after_ours(self, name: str) -> TrickPosition:
        card = parse_card(name)
        assert card is not None
        own, dummy = self.ours
        ours = (own & ~(1 << card), dummy) if self.turn == 0 else (own, dummy & ~(1 << card))
        return replace(self, ours=ours, plays=(*self.plays, (card,)), rows={})

    def _after_defence(self, agent: str, kind: str) -> TrickPosition:
        cards = [-1] * len(self.weights)
        weights = self.weights.copy()
        hands = list(self.left if agent == "left" else self.right)
        for world in self.alive():
            card = defence.card_of(self.turn_of(world), kind)
            if card is None:
                weights[world] = 0.0
                continue
            cards[world] = card
            hands[world] &= ~(1 << card)
        plays = (*self.plays, tuple(cards) if len(cards) > 1 else (cards[0],))
        after = replace(self, weights=weights, plays=plays, rows={})
        if agent == "left":
            return replace(after, left=tuple(hands))
        return replace(after, right=tuple(hands))

    def leaf(self, world: int) -> Leaf:
        """One world, for the evaluation."""
        table = self.table
        for card in self.trick(world)[len(table.trick) :]:
            table = table.play(card)
        declarer = table.contract.declarer
        places = enumerate(AGENTS)
        held = {(declarer + place) % 4: self.hand(agent, world) for place, agent in places}
        return hands_by_seat(held), table

    def evaluate(self) -> NDArray[np.float64]:
        """(worlds,) values of the consistent worlds; 0 elsewhere."""
        values = np.zeros(len(self.weights))
        for world in self.alive():
            values[world] = self.evaluator(self.leaf(world))
        return values


@cache
def knowledge_base() -> TaskNetwork:
    """All schemes of declarer play, and the defenders' answers; read once from their file."""
    return sound_network(Source(FILE.name, FILE.read_text("utf-8")), vocabulary=VOCABULARY)
