"""A game in extensive form as an EFG file holds it: flat lists, nodes in preorder.

Source: Gambit's documentation of its .efg format, version 2.
Departures: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from fogspiel.core.source import Source, Spanned

CHANCE = 0  #: The player number of chance. Players are numbered from 1.
NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class Outcome(Spanned):
    """Payoffs under a number and a name; a path collects those of all of its nodes."""

    number: int
    name: str
    payoffs: tuple[Fraction, ...]  #: One for each player


@dataclass(frozen=True, slots=True)
class Infoset(Spanned):
    """Nodes that their player cannot tell apart; for chance, nodes with the same lottery."""

    player: int
    number: int  #: Unique among the infosets of the player
    name: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()
    """One for each action of a chance infoset; none elsewhere."""

    def text(self, players: Sequence[str]) -> str:
        """The infoset as messages call it: `infoset 3 (king) of Ann`."""
        name = f" ({self.name})" if self.name else ""
        owner = "chance" if self.player == CHANCE else f"player {self.player}"
        if 1 <= self.player <= len(players) and players[self.player - 1]:
            owner = players[self.player - 1]
        return f"infoset {self.number}{name} of {owner}"


@dataclass(frozen=True, slots=True)
class Node(Spanned):
    """A place in the tree. A node without an infoset ends the game."""

    name: str = ""
    infoset: int | None = None  #: Index into the infosets of the game
    outcome: int | None = None
    """Index into the outcomes of the game; also nodes inside the tree may have one."""


@dataclass(frozen=True, kw_only=True)
class ExtensiveGame:
    """A whole tree: node 0 is the root, and every node is followed by its subtrees in order."""

    title: str
    players: tuple[str, ...]
    comment: str = ""
    infosets: tuple[Infoset, ...]
    outcomes: tuple[Outcome, ...]
    nodes: tuple[Node, ...]
    source: Source = field(default=Source("", ""), compare=False, repr=False)

    def infoset_of(self, node: int) -> Infoset | None:
        """The infoset of a node; None where the game ends."""
        index = self.nodes[node].infoset
        return None if index is None else self.infosets[index]

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The parent of each node; `NO_PARENT` for the root."""
        parents: list[int] = []
        waiting = [NO_PARENT]  # the parents of nodes to come, the next one last
        for index, node in enumerate(self.nodes):
            parents.append(waiting.pop())
            if node.infoset is not None:
                waiting.extend([index] * len(self.infosets[node.infoset].actions))
        return tuple(parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, in the order of the actions."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for index, parent in enumerate(self.parents):
            if parent != NO_PARENT:
                children[parent].append(index)
        return tuple(map(tuple, children))

    @cached_property
    def actions_taken(self) -> tuple[int, ...]:
        """Index of the action of its parent that leads to each node; 0 for the root."""
        taken = [0] * len(self.nodes)
        for own in self.children:
            for action, child in enumerate(own):
                taken[child] = action
        return tuple(taken)

    @cached_property
    def collected(self) -> tuple[tuple[Fraction, ...], ...]:
        """What each player has collected on the way to each node, the node included."""
        nothing = (Fraction(0),) * len(self.players)
        totals: list[tuple[Fraction, ...]] = []
        for node, parent in zip(self.nodes, self.parents, strict=True):
            before = nothing if parent == NO_PARENT else totals[parent]
            if node.outcome is None:
                totals.append(before)
                continue
            gained = self.outcomes[node.outcome].payoffs
            if before is nothing:
                totals.append(gained)
            else:
                totals.append(tuple(a + b for a, b in zip(before, gained, strict=True)))
        return tuple(totals)


def without_impossible(game: ExtensiveGame) -> ExtensiveGame:
    """The game without actions of chance that have probability 0, and what follows them.

    Infosets and outcomes keep their places, also those that no node is left of.
    """
    if all(chance > 0 for infoset in game.infosets for chance in infoset.probabilities):
        return game
    nodes: list[Node] = []
    work = [0]
    while work:
        node = work.pop()
        nodes.append(game.nodes[node])
        infoset = game.infoset_of(node)
        if infoset is not None:
            kept = _kept(infoset)
            work.extend(game.children[node][action] for action in reversed(kept))
    return replace(game, infosets=tuple(map(_reduced, game.infosets)), nodes=tuple(nodes))


def _kept(infoset: Infoset) -> list[int]:
    """The actions that may happen."""
    every = range(len(infoset.actions))
    return [a for a in every if not infoset.probabilities or infoset.probabilities[a] > 0]


def _reduced(infoset: Infoset) -> Infoset:
    kept = _kept(infoset)
    return replace(
        infoset,
        actions=tuple(infoset.actions[action] for action in kept),
        probabilities=tuple(infoset.probabilities[a] for a in kept if infoset.probabilities),
    )
