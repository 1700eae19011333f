"""Options that commands about bridge share, and how a board is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from fogspiel.cases.bridge.deals import BoardRecord

_Command = TypeVar("_Command", bound=Callable[..., Any])

DEAL = re.compile(r"\s*[NESW]:.*", re.IGNORECASE | re.DOTALL)
"""What is a deal and not the name of a file."""

board_argument = click.argument("board", metavar="BOARD")
number_option = click.option(
    "--board", "number", type=click.IntRange(min=0), help="Which board of a file with several."
)
contract_option = click.option(
    "--contract", metavar="5SS", help="Level, denomination and declarer, if BOARD is a deal."
)
lead_option = click.option(
    "--lead", metavar="CARD", help="The opening lead, also in place of that of a file."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
worlds_option = click.option(
    "--worlds",
    type=click.IntRange(min=1, max=10_000),
    help="Deals that players look at who sample them.  [default: each its own]",
)


def objective_option(default: str) -> Callable[[_Command], _Command]:
    """What declarer plays for."""
    return click.option(
        "--objective",
        type=click.Choice(["tricks", "contract"]),
        default=default,
        show_default=True,
        help="As many tricks as can be had, or the contract first.",
    )


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
        raise click.UsageError("--contract is for a deal; a file says its contracts itself")
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
        raise click.UsageError(f"{target} holds the board itself, and would be overwritten")


def _contract_and_declarer(contract: str | None) -> tuple[str, str]:
    """`3NTXE` is 3NTX by East; what is wrong with either, the reader of contracts says."""
    if not contract:
        raise click.UsageError("a deal needs a contract: --contract 5SS is five spades by South")
    return contract[:-1], contract[-1]
