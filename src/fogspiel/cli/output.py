"""What commands print: one JSON document, or text that is plain outside of a terminal.

A command that fails prints findings and ends with an exit code, never with a traceback.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout, suppress
from contextvars import ContextVar
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from fogspiel import Finding, FogspielError

if TYPE_CHECKING:
    from rich.console import Console


PLAIN_WIDTH = 160
"""Columns where output goes to a file or a pipe: tables there should not be squeezed."""
PROSE_WIDTH = 100  #: Columns of sentences at most, on a terminal however wide
LIST_WIDTH = 80  #: Columns of lists with a short line for each entry, wherever they are printed
GAP = 2  #: Spaces between the columns of a table

USAGE, UNREADABLE, LIMIT, INTERRUPTED = 2, 3, 4, 130
UNREADABLE_CODES = frozenset({"GAM002", "BRI020"})
"""Files that cannot be opened: to the library a wrong argument, to a user an unreadable game."""

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)


_documents: ContextVar[TextIO | None] = ContextVar("documents", default=None)
"""Standard output, where it is kept for documents alone."""


def print_json(document: Mapping[str, Any]) -> None:
    """The document on standard output."""
    click.echo(json.dumps(document, indent=2, allow_nan=False), file=_documents.get())


@contextmanager
def documents_alone() -> Iterator[None]:
    """Keep standard output for documents: all else that is printed goes to standard error.

    Players and games of users print what they like, and so do programs that these call.
    """
    with ExitStack() as undone:
        stream = sys.stdout
        with suppress(OSError, ValueError):  # a stream without a file
            kept = os.dup(stream.fileno())
            undone.callback(os.close, kept)
            stream.flush()
            os.dup2(sys.stderr.fileno(), stream.fileno())
            undone.callback(os.dup2, kept, stream.fileno())
            stream = undone.enter_context(open(kept, "w", encoding="utf-8", closefd=False))
        token = _documents.set(stream)
        undone.callback(_documents.reset, token)
        undone.enter_context(redirect_stdout(sys.stderr))
        yield


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

    width = screen_width() if on_terminal(stderr=stderr) else PLAIN_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def screen_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size().columns


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table; columns whose name starts with `>` are set flush right.

    Cells are broken between words where the table would not fit the terminal. Words stay whole, so
    that a table of many long names may be wider.
    """
    from rich import box
    from rich.table import Table

    if title is not None:
        click.secho(title, bold=True)
    headed, body = any(columns), [list(row) for row in rows]
    headings = [column.removeprefix(">") for column in columns]
    space = screen_width() if on_terminal() else PLAIN_WIDTH
    widths = column_widths(list(zip(headings, *body, strict=True)), space)
    table = Table(
        box=box.SIMPLE_HEAD,
        header_style="bold",
        show_header=headed,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
    )
    for column, heading, width in zip(columns, headings, widths, strict=True):
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        table.add_column(heading, justify=justify, width=width)
    for row in body:
        table.add_row(*row)
    screen = console()
    screen.width = max(screen.width, sum(widths) + GAP * len(widths))
    screen.print(table)
    click.echo()


def column_widths(columns: Sequence[Sequence[str]], space: int) -> list[int]:
    """Widths of columns with these cells, so that no word is broken.

    As wide as the widest lines if there is space for them; else the widest columns give way first,
    each down to its longest word.
    """
    from rich.cells import cell_len

    widths = [
        max((cell_len(line) for text in own for line in text.split("\n")), default=0)
        for own in columns
    ]
    least = [
        max((cell_len(word) for text in own for word in text.split()), default=0) for own in columns
    ]
    excess = sum(widths) + GAP * (len(widths) - 1) - space
    for _ in range(excess):
        loose = [place for place in range(len(widths)) if widths[place] > least[place]]
        if not loose:
            break
        widths[max(loose, key=lambda place: widths[place])] -= 1
    return widths


def print_names(title: str | None, entries: Iterable[tuple[str, str]]) -> None:
    """One line for each entry: its name, and a few words about it. The lines fit 80 columns."""
    listed = list(entries)
    if title is not None:
        click.secho(title, bold=True)
    width = max((len(name) for name, _ in listed), default=0)
    for name, words in listed:
        line = f"{click.style(f'{name:{width}}', fg='cyan')}  {words}" if words else name
        click.echo(line.rstrip())


def say(text: str, *, err: bool = False, indent: int = 0) -> None:
    """Print sentences: on a terminal broken between words, elsewhere as one line to be searched.

    indent: of the lines after the first.
    """
    click.echo(wrapped(text, indent) if on_terminal(stderr=err) else text, err=err)


def prose_width() -> int:
    """Columns of sentences: those of the terminal up to a limit; the limit where there is none."""
    return min(screen_width(), PROSE_WIDTH) if on_terminal() else PROSE_WIDTH


def wrapped(
    text: str, indent: int = 0, *, first_indent: int = 0, columns: int | None = None
) -> str:
    """A paragraph as lines for the terminal. Words, and so names and options, stay whole.

    indent: of the lines after the first. columns: by default those of the terminal, up to a limit.
    """
    return fill(
        text,
        min(screen_width(), PROSE_WIDTH) if columns is None else columns,
        initial_indent=" " * first_indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


@contextmanager
def busy(message: str) -> Iterator[None]:
    """Show on a terminal that something takes a while; stay quiet elsewhere."""
    if not on_terminal(stderr=True):
        yield
        return
    with console(stderr=True).status(message):
        yield


def guarded(command: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command; the exit code it returned or failed with."""
    # Either may have been closed by whoever runs the command.
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A rule sheet may hold letters that the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        with documents_alone() if as_json else nullcontext():
            code = _run(command, as_json=as_json)
        sys.stdout.flush()
    except OSError as error:
        # Standard output is closed or full, and Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # whoever read it has enough
        report([_explained(error)[0]], as_json=False)
        return 1
    return code


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _run(command: Callable[[], Any], *, as_json: bool) -> int:
    try:
        code = command()
    except click.exceptions.NoArgsIsHelpError as shown:
        shown.show()
        return USAGE
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, as_json=as_json)
    return code if isinstance(code, int) else 0


def exit_code_of(error: FogspielError) -> int:
    """The exit code of an error: its own, but 3 for files that cannot be opened."""
    if error.findings and all(f.code in UNREADABLE_CODES for f in error.findings):
        return UNREADABLE
    return error.exit_code


def report(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Say why a command failed: text on standard error, or the one JSON document."""
    if as_json:
        print_json({"ok": False, "findings": [finding_record(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(finding_text(finding, err=True), err=True)


def finding_text(finding: Finding, *, err: bool = False) -> str:
    """A finding as text. On a terminal its sentences are wrapped, its excerpt is not."""
    text = str(finding)
    if not on_terminal(stderr=err):
        return text
    first, *excerpt, fix = text.split("\n")
    return "\n".join([wrapped(first, 2), *excerpt, wrapped(fix.strip(), 7, first_indent=2)])


def _fail(error: BaseException, *, as_json: bool) -> int:
    if os.environ.get("FOGSPIEL_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, FogspielError):
        report(error.findings, as_json=as_json)
        return exit_code_of(error)
    if isinstance(error, click.ClickException) and not as_json:
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt):
        if as_json:
            report([_finding("CLI004", "interrupted", "run it again")], as_json=True)
        else:
            click.echo("interrupted", err=True)
        return INTERRUPTED
    finding, code = _explained(error)
    report([finding], as_json=as_json)
    return code


def _explained(error: BaseException) -> tuple[Finding, int]:
    """The finding and the exit code of an error that Fogspiel did not raise itself."""
    if isinstance(error, click.ClickException):
        fix = "`fogspiel --help` lists the commands; each has a --help of its own"
        return _finding("CLI001", error.format_message(), fix), error.exit_code
    if isinstance(error, MemoryError):
        fix = "use a smaller game, or a machine with more memory"
        return _finding("CLI003", "out of memory", fix), LIMIT
    if isinstance(error, OSError):
        message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return _finding("CLI005", message, "check the disk space, or write to another folder"), 1
    said = " ".join(str(error).split())[:200]
    message = f"internal error: {type(error).__name__}: {said}"
    fix = "this is a bug in Fogspiel: please report it with the output of FOGSPIEL_DEBUG=1"
    return _finding("CLI002", message, fix), 1


def _finding(code: str, message: str, fix: str) -> Finding:
    return Finding(code, message, fix=fix)
