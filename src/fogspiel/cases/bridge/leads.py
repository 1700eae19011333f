"""Conventions of the opening lead, as probabilities.

A leader chooses a suit, then a card of it. The tables below say for every holding of a suit how
much it invites a lead, and which card convention leads from it: the first row that applies counts.
Leaders follow convention in `FOLLOWED` of all cases and otherwise lead any card of the suit; so a
lead tells something and proves nothing.

Source: the usual leads of natural methods, as every textbook of defence gives them (top of a
sequence, fourth best of a long suit, low from an honour, top of a doubleton, no lead away from an
ace against a suit contract).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import NOTRUMP, RANKS, Card, rank_of, suit_of

FOLLOWED = 0.85
TRUMP_INVITES = 0.5
"""Against a suit contract, a trump is led half as readily as a side suit with nothing special."""

Mask: TypeAlias = NDArray[np.bool_]  #: (8192,) the holdings for which something is true
Ranks: TypeAlias = NDArray[np.int64]  #: (8192,) a card of each holding
HOLDINGS = np.arange(1 << 13)  #: (8192,) every set of cards of one suit; bit r for rank r
LENGTHS = np.array([int(holding).bit_count() for holding in HOLDINGS])
"""(8192,) the number of cards of each holding."""


@dataclass(frozen=True, slots=True)
class LeadTable:
    """Leads from every holding."""

    invites: NDArray[np.float64]  #: (8192,) the weight by which the suit is led
    cards: NDArray[np.float64]  #: (8192, 13) probability of each rank, once the suit is chosen


def lead_probabilities(
    dealt: NDArray[np.uint64], lead: Card, denomination: int
) -> NDArray[np.float64]:
    """(worlds,) the probability of a lead from each of these hands of thirteen cards."""
    total = np.zeros(len(dealt))
    chances = total
    for suit in range(4):
        table = _table_for(suit, denomination)
        held = (dealt >> np.uint64(13 * suit) & np.uint64(0x1FFF)).astype(np.int64)
        total = total + table.invites[held]
        if suit == suit_of(lead):
            chances = table.invites[held] * table.cards[held, rank_of(lead)]
    return chances / total


def _table_for(suit: int, denomination: int) -> LeadTable:
    if denomination == NOTRUMP:
        return notrump_leads()
    return trump_leads() if suit == denomination else side_suit_leads()


@cache
def side_suit_leads() -> LeadTable:
    """Leads of another suit than trumps against a suit contract."""
    rows = (
        (LENGTHS == 1, 2.0, _nth(1)),
        (_has("AK"), 3.0, _top()),
        (_has("A"), 0.5, _top()),
        (LENGTHS == 2, 1.0, _top()),
        (_has("KQJ") | _has("KQT"), 3.0, _top()),
        (_has("KQ"), 2.0, _top()),
        (_has("QJT") | _has("QJ9"), 2.5, _top()),
        (_has("QJ") & ~_has("K"), 1.5, _top()),
        (_has("KJT"), 0.7, _rank("J")),
        (_has("KT9") | _has("QT9"), 0.7, _rank("T")),
        (_has("JT") & ~_has_any("KQ"), 1.3, _top()),
        (_has_any("KQ") & (LENGTHS == 3), 0.7, _nth(3)),
        (_has_any("KQ"), 0.8, _nth(4)),
        (_has("T9") & ~_has("J"), 1.2, _top()),
        (_has_any("JT") & (LENGTHS == 3), 1.0, _nth(3)),
        (_has_any("JT"), 1.0, _nth(4)),
    )
    return _filled(rows, small=1.0)


@cache
def notrump_leads() -> LeadTable:
    """Leads against notrump: long suits first."""
    rows = (
        (LENGTHS <= 2, 0.3, _top()),
        (_has("AKQ") | _has("AKJ"), 3.0, _top()),
        (_has("KQJ") | _has("KQT"), 2.0, _top()),
        (_has("QJT") | _has("QJ9"), 2.0, _top()),
        (_has("JT9") | _has("JT8"), 1.7, _top()),
        (_has("AQJ"), 1.5, _rank("Q")),
        (_has("AJT") | _has("KJT"), 1.3, _rank("J")),
        (_has("AT9") | _has("KT9") | _has("QT9"), 1.2, _rank("T")),
        (_has("T98") & ~_has_any("AKQJ"), 1.3, _top()),
        ((_has("KQ") | _has("QJ") | _has("JT")) & ~_has("A") & (LENGTHS == 3), 0.8, _top()),
        (_has_any("AKQJ") & (LENGTHS == 3), 0.5, _nth(3)),
        (_has_any("AKQJ"), 1.0, _nth(4)),
    )
    table = _filled(rows, small=0.7)
    longer = np.array([0.7, 2.0, 4.0])[np.clip(LENGTHS - 3, 0, 2)]
    return LeadTable(np.where(LENGTHS > 2, table.invites * longer, table.invites), table.cards)


@cache
def trump_leads() -> LeadTable:
    """Leads of trumps: any of them, and half as readily as a side suit with nothing special."""
    return LeadTable(np.where(LENGTHS > 0, TRUMP_INVITES, 0.0), _any_card())


def _filled(rows: Sequence[tuple[Mask, float, Ranks]], small: float) -> LeadTable:
    """The table of some rows; where none applies, the suit has small cards only."""
    conventional = _small_leads()
    invites = np.full(len(HOLDINGS), small)
    # Last row first: where several apply, the first one is written last.
    for mask, invitation, ranks in reversed(rows):
        where = np.flatnonzero(mask & (LENGTHS > 0))
        invites[where] = invitation
        conventional[where] = 0.0
        conventional[where, ranks[where]] = 1.0
    invites[0] = 0.0
    # From ace and king half of the players lead one, half the other.
    both = np.flatnonzero(_has("AK") & (conventional[:, 12] == 1.0))
    conventional[both, 11:13] = 0.5
    return LeadTable(invites, FOLLOWED * conventional + (1 - FOLLOWED) * _any_card())


def _small_leads() -> NDArray[np.float64]:
    """(8192, 13) the top of small cards, the second highest, or by length: customs differ."""
    leads = np.zeros((len(HOLDINGS), 13))
    for place, probability in ((1, 0.4), (2, 0.3), (4, 0.3)):
        leads[HOLDINGS, _nth(place)] += probability
    leads[0] = 0.0
    return leads


def _any_card() -> NDArray[np.float64]:
    """(8192, 13) uniform probabilities of the cards of a holding."""
    held = HOLDINGS[:, None] >> np.arange(13) & 1
    return np.asarray(held / np.maximum(LENGTHS, 1)[:, None])


def _top() -> Ranks:
    return _nth(1)


def _nth(place: int) -> Ranks:
    """(8192,) the rank of the n-th highest card; of the lowest, where there are not so many."""
    rest = HOLDINGS.copy()
    for _ in range(place - 1):
        # Drop the highest card, unless it is the last.
        rest = np.where(rest & (rest - 1), rest ^ _highest_bit(rest), rest)
    return np.log2(np.maximum(_highest_bit(rest), 1)).astype(np.int64)


def _highest_bit(holdings: NDArray[np.int64]) -> NDArray[np.int64]:
    spread = holdings.copy()
    for shift in (1, 2, 4, 8):
        spread |= spread >> shift
    return spread - (spread >> 1)


def _rank(name: str) -> Ranks:
    return np.full(len(HOLDINGS), RANKS.index(name))


def _bits(names: str) -> int:
    return sum(1 << RANKS.index(name) for name in names)


def _has(names: str) -> Mask:
    """(8192,) whether all of these cards are held."""
    return np.asarray(HOLDINGS & _bits(names) == _bits(names))


def _has_any(names: str) -> Mask:
    return np.asarray(HOLDINGS & _bits(names) > 0)
