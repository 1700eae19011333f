"""Limits on rule texts, on grounding and on game trees: rules may come from strangers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from fogspiel.core.findings import LimitError

MEBIBYTE = 1 << 20
DEFAULT_MAX_NODES = 20_000_000
DEFAULT_MAX_BYTES = 12_000_000_000
MAX_DENOMINATOR = 10_000_000
"""Fractions with such denominators lie so far apart that a float tells which one was meant."""
LARGEST_NUMBER = 2**31 - 1  #: Nodes, edges of a step and histories have 32-bit numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Largest rule text that is read. The largest known one has 0.4 MiB and 9,000 rules."""

    bytes: int = 8 * MEBIBYTE
    depth: int = 200
    """Deep enough for anything written by hand, and shallow enough for recursion over the rules."""
    forms: int = 200_000
    tokens: int = 400_000
    clauses_per_rule: int = 4_096
    clauses: int = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundLimits:
    """Largest ground program. Rules beyond it are played by the prover, which needs none."""

    seconds: float = 50.0
    processor_seconds: float = 25.0
    """Long enough for about four million rules; a game that needs longer plays sooner without.
    On a machine that does other work too, the clock on the wall runs faster than this one."""
    memory_bytes: int = 2_048 * MEBIBYTE
    atoms: int = 2_500_000
    rules: int = 4_000_000


@dataclass(slots=True)
class SizeLimits:
    """Limits on the nodes and the memory of a game tree, and how much of them is used."""

    max_nodes: int
    max_bytes: int
    nodes: int = 0
    bytes: int = 0  #: Held until the tree is done

    def take_nodes(self, count: int) -> None:
        """Count nodes that are about to be made. Raises `LimitError` TRE001 beyond the limit."""
        self.need_nodes(count)
        self.nodes += count

    def need_nodes(self, count: int) -> None:
        """Raise `LimitError` TRE001 if there is no room for so many more nodes."""
        if self.nodes + count > min(self.max_nodes, LARGEST_NUMBER):
            raise too_large(self.max_nodes)

    def take_bytes(self, count: int) -> None:
        """Count memory that the tree will hold. Raises `LimitError` TRE001 beyond the limit."""
        self.need_bytes(count)
        self.bytes += count

    def need_bytes(self, count: int) -> None:
        """Raise `LimitError` TRE001 if there is no room for arrays that are needed for a while."""
        if self.bytes + count > self.max_bytes:
            raise LimitError.of(
                "TRE001",
                f"the tree of this game needs more than {self.max_bytes / 1e9:,.1f} GB of memory",
                fix="take a smaller instance of the game, limit the depth, or raise the limit",
            )

    def need_numbers(self, count: int) -> None:
        """Raise `LimitError` TRE001 if so many things of a step have no 32-bit numbers."""
        if count > LARGEST_NUMBER:
            raise too_large(self.max_nodes)


def too_large(max_nodes: int) -> LimitError:
    """The error about a tree beyond the limit."""
    return LimitError.of(
        "TRE001",
        f"the tree of this game has more than {max_nodes:,} nodes",
        fix="take a smaller instance of the game, or raise the limit",
    )


def refuse_count(name: str, count: SupportsIndex | None, least: int = 1) -> None:
    """Refuse an argument that must be a whole number of some least size; None is no limit.

    Raises `ValueError` for a number that is too small, `TypeError` for what is no whole number.
    """
    if count is None:
        return
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(f"{name} must be a whole number; got {count!r}")
    if count.__index__() < least:
        raise ValueError(f"{name} must be at least {least}; got {count}")


def refuse_seconds(name: str, seconds: float | None) -> None:
    """Refuse a time that is not more than 0; None is no limit.

    Raises `ValueError` for nothing, less than nothing and NaN, `TypeError` for what is no number.
    """
    if seconds is None:
        return
    _refuse_other_than_number(name, seconds)
    if not seconds > 0.0:
        raise ValueError(f"{name} must be more than 0; got {seconds}")


def refuse_negative(name: str, amount: float | None) -> None:
    """Refuse an amount below 0; None is no limit. Raises as `refuse_seconds`."""
    if amount is None:
        return
    _refuse_other_than_number(name, amount)
    if not amount >= 0.0:
        raise ValueError(f"{name} must be at least 0; got {amount}")


def _refuse_other_than_number(name: str, amount: object) -> None:
    if isinstance(amount, bool) or not hasattr(amount, "__float__"):
        raise TypeError(f"{name} must be a number; got {amount!r}")
