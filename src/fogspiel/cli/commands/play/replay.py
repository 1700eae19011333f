"""`fogspiel replay`: a record, step by step, as the referee or one of the roles saw it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel import UsageError
from fogspiel.cli.commands.play.showing import echo_wrapped, show_known, show_step, together
from fogspiel.cli.completion import complete_game
from fogspiel.cli.options import COMPILING, count_option, domain_option
from fogspiel.cli.output import busy, json_option, on_terminal, print_json, say

if TYPE_CHECKING:
    from fogspiel import Match, Role
    from fogspiel.api.matches.match import MatchStep
    from fogspiel.draw.board import Layout

HELP = "Enter: next step · b: previous step · a number: that step · q: quit"


@click.command()
@click.argument("record", metavar="RECORD", type=click.Path(path_type=Path))
@click.option("--as", "role", metavar="ROLE", help="Show only the moves and percepts of this role.")
@click.option(
    "--game",
    metavar="GAME",
    shell_complete=complete_game,
    help="Rules of the match.  [default: the game that the record names]",
)
@count_option("--step", least=0, metavar="N", help="Show only step N; 0 is the start.")
@click.option(
    "--export",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the match in the format of ggp-base.",
)
@domain_option
@json_option
def replay(
    record: Path,
    *,
    role: str | None,
    game: str | None,
    step: int | None,
    export: Path | None,
    domain: str | None,
    as_json: bool,
) -> None:
    """Show a recorded match, on a terminal step by step.

    The match is computed again from the rules, the seed and the answers of the players in RECORD.
    If the result differs from the record, the record was changed, and the command fails.
    """
    from fogspiel import Match

    with busy(COMPILING):
        match = Match.open(record, game, domain=domain)
    own = None if role is None else _role(match, role)
    if export is not None:
        _export(match, export)
    if as_json:
        print_json(match.document(own))
    elif export is None:
        _show(match, own, step)


def _show(match: Match, role: Role | None, step: int | None) -> None:
    from fogspiel.draw.board import layouts_of

    if step is not None and step > len(match):
        raise UsageError.of(
            "MAT014",
            f"the record has no step {step}",
            fix=f"its steps are 1 to {len(match)}, and 0 is the start",
        )
    layouts = layouts_of(match.game.machine)
    _print_heading(match, role)
    if step is not None:
        _print_page(match, step, layouts, role)
    elif on_terminal() and sys.stdin.isatty():
        _step_through(match, layouts, role)
    else:
        for number in range(len(match) + 1):
            _print_page(match, number, layouts, role)
        _print_end(match, role)


def _step_through(match: Match, layouts: Sequence[Layout], role: Role | None) -> None:
    """One page after the other, as the person wants."""
    click.echo(HELP)
    at = 0
    while True:
        _print_page(match, at, layouts, role)
        if at == len(match):
            _print_end(match, role)
        try:
            answer = input(f"{at}/{len(match)}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
        if answer == "q" or (not answer and at == len(match)):
            return
        if not answer:
            at += 1
        elif answer == "b":
            at = max(0, at - 1)
        elif answer.isdecimal() and int(answer) <= len(match):
            at = int(answer)
        else:
            click.echo(HELP)


def _print_heading(match: Match, role: Role | None) -> None:
    players = ", ".join(f"{role}: {player}" for role, player in match.players.items())
    say(f"{match.game_name}, match {match.name}, began {match.began}")
    # The seed tells what chance will do, which no role may see.
    say(players if role is not None else f"{players}; seed {match.seed}")
    for name, fault in match.start_faults.items():
        say(f"{name} could not start: {fault.kind} {fault.text}".rstrip())


def _print_page(match: Match, number: int, layouts: Sequence[Layout], role: Role | None) -> None:
    """What there is to show after some steps: everything, or what a role could know."""
    history = match.histories[number]
    click.echo()
    if number == 0:
        click.echo("The start.")
    elif role is not None:
        show_step(number, history.view(role).steps[-1])
        _print_faults(match.steps[number - 1], role)
    else:
        step = match.steps[number - 1]
        done = together([f"{name} {move}" for name, move in step.moves.items()])
        echo_wrapped(f"Step {number}, after {step.at:g} s: {done}", indent=4)
        for name, percepts in step.sees.items():
            echo_wrapped(f"  {name} saw {together(percepts) or 'nothing'}", indent=4)
        _print_faults(step, None)
    show_known(history.state.known() if role is None else history.view(role).known(), layouts)


def _print_faults(step: MatchStep, role: Role | None) -> None:
    for name, fault in step.faults.items():
        if role in (None, name):
            say(
                f"  the answer of {name} was replaced: {fault.kind} {fault.text}".rstrip(), indent=4
            )


def _print_end(match: Match, role: Role | None) -> None:
    goals = match.document(role)["goals"]
    click.echo()
    if match.aborted is not None:
        say(f"The match was aborted: {match.aborted}")
    elif goals is None:
        click.echo("The record ends here, before the end of the match.")
    else:
        click.echo("The match is over.")
        for name, goal in goals.items():
            click.echo(f"  {name} {goal:g}")


def _export(match: Match, path: Path) -> None:
    try:
        path.write_text(json.dumps(match.ggp_document()) + "\n", encoding="utf-8")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        fix = "give another file with --export"
        raise UsageError.of("MAT013", message, fix=fix) from None
    click.echo(f"wrote {path}", err=True)


def _role(match: Match, name: str) -> Role:
    for role in match.game.players:
        if role == name:
            return role
    raise UsageError.of(
        "MAT007",
        f"no role {name!r} was played in this match",
        fix=f"see it as one of {', '.join(match.game.players)}",
    )
