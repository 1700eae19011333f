"""`fogspiel bench solve`: time to a nash_conv, beside OpenSpiel and LiteEFG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.lab.benchmarks.solve import SolveCase

DIFFERENCE = 1e-9
"""How far two computations of the same exploitability may be apart."""
AGREEMENT_SECONDS = 900.0


@click.command()
@click.option(
    "--against", default="", metavar="PEERS", help="openspiel, liteefg, or both with a comma."
)
@click.option("--games", "named", multiple=True, help="Some of the games, repeated.")
@click.option(
    "--target", type=FiniteRange(min=0, min_open=True), default=1e-3, show_default=True,
    help="nash_conv, in the unit of each game.",
)  # fmt: skip
@click.option(
    "--seconds", type=FiniteRange(min=0.01), default=60.0, show_default=True,
    help="Of the processor, for each solver.",
)  # fmt: skip
@click.option("--linear/--no-linear", default=True, help="Measure the linear program too.")
@click.option("--require", is_flag=True, help="Exit code 1 if a required figure is missed.")
@json_option
def solve(
    *,
    against: str,
    named: tuple[str, ...],
    target: float,
    seconds: float,
    linear: bool,
    require: bool,
    as_json: bool,
) -> int:
    """Seconds of the processor until nash_conv is at most TARGET.

    Ours are medians of five runs, evaluations included; peers are on the clock while they iterate.
    A peer that does not get there in SECONDS gives a lower bound of the ratio.
    """
    from fogspiel.lab.benchmarks.processes import machine_facts
    from fogspiel.lab.benchmarks.solve import compare, compare_linear

    packages = _packages(against)
    cases = _cases(named)
    facts = machine_facts()
    records = []
    with ProgressBar("measuring", len(cases) + linear) as progress:
        for case in cases:
            records.append(compare(case, packages, target=target, seconds=seconds))
            progress.advance()
        program = compare_linear(packages, seconds=seconds) if linear else None
    if as_json:
        settings = {"target": target, "seconds": seconds, "against": packages}
        print_json({"machine": facts, "settings": settings, "games": records, "linear": program})
    else:
        _print(records, program, seconds)
    return int(_failed([*records, *([program] if program else [])], require=require))


@click.command()
@click.option("--games", "named", multiple=True, help="Some of the games, repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--solved", is_flag=True, help="Measure what `auto` finds, not a random strategy.")
@json_option
def agreement(*, named: tuple[str, ...], seed: int, solved: bool, as_json: bool) -> int:
    """Measure a strategy by our count and by OpenSpiel's: exploitability and values.

    Exit code 1 if they differ by more than 1e-9 on some game.
    """
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task
    from fogspiel.lab.benchmarks.solve_agreement import TWINS

    require_openspiel()
    games = _known(named, list(TWINS))
    records: list[dict[str, Any]] = []
    with ProgressBar("comparing", len(games)) as progress:
        for game in games:
            arguments = {"game": game, "seed": seed, "solved": solved}
            task = MeasurementTask(kind="agreement", arguments=arguments, seconds=AGREEMENT_SECONDS)
            records.append({"game": game, **run_task(task)})
            progress.advance()
    if as_json:
        print_json({"agreement": records})
    else:
        columns = ("game", ">ours", ">OpenSpiel's", ">difference", ">of values")
        print_table("Exploitability of the same strategy", columns, map(_agreement_row, records))
    return int(
        any(
            not record["ok"] or max(record["difference"], record["value_difference"]) > DIFFERENCE
            for record in records
        )
    )


def _packages(against: str) -> list[str]:
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.solve import PEERS
    from fogspiel.lab.benchmarks.solve_peers import require_liteefg

    packages = [word.strip() for word in against.split(",") if word.strip()]
    for package in packages:
        if package not in PEERS:
            raise click.UsageError(f"{package} is no peer; use {', '.join(PEERS)}")
    if packages:
        require_openspiel()
    if "liteefg" in packages:
        require_liteefg()
    return packages


def _cases(named: tuple[str, ...]) -> list[SolveCase]:
    from fogspiel.lab.benchmarks.solve import CASES

    cases = {case.game: case for case in CASES}
    return [cases[game] for game in _known(named, list(cases))]


def _known(named: tuple[str, ...], games: list[str]) -> list[str]:
    for name in named:
        if name not in games:
            raise click.UsageError(f"{name} is not measured; use {', '.join(games)}")
    return list(named) or games


def _failed(records: list[dict[str, Any]], *, require: bool) -> bool:
    """Whether something broke down, or a figure is missed that is required."""
    broken = [record for record in records if not record["ok"]]
    figures = ("meets", "building_meets", "evaluation_meets")
    missed = [record for record in records if any(record.get(key) is False for key in figures)]
    return bool(broken or (require and missed))


def _print(records: list[dict[str, Any]], program: dict[str, Any] | None, seconds: float) -> None:
    columns = (
        "game", "method", ">seconds", ">best peer", ">its seconds", ">ratio", ">required",
        ">with building", ">and loading", ">evaluation",
    )  # fmt: skip
    print_table("Time to the target, one core", columns, map(_row, records))
    for record in records:
        for name, peer in record["peers"].items():
            if peer["ok"] and not peer["reached"]:
                click.echo(f"{record['game']}: {name} did not get there in {seconds:g} s")
            elif not peer["ok"]:
                finding = peer["findings"][0]
                click.echo(f"{record['game']}: {name}: {finding['code']} {finding['message']}")
    if program is not None and program["ok"]:
        said = f"linear program of {program['game']}: {program['seconds']:.3g} s"
        if "ratio" in program:
            said += f", OpenSpiel's {program['peer']['seconds']:.3g} s"
        click.echo(said)


def _row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", *[""] * 8]
    row = [record["game"], record["method"], f"{record['seconds']:.3g}"]
    evaluation = f"{record['evaluation_seconds'] * 1e3:.3g} ms"
    if "ratio" not in record:
        return [*row, *[""] * 6, evaluation]
    bound = "> " if record["ratio_is_lower_bound"] else ""
    return [
        *row,
        record["best_peer"],
        f"{bound}{record['best_peer_seconds']:.3g}",
        f"{bound}{record['ratio']:.0f}",
        f"{record['required_ratio']:g}",
        f"{bound}{record['ratio_with_building']:.1f}",
        f"{bound}{record['ratio_with_loading']:.1f}",
        evaluation,
    ]


def _agreement_row(record: dict[str, Any]) -> list[str]:
    if not record["ok"]:
        return [record["game"], "failed", "", "", ""]
    return [
        record["game"],
        f"{record['exploitability']:.12f}",
        f"{record['peer_exploitability']:.12f}",
        f"{record['difference']:.1e}",
        f"{record['value_difference']:.1e}",
    ]
