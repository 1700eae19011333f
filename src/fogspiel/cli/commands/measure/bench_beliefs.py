"""`fogspiel bench beliefs`: histories found a second, beside a plain search in OpenSpiel."""

from __future__ import annotations

from typing import Any

import click

from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

START_SECONDS = 300.0
"""For a child to start, build kernels if it is the first ever, and look for positions."""


@click.command()
@click.option("--games", "named", multiple=True, help="Some of the games, repeated.")
@click.option("--seconds", type=FiniteRange(min=0.01), default=1.0, show_default=True)
@click.option("--require", is_flag=True, help="Exit code 1 if a required ratio is missed.")
@json_option
def beliefs(*, named: tuple[str, ...], seconds: float, require: bool, as_json: bool) -> int:
    """Histories found a second by `exact` on one core, beside a plain search in OpenSpiel.

    Both by processor time, in three alternating rounds of SECONDS each; medians are reported.
    """
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.processes import machine_facts

    require_openspiel()
    games = _games(named)
    facts = machine_facts()
    records = []
    with ProgressBar("measuring", len(games)) as progress:
        for game in games:
            records.append(_measure(game, seconds))
            progress.advance()
    if as_json:
        print_json({"machine": facts, "settings": {"seconds": seconds}, "beliefs": records})
    else:
        _print(records)
    failed = any(not record["ok"] for record in records)
    missed = any(record.get("meets") is False for record in records)
    return int(failed or (require and missed))


def _games(named: tuple[str, ...]) -> list[str]:
    from fogspiel.lab.benchmarks.beliefs import CASES

    known = [case.game for case in CASES]
    for name in named:
        if name not in known:
            raise click.UsageError(f"beliefs of {name} are not measured; use {', '.join(known)}")
    return list(named) or known


def _measure(game: str, seconds: float) -> dict[str, Any]:
    """One game in a process of its own."""
    from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task

    arguments = {"game": game, "seconds": seconds}
    limit = START_SECONDS + 60 * seconds
    return {
        "game": game,
        **run_task(MeasurementTask(kind="beliefs", arguments=arguments, seconds=limit)),
    }


def _print(records: list[dict[str, Any]]) -> None:
    columns = (
        "game", ">histories", ">found/s", ">listed/s", ">peer's histories", ">peer's/s",
        ">ratio", ">required",
    )  # fmt: skip
    print_table("Histories a second, one core", columns, map(_row, records))
    for record in records:
        if not record["ok"]:
            finding = record["findings"][0]
            click.echo(f"{record['game']}: {finding['code']} {finding['message']}", err=True)


def _row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", *[""] * 6]
    return [
        record["game"],
        f"{record['histories']:,}",
        f"{record['histories_per_second']:,.0f}",
        f"{record['listed_per_second']:,.0f}",
        f"{record['peer_histories']:,}",
        f"{record['peer_histories_per_second']:,.0f}",
        f"{record['ratio']:.1f}",
        f"{record['required_ratio']:g}",
    ]
