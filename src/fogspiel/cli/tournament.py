"""`fogspiel tournament`: all matches of a plan, kept in a journal that outlives any crash."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.failures import INTERRUPTED
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.core.findings import Finding, FogspielError

if TYPE_CHECKING:
    from fogspiel.match.tournament.journal import Journal
    from fogspiel.match.tournament.standings import Standing
    from fogspiel.match.tournament.tournament import PlayMatches, Tournament


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
@json_option
def tournament(
    file: Path,
    *,
    resume: bool,
    jobs: int,
    cluster: str | None,
    journal_path: Path | None,
    as_json: bool,
) -> None:
    """Play all matches of the plan in FILE.toml, and say how they ended.

    A result is on the disk before it counts: after a crash, `--resume` goes on where the journal
    ends, and comes to the same standings. With simulations for a clock, they do not depend on
    `--jobs` or `--cluster` either.
    """
    from fogspiel.games.tournament_rules import read_rules
    from fogspiel.match.tournament.journal import open_journal
    from fogspiel.match.tournament.tournament import read_tournament

    whole = read_tournament(file, read_rules)
    path = journal_path or file.with_suffix(".db")
    play = _players_of_matches(whole, jobs, cluster)
    with open_journal(
        path,
        whole.plan,
        whole.rules,
        whole.matches,
        resume=resume,
        on_new=partial(_refuse_players, whole),
    ) as journal:
        standings, failed = _run(whole, journal, play, file)
    if as_json:
        print_json(_document(whole, path, standings, failed))
    else:
        _print(whole, path, standings, failed)


def _players_of_matches(whole: Tournament, jobs: int, cluster: str | None) -> PlayMatches:
    from fogspiel.games.tournament_rules import load_rules
    from fogspiel.match.tournament.tournament import Assignment

    assignment = Assignment(plan=whole.plan, games=whole.games, load=load_rules)
    if cluster is not None:
        from fogspiel.match.tournament.cluster import play_on_cluster

        return partial(play_on_cluster, assignment, address=cluster)
    from fogspiel.match.tournament.running import play_on_processes

    return partial(play_on_processes, assignment, jobs=jobs)


def _refuse_players(whole: Tournament) -> None:
    """Once, before the journal begins: a plan that it holds has been looked at."""
    from fogspiel.cli.players import entrant

    for player in whole.plan.players:
        if player.player is not None:
            entrant(player.player)


def _run(
    whole: Tournament, journal: Journal, play: PlayMatches, file: Path
) -> tuple[list[Standing], list[str]]:
    """The standings, and why matches failed."""
    from fogspiel.cli.tournament_progress import LiveStandings
    from fogspiel.match.tournament.standings import Standings
    from fogspiel.match.tournament.tournament import run_matches

    standings = Standings([player.name for player in whole.plan.players])
    earlier = journal.results()
    standings.add(earlier)
    with LiveStandings(whole.plan.name, len(whole.matches), len(earlier), standings) as live:
        try:
            run_matches(whole, journal, play, live.advance)
        except KeyboardInterrupt:
            raise InterruptedTournamentError(
                _interrupted(len(journal.finished()), whole, file)
            ) from None
    failed = [f"match {r.number}: {r.failed}" for r in journal.results() if r.failed is not None]
    return standings.table(), failed


def _document(
    whole: Tournament, path: Path, standings: list[Standing], failed: list[str]
) -> dict[str, Any]:
    return {
        "tournament": whole.plan.name,
        "journal": str(path),
        "matches": len(whole.matches),
        "failed": failed,
        "standings": [
            {
                "player": row.player,
                "matches": row.matches,
                "mean_goal": row.mean_goal,
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "faults": row.faults,
            }
            for row in standings
        ],
    }


def _print(whole: Tournament, path: Path, standings: list[Standing], failed: list[str]) -> None:
    games, players = len(whole.games), len(whole.plan.players)
    click.echo(
        f"{whole.plan.name}: {len(whole.matches):,} matches of {players} players "
        f"in {games} game{'s' if games > 1 else ''}"
    )
    columns = ("player", ">matches", ">mean goal", ">wins", ">draws", ">losses", ">faults")
    print_table(None, columns, [_row(row) for row in standings])
    for line in failed[:10]:
        click.echo(f"failed: {line}")
    if len(failed) > 10:
        click.echo(f"and {len(failed) - 10:,} more failed")
    click.echo(f"results are in {path}")


def _row(row: Standing) -> list[str]:
    return [
        row.player,
        f"{row.matches:,}",
        "" if row.mean_goal is None else f"{row.mean_goal:.3f}",
        f"{row.wins:,}",
        f"{row.draws:,}",
        f"{row.losses:,}",
        f"{row.faults:,}",
    ]


def _interrupted(done: int, whole: Tournament, file: Path) -> Finding:
    return Finding(
        code="TOU011",
        message=f"interrupted; {done:,} of {len(whole.matches):,} matches are in the journal",
        fix=f"go on with `fogspiel tournament {file} --resume`, and --journal if it was given",
    )
