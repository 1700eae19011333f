"""The limits for rules from strangers as Markdown."""

from __future__ import annotations

from fogspiel.core.limits import MEBIBYTE, GroundLimits, ReadLimits


def read_limits() -> str:
    """The limits on the size of a text."""
    limits = ReadLimits()
    return _table(
        {
            "length of a text": f"{limits.bytes // MEBIBYTE} MiB",
            "depth of parentheses": f"{limits.depth:,}",
            "rules": f"{limits.forms:,}",
            "words and parentheses": f"{limits.tokens:,}",
            "clauses of one rule, its alternatives written out": f"{limits.clauses_per_rule:,}",
            "clauses of a sheet": f"{limits.clauses:,}",
        }
    )


def ground_limits() -> str:
    """The limits on grounding."""
    limits = GroundLimits()
    return _table(
        {
            "time on the wall": f"{limits.seconds:g} seconds",
            "time of the processor": f"{limits.processor_seconds:g} seconds",
            "memory": f"{limits.memory_bytes / MEBIBYTE:,.0f} MiB",
            "atoms": f"{limits.atoms:,}",
            "rules": f"{limits.rules:,}",
        }
    )


def _table(rows: dict[str, str]) -> str:
    lines = ["| limit | value |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in rows.items())]) + "\n"
