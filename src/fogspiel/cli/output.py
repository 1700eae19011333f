"""Printing: one JSON document, or text that is plain when it does not go to a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from fogspiel.core.findings import Finding

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 160
"""Columns where output goes to a file or a pipe: tables there should not be squeezed."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def print_json(document: Mapping[str, Any]) -> None:
    """The document on standard output."""
    click.echo(json.dumps(document, indent=2, allow_nan=False))


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding as the JSON documents hold it; unknown places are null."""
    file = line = column = None
    if finding.source is not None:
        file = finding.source.name
        if finding.span is not None:
            line, column = finding.source.position(finding.span.start)
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "file": file,
        "line": line,
        "column": column,
        "message": finding.message,
        "fix": finding.fix,
    }


def on_terminal(*, stderr: bool = False) -> bool:
    """Whether a person watches the stream."""
    return (sys.stderr if stderr else sys.stdout).isatty()


def console(*, stderr: bool = False) -> Console:
    """A console for tables and colours. Rich itself respects NO_COLOR and TERM."""
    from rich.console import Console

    width = None if on_terminal(stderr=stderr) else PLAIN_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table; columns whose name starts with `>` are set flush right."""
    from rich import box
    from rich.table import Table

    if title is not None:
        click.secho(title, bold=True)
    headed = any(columns)
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_header=headed, pad_edge=False)
    for column in columns:
        right = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="right" if right else "left")
    for row in rows:
        table.add_row(*row)
    console().print(table)


@contextmanager
def busy(message: str) -> Iterator[None]:
    """Show on a terminal that something takes a while; stay quiet elsewhere."""
    if not on_terminal(stderr=True):
        yield
        return
    with console(stderr=True).status(message):
        yield


class ProgressBar:
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self, description: str, total: int) -> None:
        self._bar: Any = None
        self._description = description
        self._total = total

    def __enter__(self) -> ProgressBar:
        if on_terminal(stderr=True):
            from rich.progress import Progress as Bar

            self._bar = Bar(console=console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._description, total=self._total)
        return self

    def advance(self, amount: int = 1) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._bar.advance(self._task, amount)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
