"""Goofspiel with hidden bids: after a round both players see only who won it.

Source: goofspiel of OpenSpiel with imp_info=True, points_order=descending, returns_type=win_loss
(Lanctot et al. 2019, arXiv:1908.09453). The bids are never shown, not even at the end.
Departures: the last card of each hand is played as a move, where OpenSpiel plays it unasked.
"""

from __future__ import annotations

from fogspiel.games.families._layout import require
from fogspiel.games.families.goofspiel import MOST_CARDS, game_text

PERCEPTS = """\

; What is seen: who won the round. Nothing is seen when the bids were equal.

(<= (sees ?p (won ?w))
    (opponent ?p ?q)
    (wins ?w))
"""


def rules(cards: int) -> str:
    """Goofspiel with hidden bids and the highest prize first."""
    require("cards", cards, 2, MOST_CARDS)
    return game_text(range(cards, 0, -1), extra=PERCEPTS)
