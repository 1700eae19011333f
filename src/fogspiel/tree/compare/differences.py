"""The first difference of two trees, in words."""

from __future__ import annotations

from collections import Counter

from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.compare.refinement import Colours, TreePair, refined
from fogspiel.tree.preorder import TERMINAL, PreorderTree

MAX_PATH = 8  #: Actions of a path that are shown: the last ones


def first_difference(
    first: PreorderTree, second: PreorderTree, pair: TreePair, start: Colours
) -> str:
    """What differs between trees that are not the same, at a place as near to the root as can be.

    start: colours of the subtrees without regard to infosets.
    """
    if start[0] == start[pair.split]:
        return _infosets_differ(first, second, pair, start)
    node, other = 0, pair.split
    while True:
        place = _place(first, node)
        differs = _nodes_differ(first, second, node, other - pair.split)
        if differs:
            return f"{place}: {differs}"
        left = _unmatched(pair, start, node, other)
        right = _unmatched(pair, start, other, node)
        by_edge = {int(pair.edges[child]): child for child in reversed(right)}
        same = next((child for child in left if int(pair.edges[child]) in by_edge), None)
        if same is not None:
            node, other = same, by_edge[int(pair.edges[same])]
            continue
        return f"{place}: {_edges_differ(first, second, left, right, pair.split)}"


def _unmatched(pair: TreePair, colours: Colours, node: int, other: int) -> list[int]:
    """Children of a node beyond those that have a partner of equal edge and colour."""
    have = Counter((int(pair.edges[c]), int(colours[c])) for c in pair.children[other])
    left: list[int] = []
    for child in pair.children[node]:
        key = int(pair.edges[child]), int(colours[child])
        have[key] -= 1
        if have[key] < 0:
            left.append(child)
    return left


def _nodes_differ(first: PreorderTree, second: PreorderTree, node: int, other: int) -> str:
    """The difference between two nodes themselves; empty if there is none."""
    said, said_other = _described(first, node), _described(second, other)
    return f"{said} in the first game, {said_other} in the second" if said != said_other else ""


def _described(tree: PreorderTree, node: int) -> str:
    infoset = int(tree.infosets[node])
    if infoset == TERMINAL:
        payoffs = tree.payoff_table[int(tree.payoffs[node])]
        return f"the game ends with {', '.join(map(str, payoffs))}"
    own = tree.infoset_table[infoset]
    mover = "chance" if own.player == CHANCE else f"player {own.player}"
    return f"{mover} has {len(own.actions)} actions"


def _edges_differ(
    first: PreorderTree, second: PreorderTree, left: list[int], right: list[int], split: int
) -> str:
    said = [_edge(first, child) for child in left[:1]]
    said_other = [_edge(second, child - split) for child in right[:1]]
    return (
        f"{said[0] if said else 'nothing'} in the first game has no partner in the second, "
        f"which has {said_other[0] if said_other else 'nothing'}"
    )


def _edge(tree: PreorderTree, child: int) -> str:
    above = tree.infoset_table[int(tree.infosets[int(tree.parents[child])])]
    action = int(tree.actions[child])
    chance = f" with probability {above.probabilities[action]}" if above.probabilities else ""
    return f"the action {above.actions[action]!r}{chance}"


def _infosets_differ(
    first: PreorderTree, second: PreorderTree, pair: TreePair, start: Colours
) -> str:
    """The trees agree but for what players know."""
    same = "the trees agree but for what players know"
    for player in range(1, len(first.players) + 1):
        counts = [_infosets_of(tree, player) for tree in (first, second)]
        if counts[0] != counts[1]:
            name = first.players[player - 1]
            return (
                f"{same}: {name} has {counts[0]} infosets in the first game, "
                f"{counts[1]} in the second"
            )
    colours = refined(pair, start).nodes
    there = Counter(colours[pair.split :].tolist())
    for node in range(pair.split):
        there[int(colours[node])] -= 1
        if there[int(colours[node])] < 0 and int(first.infosets[node]) != TERMINAL:
            own = first.infoset_table[int(first.infosets[node])]
            if own.player != CHANCE:
                size = int((first.infosets == first.infosets[node]).sum())
                owner = first.players[own.player - 1]
                return (
                    f"{same}: {_place(first, node)}, {owner} is in an infoset of {size} nodes "
                    f"({own.label or 'without a name'}) that has no partner in the second game"
                )
    return f"{same}: their infosets cross in different ways"


def _infosets_of(tree: PreorderTree, player: int) -> int:
    return sum(own.player == player for own in tree.infoset_table)


def _place(tree: PreorderTree, node: int) -> str:
    path = tree.path(node)
    if not path:
        return "at the root"
    shown = path[-MAX_PATH:]
    return "after " + ", ".join((["…"] if len(path) > MAX_PATH else []) + shown)
