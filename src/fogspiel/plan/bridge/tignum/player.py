"""Tignum as a declarer: plans a trick by schemes, follows the plan, plans anew when it is left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogspiel.plan.bridge import double_dummy
from fogspiel.plan.bridge.cards import Card, cards_of, parse_card, suit_of
from fogspiel.plan.bridge.sampling import sample_worlds
from fogspiel.plan.bridge.tignum import defence
from fogspiel.plan.bridge.tignum.position import Leaf, Position
from fogspiel.plan.bridge.tignum.racing import Line, lines_of, race
from fogspiel.plan.bridge.tignum.relations import Facts
from fogspiel.plan.bridge.tignum.schemes import knowledge_base
from fogspiel.plan.bridge.view import View
from fogspiel.plan.tree.building import build
from fogspiel.plan.tree.nodes import TIGNUM_NODES, Kind, Node, TreeLimits

WORLDS = 24
CONTRACT_WEIGHT = 12.0
"""How many tricks the contract itself counts for, where it is the objective."""
SOLVES = {13: 40, 12: 48, 11: 90, 10: 120, 9: 150}
"""Leaves to evaluate, about, by the number of cards in a hand: solutions get cheaper quickly."""
SOLVES_LATER = 200
"""With fewer cards."""


@dataclass(slots=True)
class Decision:
    """What was thought at one turn."""

    lines: list[Line]
    """Those that were still in the race, best first."""
    nodes: int
    root: Node


@dataclass(slots=True)
class Tignum:
    """A declarer that thinks in schemes."""

    worlds: int = WORLDS
    objective: str = "contract"
    seed: int = 0
    _next: Node | None = None
    """Where the plan stands: a defender's turn of which the plan knows what follows."""
    _expected: int = 0
    """How many cards were played when the plan came to stand there."""
    last: Decision | None = None
    scheme: str = ""
    """The name of the scheme that the last card belongs to."""
    _solved: dict[object, float] = field(default_factory=dict)

    def start(self, seed: int) -> None:
        """Begin a deal."""
        self.seed = seed
        self._next = None
        self._solved.clear()

    def card(self, view: View) -> Card:
        """The card that declarer plays, from hand or dummy."""
        hand = view.hand_of(view.table.turn)
        legal = view.table.legal(hand)
        only = only_card(view, legal)
        if only is not None:
            self._next = None
            return only
        followed = self._follow(view)
        if followed is not None and legal >> followed & 1:
            return followed
        return self._plan(view)

    def _follow(self, view: View) -> Card | None:
        """The card that the plan has for what the defender did, unless it tells something new."""
        node, table = self._next, view.table
        self._next = None
        if node is None or len(table.history) != self._expected + 1:
            return None
        position = node.situation
        assert isinstance(position, Position)
        world = next(iter(position.alive()))
        kind = defence.kind_of(position.turn_of(world), table.history[-1])
        if kind != defence.SMALL:
            return None
        for child in node.children:
            if child.step is not None and child.step.operator == ("play", position.agent, kind):
                return self._advance(child)
        return None

    def _advance(self, node: Node) -> Card | None:
        """Go down to our next card, and stand where a defender answers it."""
        while node.kind is Kind.DECISION:
            node = node.children[0]
            if node.step is not None and node.step.operator is not None:
                break
        else:
            return None
        if node.kind is Kind.EXTERNAL:
            self._next = node
            position = node.situation
            assert isinstance(position, Position)
            self._expected = len(position.table.history) + len(position.plays)
        assert node.step is not None
        assert node.step.operator is not None
        return parse_card(str(node.step.operator[1]))

    def _plan(self, view: View) -> Card:
        """Think."""
        rng = np.random.default_rng([self.seed, len(view.table.history)])
        worlds = sample_worlds(view, self.worlds, rng)
        position = Position.of(view, worlds, self._evaluate)
        nodes = build(position, knowledge_base(), TreeLimits(nodes=TIGNUM_NODES))
        lines = lines_of(nodes[0])
        size = view.declarer_hand.bit_count()
        ranked = race(lines, worlds.weights, SOLVES.get(size, SOLVES_LATER))
        self.last = Decision(ranked, len(nodes), nodes[0])
        self.scheme = ranked[0].method.name
        card = self._advance_line(ranked[0])
        assert card is not None
        return card

    def _advance_line(self, line: Line) -> Card | None:
        node = line.node
        return self._advance(node)

    def _evaluate(self, leaf: Leaf) -> float:
        """Tricks double dummy, or the contract and then tricks, in [0, 1]."""
        hands, table = leaf
        key = (hands, table.trick, table.trick_leader, table.won)
        value = self._solved.get(key)
        if value is None:
            tricks = double_dummy.tricks(hands, table)
            value = tricks / 13
            if self.objective == "contract":
                made = tricks >= table.contract.needed
                value = (CONTRACT_WEIGHT * made + value) / (CONTRACT_WEIGHT + 1)
            self._solved[key] = value
        return value


def only_card(view: View, legal: int) -> Card | None:
    """The card to play where all are equal; None where there is a choice."""
    suits = {suit_of(card) for card in cards_of(legal)}
    if len(suits) > 1:
        return None
    hands = (view.declarer_hand, view.dummy_hand)
    turn = int(view.table.turn != view.table.contract.declarer)
    facts = Facts(
        hands, view.unseen, view.table.contract.denomination, view.table.trick, turn, 0, 0
    )
    groups = facts.classes(turn, suits.pop())
    return groups[0] if len(groups) == 1 else None
