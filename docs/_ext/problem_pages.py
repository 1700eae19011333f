"""The problem deals of bridge as Markdown."""

from __future__ import annotations

from fogspiel.cases.bridge.cards import SEAT_NAMES, SUIT_SIGNS, Hand, card_sign, hand_text
from fogspiel.cases.bridge.deals import BoardRecord
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, limits_text
from fogspiel.cases.bridge.pbn.files import problems_of
from fogspiel.core.findings import UsageError

HEADINGS = ("board", "contract", "lead", "declarer", "dummy", "right", "hasty")


def problem_table(scheme: str) -> str:
    """The problems of one scheme, with what declarer sees and the two lines in words."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
    try:
        records = problems_of(scheme)
    except UsageError as error:
        # endplay has no binary for every system, and documentation is built on all of them.
        if error.findings[0].code != "BRI001":
            raise
        return f"Nothing is listed here: {error.findings[0].message}.\n"
    lines += [f"| {' | '.join(_row(record))} |" for record in records]
    return "\n".join(lines) + "\n"


def _row(record: BoardRecord) -> tuple[str, ...]:
    contract = record.contract
    name = str(contract)[:-1]
    lead = "" if record.lead is None else card_sign(record.lead)
    return (
        str(record.number),
        f"{name} by {SEAT_NAMES[contract.declarer]}",
        lead,
        _hand(record.hands[contract.declarer]),
        _hand(record.hands[contract.dummy]),
        " ".join((*_told(record), record.tag("Right") or "")),
        record.tag("Naive") or "",
    )


def _hand(hand: Hand) -> str:
    """`♠AK5 ♥A84 ♦73 ♣A9642`, with a dash for no cards."""
    suits = hand_text(hand).split(".")
    return " ".join(sign + (ranks or "-") for sign, ranks in zip(SUIT_SIGNS, suits, strict=True))


def _told(record: BoardRecord) -> list[str]:
    """What the auction told of the defenders."""
    declarer = record.contract.declarer
    return [
        f"({SEAT_NAMES[seat]} has shown {limits_text(record.limits[seat])}.)"
        for seat in ((declarer + 1) % 4, (declarer + 3) % 4)
        if record.limits[seat] != NO_LIMITS
    ]
