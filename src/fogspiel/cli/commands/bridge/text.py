"""Deals and their play as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fogspiel.cli.output import print_table

if TYPE_CHECKING:
    from fogspiel.cases.bridge.cards import Hand, Hands, Seat
    from fogspiel.cases.bridge.deals import BoardRecord
    from fogspiel.cases.bridge.matches.board_play import PlayedDeal
    from fogspiel.cases.bridge.table import Contract

COLUMN = 18
"""Characters that a hand takes in a diagram; a suit of thirteen cards has 15."""
ORDER = (3, 0, 1, 2)
"""West first, as tables of play have it."""


def contract_words(contract: Contract) -> str:
    """`5♠ by South`, doubled or not."""
    from fogspiel.cases.bridge.cards import NOTRUMP, SEAT_NAMES, SUIT_SIGNS

    name = "NT" if contract.denomination == NOTRUMP else SUIT_SIGNS[contract.denomination]
    risk = {"": "", "X": " doubled", "XX": " redoubled"}[contract.risk]
    return f"{contract.level}{name}{risk} by {SEAT_NAMES[contract.declarer]}"


def heading(record: BoardRecord) -> str:
    """`Board 1: 5♠ by South, West leads ♦6`."""
    from fogspiel.cases.bridge.cards import SEAT_NAMES, card_sign

    board = "" if record.number is None else f"Board {record.number}: "
    leader = SEAT_NAMES[record.contract.leader]
    lead = "" if record.lead is None else f", {leader} leads {card_sign(record.lead)}"
    return f"{board}{contract_words(record.contract)}{lead}"


def diagram(hands: Hands) -> list[str]:
    """The four hands around the table."""
    north, east, south, west = (_suits(hand) for hand in hands)
    gap = " " * COLUMN
    rows = [gap + row for row in ("North", *north)]
    beside = zip(("West", *west), ("East", *east), strict=True)
    rows += [f"{left:{COLUMN}}{gap}{right}" for left, right in beside]
    rows += [gap + row for row in ("South", *south)]
    return [row.rstrip() for row in rows]


def pair_diagram(hands: Hands, contract: Contract) -> list[str]:
    """What declarer sees: dummy above, own hand below."""
    from fogspiel.cases.bridge.cards import SEAT_NAMES

    rows = []
    for seat, what in ((contract.dummy, "dummy"), (contract.declarer, "declarer")):
        rows += [f"{SEAT_NAMES[seat]} ({what})", *_suits(hands[seat])]
    return rows


def print_play(played: PlayedDeal) -> None:
    """The table of play, winners marked, with declarer's scheme for each trick if it has one."""
    from fogspiel.cases.bridge.cards import SEATS, card_sign
    from fogspiel.cases.bridge.table import plays_of

    plays = plays_of(played.table)
    schemes = [_scheme(played, trick) for trick in range(13)]
    told = any(schemes)
    rows = []
    for trick in range(13):
        four = {play.seat: play.card for play in plays[4 * trick : 4 * trick + 4]}
        winner = trick_winner(played, trick)
        cells = [f"{card_sign(four[seat])}{'*' if seat == winner else ' '}" for seat in ORDER]
        leader = SEATS[plays[4 * trick].seat]
        rows.append((str(trick + 1), leader, *cells, *([schemes[trick]] if told else [])))
    columns = (">trick", "led by", *(SEATS[seat] for seat in ORDER))
    print_table(None, (*columns, "scheme") if told else columns, rows)
    click.echo("* wins the trick")


def trick_winner(played: PlayedDeal, trick: int) -> Seat:
    """Who won a trick."""
    from fogspiel.cases.bridge.table import plays_of, winner_of

    four = plays_of(played.table)[4 * trick : 4 * trick + 4]
    place = winner_of(tuple(play.card for play in four), played.record.contract.denomination)
    return four[place].seat


def _scheme(played: PlayedDeal, trick: int) -> str:
    """The schemes of declarer's two cards, each named once."""
    pair = played.decisions[2 * trick : 2 * trick + 2]
    names = dict.fromkeys(decision.scheme for decision in pair if decision.scheme)
    return ", ".join(names)


def _suits(hand: Hand) -> list[str]:
    from fogspiel.cases.bridge.cards import RANKS, SUIT_SIGNS, holding

    return [
        f"{sign} "
        + (
            "".join(r for k, r in reversed(list(enumerate(RANKS))) if holding(hand, s) >> k & 1)
            or "-"
        )
        for s, sign in enumerate(SUIT_SIGNS)
    ]
