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
from fogspiel.cli.options import count_option
from fogspiel.cli.output import INTERRUPTED, json_option, print_json, say
from fogspiel.cli.progress import LiveProgress

if TYPE_CHECKING:
    from fogspiel import Tournament


class InterruptedTournamentError(FogspielError):
    """The user has had enough for now."""

    exit_code = INTERRUPTED


@click.command()
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Continue the tournament of an existing journal.")
@count_option("--jobs", least=1, most=512, default=1, help="Number of processes that play matches.")
@click.option("--cluster", metavar="ADDRESS", help="Play on the Ray cluster at this address.")
@click.option(
    "--journal",
    "journal_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Journal of the results.  [default: FILE.db]",
)
@click.option("--retry-failed", is_flag=True, help="Play failed matches again.")
@click.option("--allow-remote", is_flag=True, help="Allow players on other machines.")
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
    """Play the tournament that FILE.toml describes.

    Each result is written to a journal at once. After an interruption or a crash, --resume
    continues from the journal and arrives at the same standings. If players are given a number of
    simulations, the standings do not depend on --jobs or --cluster either.
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
    say(f"{plain(whole.name)}: {extent(results)}")
    print_results(results)
    say(f"The results are in {whole.journal}.")


@contextmanager
def interruptible(whole: Tournament, command: Sequence[str]) -> Iterator[None]:
    """Let Ctrl-C say what was played. command: what goes on with the tournament."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedTournamentError.of(
            "TOU011",
            f"interrupted; {len(whole.results):,} of {whole.planned:,} matches are in the journal",
            fix=f"continue with `{shlex.join(command)}`",
        ) from None
