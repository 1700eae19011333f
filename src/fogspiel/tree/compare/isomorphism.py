"""Whether two games in extensive form are the same, and where they first differ.

Two trees are the same if their nodes match one to one, so that shape, movers, probabilities of
chance, infosets of players and payoffs agree, and nodes of one infoset match by the same actions.
Players correspond by their order. Choices that are none make no difference (see `reduce`). Infosets
of chance mean nothing, and labels only if asked for.

Colours (see `refinement`) tell apart most that can be told apart; a greedy match of equal colours
is then checked node by node. Where it fails though colours agree, one node after the other is given
a colour of its own together with each of its possible partners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fogspiel.core.findings import LimitError
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.compare.reduce import reduced
from fogspiel.tree.compare.refinement import Colours, TreePair, pair_of, refined, subtree_colours
from fogspiel.tree.preorder import TERMINAL, PreorderTree

PayoffMap = Sequence[tuple[Fraction, Fraction]]
"""A scale and an offset for each player: scale * payoff + offset."""

MAX_TRIALS = 500  #: Partners to try before the comparison is given up


@dataclass(frozen=True, slots=True)
class TreeComparison:
    """Whether two games are the same; if not, what differs."""

    equal: bool
    difference: str = ""

    def __bool__(self) -> bool:
        """Whether they are the same."""
        return self.equal


def compare(
    first: PreorderTree,
    second: PreorderTree,
    *,
    payoff_map: PayoffMap | None = None,
    labels: bool = False,
    merge_chance: bool = False,
) -> TreeComparison:
    """Compare two games.

    payoff_map: for each player a scale and an offset, applied to the payoffs of the first game.
    labels: whether players and actions must also be called the same.
    merge_chance: join chance nodes that follow each other, and branches that lead to the same.
    Raises `LimitError` TRE003 if the games are so symmetric that the search is given up.
    """
    if len(first.players) != len(second.players):
        counts = f"{len(first.players)} and {len(second.players)}"
        return TreeComparison(False, f"the numbers of players differ: {counts}")
    if labels and first.players != second.players:
        names = f"{', '.join(first.players)} and {', '.join(second.players)}"
        return TreeComparison(False, f"the players are called differently: {names}")
    if payoff_map is not None:
        first = _with_payoffs(first, payoff_map)
    first = reduced(first, merge_chance=merge_chance)
    second = reduced(second, merge_chance=merge_chance)
    pair = pair_of(first, second, labels)
    start = subtree_colours(pair)
    if start[0] == start[pair.split] and _isomorphic(pair, start, _Trials()):
        return TreeComparison(True)
    return TreeComparison(False, first_difference(first, second, pair, start))


def unit_change(first: PreorderTree, second: PreorderTree) -> PayoffMap:
    """The scale and offset that give each player's payoffs the range of the second game.

    They make two games the same that differ in their units of payoff, and only in these.
    """
    changes = []
    columns = (zip(*tree.payoff_table, strict=True) for tree in (first, second))
    for own, other in zip(*columns, strict=False):
        ranges = max(own) - min(own), max(other) - min(other)
        scale = ranges[1] / ranges[0] if all(ranges) else Fraction(1)
        changes.append((scale, min(other) - scale * min(own)))
    return changes


def _with_payoffs(tree: PreorderTree, payoff_map: PayoffMap) -> PreorderTree:
    table = (
        tuple(
            scale * payoff + offset
            for payoff, (scale, offset) in zip(payoffs, payoff_map, strict=True)
        )
        for payoffs in tree.payoff_table
    )
    return replace(tree, payoff_table=tuple(table))


class _Trials:
    """Counts partners that were tried."""

    def __init__(self) -> None:
        self._left = MAX_TRIALS

    def spend(self) -> None:
        """Count one more. Raises `LimitError` when there are no more."""
        self._left -= 1
        if self._left < 0:
            raise LimitError.of(
                "TRE003",
                f"the comparison was given up after {MAX_TRIALS} trials",
                fix="compare with labels, if both games name their moves alike",
            )


def _isomorphic(pair: TreePair, start: Colours, trials: _Trials) -> bool:
    """Whether there is a match of nodes that keeps the colours."""
    colouring = refined(pair, start)
    if not colouring.is_balanced(pair.split):
        return False
    if _Matching(pair, colouring.nodes, colouring.choices).succeeds():
        return True
    nodes = colouring.nodes
    doubtful = _doubtful(nodes[: pair.split])
    if doubtful is None:
        return False
    partners = np.flatnonzero(nodes[pair.split :] == nodes[doubtful]) + pair.split
    for partner in partners.tolist():
        trials.spend()
        marked = nodes.copy()
        # The same new colour for both; that of no other node, but for the odd collision.
        marked[[doubtful, partner]] ^= np.uint64(0x5DEECE66D)
        if _isomorphic(pair, marked, trials):
            return True
    return False


def _doubtful(colours: Colours) -> int | None:
    """The first node whose colour others have too."""
    _, own, counts = np.unique(colours, return_inverse=True, return_counts=True)
    found = np.flatnonzero(counts[own] > 1)
    return int(found[0]) if len(found) else None


class _Matching:
    """A match of the nodes of two trees from the roots down, by equal colours, greedily."""

    def __init__(self, pair: TreePair, nodes: Colours, choices: Colours) -> None:
        self._pair = pair
        self._colours: list[int] = nodes.tolist()
        self._choice_colours: list[int] = choices.tolist()
        self._infosets: list[int] = pair.infosets.tolist()
        self._edges: list[int] = pair.edges.tolist()
        self._marks: list[int] = pair.marks.tolist()
        self._choices: list[int] = pair.choices.tolist()
        self._partners: dict[int, int] = {}
        """Infosets of players, both ways."""
        self._orders: dict[int, list[int]] = {}
        """The action of the partner that each action of an infoset of the first tree goes with."""

    def succeeds(self) -> bool:
        """Whether all nodes find partners."""
        work = [(0, self._pair.split)]
        while work:
            node, other = work.pop()
            if self._marks[node] != self._marks[other]:
                return False
            below, below_other = self._pair.children[node], self._pair.children[other]
            if not below:
                continue
            order = self._order(node, other)
            if order is None:
                return False
            for child, place in zip(below, order, strict=True):
                partner = below_other[place]
                if self._edges[child] != self._edges[partner]:
                    return False
                work.append((child, partner))
        return True

    def _order(self, node: int, other: int) -> list[int] | None:
        """The action of the partner that goes with each action; None if they do not fit."""
        below, below_other = self._pair.children[node], self._pair.children[other]
        if self._choices[below[0]] < 0:  # chance: every node for itself
            return _assigned(self._keys(below), self._keys(below_other))
        infoset, partner = self._infosets[node], self._infosets[other]
        known = self._partners.get(infoset), self._partners.get(partner)
        if known == (None, None):
            order = _assigned(self._choice_keys(below), self._choice_keys(below_other))
            if order is None:
                return None
            self._partners[infoset], self._partners[partner] = partner, infoset
            self._orders[infoset] = order
        elif known != (partner, infoset):
            return None
        return self._orders[infoset]

    def _keys(self, nodes: Sequence[int]) -> list[tuple[int, int]]:
        return [(self._edges[node], self._colours[node]) for node in nodes]

    def _choice_keys(self, nodes: Sequence[int]) -> list[tuple[int, int]]:
        return [(self._edges[n], self._choice_colours[self._choices[n]]) for n in nodes]


def _assigned(
    keys: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> list[int] | None:
    """The place of an equal key for each key, each place once, the same place where it can be."""
    if len(keys) != len(others):
        return None
    order = [place if key == others[place] else -1 for place, key in enumerate(keys)]
    free: dict[tuple[int, int], list[int]] = {}
    for place in range(len(others) - 1, -1, -1):
        if order[place] < 0:
            free.setdefault(others[place], []).append(place)
    for place, key in enumerate(keys):
        if order[place] < 0:
            places = free.get(key)
            if not places:
                return None
            order[place] = places.pop()
    return order


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
        counts = [
            sum(own.player == player for own in tree.infoset_table) for tree in (first, second)
        ]
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


def _place(tree: PreorderTree, node: int) -> str:
    path = tree.path(node)
    if not path:
        return "at the root"
    shown = path[-MAX_PATH:]
    return "after " + ", ".join((["…"] if len(path) > MAX_PATH else []) + shown)
