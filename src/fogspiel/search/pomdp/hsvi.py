"""Heuristic search value iteration: upper and lower bounds on the values of belief states.

A trial goes down from the present belief: by the move of the highest upper bound, and among equals
the most informative one; then to the observation with the largest gap between bounds. On the way
back bounds are updated. Where a plan reaches the upper bound, a few trials prove it: questions that
tell nothing are never tried.

Source: Smith & Simmons (2004), "Heuristic search value iteration for POMDPs", UAI.
Departures: beliefs are nodes of their own, equal ones being one, instead of points under vectors;
steps are counted, so that there is no discount; moves that tell most come first among equals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import rounded
from fogspiel.core.budget import ENDLESS, Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.protocol import States
from fogspiel.search.pomdp.mdp_bounds import Numbers, Reals, StateLayer

CLOSE = 1e-9  #: Values that differ by less are the same, relative to goals of 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBounds:
    """The best move found, with bounds on its value."""

    move: MoveId
    lower: float  #: Expected goal of the role at least, if it goes on as planned
    upper: float  #: Expected goal of any plan at most, whichever move it begins with
    proven: bool  #: Whether no other move is better


@dataclass(frozen=True, slots=True)
class _Options:
    """The moves of a belief."""

    moves: Numbers
    uppers: Reals
    lowers: Reals
    uninformative: Reals  #: Sum of the squared probabilities of the observations after each move
    children: dict[int, tuple[Reals, list[_Node]]]
    """Probabilities of observations, and the beliefs after them, for moves that were tried."""


@dataclass(slots=True, eq=False)
class _Node:
    """A belief: probabilities of states after some number of steps."""

    step: int
    states: Numbers
    weights: Reals
    ended: float  #: Expected goal in terminal states, by their probability
    upper: float
    lower: float
    options: _Options | None = None

    @property
    def gap(self) -> float:
        return self.upper - self.lower


class BeliefBounds:
    """A search among beliefs that can be taken up again at any belief."""

    def __init__(self, steps: list[StateLayer]) -> None:
        self._steps = steps
        self._nodes: dict[tuple[int, bytes, bytes], _Node] = {}
        highest = max((float(np.abs(step.best).max()) for step in steps), default=0.0)
        self._close = CLOSE * max(1.0, highest)
        self._spent = 0

    def run(self, step: int, states: States, weights: Reals, budget: Budget) -> MoveBounds:
        """Bound the value of a belief until a move is known to be best, or the budget is spent.

        states: all different, in which play may be after so many steps, none of them an end.
        weights: their probabilities. A state whose moves are looked at counts as a simulation.
        """
        places = self._steps[step].places(states)
        order = np.argsort(places)
        root = self._node(step, places[order], weights[order])
        self._spent = 0
        most = ENDLESS if budget.simulations is None else budget.simulations
        self._options(root)
        while root.gap > self._close and self._spent < most and not budget.is_over:
            self._trial(root)
        return self._verdict(root)

    def _trial(self, root: _Node) -> None:
        node, path = root, list[tuple[_Node, int]]()
        while node.gap > self._close:
            is_new = node.options is None
            choice = self._most_promising(self._options(node))
            masses, children = self._children(node, choice)
            path.append((node, choice))
            if is_new and node is not root:
                break
            gaps = [child.gap for child in children]
            node = children[int((masses * gaps).argmax())]
        for node, choice in reversed(path):
            self._mend(node, choice)

    def _most_promising(self, options: _Options) -> int:
        """The move of the highest upper bound; among equals the most informative."""
        best = options.uppers >= options.uppers.max() - self._close
        return int(np.where(best, options.uninformative, np.inf).argmin())

    def _mend(self, node: _Node, choice: int) -> None:
        options = self._options(node)
        masses, children = options.children[choice]
        options.uppers[choice] = masses @ [child.upper for child in children]
        options.lowers[choice] = masses @ [child.lower for child in children]
        self._settle(node, options)

    def _settle(self, node: _Node, options: _Options) -> None:
        # Bounds only get closer: earlier ones stay true.
        node.upper = min(node.upper, node.ended + float(options.uppers.max()))
        node.lower = max(node.lower, node.ended + float(options.lowers.max()))

    def _verdict(self, root: _Node) -> MoveBounds:
        options = self._options(root)
        # By lower bounds first, then upper bounds, then information.
        order = np.lexsort(
            (options.uninformative, -_rounded(options.uppers), -_rounded(options.lowers))
        )
        best = int(order[0])
        others = np.delete(options.uppers, best)
        return MoveBounds(
            move=MoveId(int(options.moves[best])),
            lower=root.ended + float(options.lowers[best]),
            upper=root.upper,
            proven=not len(others) or bool(options.lowers[best] >= others.max() - self._close),
        )

    def _node(self, step: int, states: Numbers, weights: Reals) -> _Node:
        """The node of a belief. states: ascending."""
        key = (step, states.tobytes(), rounded(weights).tobytes())
        node = self._nodes.get(key)
        if node is None:
            here = self._steps[step]
            over = here.over[states]
            node = self._nodes[key] = _Node(
                step,
                states,
                weights,
                float(weights[over] @ here.best[states[over]]),
                float(weights @ here.best[states]),
                float(weights @ here.worst[states]),
            )
        return node

    def _options(self, node: _Node) -> _Options:
        if node.options is None:
            rows, owners = self._edges(node)
            here, after = self._steps[node.step], self._steps[node.step + 1]
            masses = node.weights[owners] * here.probabilities[rows]
            observed, firsts, views = np.unique(
                here.observations[rows], return_index=True, return_inverse=True
            )
            moves, inverse = np.unique(here.moves[rows[firsts]], return_inverse=True)
            seen = _sums(views, masses, len(observed))
            by_move = inverse[views]
            ends = here.successors[rows]
            node.options = _Options(
                moves,
                _sums(by_move, masses * after.best[ends], len(moves)),
                _sums(by_move, masses * after.worst[ends], len(moves)),
                _sums(inverse, seen * seen, len(moves)),
                {},
            )
            self._spent += len(node.states)
            self._settle(node, node.options)
        return node.options

    def _children(self, node: _Node, choice: int) -> tuple[Reals, list[_Node]]:
        options = self._options(node)
        if choice not in options.children:
            here = self._steps[node.step]
            rows, owners = self._edges(node)
            own = here.moves[rows] == options.moves[choice]
            rows, owners = rows[own], owners[own]
            span = len(self._steps[node.step + 1].states)
            keys, inverse = np.unique(
                here.observations[rows].astype(np.int64) * span + here.successors[rows],
                return_inverse=True,
            )
            masses = _sums(inverse, node.weights[owners] * here.probabilities[rows], len(keys))
            starts = np.flatnonzero(np.diff(keys // span, prepend=-1))
            seen = np.add.reduceat(masses, starts)
            parts = zip(
                np.split(keys % span, starts[1:]), np.split(masses, starts[1:]), strict=True
            )
            children = [
                self._node(node.step + 1, states, own_masses / own_masses.sum())
                for states, own_masses in parts
            ]
            options.children[choice] = (seen, children)
        return options.children[choice]

    def _edges(self, node: _Node) -> tuple[Numbers, Numbers]:
        """All edges of a belief's states, and which of these each belongs to."""
        starts = self._steps[node.step].starts
        firsts, sizes = starts[node.states], starts[node.states + 1] - starts[node.states]
        owners = np.repeat(np.arange(len(firsts)), sizes)
        rows = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + firsts[owners]
        return rows, owners


def _sums(groups: Numbers, amounts: Reals, count: int) -> Reals:
    """The sum of the amounts of each group, (count,)."""
    sums: Reals = np.bincount(groups, amounts, count).astype(np.float64)
    return sums


def _rounded(values: Reals) -> NDArray[np.float64]:
    """Values without rounding errors."""
    near: NDArray[np.float64] = np.round(values, 6)
    return near
