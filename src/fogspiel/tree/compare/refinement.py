"""Colour refinement over two trees at once: what can be told apart gets different colours.

A node's colour says who moves there, what it pays, and by rounds also the colours of its infoset,
its parent and its children. Isomorphic trees have equal colours, so unequal ones are a proof that
there is no isomorphism; equal ones are the guide in the search for one.

Source: Weisfeiler & Leman (1968) for the refinement; sums of mixed 64-bit numbers (splitmix64)
stand for multisets, as is common. Departures: a collision can only hide a difference, which the
search finds out, never make one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import FACTOR
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.preorder import TERMINAL, PreorderTree

Colours = NDArray[np.uint64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePair:
    """Two trees in one set of arrays: the nodes of the second follow those of the first."""

    split: int  #: The number of nodes of the first tree
    parents: Indices  #: (nodes,) -1 for roots
    children: list[list[int]]
    infosets: Indices
    """(nodes,) infosets of players, those of the second tree after those of the first; else -1."""
    edges: Indices
    """(nodes,) equal where the edges to the nodes have the same probability and label."""
    choices: Indices
    """(nodes,) the number of the action of an infoset that leads here; -1 below chance."""
    marks: Indices  #: (nodes,) equal where mover, number of actions and payoffs are
    infoset_count: int
    choice_count: int


def pair_of(first: PreorderTree, second: PreorderTree, labels: bool) -> TreePair:
    """Two trees side by side."""
    numbers: dict[object, int] = {}
    first_rows = _rows(first, labels, numbers)
    second_rows = _rows(second, labels, numbers)
    split, infosets = len(first), len(first.infoset_table)
    choices = _choice_count(first)
    # What the second tree refers to by number stands after all of the first tree.
    for column, shift in enumerate((split, infosets, 0, choices, 0)):
        own = second_rows[:, column]
        second_rows[:, column] = np.where(own < 0, own, own + shift)
    table = np.concatenate((first_rows, second_rows)).T
    later = [[child + split for child in own] for own in second.children()]
    return TreePair(
        split=split,
        parents=table[0],
        children=first.children() + later,
        infosets=table[1],
        edges=table[2],
        choices=table[3],
        marks=table[4],
        infoset_count=infosets + len(second.infoset_table),
        choice_count=choices + _choice_count(second),
    )


def _rows(tree: PreorderTree, labels: bool, numbers: dict[object, int]) -> NDArray[np.int64]:
    """(nodes, 5) parent, infoset, edge, choice and mark of each node.

    numbers: gives equal numbers to equal edges and marks of both trees.
    """
    starts = np.cumsum([0, *(len(own.actions) for own in tree.infoset_table)]).tolist()
    movers, infosets, actions = tree.movers.tolist(), tree.infosets.tolist(), tree.actions.tolist()
    rows: list[tuple[int, int, int, int, int]] = []
    for node, parent in enumerate(tree.parents.tolist()):
        own = infosets[node]
        ends = tree.payoff_table[int(tree.payoffs[node])] if own == TERMINAL else None
        arity = 0 if own == TERMINAL else len(tree.infoset_table[own].actions)
        mark = numbers.setdefault((movers[node], arity, ends), len(numbers))
        edge, choice = 0, -1
        if parent >= 0:
            above, action = tree.infoset_table[infosets[parent]], actions[node]
            chance = above.probabilities[action] if above.probabilities else None
            label = above.actions[action] if labels else None
            edge = numbers.setdefault((chance, label), len(numbers))
            choice = -1 if above.probabilities else starts[infosets[parent]] + action
        # Infosets of chance mean nothing: whether nodes share one must not count.
        known = own if movers[node] > CHANCE else -1
        rows.append((parent, known, edge, choice, mark))
    return np.array(rows, np.int64)


def _choice_count(tree: PreorderTree) -> int:
    return sum(len(own.actions) for own in tree.infoset_table)


@dataclass(frozen=True, slots=True)
class Refinement:
    """Colours of both trees."""

    nodes: Colours
    choices: Colours  #: Colours of the actions of infosets

    def is_balanced(self, split: int) -> bool:
        """Whether both trees have each colour equally often."""
        first, second = np.sort(self.nodes[:split]), np.sort(self.nodes[split:])
        return np.array_equal(first, second)


def subtree_colours(pair: TreePair) -> Colours:
    """(nodes,) equal where the subtrees are, but for their infosets."""
    colours = mixed(pair.marks.astype(np.uint64))
    edges = mixed(pair.edges.astype(np.uint64))
    sums = np.zeros(len(colours), np.uint64)
    for level in reversed(_levels(pair.parents)):
        colours[level] = mixed(colours[level] + sums[level])
        above = pair.parents[level]
        if above[0] >= 0:
            np.add.at(sums, above, mixed(colours[level] ^ edges[level]))
    return colours


def _levels(parents: Indices) -> list[Indices]:
    """The nodes by their depths, roots first."""
    depths: list[int] = []
    for parent in parents.tolist():  # parents stand before their children
        depths.append(0 if parent < 0 else depths[parent] + 1)
    order = np.argsort(depths, kind="stable")
    bounds = np.searchsorted(np.array(depths)[order], np.arange(max(depths) + 2))
    return [order[start:end] for start, end in pairwise(bounds.tolist())]


def refined(pair: TreePair, start: Colours) -> Refinement:
    """The coarsest colouring that refines `start` and tells nothing more apart."""
    nodes, choices = start, np.zeros(pair.choice_count + 1, np.uint64)
    classes = 0
    while (found := len(np.unique(nodes))) > classes:
        classes = found
        nodes, choices = _round(pair, nodes)
    return Refinement(nodes, choices)


def _round(pair: TreePair, nodes: Colours) -> tuple[Colours, Colours]:
    edges = mixed(pair.edges.astype(np.uint64))
    inner = pair.parents >= 0
    above = pair.parents[inner]
    # The last entry takes what belongs to no infoset, and is never read as one.
    infosets = np.zeros(pair.infoset_count + 1, np.uint64)
    choices = np.zeros(pair.choice_count + 1, np.uint64)
    np.add.at(infosets, pair.infosets, mixed(nodes))
    infosets[-1] = 0
    np.add.at(choices, pair.choices[inner], mixed(mixed(nodes[above]) + nodes[inner]))
    choices[-1] = 0
    edge_colours = mixed(edges ^ mixed(choices[pair.choices]))
    sums = np.zeros(len(nodes), np.uint64)
    np.add.at(sums, above, mixed(nodes[inner] + edge_colours[inner]))
    upward = np.zeros(len(nodes), np.uint64)
    upward[inner] = mixed(nodes[above] ^ mixed(edge_colours[inner]))
    return mixed(nodes + mixed(infosets[pair.infosets] + 1) + mixed(sums + 2) + upward), choices


def mixed(values: Colours) -> Colours:
    """Each number spread over all 64 bits (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        z = values + FACTOR
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        result: Colours = z ^ (z >> np.uint64(31))
    return result
