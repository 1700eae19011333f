"""Known values of Kuhn poker, and a strategy for any game."""

from __future__ import annotations

import fogspiel as fs

KUHN_VALUE = -1 / 18
"""The value for the first player. Source: Kuhn (1950), A simplified two-person poker."""


def uniform(view: fs.View) -> dict[fs.Move, float]:
    """Choose every legal move with the same probability."""
    return {move: 1 / len(view.legal) for move in view.legal}
