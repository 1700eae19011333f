"""Counterfactual regret minimisation: on the sequence form, and over a tree for any payoffs.

`VARIANTS` lists the algorithms for two players and constant sums; a new one is one more entry
there. `sequence_kernels` iterates. The average of the plans approaches an equilibrium, and the
exploitability in the solution is exact for the strategy in it, not a bound.
Departures: with alternating updates the plans that count are those after each update, so the first,
uniform ones do not. Evaluations for a target come at fixed iterations: unless seconds are limited,
the same call gives the same bytes. Seconds count from the ready sequence form on.

Source of `cfr_on_tree`, for any number of players: M. Shafiei Khadem, Simultaneous move games in
general game playing (MSc thesis, Alberta 2010), section 4.4, algorithms 2 to 5, after Zinkevich et
al. (2007): in each iteration values go up the tree (algorithm 3), reaching probabilities down it
(4), and all players update at once (5).
Departures: his nodes hold a move of every player; ours hold one player's and belong to infosets, so
regrets are sums over the nodes of an infoset, and chance is part of every reaching probability.
Reaching probabilities come first, so that regrets are gathered while values go up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.core.registry import Entry, Registry
from fogspiel.solve.arrays import RegretMemory, TreeArrays, joined, regret_memory, tree_arrays
from fogspiel.solve.regret.sequence_kernels import Family, iterate, side
from fogspiel.solve.result import (
    OnPoint,
    ProgressMeter,
    Solution,
    SolveLimits,
    action_starts,
    average_of,
    uniform,
)
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.solve.strategy_value import Evaluator
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Entry):
    """An algorithm of the family: how fast regrets fade, and how much later plans count."""

    alpha: float  #: Positive regrets are multiplied by t^alpha / (t^alpha + 1) after iteration t
    beta: float  #: The same exponent for negative regrets
    gamma: float  #: The weight of plan t in the average is t^gamma
    prediction: float = 0.0
    """The share of the latest regrets that behaviour counts once more, as a prediction."""
    alternating: bool = True
    """Whether the second player responds to the new plan of the first, not to the last one."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for parameters out of range."""
        if math.isnan(self.alpha) or math.isnan(self.beta):
            raise ValueError(f"alpha and beta must be numbers; got {self.alpha}, {self.beta}")
        if not 0.0 <= self.gamma < math.inf:
            raise ValueError(f"gamma must be a number from 0 on; got {self.gamma}")
        if not 0.0 <= self.prediction <= 1.0:
            raise ValueError(f"prediction must be a share from 0 to 1; got {self.prediction}")

    @property
    def family(self) -> Family:
        """The parameters, as kernels take them."""
        return Family(self.alpha, self.beta, self.gamma, self.prediction, self.alternating)


CFR = Variant(
    name="cfr",
    what="counterfactual regret minimisation (CFR), as published in 2007",
    source="Zinkevich et al. (2007), here with alternating updates unless told otherwise",
    alpha=math.inf,
    beta=math.inf,
    gamma=0.0,
)
CFR_PLUS = Variant(
    name="cfr+",
    what="CFR with regrets kept at 0 or above, and linear averaging",
    source="Tammelin (2014), with linear averaging",
    alpha=math.inf,
    beta=-math.inf,
    gamma=1.0,
)
CAUTIOUS_CFR_PLUS = Variant(
    name="sapcfr+",
    what="predictive CFR+ with a quarter of the prediction; usually fast",
    # The share and cubic averaging are ours, by measurement: where predictions help (Kuhn,
    # goofspiel) they help as much, and where they mislead (Leduc, liar's dice) half the iterations
    # do.
    source="Meng et al. (2025), arXiv:2503.12770, simple asymmetric PCFR+",
    alpha=math.inf,
    beta=-math.inf,
    gamma=3.0,
    prediction=0.25,
)
VARIANTS = Registry(
    "variant of cfr",
    "SOL030",
    (
        CFR,
        CFR_PLUS,
        Variant(
            name="lcfr",
            what="linear CFR: iteration t has weight t",
            source="Brown and Sandholm (2019), for regrets and for the average",
            alpha=1.0,
            beta=1.0,
            gamma=1.0,
        ),
        Variant(
            name="dcfr",
            what="discounted CFR: early regrets lose weight",
            source="Brown and Sandholm (2019), with the parameters that they recommend",
            alpha=1.5,
            beta=0.0,
            gamma=2.0,
        ),
        Variant(
            name="pcfr+",
            what="predictive CFR+: expects the last regrets to come again",
            source="Farina, Kroer and Sandholm (2021), with quadratic averaging",
            alpha=math.inf,
            beta=-math.inf,
            gamma=2.0,
            prediction=1.0,
        ),
        CAUTIOUS_CFR_PLUS,
    ),
)
"""All variants, in the order in which `fogspiel solve --methods` lists them."""


def minimise_regrets(
    game: SequenceGame | GameTree,
    variant: Variant = CAUTIOUS_CFR_PLUS,
    *,
    limits: SolveLimits,
    on_point: OnPoint | None = None,
) -> Solution:
    """An approximate equilibrium. Raises SOL002 unless constant-sum, SOL003 unless two play."""
    if isinstance(game, GameTree):
        game = sequence_game(game)
    require_constant_sum(game)
    first, second = side(game, 0), side(game, 1)
    clock = np.array([0, 1])
    target = -1.0 if limits.target is None else limits.target
    work = 2 * (len(first.entries) + len(first.regrets) + len(second.regrets))
    progress = ProgressMeter(limits, on_point, work=work)
    while True:
        pause = progress.next_pause()
        exploitability = iterate(first, second, variant.family, clock, pause, target)
        progress.evaluating()
        if progress.stops(int(clock[0]), exploitability):
            break
    averages = zip(game.treeplexes, (first, second), strict=True)
    behaviours = [treeplex.behaviour_of(own.sums) for treeplex, own in averages]
    return Solution(
        strategy=joined(action_starts(game.tree.infosets), behaviours),
        values=tuple(
            float(own.found[0]) + payoffs.offset
            for own, payoffs in zip((first, second), game.payoffs, strict=True)
        ),
        exploitability=exploitability,
        method=variant.name,
        parameters=variant.family._asdict(),
        iterations=int(clock[0]),
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


ONE = np.uint64(1)


def cfr_on_tree(
    tree: GameTree, *, limits: SolveLimits, on_point: OnPoint | None = None
) -> Solution:
    """The average strategy of simultaneous regret matching.

    With two players and a constant sum it approaches an equilibrium. With more, or other payoffs,
    only the regrets are sure to vanish: play over all iterations taken together comes near a coarse
    correlated equilibrium, and the average strategy may stay exploitable. The solution says by how
    much.
    """
    arrays, evaluator, first = _unsigned(tree_arrays(tree)), Evaluator(tree), uniform(tree)
    memory = regret_memory(first.probabilities, (len(tree), len(tree.players)))
    memory = memory._replace(own_reach=np.zeros(len(tree.infosets)))
    work = 4 * len(tree) * len(tree.players)
    progress = ProgressMeter(limits, on_point, work=work)
    done = 0
    while True:
        pause = progress.next_pause()
        _iterate(arrays, memory, pause - done)
        done = pause
        progress.evaluating()
        strategy = average_of(first.starts, memory.sums)
        found = evaluator.value(strategy)
        if progress.stops(done, found.exploitability):
            break
    return Solution.of(
        strategy,
        found,
        "cfr",
        parameters={"alternating": False, "gamma": 0.0},
        iterations=done,
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _unsigned(arrays: TreeArrays) -> TreeArrays:
    """The same arrays with unsigned indices: Numba need not ask whether they count from the end."""
    return arrays._replace(
        first_edges=arrays.first_edges.view(np.uint64),
        targets=arrays.targets.view(np.uint32),
        starts=arrays.starts.view(np.uint64),
    )


@native
def _iterate(tree: TreeArrays, memory: RegretMemory, iterations: int) -> None:
    for _ in range(iterations):
        _spread_reach(tree, memory)
        _gather_values(tree, memory)
        _update(tree.starts, memory)


@native
def _spread_reach(tree: TreeArrays, memory: RegretMemory) -> None:
    """Algorithm 4: the reach of each player by its own actions.

    All histories of a node hold the same actions of players, so any one of them will do.
    """
    movers, infosets, starts = tree.movers, tree.node_infosets, tree.starts
    first_edges, targets = tree.first_edges, tree.targets
    reach, behaviour, own_reach = memory.reach, memory.behaviour, memory.own_reach
    players = np.uint64(reach.shape[1])
    for node in range(np.uint64(len(movers))):
        edges, end = first_edges[node], first_edges[node + ONE]
        for edge in range(edges, end):
            child = targets[edge]
            for player in range(players):
                reach[child, player] = reach[node, player]
        if infosets[node] >= 0:
            infoset, mover = np.uint64(infosets[node]), np.uint64(movers[node]) - ONE
            own_reach[infoset] = reach[node, mover]
            action = starts[infoset]
            for edge in range(edges, end):
                reach[targets[edge], mover] *= behaviour[action]
                action += ONE


@native
def _gather_values(tree: TreeArrays, memory: RegretMemory) -> None:
    """Algorithm 3: values, and counterfactual values of the actions of each infoset."""
    movers, infosets, starts = tree.movers, tree.node_infosets, tree.starts
    first_edges, targets, rows = tree.first_edges, tree.targets, tree.node_payoffs
    payoffs, probabilities, chance_reach = tree.payoffs, tree.probabilities, tree.chance_reach
    values, reach = memory.values, memory.reach
    behaviour, gains = memory.behaviour, memory.action_values
    players = np.uint64(values.shape[1])
    node = np.uint64(len(movers))
    while node > 0:
        node -= ONE
        if rows[node] >= 0:
            for player in range(players):
                values[node, player] = payoffs[np.uint64(rows[node]), player]
            continue
        for player in range(players):
            values[node, player] = 0.0
        if infosets[node] < 0:
            for edge in range(first_edges[node], first_edges[node + ONE]):
                for player in range(players):
                    values[node, player] += probabilities[edge] * values[targets[edge], player]
            continue
        mover = np.uint64(movers[node]) - ONE
        weight = chance_reach[node]
        for player in range(players):
            if player != mover:
                weight *= reach[node, player]
        action = starts[np.uint64(infosets[node])]
        for edge in range(first_edges[node], first_edges[node + ONE]):
            child = targets[edge]
            gains[action] += weight * values[child, mover]
            for player in range(players):
                values[node, player] += behaviour[action] * values[child, player]
            action += ONE


@native
def _update(starts: NDArray[np.uint64], memory: RegretMemory) -> None:
    """Algorithm 5: update regrets, averages and behaviour."""
    behaviour, regrets, gains = memory.behaviour, memory.regrets, memory.action_values
    sums, own_reach = memory.sums, memory.own_reach
    for infoset in range(np.uint64(len(own_reach))):
        first, end = starts[infoset], starts[infoset + ONE]
        mean, total = 0.0, 0.0
        for action in range(first, end):
            sums[action] += own_reach[infoset] * behaviour[action]
            mean += behaviour[action] * gains[action]
        for action in range(first, end):
            regrets[action] += gains[action] - mean
            gains[action] = 0.0
            total += max(regrets[action], 0.0)
        for action in range(first, end):
            if total > 0.0:
                behaviour[action] = max(regrets[action], 0.0) / total
            else:
                behaviour[action] = 1.0 / (end - first)
