"""Pareto fronts of outcomes over worlds.

Source: Cazenave and Ventos (2021), "The αμ Search Algorithm for the Game of Bridge", in Monte
Carlo Search, CCIS 1379, sections 3.2 to 3.4.

An outcome is an integer with bit w set where the goal is reached in world w; a front is a set of
outcomes of which none is at least as good as another in every world.
Departures: the paper marks worlds that are not possible at a node. Here every outcome counts them
as won, which neither a union nor a combination can tell from leaving them out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Outcome: TypeAlias = int
Front: TypeAlias = tuple[Outcome, ...]


def best_of(outcomes: Iterable[Outcome]) -> Front:
    """Those that no other outcome covers, in the order in which they came."""
    kept: list[Outcome] = []
    for outcome in outcomes:
        if any(outcome & ~other == 0 for other in kept):
            continue
        kept = [other for other in kept if other & ~outcome]
        kept.append(outcome)
    return tuple(kept)


def either(one: Front, other: Front) -> Front:
    """What declarer can have who may choose between two fronts."""
    return best_of((*one, *other))


def both(one: Front, other: Front) -> Front:
    """What declarer can have where the defenders, world by world, choose between two fronts."""
    return best_of(first & second for first in one for second in other)


def covers(front: Front, other: Front) -> bool:
    """Whether nothing in the other front is new."""
    return all(any(outcome & ~mine == 0 for mine in front) for outcome in other)


def score(outcome: Outcome, weights: NDArray[np.float64]) -> float:
    """The weight of the worlds in which the goal is reached."""
    return float(sum(weight for world, weight in enumerate(weights) if outcome >> world & 1))
