"""Deals in Portable Bridge Notation: writing, by endplay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fogspiel.cases.bridge.cards import DENOMINATIONS, NOTRUMP, SEAT_NAMES, SEATS, card_name
from fogspiel.cases.bridge.deals import hands_text
from fogspiel.cases.bridge.double_dummy import needs_endplay
from fogspiel.cases.bridge.hand_limits import limits_text
from fogspiel.cases.bridge.record import BoardRecord, OtherTag

VULNERABILITIES = ("None", "All", "NS", "EW")
"""In the order in which endplay counts them."""


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
    name = "NT" if contract.denomination == NOTRUMP else DENOMINATIONS[contract.denomination]
    made = record.table.won - contract.needed if len(record.play) == 52 else 0
    result = f"{made:+d}" if made else "="
    seat = SEATS[contract.declarer]
    return Contract(f"{contract.level}{name}{seat}{contract.risk}{result}")


def _tags(record: BoardRecord) -> list[OtherTag]:
    """All other tags; limits that no tag says are written too, unless an auction says them."""
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
