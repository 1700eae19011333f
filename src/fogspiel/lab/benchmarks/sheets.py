"""One rule sheet: how long it takes to load, and whether it plays.

Many sheets: each in a process of its own, then counts, percentiles and a table.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from statistics import median
from threading import Event
from typing import Any

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.lab.benchmarks.processes import MeasurementTask, percentile, plain_record, run_task

WARM_UP = "tic_tac_toe"
PLAYOUTS = 100
REFERENCE_SECONDS = 60.0


def measure_load(game: str) -> dict[str, Any]:
    """Seconds of reading, grounding and building. Kernels are loaded before the clock runs."""
    from fogspiel.games.load import load
    from fogspiel.machine.compiled.machine import CompiledMachine

    load(WARM_UP)
    began = time.perf_counter()
    loaded = load(game)
    seconds = time.perf_counter() - began
    machine = loaded.machine
    network = machine.network if isinstance(machine, CompiledMachine) else None
    return {
        "engine": machine.engine,
        "load_seconds": seconds,
        "read_seconds": loaded.read_seconds,
        "ground_seconds": loaded.ground.seconds if loaded.ground else None,
        "build_seconds": network.seconds if network else None,
        "ground_rules": len(loaded.ground.rules.heads) if loaded.ground else None,
        "gates": network.gate_count if network else None,
        "fallback": plain_record(loaded.fallback) if loaded.fallback else None,
    }


def try_sheet(game: str) -> dict[str, Any]:
    """Load a sheet and play it: 100 games compiled, or one on the reference reasoner."""
    from fogspiel.games.load import load

    load(WARM_UP)
    began = time.perf_counter()
    loaded = load(game)
    load_seconds = time.perf_counter() - began
    machine = loaded.machine
    record: dict[str, Any] = {
        "engine": machine.engine,
        "roles": list(machine.roles),
        "load_seconds": load_seconds,
        "warnings": dict(sorted(Counter(f.code for f in loaded.findings).items())),
        "fallback": plain_record(loaded.fallback) if loaded.fallback else None,
    }
    began = time.perf_counter()
    if machine.engine == "compiled":
        played = machine.playouts(machine.initial()[None, :], seed=1, count=PLAYOUTS)
        record |= {"playouts": PLAYOUTS, "stuck": played.stuck, "cut": played.cut}
        record["mean_length"] = played.mean_length
    else:
        record |= {"playouts": 1, **_one_game(machine)}
    record["play_seconds"] = time.perf_counter() - began
    return record


def _one_game(machine: Any) -> dict[str, Any]:
    """A whole random game within the time; raises `LimitError` BEN001 otherwise."""
    from random import Random

    random = Random(1)
    budget = Budget.of(seconds=REFERENCE_SECONDS)
    state, steps = machine.initial(), 0
    while not machine.terminal(state):
        if budget.is_over:
            message = f"{steps} steps in {REFERENCE_SECONDS:g} s, and the game was not over"
            raise LimitError.of("BEN001", message, fix="give it more time")
        choices = [machine.legal(state, role) for role in range(len(machine.roles))]
        if not all(choices):
            return {"stuck": 1, "cut": 0, "mean_length": float(steps)}
        state = machine.step(state, tuple(random.choice(moves) for moves in choices))
        steps += 1
    machine.goals(state)
    return {"stuck": 0, "cut": 0, "mean_length": float(steps)}


SUFFIXES = frozenset({".gdl", ".kif", ".gdl2"})


def sheets_in(places: Iterable[str]) -> dict[str, str]:
    """Label -> name or file. Of a directory, the rule files in it, labelled from it on, sorted."""
    found: dict[str, str] = {}
    for place in places:
        path = Path(place)
        if not path.is_dir():
            found[place] = place
            continue
        files = (file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        for file in sorted(file for file in files if file.is_file()):
            found[str(Path(path.resolve().name) / file.relative_to(path))] = str(file)
    return found


def run_all(
    kind: str,
    games: Mapping[str, str],
    *,
    jobs: int,
    seconds: float,
    memory_bytes: int | None,
    on_done: Callable[[], None],
) -> list[dict[str, Any]]:
    """The records of all games by label, in their order; `on_done` is called after each."""
    records: dict[str, dict[str, Any]] = {}
    stop = Event()
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        tasks = {
            pool.submit(
                run_task,
                MeasurementTask(
                    kind=kind,
                    arguments={"game": game},
                    seconds=seconds,
                    memory_bytes=memory_bytes,
                ),
                stop,
            ): label
            for label, game in games.items()
        }
        try:
            for done in as_completed(tasks):
                label = tasks[done]
                records[label] = {"game": label, **done.result()}
                on_done()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True, wait=False)
            raise
    return [records[label] for label in games]


def summary(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts by outcome, and the percentiles of the time to load."""
    loaded = [record for record in records if record["ok"]]
    engines = Counter(record["engine"] for record in loaded)
    codes = Counter(record["findings"][0]["code"] for record in records if not record["ok"])
    times = [record["load_seconds"] for record in loaded]
    return {
        "sheets": len(records),
        "compiled": engines["compiled"],
        "reference": engines["reference"],
        "refused": len(records) - len(loaded),
        "refused_by_code": dict(sorted(codes.items())),
        "stuck": sum(1 for record in loaded if record.get("stuck")),
        "cut": sum(1 for record in loaded if record.get("cut")),
        "load_seconds_median": median(times) if times else None,
        "load_seconds_p95": percentile(times, 95) if times else None,
        "load_seconds_max": max(times, default=None),
    }


def markdown(document: dict[str, Any]) -> str:
    """The report as a page: the summary, then what was refused, what fell back, and what is odd."""
    total = document["summary"]
    lines = ["# Rule sheets read, checked and played", "", *_summary_lines(total), ""]
    records = document["sheets"]
    refused = [record for record in records if not record["ok"]]
    fallen = [record for record in records if record["ok"] and record["engine"] == "reference"]
    odd = [record for record in records if record.get("stuck") or record.get("cut")]
    lines += _table(
        "Refused, each with the fault in it",
        ("sheet", "code", "line", "what is wrong"),
        [
            (_name(r), f["code"], f.get("line"), f["message"])
            for r in refused
            for f in r["findings"][:1]
        ],
    )
    lines += _table(
        "Played by the reference reasoner: grounding passes the limits",
        ("sheet", "load s", "game s", "steps", "why"),
        [
            (
                _name(r),
                f"{r['load_seconds']:.1f}",
                f"{r.get('play_seconds', 0):.1f}",
                f"{r.get('mean_length', 0):g}",
                (r["fallback"] or {}).get("message"),
            )
            for r in fallen
        ],
    )
    lines += _table(
        "Played, but some games did not end by the rules",
        ("sheet", "games", "without a legal move", "too long"),
        [(_name(r), r["playouts"], r["stuck"], r["cut"]) for r in odd],
    )
    return "\n".join(lines).rstrip() + "\n"


def _summary_lines(total: dict[str, Any]) -> list[str]:
    parts = [
        f"{total[key]} {what} ({100 * total[key] / total['sheets']:.1f} %)"
        for key, what in (
            ("compiled", "on the compiled machine"),
            ("reference", "on the reference reasoner"),
            ("refused", "refused"),
        )
    ]
    lines = [f"- {total['sheets']} sheets: {', '.join(parts)}"]
    if total["refused_by_code"]:
        codes = [f"{code} {count}" for code, count in total["refused_by_code"].items()]
        lines.append(f"- refused with {', '.join(codes)}")
    if total["load_seconds_median"] is not None:
        lines.append(
            f"- seconds to load: median {total['load_seconds_median']:.2f}, 95th percentile "
            f"{total['load_seconds_p95']:.2f}, largest {total['load_seconds_max']:.1f}"
        )
    return lines


def _name(record: dict[str, Any]) -> str:
    return str(record["game"])


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    if not rows:
        return []
    head = [f"## {title} ({len(rows)})", ""]
    head += [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return head + [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows] + [""]


def _cell(value: Any) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
