"""Auctions: calls and their rules, the contract they end in, and what they tell of the hands.

Calls are written `Pass`, `X`, `XX`, and as bids such as `1S` and `3NT`. What a call shows of a hand
follows from the table `MEANINGS`: natural bidding with five-card majors and a strong notrump, and
no more than a cautious declarer would conclude. Calls without a row say nothing. Limits are
beliefs: where no deal fits them, `sampling` gives them up in a stated order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.cases.bridge.cards import DENOMINATIONS, HAND_SIZE, NOTRUMP, SEAT_NAMES, Seat
from fogspiel.cases.bridge.hand_limits import MAX_POINTS, NO_LIMITS, HandLimits, narrowed
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import Finding

PASS, DOUBLE, REDOUBLE = "Pass", "X", "XX"
NOTRUMP_BID, SUIT_BID = "notrump", "suit"  #: Kinds of calls, beside `PASS` and `DOUBLE`
BY_HEIGHT = "CDHSN"  #: Denominations from the lowest to the highest
LONGEST_AUCTION = 319
"""Three passes, each of 35 bids doubled and redoubled with two passes in between, three passes."""

OPENING = "opening"  #: Nobody has bid yet
OVERCALL = "overcall"  #: Only the other side has bid
ANSWER = "answer"  #: Partner opened, and this is the first call after that

Bounds = tuple[int, int]
ANY_LENGTH: Bounds = (0, HAND_SIZE)
BALANCED: Bounds = (2, 5)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A row of the table: in which situation which call shows what."""

    name: str
    situation: str
    call: str
    levels: Bounds = (1, 7)
    suits: str = "SHDC"  #: The suits that a bid of a suit may name
    is_jump: bool | None = None
    """Whether it is higher than the suit needs; None if that does not matter."""
    is_raise: bool = False  #: Whether it is in partner's suit
    points: Bounds = (0, MAX_POINTS)
    own: Bounds = ANY_LENGTH  #: Length of the suit that is bid
    every: Bounds = ANY_LENGTH  #: Length of each suit
    theirs: Bounds = ANY_LENGTH  #: Length of the suit that the other side bid last


# fmt: off
MEANINGS = (
    Meaning("pass before any bid", OPENING, PASS, points=(0, 11)),
    Meaning("one of a major", OPENING, SUIT_BID, (1, 1), "SH", points=(11, 21), own=(5, 13)),
    Meaning("one of a minor", OPENING, SUIT_BID, (1, 1), "DC", points=(11, 21), own=(3, 13)),
    Meaning("one notrump", OPENING, NOTRUMP_BID, (1, 1), points=(15, 17), every=BALANCED),
    Meaning("two notrump", OPENING, NOTRUMP_BID, (2, 2), points=(20, 21), every=BALANCED),
    Meaning("strong two clubs", OPENING, SUIT_BID, (2, 2), "C", points=(20, 37)),
    Meaning("weak two", OPENING, SUIT_BID, (2, 2), "SHD", points=(5, 10), own=(6, 7)),
    Meaning("three of a suit", OPENING, SUIT_BID, (3, 3), points=(5, 11), own=(7, 13)),
    Meaning("four of a suit", OPENING, SUIT_BID, (4, 4), points=(5, 12), own=(7, 13)),
    Meaning("pass over an opening", OVERCALL, PASS, points=(0, 16)),
    Meaning("takeout double", OVERCALL, DOUBLE, (1, 3), points=(12, 37), theirs=(0, 3)),
    Meaning("one notrump over an opening", OVERCALL, NOTRUMP_BID, (1, 1),
            points=(15, 18), every=BALANCED),
    Meaning("jump overcall", OVERCALL, SUIT_BID, (2, 4), is_jump=True,
            points=(5, 11), own=(6, 13)),
    Meaning("overcall of one", OVERCALL, SUIT_BID, (1, 1), points=(8, 16), own=(5, 13)),
    Meaning("overcall of two or three", OVERCALL, SUIT_BID, (2, 3), is_jump=False,
            points=(10, 17), own=(5, 13)),
    Meaning("single raise", ANSWER, SUIT_BID, (2, 2), is_jump=False, is_raise=True,
            points=(6, 10), own=(3, 13)),
    Meaning("jump raise", ANSWER, SUIT_BID, (3, 4), is_jump=True, is_raise=True, own=(4, 13)),
    Meaning("new suit at the one level", ANSWER, SUIT_BID, (1, 1), points=(6, 37), own=(4, 13)),
    Meaning("new suit at the two level", ANSWER, SUIT_BID, (2, 2), is_jump=False,
            points=(10, 37), own=(4, 13)),
    Meaning("one notrump in answer", ANSWER, NOTRUMP_BID, (1, 1), points=(6, 10)),
)
# fmt: on


def is_bid(call: str) -> bool:
    """Whether a call names a level and a denomination."""
    return call[0].isdigit()


def denomination(bid: str) -> int:
    """The suit of a bid, or `NOTRUMP`."""
    return DENOMINATIONS.index(bid[1])


def height(bid: str) -> int:
    """The place of a bid among all bids; 0 for one club."""
    return 5 * (int(bid[0]) - 1) + BY_HEIGHT.index(bid[1])


def check_calls(calls: Sequence[str], dealer: Seat) -> list[Finding]:
    """Faults of an auction: bids that are too low, doubles of nothing."""
    faults = [
        (call, SEAT_NAMES[(dealer + place) % 4], why)
        for place, call in enumerate(calls)
        if (why := _against_rules(calls[:place], call))
    ]
    if len(calls) > LONGEST_AUCTION:
        faults.append(("the last", "somebody", "no auction is so long"))
    return [
        Finding(
            code="BRI019",
            message=f"{who} cannot call {call}: {why}",
            fix="correct the auction, or leave it out: it is not needed",
        )
        for call, who, why in faults
    ]


def _against_rules(before: Sequence[str], call: str) -> str:
    if len(before) > 3 and all(earlier == PASS for earlier in before[-3:]):
        return "the auction was over"
    places = [place for place, earlier in enumerate(before) if is_bid(earlier)]
    if is_bid(call):
        too_low = places and height(call) <= height(before[places[-1]])
        return f"it is not higher than {before[places[-1]]}" if too_low else ""
    if call == PASS:
        return ""
    since = [earlier for earlier in before[places[-1] + 1 :] if earlier != PASS] if places else []
    by_others = bool(places) and (len(before) - places[-1]) % 2 == 1
    if call == DOUBLE:
        return "" if by_others and not since else "there is no bid of the other side to double"
    fits = bool(places) and not by_others and since == [DOUBLE]
    return "" if fits else "there is no double to redouble"


def contract_of(calls: Sequence[str], dealer: Seat) -> Contract | None:
    """The contract that an auction ended in; None if it was passed out or is not over."""
    if len(calls) < 4 or any(call != PASS for call in calls[-3:]):
        return None
    places = [place for place, call in enumerate(calls) if is_bid(call)]
    if not places:
        return None
    last = places[-1]
    risks = [call for call in calls[last:] if call in {DOUBLE, REDOUBLE}]
    suit = denomination(calls[last])
    # Declarer is whoever of the side named the denomination first.
    first = next(
        place for place in places if denomination(calls[place]) == suit and (last - place) % 2 == 0
    )
    return Contract(int(calls[last][0]), suit, (dealer + first) % 4, risks[-1] if risks else "")


def limits_from_auction(calls: Sequence[str], dealer: Seat, seat: Seat) -> HandLimits:
    """Limits that a player's calls show. A call that contradicts an earlier one shows nothing."""
    limits = NO_LIMITS
    for place in range((seat - dealer) % 4, len(calls), 4):
        both = narrowed(limits, meaning_of(calls[: place + 1]))
        limits = both or limits
    return limits


def meaning_of(calls: Sequence[str]) -> HandLimits:
    """Limits that the last of these calls shows."""
    row = row_for(calls)
    return NO_LIMITS if row is None else _shown(row, _moment(calls))


def row_for(calls: Sequence[str]) -> Meaning | None:
    """The row of `MEANINGS` that speaks of the last of these calls."""
    moment = _moment(calls)
    return next((row for row in MEANINGS if _applies(row, moment)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A call in the light of those before it."""

    situation: str
    call: str
    level: int  #: The level of the bid, or of that which is doubled
    suit: int  #: The suit of the bid; -1 if there is none
    is_jump: bool
    is_raise: bool
    theirs: int  #: The suit that the other side bid last; -1 if that was notrump, or nothing
    is_cue: bool  #: Whether it is a bid of a suit of the other side, which has meanings of its own


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
