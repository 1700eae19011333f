"""Options that commands about bridge share; boards found, and shown as people read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    SEAT_NAMES,
    SUIT_SIGNS,
    Hand,
    Hands,
    card_sign,
    suit_text,
)
from fogspiel.cases.bridge.table import Contract
from fogspiel.cli.completion import Meanings, completing
from fogspiel.cli.options import count_option, seed_option

if TYPE_CHECKING:
    from fogspiel.cases.bridge.deals import BoardRecord

_Command = TypeVar("_Command", bound=Callable[..., Any])

DEAL = re.compile(r"\s*[NESW]:.*", re.IGNORECASE | re.DOTALL)
"""A deal, as opposed to the name of a file."""
COLUMN = 18  #: Characters that a hand takes in a diagram; a suit of thirteen cards has 15


def declarer_names() -> Meanings:
    """Names of declarers, with what each does."""
    from fogspiel.cases.bridge.players.catalogue import DECLARERS

    return [(player.name, player.what) for player in DECLARERS.values()]


def defender_names() -> Meanings:
    """Names of defences, with what each does."""
    from fogspiel.cases.bridge.players.catalogue import DEFENDERS

    return [(player.name, player.what) for player in DEFENDERS.values()]


defence_option = click.option(
    "--defence",
    metavar="NAME",
    default="double-dummy",
    show_default=True,
    shell_complete=completing(defender_names),
    help="Player of the defending side.",
)
worlds_option = count_option(
    "--worlds",
    least=1,
    most=10_000,
    metavar="N",
    help="Number of deals that sampling players consider.  [default: depends on the player]",
)


def objective_option(default: str) -> Callable[[_Command], _Command]:
    """The option that says what declarer plays for."""
    return click.option(
        "--objective",
        type=click.Choice(["tricks", "contract"]),
        default=default,
        show_default=True,
        help="Goal of the declarer: most tricks, or making the contract first.",
    )


def board_options(command: _Command) -> _Command:
    """The argument and the options that say which board is meant."""
    return _with(
        command,
        click.argument("board", metavar="BOARD"),
        count_option(
            "--board",
            "number",
            least=0,
            metavar="N",
            help="Number of the board, for a file with several boards.",
        ),
        click.option(
            "--contract",
            metavar="5SS",
            help="Contract for a deal: level, denomination and declarer; 5SS is five spades by "
            "South.",
        ),
        click.option(
            "--lead", metavar="CARD", help="Opening lead; it replaces the lead in a file."
        ),
    )


def player_options(command: _Command) -> _Command:
    """The options that say who plays, and how."""
    return _with(
        command,
        click.option(
            "--declarer",
            metavar="NAME",
            default="tignum",
            show_default=True,
            shell_complete=completing(declarer_names),
            help="Player of the declaring side.",
        ),
        defence_option,
        objective_option("contract"),
        worlds_option,
        seed_option,
    )


def _with(command: _Command, *decorators: Callable[[Any], Any]) -> _Command:
    """A command with some options, in this order."""
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def record_from(
    board: str, number: int | None, contract: str | None, lead: str | None
) -> BoardRecord:
    """The board that was asked for: of a file, or written out."""
    from dataclasses import replace

    from fogspiel.cases.bridge.deals import parse_cards, play_cards
    from fogspiel.cases.bridge.pbn.files import find_record, load_records, record_of

    if DEAL.fullmatch(board):
        return record_of(board, *_contract_and_declarer(contract), lead or "")
    if contract is not None:
        raise click.UsageError("--contract is for a deal; a file contains its contracts.")
    record = find_record(load_records(Path(board)), number, board)
    if lead is None:
        return record
    cards = tuple(parse_cards([lead]))
    play_cards(record.hands, record.contract, cards)
    return replace(record, play=cards)


def refuse_board(target: Path | None, board: str) -> None:
    """Keep a slip of the fingers from costing a file: it may hold more than one board."""
    is_file = not DEAL.fullmatch(board)
    if target is not None and target.exists() and is_file and target.samefile(board):
        raise click.UsageError(f"{target} is the file of the board and would be overwritten.")


def _contract_and_declarer(contract: str | None) -> tuple[str, str]:
    """`3NTXE` is 3NTX by East; what is wrong with either, the reader of contracts says."""
    if not contract:
        raise click.UsageError("A deal needs a contract: --contract 5SS is five spades by South.")
    return contract[:-1], contract[-1]


def contract_words(contract: Contract) -> str:
    """`5♠ by South`, doubled or not."""
    name = "NT" if contract.denomination == NOTRUMP else SUIT_SIGNS[contract.denomination]
    risk = {"": "", "X": " doubled", "XX": " redoubled"}[contract.risk]
    return f"{contract.level}{name}{risk} by {SEAT_NAMES[contract.declarer]}"


def heading(record: BoardRecord) -> str:
    """`Board 1: 5♠ by South, West leads ♦6`."""
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
    """Declarer's two hands: dummy above, own hand below."""
    rows = []
    for seat, what in ((contract.dummy, "dummy"), (contract.declarer, "declarer")):
        rows += [f"{SEAT_NAMES[seat]} ({what})", *_suits(hands[seat])]
    return rows


def _suits(hand: Hand) -> list[str]:
    return [f"{sign} {suit_text(hand, suit) or '-'}" for suit, sign in enumerate(SUIT_SIGNS)]
