"""Files of boards in Portable Bridge Notation, a short form, and the problems that are bundled.

Tags of ours: `LimitsNorth`, `LimitsEast`, `LimitsSouth` and `LimitsWest` say what the auction told
of a hand (`points 12-21, spades 5+`). Tags that are not read are kept, in their order. Writing is
endplay's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from fogspiel.cases.bridge.cards import SEAT_NAMES, SEATS, card_name
from fogspiel.cases.bridge.deals import (
    BoardRecord,
    OtherTag,
    hands_text,
    parse_cards,
    parse_contract,
    parse_hands,
    play_cards,
)
from fogspiel.cases.bridge.double_dummy import needs_endplay
from fogspiel.cases.bridge.hand_limits import limits_text
from fogspiel.cases.bridge.pbn.board import attempt, record_from
from fogspiel.cases.bridge.pbn.scan import PbnLimits, scan
from fogspiel.core.findings import Finding, RulesError, UsageError
from fogspiel.core.source import Source

SUFFIX = ".pbn"
VULNERABILITIES = ("None", "All", "NS", "EW")
"""The values in the order in which endplay counts them."""


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

    Raises `RulesError` with all faults.
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


def write_records(records: Sequence[BoardRecord]) -> str:
    """A PBN file. Boards without a number get their place in the file."""
    needs_endplay()
    from endplay.parsers import pbn

    parts = []
    for place, record in enumerate(records, 1):
        text = pbn.dumps([_board(record, place)])
        # It would give a result to a deal that nobody has played to the end.
        if len(record.play) < 52:
            text = re.sub(r'^\[Result "[^"]*"\]', '[Result "?"]', text, flags=re.MULTILINE)
        text = re.sub(r'^\[Contract "[^"]*"\]', _in_capitals, text, flags=re.MULTILINE)
        header, _, board = text.partition("% EXPORT\n")
        parts.append(header + "% EXPORT\n\n" + board if place == 1 else board)
    return "".join(parts)


def _in_capitals(contract: re.Match[str]) -> str:
    """A doubled contract is written with X; endplay writes x."""
    return contract[0].replace("x", "X")


def _board(record: BoardRecord, place: int) -> Any:
    """A record as endplay holds it."""
    from endplay.types import Bid, Board, Card, Deal, Player, Vul

    board = Board(
        deal=Deal(hands_text(record.hands)),
        auction=[Bid(call) for call in record.calls],
        play=[Card(card_name(card)) for card in record.play],
        board_num=record.number or place,
        dealer=None if record.dealer is None else Player(record.dealer),
        vul=Vul(VULNERABILITIES.index(record.vulnerable)) if record.vulnerable else None,
        contract=_contract(record),
        claimed=0 < len(record.play) < 52,
    )
    for tag in _tags(record):
        board.info[tag.name] = _value(tag)
    return board


def _contract(record: BoardRecord) -> Any:
    from endplay.types import Contract

    contract = record.contract
    made = record.table.won - contract.needed if len(record.play) == 52 else 0
    result = f"{made:+d}" if made else "="
    seat = SEATS[contract.declarer]
    return Contract(f"{contract.bid}{seat}{contract.risk}{result}")


def _tags(record: BoardRecord) -> list[OtherTag]:
    """All other tags, with those for limits that neither a tag nor an auction states."""
    tags = list(record.tags)
    names = {tag.name for tag in tags}
    for seat, limits in zip(SEAT_NAMES, record.limits, strict=True):
        text = limits_text(limits)
        if text and not record.calls and f"Limits{seat}" not in names:
            tags.append(OtherTag(f"Limits{seat}", text))
    return tags


def _value(tag: OtherTag) -> Any:
    value = tag.value.replace('"', '\\"')
    if not tag.name.lower().endswith("table") or tag.name.lower() == "table":
        return value
    return {"headers": value.split(";"), "rows": [row.split() for row in tag.rows]}


def problem_schemes() -> list[str]:
    """The schemes for which there are problems, in the order of the alphabet."""
    folder = files("fogspiel.cases.bridge") / "problems"
    names = (item.name for item in folder.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def problems_of(scheme: str) -> list[BoardRecord]:
    """The problems of a scheme. Raises `UsageError` BRI035 if there are none."""
    if scheme not in problem_schemes():
        raise UsageError.of(
            "BRI035",
            f"there are no problems of a scheme {scheme!r}",
            fix=f"choose one of {', '.join(problem_schemes())}",
        )
    name = scheme + SUFFIX
    text = (files("fogspiel.cases.bridge") / "problems" / name).read_text(encoding="utf-8")
    return read_records(Source(name, text))
