"""What a defender's card tells if defenders mostly play well.

In a world where a defender's last card would have thrown away a trick, it was probably not played:
such worlds count less. This is Bayes' rule with a defender who makes the best play, double dummy,
and slips now and then. It is asked of the last card only, and late in a deal, where the solver
answers at once; and it is a matter of degree, since real defenders do not see all cards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fogspiel.plan.bridge.cards import Card, Hand
from fogspiel.plan.bridge.double_dummy import best_cards
from fogspiel.plan.bridge.sampling import Worlds, all_hands
from fogspiel.plan.bridge.table import Table
from fogspiel.plan.bridge.view import View

SLIP = 0.3
"""How probable a card that loses a trick is, beside one that does not."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Just before a defender's card."""

    table: Table
    card: Card
    since: tuple[Hand, Hand, Hand, Hand]
    """What each seat has played from then on."""


def trusting(view: View, worlds: Worlds) -> Worlds:
    """The same worlds, weighed by how well the defenders' last card would have been played."""
    weights = worlds.weights.copy()
    moment = _last_moment(view.table)
    for world, hands in enumerate(all_hands(view, worlds)):
        north, east, south, west = (
            held | since for held, since in zip(hands, moment.since, strict=True)
        )
        _, best = best_cards((north, east, south, west), moment.table)
        if not best >> moment.card & 1:
            weights[world] *= SLIP
    return replace(worlds, weights=weights / weights.sum())


def _last_moment(table: Table) -> _Moment:
    """The last turn of a defender."""
    tables = [Table.start(table.contract)]
    for card in table.history:
        tables.append(tables[-1].play(card))
    since = [0, 0, 0, 0]
    for before, card in zip(reversed(tables[:-1]), reversed(table.history), strict=True):
        since[before.turn] |= 1 << card
        if not before.is_declarers_turn:
            return _Moment(before, card, (since[0], since[1], since[2], since[3]))
    raise ValueError("declarer never plays before a defender has led")
