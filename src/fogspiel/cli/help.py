"""Help pages: commands in groups with whole sentences, and lines that are broken at spaces only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

HELP_WIDTH = 100  #: Columns of a help page at most; a narrower terminal gets narrower pages
UNBROKEN_HYPHEN = "\N{NON-BREAKING HYPHEN}"
"""Stands for a hyphen while lines are wrapped: names such as `--start-seconds` stay whole."""


class HelpPage(click.HelpFormatter):
    """Text of a help page. Lines are broken at spaces, never inside of names."""

    def write_text(self, text: str) -> None:
        """Write a paragraph. Extends `click.HelpFormatter`."""
        super().write_text(_whole(text))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line of usage. Extends `click.HelpFormatter`."""
        super().write_usage(prog, _whole(args), prefix)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write a list of names with what they mean. Extends `click.HelpFormatter`."""
        whole = [(name, _whole(meaning)) for name, meaning in rows]
        super().write_dl(whole, col_max, col_spacing)

    def getvalue(self) -> str:
        """The page. Extends `click.HelpFormatter`."""
        return super().getvalue().replace(UNBROKEN_HYPHEN, "-")


class CommandGroup(click.Group):
    """A group of commands whose help page lists them under headings, with a sentence for each."""

    sections: Mapping[str, Sequence[str]]
    """Names of commands by heading. Commands that no heading names come last."""

    def __init__(
        self, *given: Any, sections: Mapping[str, Sequence[str]] | None = None, **more: Any
    ) -> None:
        """sections: names of commands by heading; the rest is for `click.Group`."""
        super().__init__(*given, **more)
        self.sections = sections or {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all commands. Overrides `click.Group`, which cuts sentences."""
        left = dict(self.commands)
        width = max(map(len, left), default=0)
        for heading, names in self.sections.items():
            _write_commands(formatter, heading, {name: left.pop(name) for name in names}, width)
        _write_commands(formatter, "Other commands" if self.sections else "Commands", left, width)


def _write_commands(
    formatter: click.HelpFormatter, heading: str, commands: Mapping[str, click.Command], width: int
) -> None:
    """Write the commands of a heading. width: of the column of names, the same for all headings."""
    if commands:
        with formatter.section(heading):
            formatter.write_dl(
                [(f"{name:{width}}", purpose(command)) for name, command in commands.items()]
            )


def purpose(command: click.Command) -> str:
    """The first paragraph of a command's help text: a sentence or two that stand alone."""
    return " ".join((command.help or "").strip().split("\n\n")[0].split())


def _whole(text: str) -> str:
    """Text whose words are not broken at hyphens. Click's mark for verbatim lines stays."""
    return text.replace("-", UNBROKEN_HYPHEN)


class HelpContext(click.Context):
    """The context of a command whose help is a `HelpPage`."""

    formatter_class = HelpPage


def use_help_pages(command: click.Command) -> None:
    """Let a command, and all commands inside of it, print their help as a `HelpPage`."""
    command.context_class = HelpContext
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            use_help_pages(inner)
