"""Which line is best: the lines of a tree race over the worlds, and the slow ones drop out.

The tree is that of Smith and Nau (1993), section 4; a line is what one NIL method at the root leads
to. Values are kept by world: at an external node a defender takes, in each world, what is worst for
us of what he can do there, and a line counts by the belief-weighted average over the worlds.
Departures: leaves are evaluated only where the outcome is still open. A double-dummy solution takes
milliseconds, so that the choice of what to solve is what makes a decision quick. All lines are
judged on the same worlds, and one that is behind by more than chance explains is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.plan.bridge.tignum.position import Position
from fogspiel.plan.methods import Method
from fogspiel.plan.tree.nodes import Kind, Node

ROUND = 4
"""Worlds that are looked at between two decisions on who drops out."""
DOUBT = 1.0
"""Standard errors by which a line must be behind to drop out."""


@dataclass(slots=True)
class Line:
    """One scheme, instantiated, with what it came to in the worlds so far."""

    node: Node
    values: list[float] = field(default_factory=list)
    """By world, in the order of the worlds."""

    @property
    def method(self) -> Method:
        """The scheme."""
        assert self.node.step is not None
        assert self.node.step.method is not None
        return self.node.step.method

    @property
    def card(self) -> str:
        """The card that it plays first."""
        move = first_move(self.node)
        assert move is not None
        return move

    def mean(self, weights: NDArray[np.float64]) -> float:
        """Its value over the worlds that were looked at."""
        seen = weights[: len(self.values)]
        return float(np.dot(self.values, seen) / seen.sum())


def lines_of(root: Node) -> list[Line]:
    """The lines of a tree in order of preference; those that break off before a card are none."""
    return [Line(child) for child in root.children if first_move(child) is not None]


def first_move(node: Node) -> str | None:
    """The card of ours that a node leads to first."""
    while node.step is not None and node.step.operator is None:
        if not node.children:
            return None
        node = node.children[0]
    if node.step is None or node.step.operator is None:
        return None
    return str(node.step.operator[1])


def value_in(node: Node, world: int) -> float:
    """What a node is worth in a world, if defenders do their worst there."""
    if node.kind is Kind.LEAF:
        position = node.situation
        assert isinstance(position, Position)
        return position.evaluator(position.leaf(world))
    if node.kind is Kind.DECISION:
        return value_in(node.children[0], world)
    return min(
        value_in(child, world) for child in node.children if child.situation.weights[world] > 0.0
    )


def race(lines: Sequence[Line], weights: NDArray[np.float64], solves: float) -> list[Line]:
    """Judge lines on world after world; returns those still in, best first.

    weights: (worlds,) belief.
    solves: how many leaves may be evaluated, about.
    """
    runners = list(lines)
    worlds = [int(world) for world in np.flatnonzero(weights)]
    spent = 0.0
    for start in range(0, len(worlds), ROUND):
        if len({line.card for line in runners}) == 1 and start:
            break
        chunk = worlds[start : start + ROUND]
        for line in runners:
            line.values += [value_in(line.node, world) for world in chunk]
        spent += len(runners) * len(chunk)
        runners = _still_in(runners, weights[worlds])
        if spent + len(runners) * ROUND > solves:
            break
    used = weights[worlds]
    # Python's sort is stable: of equal lines the one that is written first stays first.
    return sorted(runners, key=lambda line: -round(line.mean(used), 9))


def _still_in(lines: list[Line], weights: NDArray[np.float64]) -> list[Line]:
    """The lines that may still be best; of lines that never differ, the first."""
    best = max(lines, key=lambda line: round(line.mean(weights), 9))
    seen: set[tuple[str, tuple[float, ...]]] = set()
    kept = []
    for line in lines:
        key = (line.card, tuple(line.values))
        if key not in seen and not _is_behind(line, best, weights):
            seen.add(key)
            kept.append(line)
    return kept


def _is_behind(line: Line, best: Line, weights: NDArray[np.float64]) -> bool:
    """Whether a line is worse than the best by more than chance explains."""
    gaps = np.subtract(best.values, line.values)
    seen = weights[: len(gaps)] / weights[: len(gaps)].sum()
    mean = float(gaps @ seen)
    spread = math.sqrt(max(float((gaps - mean) ** 2 @ seen), 0.0) / len(gaps))
    return mean > 0.0 and mean > DOUBT * spread
