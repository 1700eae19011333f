"""`fogspiel bridge play` and `problems`: a declarer against a defence, on one deal or on all
problem deals that come with the package."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cases.bridge.cards import SEATS, Seat, card_name, card_sign
from fogspiel.cases.bridge.table import plays_of, winner_of
from fogspiel.cli.commands.bridge.boards import (
    board_options,
    diagram,
    heading,
    player_options,
    record_from,
    refuse_board,
)
from fogspiel.cli.output import busy, json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.cases.bridge.matches.board_play import PlayedDeal


ORDER = (3, 0, 1, 2)  #: West first, as tables of play have it


@click.command()
@board_options
@player_options
@click.option(
    "--pbn",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the deal and its play to a PBN file.",
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
    """Play BOARD with a declarer against a defence, and show every trick.

    Declarers are tignum, pimc, alpha-mu and double-dummy; defences are double-dummy, pimc and
    natural. The players named double-dummy see all cards. A number after a colon, as in pimc:20, is
    the number of sampled deals. If no opening lead is given, the defence chooses it.
    """
    from fogspiel.cases.bridge.matches.board_play import Pairing
    from fogspiel.cases.bridge.matches.deal_series import warm_up

    pairing = Pairing(declarer=declarer, defence=defence, objective=objective, worlds=worlds)
    pairing.check()
    record = record_from(board, number, contract, lead)
    refuse_board(target, board)
    with busy("playing …"):
        warm_up([declarer], objective, worlds)
        played = pairing.play(record, seed)
    if target is not None:
        from fogspiel.cases.bridge.pbn.files import write_records

        target.write_text(write_records([played.record]), encoding="utf-8")
    settings = {**asdict(pairing), "seed": seed}
    if as_json:
        print_json(_document(played, settings))
        return
    _print(played, settings)
    if target is not None:
        say(f"wrote {target}")


def _document(played: PlayedDeal, settings: dict[str, Any]) -> dict[str, Any]:
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
    plays = plays_of(played.table)
    return [
        {
            "leader": SEATS[plays[4 * trick].seat],
            "cards": [card_name(play.card) for play in plays[4 * trick : 4 * trick + 4]],
            "winner": SEATS[_trick_winner(played, trick)],
        }
        for trick in range(13)
    ]


def _print(played: PlayedDeal, settings: dict[str, Any]) -> None:
    click.secho(heading(played.record), bold=True)
    for row in diagram(played.record.hands):
        click.echo(row)
    click.echo()
    _print_play(played)
    over = played.tricks - played.record.contract.needed
    result = "made" if over >= 0 else f"{-over} down"
    extra = f" with {over} overtrick{'s' if over > 1 else ''}" if over > 0 else ""
    say(
        f"{result}{extra}: {played.tricks} tricks; double dummy {played.double_dummy} after the "
        f"lead, {played.double_dummy_before} before it"
    )
    free = played.free_seconds
    say(
        f"{settings['declarer']} against {settings['defence']}: {len(free)} choices, "
        f"{1000 * _mean(free):.3g} ms of processor time on average, "
        f"{1000 * max(free, default=0.0):.3g} ms at most"
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _print_play(played: PlayedDeal) -> None:
    """The table of play, winners marked, with declarer's scheme for each trick if it has one."""
    plays = plays_of(played.table)
    schemes = [_scheme(played, trick) for trick in range(13)]
    has_schemes = any(schemes)
    rows = []
    for trick in range(13):
        four = {play.seat: play.card for play in plays[4 * trick : 4 * trick + 4]}
        winner = _trick_winner(played, trick)
        cells = [f"{card_sign(four[seat])}{'*' if seat == winner else ' '}" for seat in ORDER]
        leader = SEATS[plays[4 * trick].seat]
        rows.append((str(trick + 1), leader, *cells, *([schemes[trick]] if has_schemes else [])))
    columns = (">trick", "led by", *(SEATS[seat] for seat in ORDER))
    print_table(None, (*columns, "scheme") if has_schemes else columns, rows)
    click.echo("* wins the trick")


def _trick_winner(played: PlayedDeal, trick: int) -> Seat:
    """The seat that won a trick."""
    four = plays_of(played.table)[4 * trick : 4 * trick + 4]
    place = winner_of(tuple(play.card for play in four), played.record.contract.denomination)
    return four[place].seat


def _scheme(played: PlayedDeal, trick: int) -> str:
    """The schemes of declarer's two cards, each named once."""
    pair = played.decisions[2 * trick : 2 * trick + 2]
    names = dict.fromkeys(decision.scheme for decision in pair if decision.scheme)
    return ", ".join(names)


@click.command()
@click.option("--scheme", metavar="NAME", help="Play only the problems of this scheme.")
@player_options
@json_option
def problems(
    *,
    scheme: str | None,
    declarer: str,
    defence: str,
    objective: Literal["tricks", "contract"],
    worlds: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Play the bundled problem deals; a problem is solved if the contract is made.

    In each deal the correct line of play can be found from the cards that declarer sees, and an
    obvious other line fails.
    """
    from fogspiel.cases.bridge.matches.board_play import Pairing
    from fogspiel.cases.bridge.matches.deal_series import warm_up
    from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of

    pairing = Pairing(declarer=declarer, defence=defence, objective=objective, worlds=worlds)
    pairing.check()
    names = problem_schemes() if scheme is None else [scheme]
    deals = [(name, record) for name in names for record in problems_of(name)]
    warm_up([declarer], objective, worlds)
    results = []
    with ProgressBar("problems", len(deals)) as progress:
        for name, record in deals:
            results.append({"scheme": name, **_outcome(pairing.play(record, seed))})
            progress.advance()
    if as_json:
        settings = {**asdict(pairing), "seed": seed}
        print_json({"settings": settings, **_totals(results), "problems": results})
    else:
        _print_schemes(declarer, results)


def _outcome(played: PlayedDeal) -> dict[str, Any]:
    record = played.record
    return {
        "board": record.number,
        "contract": str(record.contract),
        "solved": played.is_made,
        "tricks": played.tricks,
        "needed": record.contract.needed,
        "seconds": played.seconds,
        "right": record.tag("Right"),
    }


def _totals(results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "solved": sum(result["solved"] for result in results),
        "count": len(results),
        "schemes": _by_scheme(results),
    }


def _by_scheme(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(result["scheme"] for result in results)
    found = []
    for name in names:
        mine = [result for result in results if result["scheme"] == name]
        unsolved = [result["board"] for result in mine if not result["solved"]]
        found.append(
            {
                "scheme": name,
                "solved": len(mine) - len(unsolved),
                "count": len(mine),
                "unsolved": unsolved,
            }
        )
    return found


def _print_schemes(declarer: str, results: list[dict[str, Any]]) -> None:
    rows = [
        (
            group["scheme"],
            f"{group['solved']} of {group['count']}",
            ", ".join(str(number) for number in group["unsolved"]),
        )
        for group in _by_scheme(results)
    ]
    print_table(None, ("scheme", ">solved", "boards not solved"), rows)
    totals = _totals(results)
    share = 100 * totals["solved"] / max(totals["count"], 1)
    say(f"{declarer} solved {totals['solved']} of {totals['count']} ({share:.0f} %)")
