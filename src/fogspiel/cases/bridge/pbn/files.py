"""Files of deals in Portable Bridge Notation, and a short form for the command line.

Tags of ours: `LimitsNorth`, `LimitsEast`, `LimitsSouth` and `LimitsWest` say what the auction told
of a hand (`points 12-21, spades 5+`). Tags that are not read are kept, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from fogspiel.cases.bridge.deals import parse_cards, parse_contract, parse_hands, play_cards
from fogspiel.cases.bridge.double_dummy import needs_endplay
from fogspiel.cases.bridge.pbn.board import attempt, record_from
from fogspiel.cases.bridge.pbn.scan import PbnLimits, scan
from fogspiel.cases.bridge.record import BoardRecord
from fogspiel.core.findings import Finding, RulesError, UsageError
from fogspiel.core.source import Source


def load_records(path: Path, limits: PbnLimits | None = None) -> list[BoardRecord]:
    """The boards of a file. Raises `UsageError` BRI020 if it cannot be read at all."""
    limits = limits or PbnLimits()
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.bytes + 1)
    except OSError as error:
        raise UsageError.of(
            "BRI020",
            f"{path} cannot be read: {error.strerror or str(error)}",
            fix="give the path of a PBN file",
        ) from None
    # The standard says Latin-1, and everybody writes UTF-8 by now.
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return read_records(Source(str(path), text.replace("\r\n", "\n")), limits)


def read_records(source: Source, limits: PbnLimits | None = None) -> list[BoardRecord]:
    """The boards of a PBN text.

    Raises `RulesError` with everything that is wrong with any of them, `LimitError` for a text that
    is too large, `UsageError` where endplay is not installed.
    """
    needs_endplay()
    found = scan(source, limits or PbnLimits())
    findings = list(found.findings)
    records = [attempt(findings, partial(record_from, source, board)) for board in found.boards]
    if findings:
        raise RulesError(findings)
    if not records:
        raise RulesError(_no_board(source, "there is no board in it", "add a deal"))
    return [record for record in records if record]


def find_record(records: Sequence[BoardRecord], number: int | None, name: str) -> BoardRecord:
    """The board of a number; the only one, if no number is given. Raises `UsageError` BRI017."""
    source = Source(name, "")
    if number is None:
        if len(records) == 1:
            return records[0]
        why = f"there are {len(records)} boards in it"
        raise UsageError(_no_board(source, why, "say which one by its number"))
    matches = [record for record in records if record.number == number]
    if not matches and 1 <= number <= len(records) and all(r.number is None for r in records):
        return records[number - 1]
    if len(matches) != 1:
        numbers = ", ".join(str(record.number) for record in records[:20])
        why = f"{len(matches) or 'no'} boards have the number {number}"
        raise UsageError(_no_board(source, why, f"its boards have the numbers {numbers}"))
    return matches[0]


def record_of(deal: str, contract: str, declarer: str, lead: str = "") -> BoardRecord:
    """The short form: a deal, a contract, who declares, and the opening lead if it is known.

    Raises `RulesError` with all that is wrong.
    """
    findings: list[Finding] = []
    hands = attempt(findings, lambda: parse_hands(deal))
    agreed = attempt(findings, lambda: parse_contract(contract, declarer))
    cards = attempt(findings, lambda: parse_cards([lead] if lead else []))
    if hands is None or agreed is None or cards is None:
        raise RulesError(findings)
    play_cards(hands, agreed, cards)
    return BoardRecord(hands=hands, contract=agreed, play=tuple(cards))


def _no_board(source: Source, why: str, fix: str) -> Finding:
    return Finding("BRI017", why, fix=fix, source=source)
