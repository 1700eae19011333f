"""`fogspiel reproduce`: published tables, with our figures beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fogspiel.cli.output import Progress, json_option, print_json, print_table
from fogspiel.core.findings import Finding, UsageError

DEFAULT_FOLDER = Path("reproduced")


@click.command()
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Fewer positions and less time.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting: --set methods=csp,exact --set 'cells=racko(60,10);gops(2,10)'.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default=str(DEFAULT_FOLDER),
    show_default=True,
    help="The folder of the JSON document, the page and the plot.",
)
@json_option
def reproduce(
    name: str | None,
    *,
    quick: bool,
    seed: int,
    changes: tuple[str, ...],
    out: str,
    as_json: bool,
) -> None:
    """Repeat a published table: its figures and ours. Without NAME, list what there is."""
    from fogspiel.lab.studies import STUDIES
    from fogspiel.lab.study import run_study, write

    if name is None:
        rows = [[study.name, study.title, study.source] for study in STUDIES.values()]
        print_table("Studies", ("name", "what", "source"), rows)
        return
    if name not in STUDIES:
        raise UsageError(
            Finding(
                code="LAB001",
                message=f"there is no study {name!r}",
                fix=f"use one of {', '.join(STUDIES)}",
            )
        )
    study = STUDIES[name]
    settings = dict(_change(change, study.settings) for change in changes)
    with Progress(study.name, 1_000) as bar:
        shown = 0

        def advance(done: int, total: int) -> None:
            nonlocal shown
            bar.advance(1_000 * done // total - shown)
            shown = 1_000 * done // total

        document = run_study(study, seed=seed, quick=quick, changes=settings, advance=advance)
    files = write(study, document, Path(out))
    if as_json:
        print_json(document)
        return
    click.echo(study.table(document["records"]))
    click.echo(f"wrote {', '.join(str(file) for file in files)}")


def _change(text: str, settings: Any) -> tuple[str, Any]:
    """A setting as typed: of the kind that the study has."""
    key, _, value = text.partition("=")
    if key not in settings:
        known = ", ".join(settings)
        raise UsageError(
            Finding(
                code="LAB001",
                message=f"the study has no setting {key!r}",
                fix=f"its settings are {known}",
            )
        )
    kind = type(settings[key])
    # Names such as racko(60,10) have commas of their own.
    separator = ";" if "(" in value else ","
    try:
        return key, tuple(value.split(separator)) if kind is tuple else kind(value)
    except ValueError:
        raise UsageError(
            Finding(
                code="LAB001",
                message=f"{value!r} is no {kind.__name__}",
                fix=f"write --set {key}={settings[key]}",
            )
        ) from None
