"""The commands together. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import click

from fogspiel import __version__
from fogspiel.cli.commands.analysis.analyze import analyze
from fogspiel.cli.commands.analysis.compare import compare
from fogspiel.cli.commands.analysis.induce import induce
from fogspiel.cli.commands.analysis.infoset import infoset
from fogspiel.cli.commands.analysis.simulate import simulate
from fogspiel.cli.commands.analysis.solve import solve
from fogspiel.cli.commands.bridge import bridge
from fogspiel.cli.commands.measure.bench import bench
from fogspiel.cli.commands.measure.demo import demo
from fogspiel.cli.commands.measure.reproduce import reproduce
from fogspiel.cli.commands.new import new
from fogspiel.cli.commands.play.classroom import classroom
from fogspiel.cli.commands.play.manage import manage
from fogspiel.cli.commands.play.match import match
from fogspiel.cli.commands.play.play import play
from fogspiel.cli.commands.play.replay import replay
from fogspiel.cli.commands.play.results import results
from fogspiel.cli.commands.play.serve import serve
from fogspiel.cli.commands.play.tournament import tournament
from fogspiel.cli.commands.rules.check import check
from fogspiel.cli.commands.rules.convert import convert
from fogspiel.cli.commands.rules.info import info
from fogspiel.cli.commands.rules.listings import explain, games, players
from fogspiel.cli.commands.rules.show import show
from fogspiel.cli.help import HELP_WIDTH, CommandGroup, use_help_pages
from fogspiel.cli.output import guarded
from fogspiel.cli.progress import KernelNotice

PROGRAM = "fogspiel"
EPILOG = """\
GAME is the name of a bundled game, a member of a family such as 'breakthrough(7,7)', a rule file,
FILE.py:Class for a game in Python, or - for standard input.

Exit codes: 0 success; 1 findings, or a guarantee that was not met; 2 wrong usage; 3 a game that
cannot be read; 4 a limit of time, memory or size; 130 interrupted.
"""
SECTIONS = {
    "Games and rules": ("games", "show", "info", "check", "compare", "convert", "new"),
    "Analysis": ("simulate", "analyze", "solve", "infoset", "induce"),
    "Players and matches": (
        "players", "play", "match", "replay", "tournament", "class", "results", "serve", "manage",
    ),
    "Learn more": ("demo", "explain", "bridge", "reproduce", "bench"),
}  # fmt: skip
"""The commands by what they are for, in the order of `fogspiel --help`."""


class Application(CommandGroup):
    """A group of commands whose failures all end in `guarded`, never in a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave with its exit code, whatever `standalone_mode` says."""
        arguments = list(sys.argv[1:] if args is None else args)
        # The name is also that of the variable by which shells ask for completions.
        name = prog_name or PROGRAM
        run = partial(super().main, arguments, name, complete_var, False, **extra)
        sys.exit(guarded(run, as_json=wants_json(arguments)))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the user asked for JSON: read from the words, so that bad usage can answer too."""
    given = list(arguments)
    if "--" in given:
        given = given[: given.index("--")]
    pairs = pairwise(given)
    return "--json" in given or "--format=json" in given or ("--format", "json") in pairs


@click.group(
    cls=Application,
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": HELP_WIDTH},
)
@click.version_option(__version__, prog_name=PROGRAM)
def main() -> None:
    """Check, play, analyze and solve games whose rules are given as text.

    Fogspiel is for games with hidden information, chance and simultaneous moves, written in GDL-II
    or POGDDL, in Gambit's extensive form, or as Python classes. `fogspiel COMMAND --help` describes
    a command.
    """
    if os.environ.get("NO_COLOR"):
        click.get_current_context().color = False
    KernelNotice.install()


for command in (
    games,
    show,
    check,
    info,
    simulate,
    infoset,
    analyze,
    compare,
    solve,
    players,
    match,
    tournament,
    classroom,
    results,
    induce,
    play,
    serve,
    manage,
    replay,
    bridge,
    convert,
    new,
    reproduce,
    bench,
    demo,
    explain,
):
    main.add_command(command)
use_help_pages(main)
