"""`fogspiel tournament`: all matches of a plan, kept in a journal that outlives any crash."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel import FogspielError
from fogspiel.cli.commands.play.results import extent, plain, print_results
from fogspiel.cli.output import INTERRUPTED, json_option, print_json
from fogspiel.cli.progress import LiveProgress

if TYPE_CHECKING:
    from fogspiel import Tournament


class InterruptedTournamentError(FogspielError):
    """The user has had enough for now."""

    exit_code = INTERRUPTED


@click.command()
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Go on with a journal that is there.")
@click.option(
    "--jobs", type=click.IntRange(1, 512), default=1, show_default=True, help="Processes that play."
)
@click.option("--cluster", metavar="ADDRESS", help="Play on a Ray cluster instead.")
@click.option(
    "--journal",
    "journal_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where results are kept.  [default: FILE.db]",
)
@click.option("--retry-failed", is_flag=True, help="Play matches again that failed.")
@click.option(
    "--allow-remote", is_flag=True, help="Let players be on other machines, not on this one alone."
)
@json_option
def tournament(
    file: Path,
    *,
    resume: bool,
    jobs: int,
    cluster: str | None,
    journal_path: Path | None,
    retry_failed: bool,
    allow_remote: bool,
    as_json: bool,
) -> None:
    """Play all matches of the plan in FILE.toml, and say how they ended.

    A result is on the disk before it counts: after a crash, `--resume` goes on where the journal
    ends, and comes to the same standings. With simulations for a clock, they do not depend on
    `--jobs` or `--cluster` either.
    """
    from fogspiel import Tournament

    whole = Tournament.read(file, journal=journal_path)
    again = [*(["--journal", str(journal_path)] if journal_path else []), "--resume"]
    command = ["fogspiel", "tournament", str(file), *again]
    earlier = whole.results.matches if resume else ()
    # Ray tells of lost processes on standard output, which is for the results.
    with (
        interruptible(whole, command),
        LiveProgress(whole.name, whole.planned, earlier) as live,
        redirect_stdout(sys.stderr) if cluster is not None else nullcontext(),
    ):
        whole.play(
            jobs=jobs,
            cluster=cluster,
            resume=resume,
            retry_failed=retry_failed,
            allow_remote=allow_remote,
            on_played=live.advance,
        )
    results = whole.results
    if as_json:
        print_json({"journal": str(whole.journal), **results.document()})
        return
    click.echo(f"{plain(whole.name)}: {extent(results)}")
    print_results(results)
    click.echo(f"results are in {whole.journal}")


@contextmanager
def interruptible(whole: Tournament, command: Sequence[str]) -> Iterator[None]:
    """Let Ctrl-C say what was played. command: what goes on with the tournament."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedTournamentError.of(
            "TOU011",
            f"interrupted; {len(whole.results):,} of {whole.planned:,} matches are in the journal",
            fix=f"go on with `{shlex.join(command)}`",
        ) from None
