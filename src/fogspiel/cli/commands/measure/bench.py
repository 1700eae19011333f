"""`fogspiel bench`: measurements, each with the facts of the machine it ran on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from fogspiel.cli.commands.measure.bench_beliefs import beliefs
from fogspiel.cli.commands.measure.bench_matches import matches
from fogspiel.cli.commands.measure.bench_search import search
from fogspiel.cli.commands.measure.bench_solve import agreement, solve
from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

START_SECONDS = 180.0
"""For a child to start, build kernels if it is the first ever, and load its game."""
MEBIBYTE = 1 << 20

jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Sheets at a time."
)
memory_option = click.option(
    "--memory-mb", type=click.IntRange(min=256), default=4096, show_default=True, help="Per sheet."
)


@click.group()
def bench() -> None:
    """Measure playouts, beliefs, search and solving beside peers, matches, loading, rule sheets."""


for command in (beliefs, search, solve, agreement, matches):
    bench.add_command(command)


@bench.command()
@click.option("--against", type=click.Choice(["openspiel"]), help="Measure a peer beside us.")
@click.option(
    "--games", "named", multiple=True, help="Names or files, repeated or with commas between."
)
@click.option("--seconds", type=FiniteRange(min=0.01), default=1.0, show_default=True)
@click.option("--rounds", type=click.IntRange(min=3), default=3, show_default=True)
@click.option("--require", is_flag=True, help="Exit code 1 if a required ratio is missed.")
@json_option
def playouts(
    *,
    against: str | None,
    named: tuple[str, ...],
    seconds: float,
    rounds: int,
    require: bool,
    as_json: bool,
) -> int:
    """Random playouts a second on one core, by processor time.

    Ours and the peer's run in turn, at least three rounds of SECONDS each; medians are reported.
    """
    from fogspiel.lab.benchmarks.playouts import PEERS, REQUIRED_RATES, require_openspiel
    from fogspiel.lab.benchmarks.processes import machine_facts

    if against is not None:
        require_openspiel()
    games = _split(named) or [*PEERS, *REQUIRED_RATES]
    records = []
    with ProgressBar("measuring", len(games)) as progress:
        for game in games:
            records.append(_measure(game, against is not None, seconds, rounds))
            progress.advance()
    missed = [r for r in records if not r["ok"] or r.get("meets") is False]
    if as_json:
        facts = machine_facts()
        settings = {"seconds": seconds, "rounds": rounds, "against": against}
        print_json({"machine": facts, "settings": settings, "games": records})
    else:
        _print_playouts(records)
    failed = any(not record["ok"] for record in records)
    return int(failed or (require and bool(missed)))


def _measure(game: str, beside: bool, seconds: float, rounds: int) -> dict[str, Any]:
    """One game in a process of its own: its peak memory is then its own too."""
    from fogspiel.lab.benchmarks.playouts import PEERS, REQUIRED_RATES
    from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task

    peer = PEERS.get(game) if beside else None
    arguments = {
        "game": game,
        "peer_game": peer.game if peer else None,
        "seconds": seconds,
        "rounds": rounds,
    }
    limit = START_SECONDS + 20 * rounds * seconds
    record = {
        "game": game,
        **run_task(MeasurementTask(kind="playouts", arguments=arguments, seconds=limit)),
    }
    if peer is not None:
        record |= {"peer_game": peer.game, "required_ratio": peer.required_ratio}
        if record["ok"]:
            record["meets"] = record["ratio"] >= peer.required_ratio
    elif game in REQUIRED_RATES:
        record |= {"required_rate": REQUIRED_RATES[game]}
        if record["ok"]:
            record["meets"] = record["playouts_per_second"] >= REQUIRED_RATES[game]
    return record


@bench.command()
@click.argument("games", nargs=-1)
@jobs_option
@click.option("--seconds", type=FiniteRange(min=1), default=180.0, show_default=True)
@memory_option
@json_option
def load(
    games: tuple[str, ...], *, jobs: int, seconds: float, memory_mb: int, as_json: bool
) -> int:
    """Seconds to read, ground and build GAMES: names, files or directories; all bundled ones."""
    from fogspiel.games.library import bundled_games

    document = _run("load", games or tuple(bundled_games()), jobs, seconds, memory_mb)
    if as_json:
        print_json(document)
        return int(document["summary"]["refused"] > 0)
    columns = ("game", "engine", ">load s", ">ground s", ">build s", ">ground rules", ">gates")
    print_table(None, columns, [_load_row(record) for record in document["sheets"]])
    _print_summary(document["summary"])
    return int(document["summary"]["refused"] > 0)


@bench.command()
@click.argument("places", nargs=-1, required=True, metavar="DIRECTORY...")
@jobs_option
@click.option("--seconds", type=FiniteRange(min=1), default=240.0, show_default=True)
@memory_option
@click.option("--out", type=click.Path(dir_okay=False), help="Write the JSON document here too.")
@click.option("--markdown", "page", type=click.Path(dir_okay=False), help="Write a report here.")
@json_option
def corpus(
    places: tuple[str, ...],
    *,
    jobs: int,
    seconds: float,
    memory_mb: int,
    out: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    """Read, check and play every rule sheet of a DIRECTORY.

    100 random games on the compiled machine, or one within 60 s on the reference reasoner.
    """
    from fogspiel.lab.benchmarks.sheets import markdown

    document = _run("sheet", places, jobs, seconds, memory_mb)
    if out is not None:
        import json

        Path(out).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        Path(page).write_text(markdown(document), encoding="utf-8")
    if as_json:
        print_json(document)
        return
    for record in document["sheets"]:
        if not record["ok"]:
            finding = record["findings"][0]
            click.echo(f"{record['game']}: {finding['code']} {finding['message']}")
    _print_summary(document["summary"])


def _run(
    kind: str, places: tuple[str, ...], jobs: int, seconds: float, memory_mb: int
) -> dict[str, Any]:
    from fogspiel.lab.benchmarks.processes import machine_facts
    from fogspiel.lab.benchmarks.sheets import run_all, sheets_in, summary

    games = sheets_in(places)
    if not games:
        raise click.UsageError(f"no rule files in {', '.join(places)}")
    facts = machine_facts()
    with ProgressBar("sheets", len(games)) as progress:
        records = run_all(
            kind,
            games,
            jobs=jobs,
            seconds=seconds,
            memory_bytes=memory_mb * MEBIBYTE,
            on_done=progress.advance,
        )
    return {"machine": facts, "summary": summary(records), "sheets": records}


def _split(named: tuple[str, ...]) -> list[str]:
    """Names apart at commas, except those inside the parentheses of a family."""
    parts = [part.strip() for word in named for part in re.split(r",(?![^()]*\))", word)]
    return [part for part in parts if part]


def _print_playouts(records: list[dict[str, Any]]) -> None:
    columns = ("game", "engine", ">playouts/s", ">peer's", ">ratio", ">required", ">memory MB")
    print_table("Random playouts a second, one core", columns, map(_playouts_row, records))
    for record in records:
        if not record["ok"]:
            finding = record["findings"][0]
            click.echo(f"{record['game']}: {finding['code']} {finding['message']}", err=True)


def _playouts_row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", "", "", "", "", ""]
    memory = record["peak_memory_bytes"]
    peer = "peer_playouts_per_second" in record
    return [
        record["game"],
        record["engine"],
        f"{record['playouts_per_second']:,.0f}",
        f"{record['peer_playouts_per_second']:,.0f}" if peer else "",
        f"{record['ratio']:.1f}" if peer else "",
        _required(record),
        f"{memory / MEBIBYTE:,.0f}" if memory else "",
    ]


def _required(record: dict[str, Any]) -> str:
    if "required_rate" in record:
        return f"{record['required_rate']:,.0f}/s"
    return f"{record['required_ratio']:g}" if "required_ratio" in record else ""


def _load_row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        finding = record["findings"][0]
        return [record["game"], f"{finding['code']} {finding['message']}"[:60], *[""] * 5]
    times = [record[key] for key in ("load_seconds", "ground_seconds", "build_seconds")]
    counts = [record[key] for key in ("ground_rules", "gates")]
    return [
        record["game"],
        record["engine"],
        *(f"{value:.3f}" if value is not None else "" for value in times),
        *(f"{value:,}" if value is not None else "" for value in counts),
    ]


def _print_summary(total: dict[str, Any]) -> None:
    click.echo(
        f"{total['sheets']} sheets: {total['compiled']} compiled, {total['reference']} on the "
        f"reference reasoner, {total['refused']} refused"
    )
    if total["load_seconds_median"] is not None:
        click.echo(
            f"seconds to load: median {total['load_seconds_median']:.2f}, "
            f"95th percentile {total['load_seconds_p95']:.2f}"
        )
