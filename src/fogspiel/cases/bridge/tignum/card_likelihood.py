"""What a defender's card tells if defenders mostly play well.

In a world where a defender's last card would have thrown away a trick, it was probably not played:
such worlds count less. This is Bayes' rule with a defender who makes the best play, double dummy,
and slips now and then. It is asked of the last card only, and late in a deal, where the solver
answers at once; and it is a matter of degree, since real defenders do not see all cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.cases.bridge.cards import Card, Hand
from fogspiel.cases.bridge.double_dummy import Hands, best_cards
from fogspiel.cases.bridge.sampling import Worlds, all_hands
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.view import DeclarerView

SLIP = 0.3
"""How probable a card that loses a trick is, beside one that does not."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Just before a defender's card."""

    table: CardTable
    card: Card
    since: tuple[Hand, Hand, Hand, Hand]
    """What each seat has played from then on."""


@dataclass(frozen=True, slots=True)
class CardLikelihood:
    """Weighs worlds one by one: the solver is asked of those alone that are looked at."""

    moment: _Moment
    hands: Sequence[Hands]
    """(worlds,) as they are now."""

    @classmethod
    def of(cls, view: DeclarerView, worlds: Worlds) -> CardLikelihood:
        """By the defenders' last card."""
        return cls(_last_moment(view.table), all_hands(view, worlds))

    def factor(self, world: int) -> float:
        """How probable the defenders' last card is in a world, beside the best one."""
        moment = self.moment
        north, east, south, west = (
            held | since for held, since in zip(self.hands[world], moment.since, strict=True)
        )
        hands = north, east, south, west
        if moment.table.legal(hands[moment.table.turn]).bit_count() == 1:
            return 1.0
        _, best = best_cards(hands, moment.table)
        return 1.0 if best >> moment.card & 1 else SLIP


def _last_moment(table: CardTable) -> _Moment:
    """The last turn of a defender."""
    tables = [CardTable.start(table.contract)]
    for card in table.history:
        tables.append(tables[-1].play(card))
    since = [0, 0, 0, 0]
    for before, card in zip(reversed(tables[:-1]), reversed(table.history), strict=True):
        since[before.turn] |= 1 << card
        if not before.is_declarers_turn:
            return _Moment(before, card, (since[0], since[1], since[2], since[3]))
    raise ValueError("declarer never plays before a defender has led")
