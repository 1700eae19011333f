"""`fogspiel bridge problems`: the problem deals that come with the package, and who solves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.commands.bridge.boards import objective_option, seed_option, worlds_option
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.cases.bridge.deals import BoardRecord


@click.command()
@click.option("--scheme", metavar="NAME", help="Only the problems of this scheme.")
@click.option("--declarer", metavar="NAME", default="tignum", show_default=True)
@click.option("--defence", metavar="NAME", default="double-dummy", show_default=True)
@objective_option("contract")
@worlds_option
@seed_option
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
    from fogspiel.cases.bridge.matches.deal_series import warm_up
    from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of
    from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender

    make_declarer(declarer, objective, worlds)
    make_defender(defence, objective, worlds)
    names = problem_schemes() if scheme is None else [scheme]
    deals = [(name, record) for name in names for record in problems_of(name)]
    warm_up([declarer], objective, worlds)
    results = []
    with ProgressBar("problems", len(deals)) as progress:
        for name, record in deals:
            outcome = _outcome(
                record, declarer, defence, objective=objective, worlds=worlds, seed=seed
            )
            results.append({"scheme": name, **outcome})
            progress.advance()
    if as_json:
        settings = {
            "declarer": declarer,
            "defence": defence,
            "objective": objective,
            "worlds": worlds,
            "seed": seed,
        }
        print_json({"settings": settings, **_totals(results), "problems": results})
    else:
        _print(declarer, results)


def _outcome(
    record: BoardRecord,
    declarer: str,
    defence: str,
    *,
    objective: Literal["tricks", "contract"],
    worlds: int | None,
    seed: int,
) -> dict[str, Any]:
    from fogspiel.cases.bridge.matches.board_play import play_board
    from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender

    played = play_board(
        record,
        make_declarer(declarer, objective, worlds),
        [make_defender(defence, objective, worlds) for _ in range(2)],
        seed=seed,
        names=(declarer, defence),
    )
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
