"""Limits for rules that come from strangers."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """How large a rule text may be. The largest sheet known to us has 0.4 MiB and 9,000 rules."""

    bytes: int = 8 * MEBIBYTE
    depth: int = 200
    """Deep enough for anything written by hand, and shallow enough for recursion over the rules."""
    forms: int = 200_000
    tokens: int = 400_000
    clauses_per_rule: int = 4_096
    clauses: int = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundLimits:
    """How far grounding may go before the rules are handed to the reference reasoner."""

    seconds: float = 50.0
    processor_seconds: float = 25.0
    """Long enough for about four million rules; a game that needs longer plays sooner without.
    On a machine that does other work too, the clock on the wall runs faster than this one."""
    memory_bytes: int = 2_048 * MEBIBYTE
    atoms: int = 2_500_000
    rules: int = 4_000_000
