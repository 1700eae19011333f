"""`fogspiel bench search`: simulations a second, beside OpenSpiel and on all hidden games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.lab.benchmarks.simulations import SearchCase

START_SECONDS = 300.0
"""For a child to start, build kernels if it is the first ever, and load its game."""
HIDDEN_PLAYER = "ismcts"


@click.command()
@click.option("--games", "named", multiple=True, help="Some of the games, repeated.")
@click.option("--seconds", type=FiniteRange(min=0.01), default=1.0, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--hidden/--no-hidden", default=True, help="Measure all games with hidden facts too.")
@click.option("--require", is_flag=True, help="Exit code 1 if a required ratio is missed.")
@json_option
def search(
    *,
    named: tuple[str, ...],
    seconds: float,
    rounds: int,
    hidden: bool,
    require: bool,
    as_json: bool,
) -> int:
    """Simulations a second of `uct` and `ismcts` on one core, by processor time.

    Beside OpenSpiel's in C++ where it is installed: ours and theirs take turns, ROUNDS of SECONDS
    each, and medians are reported. Then `ismcts` for SECONDS on every game with hidden information.
    """
    from fogspiel.lab.benchmarks.processes import machine_facts
    from fogspiel.lab.benchmarks.simulations import CASES, hidden_games

    cases = [case for case in CASES if not named or case.game in named]
    others = [game for game in hidden_games() if hidden and (not named or game in named)]
    _refuse_unknown(named, {case.game for case in CASES} | set(hidden_games()))
    reason = _why_no_peer()
    facts = machine_facts()
    records, found = [], []
    with ProgressBar("measuring", len(cases) + len(others)) as progress:
        for case in cases:
            records.append(_beside(case, seconds, rounds, reason))
            progress.advance()
        for game in others:
            found.append(_measure(game, HIDDEN_PLAYER, None, seconds, 1))
            progress.advance()
    if as_json:
        settings = {"seconds": seconds, "rounds": rounds, "peer_skipped": reason}
        print_json({"machine": facts, "settings": settings, "search": records, "hidden": found})
    else:
        _print(records, found, reason)
    failed = any(not record["ok"] for record in [*records, *found])
    missed = any(record.get("meets") is False for record in records)
    return int(failed or (require and missed))


def _refuse_unknown(named: tuple[str, ...], known: set[str]) -> None:
    for name in named:
        if name not in known:
            listed = ", ".join(sorted(known))
            raise click.UsageError(f"searches of {name} are not measured; use {listed}")


def _why_no_peer() -> str | None:
    """Why OpenSpiel is left out; None where it is not."""
    from fogspiel.core.findings import UsageError
    from fogspiel.lab.benchmarks.playouts import require_openspiel

    try:
        require_openspiel()
    except UsageError as error:
        finding = error.findings[0]
        return f"{finding.message} ({finding.fix})"
    return None


def _beside(case: SearchCase, seconds: float, rounds: int, reason: str | None) -> dict[str, Any]:
    peer_game = case.peer_game if reason is None else None
    record = _measure(case.game, case.player, peer_game, seconds, rounds)
    record |= {"peer_game": peer_game, "required_ratio": case.required_ratio}
    if "ratio" in record:
        record["meets"] = record["ratio"] >= case.required_ratio
    return record


def _measure(
    game: str, player: str, peer_game: str | None, seconds: float, rounds: int
) -> dict[str, Any]:
    """One game in a process of its own."""
    from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task

    arguments = {
        "game": game, "player": player, "peer_game": peer_game,
        "seconds": seconds, "rounds": rounds,
    }  # fmt: skip
    limit = START_SECONDS + 60 * rounds * seconds
    task = MeasurementTask(kind="search", arguments=arguments, seconds=limit)
    return {"game": game, "player": player, **run_task(task)}


def _print(records: list[dict[str, Any]], found: list[dict[str, Any]], reason: str | None) -> None:
    if records:
        columns = (
            "game", "player", ">simulations/s", ">rollouts/s", ">OpenSpiel's", ">ratio",
            ">required",
        )  # fmt: skip
        print_table("Searches, one core", columns, map(_row, records))
    if found:
        title = f"{HIDDEN_PLAYER} where something is hidden"
        heads = ("game", ">simulations/s", ">in lockstep/s", ">memory, MB")
        print_table(title, heads, map(_hidden_row, found))
    if reason is not None:
        click.echo(f"OpenSpiel was left out: {reason}")
    for record in [*records, *found]:
        if not record["ok"]:
            finding = record["findings"][0]
            click.echo(f"{record['game']}: {finding['code']} {finding['message']}", err=True)


def _row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", *[""] * 5]
    beside = "ratio" in record
    return [
        record["game"],
        record["player"],
        f"{record['simulations_per_second']:,.0f}",
        f"{record['rollouts_per_second']:,.0f}",
        f"{record['peer_simulations_per_second']:,.0f}" if beside else "",
        f"{record['ratio']:.1f}" if beside else "",
        f"{record['required_ratio']:g}",
    ]


def _hidden_row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", "", ""]
    return [
        record["game"],
        f"{record['simulations_per_second']:,.0f}",
        f"{record['lockstep_simulations_per_second']:,.0f}",
        f"{record['bytes'] / 1e6:,.0f}",
    ]
