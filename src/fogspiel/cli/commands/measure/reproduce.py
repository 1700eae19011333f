"""`fogspiel reproduce`: published tables, with our figures beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel import UsageError
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.lab.framework.study import Document, Study

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
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Parts at a time."
)
@click.option("--resume", is_flag=True, help="Keep what an interrupted run has written.")
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
    jobs: int,
    resume: bool,
    out: str,
    as_json: bool,
) -> None:
    """Repeat a published table: its figures and ours. Without NAME, list what there is.

    The document is written after every part; `--resume` goes on with it. Times are measured, so
    that more `--jobs` than free cores give lower figures.
    """
    from fogspiel.lab.framework.study import settings_of, write
    from fogspiel.lab.studies import STUDIES

    if name is None:
        _list(list(STUDIES.values()), as_json=as_json)
        return
    study = STUDIES.find(name)
    settings = settings_of(
        study, dict(_change(change, study.settings) for change in changes), quick=quick
    )
    if not study.parts(settings):
        raise _usage_error("with these settings nothing is left of the study", "change fewer")
    document = _run(study, settings, seed, jobs, Path(out), resume=resume)
    files = write(study, document, Path(out))
    if as_json:
        print_json(document)
        return
    click.echo(study.table(document["records"]))
    click.echo(f"wrote {', '.join(str(file) for file in files)}")


def _list(studies: list[Study], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "studies": [
                    {"name": study.name, "title": study.what, "source": study.source}
                    for study in studies
                ]
            }
        )
        return
    rows = [[study.name, study.what, study.source] for study in studies]
    print_table("Studies", ("name", "what", "source"), rows)


def _run(
    study: Study,
    settings: Document,
    seed: int,
    jobs: int,
    folder: Path,
    *,
    resume: bool,
) -> Document:
    from fogspiel.lab.framework.runner import document_to_resume, run_study
    from fogspiel.lab.framework.study import document_path, write_document

    earlier = None
    if resume:
        earlier = document_to_resume(document_path(study, folder), study, settings, seed)
    done = len(earlier["finished"]) if earlier else 0
    with ProgressBar(study.name, len(study.parts(settings)) - done) as bar:

        def keep(document: Document) -> None:
            write_document(study, document, folder)
            bar.advance()

        return run_study(
            study, settings=settings, seed=seed, jobs=jobs, earlier=earlier, on_part=keep
        )


def _change(text: str, settings: Any) -> tuple[str, Any]:
    """A setting as typed: of the kind that the study has."""
    key, _, value = text.partition("=")
    if key not in settings:
        known = ", ".join(settings)
        raise _usage_error(f"the study has no setting {key!r}", f"its settings are {known}")
    kind = type(settings[key])
    # Names such as racko(60,10) have commas of their own.
    separator = ";" if "(" in value else ","
    each = type(settings[key][0]) if kind is tuple and settings[key] else str
    try:
        if kind is tuple:
            return key, tuple(each(word) for word in value.split(separator) if word)
        return key, kind(value)
    except ValueError:
        raise _usage_error(
            f"{value!r} is no {kind.__name__}", f"write --set {key}={settings[key]}"
        ) from None


def _usage_error(message: str, fix: str) -> UsageError:
    return UsageError.of("LAB001", message, fix=fix)
