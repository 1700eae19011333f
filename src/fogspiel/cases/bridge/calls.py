"""Calls of an auction: `Pass`, `X`, `XX`, and bids such as `1S` and `3NT`."""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.cases.bridge.cards import DENOMINATIONS, SEAT_NAMES, Seat
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import Finding

PASS, DOUBLE, REDOUBLE = "Pass", "X", "XX"
BY_HEIGHT = "CDHSN"
"""Denominations from the lowest to the highest."""
LONGEST_AUCTION = 319
"""Three passes, each of 35 bids doubled and redoubled with two passes in between, three passes."""


def is_bid(call: str) -> bool:
    """Whether a call names a level and a denomination."""
    return call[0].isdigit()


def denomination(bid: str) -> int:
    """The suit of a bid, or `NOTRUMP`."""
    return DENOMINATIONS.index(bid[1])


def height(bid: str) -> int:
    """Where a bid stands among all of them; 0 for one club."""
    return 5 * (int(bid[0]) - 1) + BY_HEIGHT.index(bid[1])


def check_calls(calls: Sequence[str], dealer: Seat) -> list[Finding]:
    """What is against the rules: bids that are too low, doubles of nothing."""
    findings = []
    for place, call in enumerate(calls):
        why = _against_rules(calls[:place], call)
        if why:
            findings.append(_illegal(call, SEAT_NAMES[(dealer + place) % 4], why))
    if len(calls) > LONGEST_AUCTION:
        findings.append(_illegal("the last", "somebody", "no auction is so long"))
    return findings


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
    """What an auction came to; None if it was passed out or is not over."""
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


def _illegal(call: str, who: str, why: str) -> Finding:
    return Finding(
        "BRI019",
        f"{who} cannot call {call}: {why}",
        fix="correct the auction, or leave it out: it is not needed",
    )
