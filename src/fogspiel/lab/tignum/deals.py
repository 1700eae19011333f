"""Random deals in blocks: the parts of studies that play or plan many of them.

Every deal follows from the seed of a study and its own number, so that blocks change nothing.
"""

from __future__ import annotations

from fogspiel.lab.framework.study import Settings


def blocks(settings: Settings) -> list[str]:
    """Parts of a study, named by the numbers of their first and last deal."""
    deals, block = settings["deals"], settings["block"]
    return [f"{first}-{min(first + block, deals) - 1}" for first in range(0, deals, block)]


def deals_of(part: str) -> range:
    """The numbers of the deals of a part."""
    first, last = map(int, part.split("-"))
    return range(first, last + 1)
