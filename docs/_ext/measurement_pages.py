"""The measurements kept in `benchmarks/`, documents of `fogspiel bench`, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

NONE_YET = "No measurements are kept with this version; `make bench` makes them.\n"


def measurement_tables() -> str:
    """One section for each file of measurements."""
    files = sorted(BENCHMARKS.glob("*.json"), key=lambda path: (path.stem != "playouts", path.stem))
    return "\n".join(_section(path) for path in files) if files else NONE_YET


def _section(path: Path) -> str:
    document = json.loads(path.read_text(encoding="utf-8"))
    lines = [f"### {path.stem.replace('_', ' ').capitalize()}", ""]
    if "machine" in document:
        lines += [_machine(document["machine"]), ""]
    if "walks_wanted" in document:
        lines += [*_agreement(document), ""]
    elif "linear" in document:
        lines += [*_solving(document), ""]
    elif "beliefs" in document:
        lines += [*_beliefs(document["beliefs"]), ""]
    elif "search" in document:
        lines += [*_search(document), ""]
    elif "games" in document:
        lines += [*_playouts(document["games"]), ""]
    if "summary" in document:
        lines += [*_summary(document["summary"]), ""]
    return "\n".join(lines)


def _machine(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items() if v)
    return (
        f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}, "
        f"{versions}; load average at the start {facts['load_average'] or 0:.1f}."
    )


def _playouts(records: Sequence[dict[str, Any]]) -> list[str]:
    header = ("game", "playouts a second", "beside it", "playouts a second", "ratio", "load, s")
    rows = (
        (
            f"`{record['game']}`",
            _count(record.get("playouts_per_second")),
            f"`{record['peer_game']}`" if record.get("peer_game") else "",
            _count(record.get("peer_playouts_per_second")),
            _rounded(record.get("ratio"), 1),
            _rounded(record.get("load_seconds"), 2),
        )
        for record in records
        if record["ok"]
    )
    return _table(header, "lrlrrr", rows)


def _beliefs(records: Sequence[dict[str, Any]]) -> list[str]:
    """Histories of information sets found a second, and whether the aim is met."""
    header = (
        "game", "histories", "found a second", "listed a second", "beside it", "histories",
        "found a second", "ratio", "aim",
    )  # fmt: skip
    rows = (
        (
            f"`{record['game']}`",
            _count(record["histories"]),
            _count(record["histories_per_second"]),
            _count(record["listed_per_second"]),
            f"`{record['peer_game']}`",
            _count(record["peer_histories"]),
            _count(record["peer_histories_per_second"]),
            _rounded(record["ratio"], 1),
            f"{record['required_ratio']:g}, {'met' if record['meets'] else 'not met'}",
        )
        for record in records
        if record["ok"]
    )
    return _table(header, "lrrrlrrrl", rows)


def _search(document: dict[str, Any]) -> list[str]:
    """Searches beside OpenSpiel's, and the one by knowledge wherever something is hidden."""
    header = (
        "game", "player", "simulations a second", "rollouts a second", "OpenSpiel's a second",
        "ratio", "aim",
    )  # fmt: skip
    rows = (
        (
            f"`{record['game']}`",
            f"`{record['player']}`",
            _count(record["simulations_per_second"]),
            # Few are made where a tree holds the whole game: they say nothing there.
            _count(record["rollouts_per_second"]) if record["player"] == "uct" else "",
            _count(record.get("peer_simulations_per_second")),
            _rounded(record.get("ratio"), 1),
            _aim(record["required_ratio"], record.get("meets")),
        )
        for record in document["search"]
        if record["ok"]
    )
    hidden = (
        (
            f"`{record['game']}`",
            _count(record["simulations_per_second"]),
            _count(record.get("nodes")),
            _rounded(record.get("bytes_per_simulation"), 0),
            _rounded(record["bytes"] / 1e6, 1),
        )
        for record in document["hidden"]
        if record["ok"]
    )
    names = (
        "game", "`ismcts`, simulations a second", "nodes", "bytes a simulation", "kept, MB",
    )  # fmt: skip
    return [*_table(header, "llrrrrl", rows), "", *_table(names, "lrrrr", hidden)]


def _solving(document: dict[str, Any]) -> list[str]:
    """Times to a nash_conv beside peers, and whether the aims are met."""
    header = (
        "game", "method", "seconds", "best peer", "its seconds", "ratio", "aim", "with building",
        "aim", "and loading", "evaluation, ms",
    )  # fmt: skip
    records = [record for record in document["games"] if record["ok"] and "ratio" in record]
    lines = [*_table(header, "llrlrrlrlrr", map(_solving_row, records)), ""]
    linear = document["linear"]
    if linear is not None and "ratio" in linear:
        peer = linear["peer"]
        lines.append(
            f"Linear program of `{linear['game']}`: {linear['seconds']:.3f} s, OpenSpiel's "
            f"{peer['seconds']:.2f} s. The lowest probability in ours is "
            f"{linear['lowest_probability']:g}, in OpenSpiel's {peer['lowest_probability']:.3g}."
        )
    return lines


def _solving_row(record: dict[str, Any]) -> Sequence[str]:
    bound = "> " if record["ratio_is_lower_bound"] else ""
    return (
        f"`{record['game']}`",
        f"`{record['method']}`",
        f"{record['seconds']:.3g}",
        record["best_peer"],
        f"{bound}{record['best_peer_seconds']:.3g}",
        f"{bound}{record['ratio']:.0f}",
        _aim(record["required_ratio"], record["meets"]),
        f"{bound}{record['ratio_with_building']:.1f}",
        _aim(record["required_with_building"], record.get("building_meets")),
        f"{bound}{record['ratio_with_loading']:.1f}",
        f"{record['evaluation_seconds'] * 1e3:.2f}",
    )


def _aim(required: float | None, meets: bool | None) -> str:
    return "" if required is None else f"{required:g}, {'met' if meets else 'not met'}"


def _agreement(document: dict[str, Any]) -> list[str]:
    """Random walks on both machines at once, which found no difference."""
    rows = (
        (
            f"`{record['game']}`",
            _count(record["walks"]),
            _count(record["steps"]),
            "" if record["complete"] else f"stopped after {record['seconds']:.0f} s",
        )
        for record in document["games"]
    )
    wanted = (
        f"Up to {document['walks_wanted']:,} random walks a game on the compiled machine and the"
    )
    return [
        f"{wanted} reference reasoner side by side: states, legal moves, goals, ends and percepts.",
        "They agreed in every step.",
        "",
        *_table(("game", "walks", "steps", ""), "lrrl", rows),
    ]


def _summary(summary: dict[str, Any]) -> list[str]:
    rows = (
        (key.replace("_", " "), f"{value:,}" if isinstance(value, int) else _rounded(value, 2))
        for key, value in summary.items()
        if isinstance(value, int | float)
    )
    return _table(("what", "value"), "lr", rows)


def _table(header: Sequence[str], alignment: str, rows: Iterable[Sequence[str]]) -> list[str]:
    rule = "|".join("---:" if side == "r" else "---" for side in alignment)
    lines = [f"| {' | '.join(header)} |", f"|{rule}|"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"
