"""`fogspiel bridge problems`: the problem deals that come with the package, and who solves them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.commands.bridge.boards import player_options
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.cases.bridge.matches.board_play import PlayedDeal


@click.command()
@click.option("--scheme", metavar="NAME", help="Only the problems of this scheme.")
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
    """Let a declarer play the bundled problem deals; one is solved when the contract is made.

    Each deal has a line that is right on what declarer sees, and a hasty one that fails.
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
        _print(declarer, results)


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


def _print(declarer: str, results: list[dict[str, Any]]) -> None:
    rows = [
        (
            group["scheme"],
            f"{group['solved']} of {group['count']}",
            ", ".join(str(number) for number in group["unsolved"]),
        )
        for group in _by_scheme(results)
    ]
    print_table(None, ("scheme", ">solved", "not solved: boards"), rows)
    totals = _totals(results)
    share = 100 * totals["solved"] / max(totals["count"], 1)
    click.echo(f"{declarer} solved {totals['solved']} of {totals['count']} ({share:.0f} %)")
