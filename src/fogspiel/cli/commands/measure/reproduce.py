"""`fogspiel reproduce`: published tables, with our figures beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel import UsageError
from fogspiel.cli.completion import Meanings, completing
from fogspiel.cli.options import count_option, seed_option
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.lab.framework.study import Document, Study

DEFAULT_FOLDER = Path("reproduced")


def study_names() -> Meanings:
    """Names of studies, with what each repeats."""
    from fogspiel.lab.studies import STUDIES

    return [(study.name, study.what) for study in STUDIES.values()]


@click.command()
@click.argument("name", required=False, shell_complete=completing(study_names))
@click.option("--quick", is_flag=True, help="Use fewer positions and less time.")
@seed_option
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of the study, e.g. --set methods=csp,exact or --set "
    "'cells=racko(60,10);gops(2,10)'.",
)
@count_option("--jobs", least=1, default=1, help="Number of parts that run at the same time.")
@click.option("--resume", is_flag=True, help="Continue an interrupted run.")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default=str(DEFAULT_FOLDER),
    show_default=True,
    help="Folder for the JSON document, the page and the plot.",
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
    """Repeat a published experiment, and compare the figures.

    NAME is a study; without NAME, the studies are listed. The results are written after each part,
    and --resume continues from there. Some figures are measured times: with more --jobs than free
    processor cores they become worse.
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
        raise _usage_error(
            "no part of the study is left with these settings", "change fewer settings"
        )
    document = _run(study, settings, seed, jobs, Path(out), resume=resume)
    files = write(study, document, Path(out))
    if as_json:
        print_json(document)
        return
    click.echo(study.table(document["records"]))
    say(f"wrote {', '.join(str(file) for file in files)}")


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
    print_table("Studies", ("name", "experiment", "source"), rows)


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
