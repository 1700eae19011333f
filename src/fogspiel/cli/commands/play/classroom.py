"""`fogspiel class`: the players of a class, tried, played against each other, and reported."""

from __future__ import annotations

from pathlib import Path

import click

from fogspiel import UsageError
from fogspiel.cli.commands.play.results import extent, plain, print_results
from fogspiel.cli.commands.play.tournament import interruptible
from fogspiel.cli.completion import complete_game
from fogspiel.cli.options import (
    count_option,
    seconds_option,
    seed_option,
    simulations_option,
    start_seconds_option,
)
from fogspiel.cli.output import busy, json_option, print_json, say
from fogspiel.cli.progress import LiveProgress

JOURNAL = "class.db"
DEFAULT_OUT = Path("class-results")


@click.command("class")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--game",
    required=True,
    shell_complete=complete_game,
    help="Game to play: a bundled name, a member of a family, or a rule file.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder for the standings, the reports and the journal.",
)
@count_option(
    "--games", least=1, default=1, help="Number of times that the same players meet in all seats."
)
@seconds_option
@start_seconds_option
@simulations_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["round-robin", "swiss"]),
    default="round-robin",
    show_default=True,
    help="Format of the tournament.",
)
@count_option("--rounds", least=1, help="Number of rounds of a Swiss tournament.")
@seed_option
@count_option("--jobs", least=1, most=512, default=1, help="Number of processes that play matches.")
@count_option(
    "--memory-mb", least=1, help="Memory limit of a player in megabytes.  [default: 1024]"
)
@click.option(
    "--load-seconds",
    type=click.FloatRange(min=0.001, max=1e6),
    help="Time limit for loading a file and creating its player.  [default: 10]",
)
@click.option(
    "--move-seconds",
    type=click.FloatRange(min=0.001, max=1e6),
    help="Time limit per move with --simulations.  [default: 60]",
)
@click.option("--resume", is_flag=True, help="Continue the tournament of the journal in --out.")
@json_option
def classroom(
    folder: Path,
    *,
    game: str,
    out: Path,
    games: int,
    seconds: float | None,
    start_seconds: float | None,
    simulations: int | None,
    format_name: str,
    rounds: int | None,
    seed: int,
    jobs: int,
    memory_mb: int | None,
    load_seconds: float | None,
    move_seconds: float | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Run a tournament of the players in a FOLDER of Python files.

    Every file runs in a separate process with limits of time and memory. Each player is first tried
    against the random player; then all of them, and the random player, meet in a tournament. There
    is a report for each player. Where a player failed, its report shows the position as the player
    saw it, without hidden information.
    """
    from fogspiel import Classroom

    if out.exists() and any(out.iterdir()) and not resume:
        raise UsageError.of(
            "TOU017",
            f"the folder {out} is not empty",
            fix="give another folder with --out, or continue with --resume",
        )
    given = {"memory_mb": memory_mb, "load_seconds": load_seconds, "move_seconds": move_seconds}
    room = Classroom(
        folder,
        game,
        format=format_name,
        rounds=rounds,
        repetitions=games,
        seconds=seconds,
        simulations=simulations,
        start_seconds=start_seconds,
        seed=seed,
        limits={key: value for key, value in given.items() if value is not None},
        journal=out / JOURNAL,
    )
    with busy("trying the players …"):
        whole = room.tournament
    out.mkdir(parents=True, exist_ok=True)
    earlier = whole.results.matches if resume else ()
    command = ["fogspiel", "class", str(folder), "--game", game, "--out", str(out), "--resume"]
    with (
        interruptible(whole, command),
        LiveProgress(whole.name, whole.planned, earlier) as live,
    ):
        room.play(jobs=jobs, resume=resume, on_played=live.advance)
    files = room.write(out)
    if as_json:
        print_json({**room.document(), "files": [str(path) for path in files]})
        return
    say(f"{plain(whole.name)}: {extent(whole.results)}")
    print_results(whole.results)
    for one in room.submissions:
        if one.error is not None:
            said = f"{one.error.place}{one.error.code} {one.error.message}"
            say(plain(f"{one.name} does not take part: {said}"))
    say(
        f"The standings are in {out / 'standings.md'}, the reports for the players in "
        f"{out / 'reports'}."
    )
