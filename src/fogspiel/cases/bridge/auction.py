"""What the auction tells of the defenders' hands: limits of points and lengths.

Limits can be given in words (`points 12-21, spades 5+`) or follow from the calls, by the table
`MEANINGS`: natural bidding with five-card majors and a strong notrump, and no more than a cautious
declarer would conclude. Calls without a row say nothing. Limits are beliefs: where no deal fits
them, `sampling` gives them up in a stated order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.cases.bridge.calls import DOUBLE, PASS, denomination, height, is_bid
from fogspiel.cases.bridge.cards import DENOMINATIONS, NOTRUMP, Seat
from fogspiel.cases.bridge.hand_limits import narrowed
from fogspiel.cases.bridge.view import HAND_SIZE, MAX_POINTS, NO_LIMITS, HandLimits

NOTRUMP_BID, SUIT_BID = "notrump", "suit"
"""Kinds of calls, beside `PASS` and `DOUBLE`."""

OPENING = "opening"
"""Nobody has bid yet."""
OVERCALL = "overcall"
"""Only the other side has bid."""
ANSWER = "answer"
"""Partner opened, and this is the first call after that."""

Bounds = tuple[int, int]
ANY_LENGTH: Bounds = (0, HAND_SIZE)
BALANCED: Bounds = (2, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A row of the table: in which situation which call shows what."""

    name: str
    situation: str
    call: str
    levels: Bounds = (1, 7)
    suits: str = "SHDC"
    """Of a bid of a suit: which ones."""
    is_jump: bool | None = None
    """Whether it is higher than the suit needs; None if that does not matter."""
    is_raise: bool = False
    """Whether it is in partner's suit."""
    points: Bounds = (0, MAX_POINTS)
    own: Bounds = ANY_LENGTH
    """Length of the suit that is bid."""
    every: Bounds = ANY_LENGTH
    """Length of each suit."""
    theirs: Bounds = ANY_LENGTH
    """Length of the suit that the other side bid last."""


def _opening(
    name: str,
    call: str,
    level: int,
    *,
    suits: str = "SHDC",
    points: Bounds,
    own: Bounds = ANY_LENGTH,
    every: Bounds = ANY_LENGTH,
) -> Meaning:
    return Meaning(
        name=name,
        situation=OPENING,
        call=call,
        levels=(level, level),
        suits=suits,
        points=points,
        own=own,
        every=every,
    )


MEANINGS = (
    Meaning(name="pass before any bid", situation=OPENING, call=PASS, points=(0, 11)),
    _opening("one of a major", SUIT_BID, 1, suits="SH", points=(11, 21), own=(5, 13)),
    _opening("one of a minor", SUIT_BID, 1, suits="DC", points=(11, 21), own=(3, 13)),
    _opening("one notrump", NOTRUMP_BID, 1, points=(15, 17), every=BALANCED),
    _opening("two notrump", NOTRUMP_BID, 2, points=(20, 21), every=BALANCED),
    _opening("strong two clubs", SUIT_BID, 2, suits="C", points=(20, 37)),
    _opening("weak two", SUIT_BID, 2, suits="SHD", points=(5, 10), own=(6, 7)),
    _opening("three of a suit", SUIT_BID, 3, points=(5, 11), own=(7, 13)),
    _opening("four of a suit", SUIT_BID, 4, points=(5, 12), own=(7, 13)),
    Meaning(name="pass over an opening", situation=OVERCALL, call=PASS, points=(0, 16)),
    Meaning(
        name="takeout double",
        situation=OVERCALL,
        call=DOUBLE,
        levels=(1, 3),
        points=(12, 37),
        theirs=(0, 3),
    ),
    Meaning(
        name="one notrump over an opening",
        situation=OVERCALL,
        call=NOTRUMP_BID,
        levels=(1, 1),
        points=(15, 18),
        every=BALANCED,
    ),
    Meaning(
        name="jump overcall",
        situation=OVERCALL,
        call=SUIT_BID,
        levels=(2, 4),
        is_jump=True,
        points=(5, 11),
        own=(6, 13),
    ),
    Meaning(
        name="overcall of one",
        situation=OVERCALL,
        call=SUIT_BID,
        levels=(1, 1),
        points=(8, 16),
        own=(5, 13),
    ),
    Meaning(
        name="overcall of two or three",
        situation=OVERCALL,
        call=SUIT_BID,
        levels=(2, 3),
        is_jump=False,
        points=(10, 17),
        own=(5, 13),
    ),
    Meaning(
        name="single raise",
        situation=ANSWER,
        call=SUIT_BID,
        levels=(2, 2),
        is_jump=False,
        is_raise=True,
        points=(6, 10),
        own=(3, 13),
    ),
    Meaning(
        name="jump raise",
        situation=ANSWER,
        call=SUIT_BID,
        levels=(3, 4),
        is_jump=True,
        is_raise=True,
        own=(4, 13),
    ),
    Meaning(
        name="new suit at the one level",
        situation=ANSWER,
        call=SUIT_BID,
        levels=(1, 1),
        points=(6, 37),
        own=(4, 13),
    ),
    Meaning(
        name="new suit at the two level",
        situation=ANSWER,
        call=SUIT_BID,
        levels=(2, 2),
        is_jump=False,
        points=(10, 37),
        own=(4, 13),
    ),
    Meaning(
        name="one notrump in answer",
        situation=ANSWER,
        call=NOTRUMP_BID,
        levels=(1, 1),
        points=(6, 10),
    ),
)


def limits_from_auction(calls: Sequence[str], dealer: Seat, seat: Seat) -> HandLimits:
    """What a player's calls show. A call that contradicts an earlier one shows nothing more."""
    limits = NO_LIMITS
    for place in range((seat - dealer) % 4, len(calls), 4):
        both = narrowed(limits, meaning_of(calls[: place + 1]))
        limits = both or limits
    return limits


def meaning_of(calls: Sequence[str]) -> HandLimits:
    """What the last of these calls shows."""
    row = row_for(calls)
    return NO_LIMITS if row is None else _shown(row, _moment(calls))


def row_for(calls: Sequence[str]) -> Meaning | None:
    """The row of `MEANINGS` that speaks of the last of these calls."""
    moment = _moment(calls)
    return next((row for row in MEANINGS if _applies(row, moment)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A call and what came before it."""

    situation: str
    call: str
    level: int
    """Of the bid, or of that which is doubled."""
    suit: int
    """Of the bid; -1 if there is none."""
    is_jump: bool
    is_raise: bool
    theirs: int
    """The suit that the other side bid last; -1 if that was notrump, or nothing."""
    is_cue: bool
    """Whether it is a bid of a suit of the other side, which has meanings of its own."""


def _moment(calls: Sequence[str]) -> _Moment:
    *before, call = calls
    turn = len(before)
    bids = [(place, bid) for place, bid in enumerate(before) if is_bid(bid)]
    partner = [bid for place, bid in bids if (turn - place) % 4 == 2]
    others = [bid for place, bid in bids if (turn - place) % 2]
    mine = [bid for place, bid in bids if (turn - place) % 4 == 0]
    situation = "" if mine or bids else OPENING
    if not mine and not partner and others:
        situation = OVERCALL
    elif not mine and partner and (turn - bids[0][0]) % 4 == 2:
        situation = ANSWER
    bids_now = is_bid(call)
    suit = denomination(call) if bids_now else -1
    last = bids[-1][1] if bids else ""
    theirs = denomination(others[-1]) if others else -1
    return _Moment(
        situation=situation,
        call=call if not bids_now else NOTRUMP_BID if suit == NOTRUMP else SUIT_BID,
        level=int((call if bids_now else last or "0")[0]),
        suit=suit,
        is_jump=bids_now and bool(last) and height(call) - height(last) > 5,
        is_raise=suit in [denomination(bid) for bid in partner],
        theirs=-1 if theirs == NOTRUMP else theirs,
        is_cue=suit in [denomination(bid) for bid in others],
    )


def _applies(row: Meaning, moment: _Moment) -> bool:
    if (row.situation, row.call) != (moment.situation, moment.call) or moment.is_cue:
        return False
    if row.call == PASS:
        return True
    if row.call == DOUBLE and moment.theirs < 0:
        return False
    if row.call == SUIT_BID and DENOMINATIONS[moment.suit] not in row.suits:
        return False
    return (
        row.levels[0] <= moment.level <= row.levels[1]
        and row.is_jump in (None, moment.is_jump)
        and row.is_raise == moment.is_raise
    )


def _shown(row: Meaning, moment: _Moment) -> HandLimits:
    lengths = [row.every] * 4
    if row.call == SUIT_BID:
        lengths[moment.suit] = row.own
    if moment.theirs >= 0 and row.theirs != ANY_LENGTH:
        lengths[moment.theirs] = row.theirs
    return HandLimits(row.points, tuple(lengths))
