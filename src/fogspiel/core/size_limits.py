"""What a tree may take: nodes and memory."""

from __future__ import annotations

from dataclasses import dataclass

from fogspiel.core.findings import LimitError

DEFAULT_MAX_NODES = 20_000_000
DEFAULT_MAX_BYTES = 12_000_000_000
MAX_DENOMINATOR = 10_000_000
"""Fractions with such denominators lie so far apart that a float tells which one was meant."""
LARGEST_NUMBER = 2**31 - 1
"""Nodes, edges of a step and courses of play have 32-bit numbers."""


@dataclass(slots=True)
class SizeLimits:
    """Limits, and what was taken of them so far."""

    max_nodes: int
    max_bytes: int
    nodes: int = 0
    bytes: int = 0
    """Held until the tree is done."""

    def take_nodes(self, count: int) -> None:
        """Note nodes that are about to be made."""
        self.need_nodes(count)
        self.nodes += count

    def need_nodes(self, count: int) -> None:
        """Raise an error if there is no room for nodes that are to come."""
        if self.nodes + count > min(self.max_nodes, LARGEST_NUMBER):
            raise too_large(self.max_nodes)

    def take_bytes(self, count: int) -> None:
        """Note memory that will be held."""
        self.need_bytes(count)
        self.bytes += count

    def need_bytes(self, count: int) -> None:
        """Raise an error if there is no room for arrays that are needed for a while."""
        if self.bytes + count > self.max_bytes:
            raise LimitError.of(
                "TRE001",
                f"the tree of this game needs more than {self.max_bytes / 1e9:,.1f} GB of memory",
                fix="take a smaller instance of the game, limit the depth, or raise the limit",
            )

    def need_numbers(self, count: int) -> None:
        """Raise an error if so many things of a step cannot be numbered."""
        if count > LARGEST_NUMBER:
            raise too_large(self.max_nodes)


def too_large(max_nodes: int) -> LimitError:
    """The error about a tree beyond the limit."""
    return LimitError.of(
        "TRE001",
        f"the tree of this game has more than {max_nodes:,} nodes",
        fix="take a smaller instance of the game, or raise the limit",
    )
