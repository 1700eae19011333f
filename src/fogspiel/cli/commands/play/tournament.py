"""`fogspiel tournament`: all matches of a plan, kept in a journal that outlives any crash."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel.cli.commands.play.results import extent, plain, print_summary
from fogspiel.cli.commands.play.results_files import document_of
from fogspiel.cli.options import entrant
from fogspiel.cli.output import INTERRUPTED, json_option, print_json
from fogspiel.cli.progress import LiveProgress
from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.rules.languages import examine

if TYPE_CHECKING:
    from fogspiel.play.tournament.journal import Journal
    from fogspiel.play.tournament.plan import GameRules
    from fogspiel.play.tournament.tournament import PlayMatches, Tournament, WorkerAssignment


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
    from fogspiel.games.load import read_rules
    from fogspiel.play.ratings.summary import summary_of
    from fogspiel.play.tournament.journal import open_journal
    from fogspiel.play.tournament.tournament import read_tournament

    whole = read_tournament(file, read_rules, sendable_rules)
    assignment = _assignment(whole, allow_remote)
    if cluster is not None and whole.plan.urls:
        raise UsageError.of(
            "TOU015",
            f"{', '.join(whole.plan.urls)} cannot be asked from a cluster: addresses are meant "
            "from this machine",
            fix="leave --cluster out, or those players",
        )
    path = journal_path or file.with_suffix(".db")
    again = [*(["--journal", str(path)] if journal_path else []), "--resume"]
    play = _player_of_matches(assignment, jobs, cluster)
    with open_journal(
        path,
        whole.plan,
        whole.rules,
        whole.schedule,
        resume=resume,
        on_new=partial(_refuse_players, assignment),
    ) as journal:
        if retry_failed:
            journal.forget_failed(whole.schedule.first_repeatable(journal.results()))
        if len(journal.finished()) < whole.schedule.planned:
            _refuse_absent(assignment)
        # Ray tells of lost processes on standard output, which is for the results.
        with redirect_stdout(sys.stderr) if cluster is not None else nullcontext():
            _run(whole, journal, play, ["fogspiel", "tournament", str(file), *again])
        results = journal.results()
    summary = summary_of(
        results, planned=whole.schedule.planned, table=whole.schedule.table(results)
    )
    if as_json:
        print_json({"journal": str(path), **document_of(whole.plan.name, summary)})
        return
    click.echo(f"{plain(whole.plan.name)}: {extent(summary)}")
    print_summary(summary)
    click.echo(f"results are in {path}")


def sendable_rules(rules: GameRules) -> GameRules:
    """The game in GDL, translated if need be: players behind an address know nothing else."""
    from fogspiel.games.convert import rules_to_send

    sent = rules_to_send(rules.sources, rules.name)
    if sent.translation is None:
        return replace(rules, gdl=sent.text)
    _, read = examine(sent.sources)
    assert read is not None
    hides = read.program.has_percepts
    return replace(rules, sources=sent.sources, hides=hides, gdl=sent.text)


def _assignment(whole: Tournament, allow_remote: bool) -> WorkerAssignment:
    from fogspiel.games.load import load_rules
    from fogspiel.play.tournament.tournament import WorkerAssignment

    return WorkerAssignment(
        plan=whole.plan,
        games=whole.games,
        load=load_rules,
        folder=whole.folder,
        allow_remote=allow_remote,
    )


def _player_of_matches(assignment: WorkerAssignment, jobs: int, cluster: str | None) -> PlayMatches:
    if cluster is not None:
        from fogspiel.play.tournament.cluster import play_on_cluster

        return partial(play_on_cluster, assignment, address=cluster)
    from fogspiel.play.tournament.local_processes import play_on_processes

    return partial(play_on_processes, assignment, jobs=jobs)


def _refuse_absent(assignment: WorkerAssignment) -> None:
    """Refuse players that do not answer. Asked at every start, since remote players come and go."""
    if assignment.plan.urls:
        import asyncio

        from fogspiel.play.tournament.match_runner import refuse_absent

        asyncio.run(refuse_absent(assignment))


def _refuse_players(assignment: WorkerAssignment) -> None:
    """Refuse unknown players. Asked once, before the journal begins: its plan was checked then."""
    from fogspiel.players.catalogue import player_from

    for player in assignment.plan.players:
        if player.player is not None:
            entrant(player_from(player.player, assignment.folder))
    _refuse_absent(assignment)


def _run(whole: Tournament, journal: Journal, play: PlayMatches, command: Sequence[str]) -> None:
    """command: what goes on with the tournament."""
    from fogspiel.play.tournament.tournament import run_matches

    with LiveProgress(whole.plan.name, whole.schedule.planned, journal.results()) as live:
        try:
            run_matches(whole, journal, play, live.advance)
        except KeyboardInterrupt:
            raise InterruptedTournamentError.of(
                "TOU011",
                f"interrupted; {len(journal.finished()):,} of {whole.schedule.planned:,} "
                "matches are in the journal",
                fix=f"go on with `{shlex.join(command)}`",
            ) from None
