"""`fogspiel replay`: a record, step by step, as the referee or one of the roles saw it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.play.play import echo_wrapped, show_known, show_steps, together
from fogspiel.cli.options import GameChoice, domain_option
from fogspiel.cli.output import json_option, on_terminal, print_json
from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId

if TYPE_CHECKING:
    from fogspiel.draw.board import Layout
    from fogspiel.games.load import LoadedGame
    from fogspiel.machine.protocol import Machine
    from fogspiel.play.records.format import MatchRecord, StepLine
    from fogspiel.players.human import Known, SeenStep

HELP = "Enter: next step · b: back · a number: that step · q: leave"


@click.command()
@click.argument("record", metavar="RECORD", type=click.Path(path_type=Path))
@click.option("--as", "role", metavar="ROLE", help="Show only what this role did and saw.")
@click.option(
    "--game", metavar="GAME", help="The rules, where the record's name does not lead there."
)
@click.option("--step", type=click.IntRange(min=0), help="Show this step alone; 0 is the start.")
@click.option(
    "--export",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the match as ggp-base keeps it.",
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
    """Play a RECORD again and show it; on a terminal, step by step.

    Everything is derived anew from the rules, the seed and the players' answers, and compared with
    what the record says: a record that was changed is found out.
    """
    from fogspiel.play.records.reader import read_record
    from fogspiel.play.records.replay import check_rules
    from fogspiel.solve.files.strategy_file import rules_digest

    read = read_record(record)
    loaded = GameChoice(game or read.heading.game, domain).load().loaded
    check_rules(read, loaded.machine, rules_digest(loaded.sources))
    own = None if role is None else _role(loaded.machine, role)
    if export is not None:
        _export(read, loaded, export)
    pages = _as_referee(read, loaded.machine) if own is None else _as(read, loaded.machine, own)
    if as_json:
        print_json(_document(read, list(pages), role))
    elif export is None:
        _show(read, loaded, list(pages), role, step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What there is to show after some steps."""

    line: StepLine | None  #: The step that led here; None at the start
    seen: SeenStep | None  #: The same, as the role saw it whose view this is
    known: Known | None


def _as_referee(record: MatchRecord, machine: Machine) -> Iterator[Page]:
    """Everything, with the true states."""
    from fogspiel.play.records.replay import replay as replayed
    from fogspiel.players.human import Known

    def truth(state: Any) -> Known:
        return Known(states=1, certain=machine.fluent_terms(state), open=())

    yield Page(line=None, seen=None, known=truth(machine.initial()))
    for made in replayed(record, machine):
        yield Page(line=made.line, seen=None, known=truth(made.after))


def _as(record: MatchRecord, machine: Machine, role: RoleId) -> Iterator[Page]:
    """What one role lived through, and could work out from it."""
    from fogspiel.play.records.replay import replay as replayed
    from fogspiel.players.human import HumanPlayer
    from fogspiel.players.protocol import Seat

    person = HumanPlayer(_never_asked)
    person.start(Seat(machine, role, 0), Budget.of(simulations=1))
    yield Page(line=None, seen=None, known=person.known())
    for made in replayed(record, machine):
        person.observe(made.step.observation(role))
        yield Page(line=made.line, seen=person.seen_steps()[-1], known=person.known())


def _never_asked(_: object) -> int:
    raise AssertionError("nobody chooses in a replay")


def _show(
    record: MatchRecord, game: LoadedGame, pages: Sequence[Page], role: str | None, step: int | None
) -> None:
    from fogspiel.draw.board import layouts_of

    if step is not None and step >= len(pages):
        raise UsageError.of(
            "MAT014",
            f"the record has no step {step}",
            fix=f"its steps are 1 to {len(pages) - 1}, and 0 is the start",
        )
    layouts = layouts_of(game.machine)
    _print_heading(record, role)
    if step is not None:
        _print_page(record, pages[step], layouts, role)
    elif on_terminal() and sys.stdin.isatty():
        _step_through(record, pages, layouts, role)
    else:
        for page in pages:
            _print_page(record, page, layouts, role)
        _print_end(record, role)


def _step_through(
    record: MatchRecord, pages: Sequence[Page], layouts: Sequence[Layout], role: str | None
) -> None:
    """One page after the other, as the person wants."""
    click.echo(HELP)
    at = 0
    while True:
        _print_page(record, pages[at], layouts, role)
        if at == len(pages) - 1:
            _print_end(record, role)
        try:
            answer = input(f"{at}/{len(pages) - 1}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
        if answer == "q" or (not answer and at == len(pages) - 1):
            return
        if not answer:
            at += 1
        elif answer == "b":
            at = max(0, at - 1)
        elif answer.isdecimal() and int(answer) < len(pages):
            at = int(answer)
        else:
            click.echo(HELP)


def _print_heading(record: MatchRecord, role: str | None) -> None:
    heading = record.heading
    players = ", ".join(f"{role}: {player}" for role, player in heading.players.items())
    click.echo(f"{heading.game}, match {heading.match}, began {heading.began}")
    # The seed tells what chance will do, which no role may see.
    click.echo(players if role is not None else f"{players}; seed {heading.seed}")
    faults = record.start.faults if record.start is not None else {}
    for name, fault in faults.items():
        click.echo(f"{name} did not get ready: {fault.kind} {fault.text}".rstrip())


def _print_page(
    record: MatchRecord, page: Page, layouts: Sequence[Layout], role: str | None
) -> None:
    click.echo()
    if page.line is None:
        click.echo("The start.")
    elif page.seen is not None:
        show_steps([page.seen])
        _print_faults(page.line, role)
    else:
        pairs = zip(record.heading.roles, page.line.moves, strict=True)
        done = together([f"{name} {move}" for name, move in pairs])
        echo_wrapped(f"Step {page.line.number}, after {page.line.at:g} s: {done}", indent=4)
        for name, percepts in page.line.percepts.items():
            echo_wrapped(f"  {name} saw {together(percepts) or 'nothing'}", indent=4)
        _print_faults(page.line, None)
    show_known(page.known, layouts)


def _print_faults(line: StepLine, role: str | None) -> None:
    for name, fault in line.faults.items():
        if role in (None, name):
            click.echo(f"  {name}'s own answer did not count: {fault.kind} {fault.text}".rstrip())


def _print_end(record: MatchRecord, role: str | None) -> None:
    end = record.end
    click.echo()
    if end is None:
        click.echo("The record breaks off here.")
    elif end.goals is None:
        click.echo(f"The match was given up: {end.aborted}")
    else:
        click.echo("The match is over.")
        for name, goal in _goals(record, role).items():
            click.echo(f"  {name} {goal:g}")


def _goals(record: MatchRecord, role: str | None) -> dict[str, float]:
    """Goals by role. From one role's view only its own: the others' may be hidden from it."""
    assert record.end is not None
    assert record.end.goals is not None
    scale = record.heading.goal_scale
    pairs = zip(record.heading.roles, record.end.goals, strict=True)
    return {name: goal / scale for name, goal in pairs if role in (None, name)}


def _document(record: MatchRecord, pages: Sequence[Page], role: str | None) -> dict[str, Any]:
    from fogspiel.play.records.format import heading_document

    end, heading = record.end, heading_document(record.heading)
    if role is not None:
        del heading["seed"]
    return {
        **heading,
        "as": role,
        "replayed": True,
        "steps": [_step(record, page) for page in pages if page.line is not None],
        "completed": end is not None and end.goals is not None,
        "aborted": None if end is None else end.aborted,
        "goals": None if end is None or end.goals is None else _goals(record, role),
    }


def _step(record: MatchRecord, page: Page) -> dict[str, Any]:
    line = page.line
    assert line is not None
    if page.seen is not None:
        return {"step": line.number, "move": page.seen.move, "percepts": list(page.seen.percepts)}
    return {
        "step": line.number,
        "moves": dict(zip(record.heading.roles, line.moves, strict=True)),
        "percepts": {name: list(percepts) for name, percepts in line.percepts.items()},
        "seconds": dict(line.seconds),
        "faults": {name: {"kind": f.kind, "text": f.text} for name, f in line.faults.items()},
        "at": line.at,
    }


def _export(record: MatchRecord, game: LoadedGame, path: Path) -> None:
    from fogspiel.play.records.replay import match_document

    document = match_document(record, game.machine)
    try:
        path.write_text(json.dumps(document) + "\n", encoding="utf-8")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        fix = "give another file with --export"
        raise UsageError.of("MAT013", message, fix=fix) from None
    click.echo(f"wrote {path}", err=True)


def _role(machine: Machine, name: str) -> RoleId:
    from fogspiel.machine.protocol import player_roles

    playing = {machine.roles[role]: role for role in player_roles(machine)}
    if name not in playing:
        raise UsageError.of(
            "MAT007",
            f"no role {name!r} was played in this match",
            fix=f"see it as one of {', '.join(playing)}",
        )
    return playing[name]
