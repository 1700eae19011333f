"""Perfect recall: a player remembers what it did and knew.

Source: Kuhn (1953): at all nodes of an infoset its player has passed the same infosets and made the
same choices there. Without it rules cannot describe the game, for there a role knows all it did and
saw. An absent-minded player (Piccione & Rubinstein 1997) even comes to an infoset twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fogspiel.rules.efg.syntax import CHANCE, NO_PARENT, ExtensiveGame

NO_HISTORY = 0
MAX_SHOWN = 6
"""Choices of a history that a message shows: the last ones."""

MAX_FOUND = 100


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Two nodes of an infoset that its player should tell apart by what it remembers."""

    infoset: int
    first: int
    second: int
    is_absent_minded: bool
    """Whether one of the nodes comes after the infoset itself."""


class OwnHistories:
    """What every player has done on the way to each node; equal histories have equal numbers."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.game = game
        self._steps: list[tuple[int, int, int]] = [(NO_HISTORY, -1, -1)]
        """Of each history: the one before, and the infoset and action that were added."""
        numbers: dict[tuple[int, int, int], int] = {}
        nothing = (NO_HISTORY,) * len(game.players)
        by_node: list[tuple[int, ...]] = []
        for node, parent in enumerate(game.parents):
            if parent == NO_PARENT:
                by_node.append(nothing)
                continue
            before = by_node[parent]
            infoset = game.infoset_of(parent)
            if infoset is None or infoset.player == CHANCE:
                by_node.append(before)
                continue
            own = infoset.player - 1
            step = (before[own], game.nodes[parent].infoset or 0, game.actions_taken[node])
            if step not in numbers:
                numbers[step] = len(self._steps)
                self._steps.append(step)
            by_node.append((*before[:own], numbers[step], *before[own + 1 :]))
        self.by_node = by_node

    def of_mover(self, node: int) -> int:
        """The history of the player who moves at a node."""
        infoset = self.game.infoset_of(node)
        assert infoset is not None
        return self.by_node[node][infoset.player - 1]

    def steps(self, history: int) -> Iterator[tuple[int, int]]:
        """Infosets and actions of a history, the last first."""
        while history != NO_HISTORY:
            history, infoset, action = self._steps[history]
            yield infoset, action

    def text(self, history: int) -> str:
        """A history as messages show it, cut to its end."""
        parts: list[str] = []
        for infoset, action in self.steps(history):
            if len(parts) == MAX_SHOWN:
                parts.append("…")
                break
            own = self.game.infosets[infoset]
            name = f"{own.number} ({own.name})" if own.name else str(own.number)
            parts.append(f'"{own.actions[action]}" at {name}')
        return ", ".join(reversed(parts)) or "nothing"


def forgettings(game: ExtensiveGame, histories: OwnHistories) -> list[Forgetting]:
    """The first pair of nodes that a player forgets to tell apart, of at most 100 infosets."""
    first_node: dict[int, int] = {}
    found: dict[int, Forgetting] = {}
    for node, own in enumerate(game.nodes):
        if len(found) == MAX_FOUND:
            break
        infoset = game.infoset_of(node)
        if own.infoset is None or infoset is None or infoset.player == CHANCE:
            continue
        first = first_node.setdefault(own.infoset, node)
        if own.infoset in found or histories.of_mover(first) == histories.of_mover(node):
            continue
        met = [i for at in (first, node) for i, _ in histories.steps(histories.of_mover(at))]
        found[own.infoset] = Forgetting(own.infoset, first, node, own.infoset in met)
    return list(found.values())
