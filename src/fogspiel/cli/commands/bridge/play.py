"""`fogspiel bridge play`: one deal, from the opening lead to the last trick."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.commands.bridge.boards import (
    board_argument,
    contract_option,
    lead_option,
    number_option,
    objective_option,
    record_from,
    refuse_board,
    seed_option,
    worlds_option,
)
from fogspiel.cli.output import busy, json_option, print_json

if TYPE_CHECKING:
    from fogspiel.cases.bridge.matches.board_play import PlayedDeal


@click.command()
@board_argument
@number_option
@contract_option
@lead_option
@click.option("--declarer", metavar="NAME", default="tignum", show_default=True)
@click.option("--defence", metavar="NAME", default="double-dummy", show_default=True)
@objective_option("contract")
@worlds_option
@seed_option
@click.option(
    "--pbn",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the deal with its play.",
)
@json_option
def play(
    board: str,
    *,
    number: int | None,
    contract: str | None,
    lead: str | None,
    declarer: str,
    defence: str,
    objective: Literal["tricks", "contract"],
    worlds: int | None,
    seed: int,
    target: Path | None,
    as_json: bool,
) -> None:
    """Let a declarer play BOARD against a defence, and show every trick.

    Declarers: tignum, pimc, alpha-mu, double-dummy. Defences: double-dummy, pimc, natural. A number
    of deals to look at may follow, as in pimc:20; those called double-dummy see all cards. Without
    an opening lead the defence chooses one.
    """
    from fogspiel.cases.bridge.matches.board_play import play_board
    from fogspiel.cases.bridge.matches.deal_series import warm_up
    from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender

    mind = make_declarer(declarer, objective, worlds)
    defenders = [make_defender(defence, objective, worlds) for _ in range(2)]
    record = record_from(board, number, contract, lead)
    refuse_board(target, board)
    with busy("playing …"):
        warm_up([declarer], objective, worlds)
        played = play_board(
            record,
            mind,
            defenders,
            seed=seed,
            names=(declarer, defence),
        )
    if target is not None:
        from fogspiel.cases.bridge.pbn.files import write_records

        target.write_text(write_records([played.record]), encoding="utf-8")
    settings = {
        "declarer": declarer,
        "defence": defence,
        "objective": objective,
        "worlds": worlds,
        "seed": seed,
    }
    if as_json:
        print_json(_document(played, settings))
        return
    _print(played, settings)
    if target is not None:
        click.echo(f"wrote {target}")


def _document(played: PlayedDeal, settings: dict[str, Any]) -> dict[str, Any]:
    from fogspiel.cases.bridge.cards import SEATS, card_name
    from fogspiel.cases.bridge.deals import hands_text

    record = played.record
    free = played.free_seconds
    return {
        "board": record.number,
        "deal": hands_text(record.hands),
        "contract": str(record.contract)[:-1],
        "declarer_seat": SEATS[record.contract.declarer],
        "lead": card_name(record.play[0]),
        "settings": settings,
        "tricks": played.tricks,
        "needed": record.contract.needed,
        "made": played.is_made,
        "double_dummy": {
            "before_lead": played.double_dummy_before,
            "after_lead": played.double_dummy,
        },
        "lost": played.lost,
        "play": _tricks(played),
        "decisions": [
            {
                "seat": SEATS[decision.seat],
                "card": card_name(decision.card),
                "choice": decision.is_free,
                "scheme": decision.scheme or None,
                "seconds": decision.seconds,
            }
            for decision in played.decisions
        ],
        "choices": len(free),
        "choice_seconds": {"mean": _mean(free), "max": max(free, default=0.0)},
        "seconds": played.seconds,
    }


def _tricks(played: PlayedDeal) -> list[dict[str, Any]]:
    from fogspiel.cases.bridge.cards import SEATS, card_name
    from fogspiel.cases.bridge.table import plays_of
    from fogspiel.cli.commands.bridge.text import trick_winner

    plays = plays_of(played.table)
    return [
        {
            "leader": SEATS[plays[4 * trick].seat],
            "cards": [card_name(play.card) for play in plays[4 * trick : 4 * trick + 4]],
            "winner": SEATS[trick_winner(played, trick)],
        }
        for trick in range(13)
    ]


def _print(played: PlayedDeal, settings: dict[str, Any]) -> None:
    from fogspiel.cli.commands.bridge.text import diagram, heading, print_play

    click.secho(heading(played.record), bold=True)
    for row in diagram(played.record.hands):
        click.echo(row)
    click.echo()
    print_play(played)
    over = played.tricks - played.record.contract.needed
    result = "made" if over >= 0 else f"{-over} down"
    extra = f" with {over} over" if over > 0 else ""
    click.echo(
        f"{result}{extra}: {played.tricks} tricks; double dummy {played.double_dummy} after the "
        f"lead, {played.double_dummy_before} before it"
    )
    free = played.free_seconds
    click.echo(
        f"{settings['declarer']} against {settings['defence']}: {len(free)} choices, "
        f"{1000 * _mean(free):.3g} ms of processor time each, "
        f"{1000 * max(free, default=0.0):.3g} ms at most"
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
