"""Many sheets: each in a process of its own, then counts, percentiles and a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from statistics import median
from threading import Event
from typing import Any

from fogspiel.lab.benchmarks.facts import percentile
from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task

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
