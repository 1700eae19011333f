"""Measurements as text, for each kind a table filled from the records, and as exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fogspiel.cli.output import print_table, say

Record = dict[str, Any]
MEBIBYTE = 1 << 20
DIFFERENCE = 1e-9
"""The largest allowed difference between two computations of the same exploitability."""
FIGURES = ("meets", "building_meets", "evaluation_meets")


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table with one row for each record."""

    title: str | None
    columns: dict[str, str]
    """Headings, with `>` where flush right, and format strings over the fields of a record. A cell
    is empty where one of its fields is missing or None."""

    def show(self, records: Sequence[Record]) -> None:
        """Print the table."""
        print_table(self.title, list(self.columns), map(self.row, records))

    def row(self, record: Record) -> list[str]:
        """The cells of a record."""
        if not record["ok"]:
            reason = record.get("failure", "failed")
            return [record["game"], reason, *[""] * (len(self.columns) - 2)]
        known = {key: value for key, value in record.items() if value is not None}
        return [_filled(pattern, known) for pattern in self.columns.values()]


def _filled(pattern: str, known: Record) -> str:
    try:
        return pattern.format_map(known)
    except KeyError:
        return ""


PLAYOUTS = RecordTable(
    "Random playouts per second, one core",
    {
        "game": "{game}",
        "engine": "{engine}",
        ">playouts/s": "{playouts_per_second:,.0f}",
        ">OpenSpiel playouts/s": "{peer_playouts_per_second:,.0f}",
        ">ratio": "{ratio:.1f}",
        ">required": "{required}",
        ">memory MB": "{memory_mb:,.0f}",
    },
)
BELIEFS = RecordTable(
    "Histories per second, one core",
    {
        "game": "{game}",
        ">histories": "{histories:,}",
        ">histories/s, found": "{histories_per_second:,.0f}",
        ">histories/s, listed": "{listed_per_second:,.0f}",
        ">OpenSpiel histories": "{peer_histories:,}",
        ">OpenSpiel histories/s": "{peer_histories_per_second:,.0f}",
        ">ratio": "{ratio:.1f}",
        ">required": "{required_ratio:g}",
    },
)
SEARCHES = RecordTable(
    "Simulations per second, one core",
    {
        "game": "{game}",
        "player": "{player}",
        ">simulations/s": "{simulations_per_second:,.0f}",
        ">playouts/s": "{rollouts_per_second:,.0f}",
        ">OpenSpiel simulations/s": "{peer_simulations_per_second:,.0f}",
        ">ratio": "{ratio:.1f}",
        ">required": "{required_ratio:g}",
    },
)
HIDDEN_SEARCHES = RecordTable(
    "Simulations per second of ismcts in games with hidden information",
    {
        "game": "{game}",
        ">simulations/s": "{simulations_per_second:,.0f}",
        ">bytes/simulation": "{bytes_per_simulation:,.0f}",
        ">memory MB": "{megabytes:,.0f}",
    },
)
SOLVERS = RecordTable(
    "Time to the target, one core",
    {
        "game": "{game}",
        "method": "{method}",
        ">seconds": "{seconds:.3g}",
        ">fastest other program": "{best_peer}",
        ">seconds of that": "{bound}{best_peer_seconds:.3g}",
        ">ratio": "{bound}{ratio:.0f}",
        ">required": "{required}",
        ">ratio with building the tree": "{bound}{ratio_with_building:.1f}",
        ">ratio with loading too": "{bound}{ratio_with_loading:.1f}",
        ">evaluation": "{evaluation_ms:.3g} ms",
    },
)
AGREEMENT = RecordTable(
    "Exploitability of the same strategy",
    {
        "game": "{game}",
        ">Fogspiel": "{exploitability:.12f}",
        ">OpenSpiel": "{peer_exploitability:.12f}",
        ">difference": "{difference:.1e}",
        ">difference of values": "{value_difference:.1e}",
    },
)
LOADING = RecordTable(
    None,
    {
        "game": "{game}",
        "engine": "{engine}",
        ">load, s": "{load_seconds:.3f}",
        ">ground, s": "{ground_seconds:.3f}",
        ">build, s": "{build_seconds:.3f}",
        ">ground rules": "{ground_rules:,}",
        ">gates": "{gates:,}",
    },
)


def show_playouts(document: Record) -> None:
    """Rates of playouts, and what was required of them."""

    def shown(record: Record) -> Record:
        memory = record.get("peak_memory_bytes")
        required = None
        if "required_rate" in record:
            required = f"{record['required_rate']:,.0f}/s"
        elif "required_ratio" in record:
            required = f"{record['required_ratio']:g}"
        return {**record, "required": required, "memory_mb": memory and memory / MEBIBYTE}

    PLAYOUTS.show([shown(record) for record in document["games"]])
    _tell_failures(document["games"])


def show_beliefs(document: Record) -> None:
    """Rates of finding histories."""
    BELIEFS.show(document["beliefs"])
    _tell_failures(document["beliefs"])


def show_searches(document: Record) -> None:
    """Rates of searches, beside OpenSpiel's and in games that hide something."""
    beside, hidden = document["search"], document["hidden"]
    if beside:
        SEARCHES.show(beside)
    if hidden:
        HIDDEN_SEARCHES.show([{**own, "megabytes": own.get("bytes", 0) / 1e6} for own in hidden])
    if (reason := document["settings"]["peer_skipped"]) is not None:
        say(f"OpenSpiel was not measured: {reason}")
    _tell_failures([*beside, *hidden])


def show_solvers(document: Record) -> None:
    """Times of solvers, peers that did not get there, and the linear program."""

    def shown(record: Record) -> Record:
        if not record["ok"]:
            return record
        view = {**record, "evaluation_ms": 1e3 * record["evaluation_seconds"]}
        if "ratio" in record:
            view["required"] = f"{record['required_ratio']:g}"
            view["bound"] = "> " if record["ratio_is_lower_bound"] else ""
        return view

    SOLVERS.show([shown(record) for record in document["games"]])
    seconds = document["settings"]["seconds"]
    for record in document["games"]:
        for name, peer in record["peers"].items():
            if not peer["ok"]:
                say(f"{record['game']}: {name}: {_failure(peer)}")
            elif not peer["reached"]:
                say(f"{record['game']}: {name} did not reach the target in {seconds:g} s")
    linear = document["linear"]
    if linear is not None and linear["ok"]:
        said = f"linear program of {linear['game']}: {linear['seconds']:.3g} s"
        if "ratio" in linear:
            said += f", OpenSpiel {linear['peer']['seconds']:.3g} s"
        say(said)


def show_agreement(document: Record) -> None:
    """Exploitability by both counts."""
    AGREEMENT.show(document["agreement"])


def show_matches(record: Record) -> None:
    """Turns, faults, overhead and memory of many matches at once."""

    def milliseconds(value: float | None) -> str:
        return "" if value is None else f"{value:.1f} ms"

    memory = record["memory_bytes"]
    faults = ", ".join(f"{kind} {times:,}" for kind, times in record["faults"].items()) or "none"
    rows = [
        ("simultaneous matches", f"{record['at_once']:,}"),
        ("turns", f"{record['turns']:,} ({record['turns_per_second']:.0f} per second)"),
        ("finished matches", f"{record['matches']:,}"),
        ("faults", faults),
        ("overhead per turn, median", milliseconds(record["overhead_ms_p50"])),
        ("overhead per turn, 99th percentile", milliseconds(record["overhead_ms_p99"])),
        ("overhead per turn, maximum", milliseconds(record["overhead_ms_most"])),
        *((f"memory, {when}", f"{held / MEBIBYTE:.1f} MiB") for when, held in memory.items()),
    ]
    print_table(f"{record['game']}, {record['seconds']:g} s", ("", ">"), rows)


def show_loading(document: Record) -> None:
    """Times of loading, then the summary."""

    def shown(record: Record) -> Record:
        return record if record["ok"] else {**record, "failure": _failure(record)[:60]}

    LOADING.show([shown(record) for record in document["sheets"]])
    _show_summary(document["summary"])


def show_corpus(document: Record) -> None:
    """Sheets that were refused, then the summary."""
    _tell_failures(document["sheets"], err=False)
    _show_summary(document["summary"])


def _show_summary(total: Record) -> None:
    """Sheets by outcome, and the seconds to load them."""
    say(
        f"{total['sheets']} sheets: {total['compiled']} compiled, {total['reference']} on the "
        f"reference reasoner, {total['refused']} refused"
    )
    if total["load_seconds_median"] is not None:
        say(
            f"seconds to load: median {total['load_seconds_median']:.2f}, "
            f"95th percentile {total['load_seconds_p95']:.2f}"
        )


def _tell_failures(records: Sequence[Record], *, err: bool = True) -> None:
    """A line for each game that could not be measured."""
    for record in records:
        if not record["ok"]:
            say(f"{record['game']}: {_failure(record)}", err=err)


def _failure(record: Record) -> str:
    finding = record["findings"][0]
    return f"{finding['code']} {finding['message']}"


def exit_code(document: Record, *, require: bool) -> int:
    """Exit code 1 where something broke down, or a figure is missed that is required."""
    records = [document]
    for part in document.values():
        records += part if isinstance(part, list) else [part] if isinstance(part, dict) else []
    missed = any(record.get(key) is False for record in records for key in FIGURES)
    return int(any(not record.get("ok", True) for record in records) or (require and missed))


def agreement_code(document: Record, *, require: bool) -> int:
    """Exit code 1 where two computations of the same figure differ."""
    return int(
        any(
            not record["ok"] or max(record["difference"], record["value_difference"]) > DIFFERENCE
            for record in document["agreement"]
        )
    )
