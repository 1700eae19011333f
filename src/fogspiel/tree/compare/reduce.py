"""Trees without what makes no difference: choices that are none, branches that never happen.

- An action of chance with probability 0 is left out.
- A node with a single action is left out; what follows takes its place.
- On demand, chance nodes that follow each other become one, and branches of chance that lead to the
  same (equal subtrees in the same infosets) are joined, their probabilities added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.preorder import TERMINAL, PreorderTree, TreeInfoset

Branch = tuple[str, Fraction, int]  #: Label, probability and child of an action of chance


def reduced(tree: PreorderTree, *, merge_chance: bool = False) -> PreorderTree:
    """The tree without what makes no difference. Infosets that are never reached are gone."""
    if not merge_chance and _is_reduced(tree):
        return tree
    reduction = _Reduction(tree, merge_chance)
    builder = _Builder(tree)
    work = [(reduction.target(0), -1, 0)]
    while work:
        node, parent, action = work.pop()
        infoset = int(tree.infosets[node])
        if infoset == TERMINAL:
            builder.leaf(node, parent, action)
            continue
        if tree.infoset_table[infoset].player == CHANCE:
            branches = reduction.branches(node)
            at = builder.chance(branches, parent, action)
            following = [reduction.target(child) for _, _, child in branches]
        else:
            at = builder.decision(infoset, parent, action)
            following = [reduction.target(child) for child in reduction.children[node]]
        work.extend((child, at, index) for index, child in reversed(list(enumerate(following))))
    return builder.tree()


def _is_reduced(tree: PreorderTree) -> bool:
    """Whether every action is one of several, and may happen: so are trees of machines."""
    return all(len(own.actions) > 1 and all(own.probabilities) for own in tree.infoset_table)


class _Reduction:
    """Answers what follows a node once all that makes no difference is gone."""

    def __init__(self, tree: PreorderTree, merge_chance: bool) -> None:
        self._tree = tree
        self.children = tree.children()
        self._merge = merge_chance
        self._shapes = self._subtree_shapes() if merge_chance else []

    def target(self, node: int) -> int:
        """The node itself, or the first one below it where something is decided."""
        while (own := self._only_child(node)) is not None:
            node = own
        return node

    def branches(self, node: int) -> list[Branch]:
        """The actions of chance that happen."""
        found = self._possible(node)
        if not self._merge:
            return found
        return list(self._merged(self._flattened(found)))

    def _possible(self, node: int) -> list[Branch]:
        own = self._tree.infoset_table[int(self._tree.infosets[node])]
        triples = zip(own.actions, own.probabilities, self.children[node], strict=True)
        return [branch for branch in triples if branch[1] > 0]

    def _only_child(self, node: int) -> int | None:
        infoset = int(self._tree.infosets[node])
        if infoset == TERMINAL:
            return None
        if self._tree.infoset_table[infoset].player != CHANCE:
            return self.children[node][0] if len(self.children[node]) == 1 else None
        branches = self.branches(node)
        return branches[0][2] if len(branches) == 1 else None

    def _flattened(self, branches: list[Branch]) -> Iterator[Branch]:
        """Branches that lead to chance again are replaced by its branches."""
        work = branches[::-1]
        while work:
            label, probability, child = work.pop()
            node = self._past_forced(child)
            infoset = int(self._tree.infosets[node])
            if infoset == TERMINAL or self._tree.infoset_table[infoset].player != CHANCE:
                yield label, probability, node
                continue
            work.extend(
                (f"{label}, {more}", probability * share, later)
                for more, share, later in reversed(self._possible(node))
            )

    def _past_forced(self, node: int) -> int:
        """Skip nodes of players with a single action."""
        while True:
            infoset = int(self._tree.infosets[node])
            if infoset == TERMINAL or len(self.children[node]) != 1:
                return node
            node = self.children[node][0]

    def _merged(self, branches: Iterator[Branch]) -> Iterator[Branch]:
        joined: dict[int, Branch] = {}
        for label, probability, child in branches:
            shape = self._shapes[child]
            if shape in joined:
                first, share, node = joined[shape]
                joined[shape] = first, share + probability, node
            else:
                joined[shape] = label, probability, child
        yield from joined.values()

    def _subtree_shapes(self) -> list[int]:
        """(nodes,) equal numbers for subtrees that are equal in the same infosets."""
        tree = self._tree
        numbers: dict[object, int] = {}
        lotteries: dict[int, dict[int, Fraction]] = {}  # of shapes that begin with chance
        shapes = [0] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            infoset = int(tree.infosets[node])
            below = [shapes[child] for child in self.children[node]]
            key: object
            if infoset == TERMINAL:
                key = "leaf", tree.payoff_table[int(tree.payoffs[node])]
            elif tree.infoset_table[infoset].player != CHANCE:
                if len(below) == 1:
                    shapes[node] = below[0]
                    continue
                key = "choice", infoset, tuple(below)
            else:
                chances = tree.infoset_table[infoset].probabilities
                shares = _lottery(below, chances, lotteries)
                if len(shares) == 1:
                    (shapes[node],) = shares
                    continue
                key = "chance", tuple(sorted(shares.items()))
                lotteries[numbers.get(key, len(numbers))] = shares
            shapes[node] = numbers.setdefault(key, len(numbers))
        return shapes


def _lottery(
    shapes: Sequence[int],
    chances: Sequence[Fraction],
    lotteries: Mapping[int, Mapping[int, Fraction]],
) -> dict[int, Fraction]:
    """The probability of each shape, where shapes that begin with chance stand for theirs."""
    shares: dict[int, Fraction] = {}
    for shape, chance in zip(shapes, chances, strict=True):
        if chance > 0:
            for inner, share in lotteries.get(shape, {shape: Fraction(1)}).items():
                shares[inner] = shares.get(inner, Fraction(0)) + chance * share
    return shares


class _Builder:
    """Collects the nodes of a new tree, which come in preorder."""

    def __init__(self, tree: PreorderTree) -> None:
        self._tree = tree
        self._rows: list[tuple[int, int, int, int]] = []
        """Parent, action, infoset, payoff."""
        self._table: list[TreeInfoset] = []
        self._numbers: dict[int, int] = {}

    def leaf(self, node: int, parent: int, action: int) -> None:
        """Add a node that ends the game."""
        self._rows.append((parent, action, TERMINAL, int(self._tree.payoffs[node])))

    def decision(self, infoset: int, parent: int, action: int) -> int:
        """Add a node of a player; its number."""
        if infoset not in self._numbers:
            self._numbers[infoset] = len(self._table)
            self._table.append(self._tree.infoset_table[infoset])
        self._rows.append((parent, action, self._numbers[infoset], -1))
        return len(self._rows) - 1

    def chance(self, branches: list[Branch], parent: int, action: int) -> int:
        """Add a chance node; its number."""
        labels = tuple(label for label, _, _ in branches)
        chances = tuple(probability for _, probability, _ in branches)
        self._rows.append((parent, action, len(self._table), -1))
        self._table.append(TreeInfoset(CHANCE, "", labels, chances))
        return len(self._rows) - 1

    def tree(self) -> PreorderTree:
        """The new tree."""
        columns = np.array(self._rows, np.int64).T
        return PreorderTree(
            title=self._tree.title,
            players=self._tree.players,
            parents=columns[0],
            actions=columns[1],
            infosets=columns[2],
            payoffs=columns[3],
            infoset_table=tuple(self._table),
            payoff_table=self._tree.payoff_table,
        )
