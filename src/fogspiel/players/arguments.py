"""What follows the name of a player: numbers in it, and what cannot be used."""

from __future__ import annotations

import math

from fogspiel.core.findings import UsageError


def number(text: str, most: float = math.inf) -> float | None:
    """A finite number from 0 to the most that is allowed; None if the text is no such number."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) and 0.0 <= found <= most else None


def unusable(name: str, argument: str, wanted: str) -> UsageError:
    """PLY021, for a player whose argument says nothing to it."""
    return UsageError.of(
        "PLY021", f"the player {name} cannot use {argument!r}", fix=f"give {wanted}"
    )
