"""Rule sheets: the time that each takes to load, and whether it plays.

Every sheet is measured in a process of its own; then come counts, percentiles and a report.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from statistics import median
from threading import Event
from typing import TYPE_CHECKING, Any

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.lab.benchmarks import processes
from fogspiel.lab.benchmarks.processes import MeasurementTask, Record, percentile, plain_record
from fogspiel.lab.framework import presentation as tables

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame

WARM_UP = "tic_tac_toe"
PLAYOUTS = 100
REFERENCE_SECONDS = 60.0
SUFFIXES = frozenset({".gdl", ".kif", ".gdl2"})


def sheets_in(places: Iterable[str]) -> dict[str, str]:
    """Names or files by label. A directory stands for its rule files, in their order."""
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
) -> list[Record]:
    """The records of all games by label, in their order.

    memory_bytes: for each sheet.
    on_done: called after each.
    """
    records: dict[str, Record] = {}
    stop = Event()

    def work(game: str) -> Record:
        task = MeasurementTask(
            kind=kind, arguments={"game": game}, seconds=seconds, memory_bytes=memory_bytes
        )
        return processes.run_task(task, stop)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        tasks = {pool.submit(work, game): label for label, game in games.items()}
        try:
            for done in as_completed(tasks):
                records[tasks[done]] = {"game": tasks[done], **done.result()}
                on_done()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True, wait=False)
            raise
    return [records[label] for label in games]


def measure_load(game: str) -> Record:
    """Seconds of reading, grounding and building."""
    from fogspiel.machine.compiled.machine import CompiledMachine

    loaded, seconds = _loaded(game)
    machine = loaded.machine
    compiled = machine.game if isinstance(machine, CompiledMachine) else None
    return {
        "engine": machine.engine,
        "load_seconds": seconds,
        "read_seconds": loaded.read_seconds,
        "ground_seconds": compiled.ground_seconds if compiled else None,
        "build_seconds": compiled.network.seconds if compiled else None,
        "ground_rules": compiled.ground_rules if compiled else None,
        "gates": compiled.network.gate_count if compiled else None,
        "fallback": plain_record(loaded.fallback) if loaded.fallback else None,
    }


def try_sheet(game: str) -> Record:
    """Load a sheet and play it: 100 games compiled, or one on the reference reasoner."""
    loaded, seconds = _loaded(game)
    machine = loaded.machine
    record: Record = {
        "engine": machine.engine,
        "roles": list(machine.roles),
        "load_seconds": seconds,
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


def _loaded(game: str) -> tuple[LoadedGame, float]:
    """A game and the seconds of making it. Kernels are loaded before the clock runs."""
    from fogspiel.games.load import load

    load(WARM_UP, anew=True)
    began = time.perf_counter()
    return load(game, anew=True), time.perf_counter() - began


def _one_game(machine: Any) -> Record:
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


def summary(records: Sequence[Record]) -> Record:
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


def markdown(document: Record) -> str:
    """The report as a page: the summary, then what was refused, what fell back, and what is odd."""
    records = document["sheets"]
    refused = [
        (r["game"], f["code"], f.get("line"), f["message"])
        for r in records
        if not r["ok"]
        for f in r["findings"][:1]
    ]
    fallen = [
        (
            r["game"],
            f"{r['load_seconds']:.1f}",
            f"{r.get('play_seconds', 0):.1f}",
            f"{r.get('mean_length', 0):g}",
            (r["fallback"] or {}).get("message"),
        )
        for r in records
        if r["ok"] and r["engine"] == "reference"
    ]
    odd = [
        (r["game"], r["playouts"], r["stuck"], r["cut"])
        for r in records
        if r.get("stuck") or r.get("cut")
    ]
    lines = ["# Rule sheets read, checked and played", "", *_summary_lines(document["summary"]), ""]
    for title, head, rows in (
        (
            "Refused, each with the fault in it",
            ("sheet", "code", "line", "what is wrong"),
            refused,
        ),
        (
            "Played by the reference reasoner: grounding passes the limits",
            ("sheet", "load s", "game s", "steps", "why"),
            fallen,
        ),
        (
            "Played, but some games did not end by the rules",
            ("sheet", "games", "without a legal move", "too long"),
            odd,
        ),
    ):
        if rows:
            table = tables.markdown(head, ([_cell(value) for value in row] for row in rows))
            lines += [f"## {title} ({len(rows)})", "", table, ""]
    return "\n".join(lines).rstrip() + "\n"


def _summary_lines(total: Record) -> list[str]:
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


def _cell(value: Any) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
