"""What is said about a player that can be named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fogspiel.core.registry import Entry
from fogspiel.players.protocol import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEntry(Entry):
    """A player that can be named."""

    make: Callable[[], Agent]
    argument: str = ""
    """What may follow the name and a colon, for people."""
    make_with: Callable[[str], Agent] | None = None
    """From what follows. Raises `UsageError` PLY021 for what it cannot use."""
