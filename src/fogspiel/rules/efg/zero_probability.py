"""A game in extensive form without what chance never does."""

from __future__ import annotations

from dataclasses import replace

from fogspiel.rules.efg.syntax import ExtensiveGame, Infoset, Node


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
