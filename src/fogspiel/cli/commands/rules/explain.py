"""`fogspiel explain`: what a code means, and what to do about it."""

from __future__ import annotations

import difflib
from dataclasses import asdict

import click

from fogspiel.cli.output import json_option, on_terminal, print_json, print_table
from fogspiel.core.findings import UsageError

TEXT_WIDTH = 78


@click.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, *, as_json: bool) -> None:
    """Say what CODE means and how to mend it. Without CODE, list all codes."""
    from fogspiel.core.codes import CODES

    if code is None:
        if as_json:
            print_json({"codes": [asdict(entry) for entry in CODES.values()]})
        else:
            print_table(None, ("code", "title"), [(e.code, e.title) for e in CODES.values()])
        return
    entry = CODES.get(code.strip().upper())
    if entry is None:
        raise _unknown(code, list(CODES))
    if as_json:
        print_json(asdict(entry))
        return
    click.echo(f"{entry.code}: {entry.title}\n\n{_wrapped(entry.meaning)}\n")
    if entry.example:
        click.echo("Example:")
        click.echo("\n".join(f"    {line}" for line in entry.example.splitlines()) + "\n")
    click.echo(_wrapped(f"What to do: {entry.remedy}"))


def _wrapped(text: str) -> str:
    """Lines to read on a terminal; elsewhere one line, to be searched."""
    return click.wrap_text(text, width=TEXT_WIDTH) if on_terminal() else text


def _unknown(code: str, known: list[str]) -> UsageError:
    close = difflib.get_close_matches(code.strip().upper(), known, n=3, cutoff=0.6)
    fix = f"did you mean {' or '.join(close)}?" if close else "`fogspiel explain` lists all codes"
    return UsageError.of("CLI001", f"there is no code {code!r}", fix=fix)
