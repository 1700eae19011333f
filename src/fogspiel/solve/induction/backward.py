"""Perfect information: backward induction for any number of players, alpha-beta for two.

Sources: Richards (2012), section 5.1, for the values of nodes; Knuth & Moore (1975), Artificial
Intelligence 6(4), for alpha-beta; Ballard (1983), Artificial Intelligence 21(3), for the bounds at
chance nodes (Star1).
Departures: alpha-beta keeps the bounds that it proved for each node, so that histories that meet in
a node are searched once, and the action that proved the better bound.

Every player knows where it is, so an infoset is a single node. Backward induction finds an
equilibrium of every subgame, whatever the payoffs; ties go to the first action.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.core.native import native
from fogspiel.solve.arrays import TreeArrays, tree_arrays
from fogspiel.solve.result import Solution, Strategy, action_starts, uniform
from fogspiel.solve.sequence_form import require_constant_sum, sequence_game
from fogspiel.solve.strategy_value import exploitability, value_in_sequence_form
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree

NO_ACTION = -1
ROUNDING = 1e-9


def backward_induction(tree: GameTree) -> Solution:
    """A pure equilibrium in every subgame. Raises `UsageError` SOL010 if something is hidden."""
    _require_perfect_information(tree, "backward induction")
    began = perf_counter()
    arrays, ends = tree_arrays(tree), tree.leaves
    values = np.zeros((len(tree), len(tree.players)))
    values[ends] = arrays.payoffs[tree.node_payoffs[ends]]
    choices = np.full(len(tree.infosets), NO_ACTION, np.int32)
    _induce(arrays, values, choices)
    strategy = _pure(tree, choices)
    return Solution(
        strategy=strategy,
        values=tuple(values[0].tolist()),
        exploitability=exploitability(tree, strategy),
        method="induction",
        seconds=perf_counter() - began,
    )


def alpha_beta(tree: GameTree) -> Solution:
    """An equilibrium for two players with a constant sum, without searching all nodes.

    Behaviour stays uniform where no history of optimal play leads.
    Raises `UsageError` SOL010 if something is hidden, SOL002 without a constant sum, SOL003
    unless two play.
    """
    _require_perfect_information(tree, "alpha-beta")
    began = perf_counter()
    game = sequence_game(tree)
    constant = float(require_constant_sum(game))
    found = alpha_beta_bounds(tree)
    value = float(found.lower[0])
    strategy = _pure(tree, found.choices)
    return Solution(
        strategy=strategy,
        values=(value, constant - value),
        exploitability=value_in_sequence_form(game, strategy).exploitability,
        method="alpha-beta",
        seconds=perf_counter() - began,
    )


class AlphaBetaBounds(NamedTuple):
    """A tree with the bounds that alpha-beta has proved."""

    tree: TreeArrays
    lower: NDArray[np.float64]  #: (nodes,) the least value for player 1
    upper: NDArray[np.float64]  #: (nodes,) the greatest value for player 1
    choices: NDArray[np.int32]  #: (infosets,) the action that proves the mover's bound
    visited: NDArray[np.int64]  #: (1,) the number of nodes that were searched
    slack: float
    """A margin, so that rounding at chance nodes leaves no bound just short of the window."""


def alpha_beta_bounds(tree: GameTree) -> AlphaBetaBounds:
    """Search until the value of the root is known, in a game that suits `alpha_beta`."""
    arrays = tree_arrays(tree)
    payoffs = arrays.payoffs[:, 0]
    lower, upper = np.full(len(tree), payoffs.min()), np.full(len(tree), payoffs.max())
    ends = tree.leaves
    lower[ends] = upper[ends] = payoffs[tree.node_payoffs[ends]]
    nodes = AlphaBetaBounds(
        tree=arrays,
        lower=lower,
        upper=upper,
        choices=np.full(len(tree.infosets), NO_ACTION, np.int32),
        visited=np.zeros(1, np.int64),
        slack=ROUNDING * float(np.ptp(payoffs)),
    )
    _search(nodes, len(tree.level_starts))
    return nodes


def _pure(tree: GameTree, choices: NDArray[np.int32]) -> Strategy:
    """The action chosen at each infoset; uniform where none was."""
    starts = action_starts(tree.infosets)
    probabilities = uniform(tree).probabilities.copy()
    for_sure = np.repeat(choices != NO_ACTION, tree.infosets.action_counts)
    probabilities[for_sure] = 0.0
    chosen = choices != NO_ACTION
    probabilities[starts[:-1][chosen] + choices[chosen]] = 1.0
    return Strategy(starts=starts, probabilities=probabilities)


@native
def _induce(tree: TreeArrays, values: NDArray[np.float64], choices: NDArray[np.int32]) -> None:
    """Fill in the values of inner nodes, the last ones first, and the choices of movers."""
    movers, node_infosets, probabilities = tree.movers, tree.node_infosets, tree.probabilities
    first_edges, targets = tree.first_edges, tree.targets
    for node in range(len(movers) - 1, -1, -1):
        begin, end = first_edges[node], first_edges[node + 1]
        if movers[node] == 0:
            for edge in range(begin, end):
                for player in range(values.shape[1]):
                    values[node, player] += probabilities[edge] * values[targets[edge], player]
        elif movers[node] > 0:
            own = movers[node] - 1
            best = begin
            for edge in range(begin + 1, end):
                if values[targets[edge], own] > values[targets[best], own]:
                    best = edge
            choices[node_infosets[node]] = best - begin
            values[node] = values[targets[best]]


@native
def _search(nodes: AlphaBetaBounds, levels: int) -> None:
    """Bound the values of nodes for player 1, until that of the root is exact.

    A stack holds the path from the root; the window of each node on it is from alpha to beta. A
    node is left when it is exact, at most alpha or at least beta.
    """
    path, edges = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    alphas, betas = np.full(levels, -np.inf), np.full(levels, np.inf)
    depth = 0 if nodes.tree.movers[0] >= 0 else -1
    edges[0] = nodes.tree.first_edges[0]
    while depth >= 0:
        node, edge = path[depth], edges[depth]
        if edge > nodes.tree.first_edges[node]:
            _narrow(node, nodes.tree.targets[edge - 1], depth, nodes, alphas, betas)
        if edge == nodes.tree.first_edges[node + 1] or alphas[depth] >= betas[depth]:
            _settle(node, nodes)
            depth -= 1
            continue
        edges[depth] += 1
        child = nodes.tree.targets[edge]
        alpha, beta = _window(node, edge, alphas[depth], betas[depth], nodes)
        low, high = nodes.lower[child], nodes.upper[child]
        if low < high and low < beta and high > alpha:
            depth += 1
            path[depth], edges[depth] = child, nodes.tree.first_edges[child]
            alphas[depth], betas[depth] = alpha, beta
            nodes.visited[0] += 1


@native
def _narrow(
    node: int,
    child: int,
    depth: int,
    nodes: AlphaBetaBounds,
    alphas: NDArray[np.float64],
    betas: NDArray[np.float64],
) -> None:
    """Narrow the window of a node by the bounds of a child; an empty one ends its search."""
    if nodes.tree.movers[node] == 1:
        alphas[depth] = max(alphas[depth], nodes.lower[child])
    elif nodes.tree.movers[node] == 2:
        betas[depth] = min(betas[depth], nodes.upper[child])
    else:
        low, high = _expected(node, nodes)
        if low >= betas[depth] or high <= alphas[depth]:
            alphas[depth] = betas[depth]


@native
def _window(
    node: int, edge: int, alpha: float, beta: float, nodes: AlphaBetaBounds
) -> tuple[float, float]:
    """The window in which the value of a child matters.

    Star1: the bounds of the other draws of chance narrow the window of each.
    """
    if nodes.tree.movers[node] != 0:
        return alpha, beta
    chance, child = nodes.tree.probabilities[edge], nodes.tree.targets[edge]
    if chance == 0.0:
        return np.inf, -np.inf
    low, high = _expected(node, nodes)
    return (
        nodes.upper[child] + (alpha - high - nodes.slack) / chance,
        nodes.lower[child] + (beta - low + nodes.slack) / chance,
    )


@native
def _expected(node: int, nodes: AlphaBetaBounds) -> tuple[float, float]:
    """The bounds of a chance node."""
    low, high = 0.0, 0.0
    for edge in range(nodes.tree.first_edges[node], nodes.tree.first_edges[node + 1]):
        low += nodes.tree.probabilities[edge] * nodes.lower[nodes.tree.targets[edge]]
        high += nodes.tree.probabilities[edge] * nodes.upper[nodes.tree.targets[edge]]
    return low, high


@native
def _settle(node: int, nodes: AlphaBetaBounds) -> None:
    """Compute the bounds of a node from those of its children, and its best action."""
    lower, upper, targets = nodes.lower, nodes.upper, nodes.tree.targets
    mover, first, end = (
        nodes.tree.movers[node],
        nodes.tree.first_edges[node],
        nodes.tree.first_edges[node + 1],
    )
    if mover == 0:
        lower[node], upper[node] = _expected(node, nodes)
        return
    low, high, choice = lower[targets[first]], upper[targets[first]], first
    for edge in range(first + 1, end):
        child = targets[edge]
        if mover == 1:
            choice = edge if lower[child] > low else choice
            low, high = max(low, lower[child]), max(high, upper[child])
        else:
            choice = edge if upper[child] < high else choice
            low, high = min(low, lower[child]), min(high, upper[child])
    nodes.choices[nodes.tree.node_infosets[node]] = choice - first
    lower[node], upper[node] = low, high


def _require_perfect_information(tree: GameTree, method: str) -> None:
    if not kind_of(tree).perfect_information:
        raise UsageError.of(
            "SOL010",
            f"{method} needs perfect information: in this game a player may not know "
            "where it is, or players move at the same time",
            fix="solve the game with a linear program or by counterfactual regrets",
        )
