"""Pages that cannot go stale: their tables are written from the code when the pages are built.

A line `<!-- generate: NAME ARGUMENTS -->` in a page is replaced by the Markdown that a writer of
that name returns. The writers read what the package itself reads: the catalogue of codes, the index
of games, the commands, and the measurements in `benchmarks/`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import click
from code_pages import code_sections
from game_pages import family_list, game_sections, game_table
from gdl_lexer import GdlLexer
from limit_pages import ground_limits, read_limits
from measurement_pages import measurement_tables
from package_diagram import package_diagram
from player_pages import player_table
from problem_pages import problem_table
from reference_pages import alias_table, reference_index, reference_page
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from step_diagram import step_diagram

from fogspiel.cli.app import main

MARKER = re.compile(r"^<!-- generate: (?P<name>[a-z_]+)(?: (?P<argument>\S+))? -->$", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)--[a-z-]+")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("env-get-outdated", pages_with_markers)
    app.connect("source-read", replace_markers)
    app.add_lexer("gdl", GdlLexer)
    return {"parallel_read_safe": True}


def pages_with_markers(
    _app: Sphinx,
    env: BuildEnvironment,
    _added: set[str],
    _changed: set[str],
    _removed: set[str],
) -> list[str]:
    """Pages to be read in every build: what they are generated from may have changed."""
    return [
        page
        for page in sorted(env.found_docs)
        if MARKER.search(env.doc2path(page).read_text(encoding="utf-8"))
    ]


def replace_markers(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Fill in what a page asks for."""
    source[0] = MARKER.sub(_written, source[0])


def _written(marker: re.Match[str]) -> str:
    name, argument = marker["name"], marker["argument"]
    if name == "command":
        return command_reference(argument)
    if name == "problems":
        return problem_table(argument)
    if name == "reference":
        return reference_page(argument)
    writer = WRITERS.get(name)
    if writer is None:
        raise ExtensionError(f"nothing generates {name!r}; known are {sorted(WRITERS)}")
    return writer()


def command_reference(name: str) -> str:
    """Usage, help text and options of a command, and of its subcommands, as click knows them."""
    command = main.get_command(click.Context(main), name)
    if command is None:
        raise ExtensionError(f"there is no command {name!r}")
    parts = [_reference(name, command)]
    if isinstance(command, click.Group):
        for inner, subcommand in sorted(command.commands.items()):
            parts.append(f"### {name} {inner}\n\n{_reference(f'{name} {inner}', subcommand)}")
    return "\n".join(parts)


def _reference(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"fogspiel {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    text = OPTION.sub(r"`\g<0>`", inspect.cleandoc(command.help or ""))
    lines = [f"```text\nfogspiel {name} {usage}\n```", "", text, ""]
    options = [p for p in command.params if isinstance(p, click.Option)]
    records = [option.get_help_record(context) for option in options]
    rows = [record for record in records if record is not None]
    if rows:
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows]
    return "\n".join(lines) + "\n"


def _drawn(svg: str) -> str:
    """A picture within the page."""
    return f"```{{raw}} html\n{svg}\n```\n"


def _cell(text: str) -> str:
    """Text that may stand in a table."""
    return " ".join(text.split()).replace("|", "\\|")


WRITERS: Mapping[str, Callable[[], str]] = {
    "aliases": alias_table,
    "codes": code_sections,
    "families": family_list,
    "game_table": game_table,
    "games": game_sections,
    "ground_limits": ground_limits,
    "measurements": measurement_tables,
    "packages": lambda: _drawn(package_diagram()),
    "players": player_table,
    "read_limits": read_limits,
    "reference_index": reference_index,
    "step": lambda: _drawn(step_diagram()),
}
