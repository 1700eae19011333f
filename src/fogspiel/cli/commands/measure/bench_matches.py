"""`fogspiel bench matches`: many managed matches at once over loopback."""

from __future__ import annotations

from typing import Any

import click

from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import busy, json_option, print_json, print_table

MEBIBYTE = 1 << 20


@click.command()
@click.option("--game", default="tic_tac_toe", show_default=True, help="Without hidden moves.")
@click.option("--at-once", type=click.IntRange(1, 1_000), default=100, show_default=True)
@click.option("--seconds", type=FiniteRange(min=1), default=60.0, show_default=True)
@click.option(
    "--think",
    type=FiniteRange(min=0, max=60),
    default=1.0,
    show_default=True,
    help="Seconds that players think at most, every time up to it being as likely.",
)
@click.option("--require", is_flag=True, help="Exit code 1 for a fault or too much overhead.")
@json_option
def matches(
    *, game: str, at_once: int, seconds: float, think: float, require: bool, as_json: bool
) -> int:
    """Manage many matches at once, and measure what the manager adds to every turn.

    Players run in a process of their own and are never late: every fault is one of the manager.
    """
    from fogspiel.lab.benchmarks.matches import MatchLoad, measure_matches
    from fogspiel.lab.benchmarks.processes import machine_facts

    load = MatchLoad(
        game=game,
        at_once=at_once,
        seconds=seconds,
        think_seconds=think,
        play_seconds=max(2.0, 2 * think),
    )
    with busy(f"playing for {seconds:g} s …"):
        record = measure_matches(load)
    if as_json:
        print_json({"machine": machine_facts(), **record})
    else:
        _print(record)
    return int(require and not record["meets"])


def _print(record: dict[str, Any]) -> None:
    memory = record["memory_bytes"]
    faults = ", ".join(f"{kind} {times:,}" for kind, times in record["faults"].items()) or "none"
    rows = [
        ("matches at once", f"{record['at_once']:,}"),
        ("turns", f"{record['turns']:,} ({record['turns_per_second']:.0f} a second)"),
        ("matches played to the end", f"{record['matches']:,}"),
        ("faults", faults),
        ("overhead of a turn, median", _milliseconds(record["overhead_ms_p50"])),
        ("overhead of a turn, 99 %", _milliseconds(record["overhead_ms_p99"])),
        ("overhead of a turn, most", _milliseconds(record["overhead_ms_most"])),
        *((f"memory, {when}", f"{held / MEBIBYTE:.1f} MiB") for when, held in memory.items()),
    ]
    print_table(f"{record['game']}, {record['seconds']:g} s", ("", ">"), rows)


def _milliseconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f} ms"
