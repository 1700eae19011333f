"""Monte Carlo counterfactual regrets: iterations that cost a walk, not a tree.

Source: Lanctot, Waugh, Zinkevich and Bowling (2009), NIPS 22. Any number of players, any payoffs;
as for plain CFR, the average strategy approaches an equilibrium with two players and a constant
sum, and otherwise may stay exploitable. The tree must fit in memory, and the exploitability of the
result is exact; only the iterations are drawn at random, from the seed alone.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from fogspiel.solve.progress import ProgressMeter, SolveLimits
from fogspiel.solve.regret.cfr_tree import average_of
from fogspiel.solve.regret.mccfr_kernels import Course, Memory, walk_externally, walk_to_outcomes
from fogspiel.solve.result import OnPoint, SolveResult, action_starts
from fogspiel.solve.strategy_value import Evaluator
from fogspiel.tree.game_tree import GameTree

EXPLORATION = 0.6
"""Of outcome sampling, as in the experiments of Lanctot et al. (2009)."""
STEP_WORK = 20
"""Sums of products that a step of a walk is worth, in time."""


class Scheme(StrEnum):
    """What is drawn at random."""

    EXTERNAL = "external"
    """Chance and all players but the walker."""
    OUTCOME = "outcome"
    """Everything: one course of play at a time."""


def sample_regrets(
    tree: GameTree,
    scheme: Scheme = Scheme.EXTERNAL,
    *,
    seed: int,
    limits: SolveLimits,
    exploration: float = EXPLORATION,
    on_point: OnPoint | None = None,
) -> SolveResult:
    """The average strategy of sampled regret matching; an iteration is a walk for each player."""
    if not 0.0 < exploration <= 1.0:
        raise ValueError(f"exploration must be above 0 and at most 1; got {exploration}")
    course, memory = _course(tree), _memory(tree, seed)
    evaluator = Evaluator(tree)
    players, depth = len(tree.players), len(tree.level_starts)
    progress = ProgressMeter(
        limits, on_point, work=STEP_WORK * depth * players, evaluation=4 * len(tree) * players
    )
    done = 0
    while True:
        pause = progress.next_pause()
        if scheme is Scheme.EXTERNAL:
            walk_externally(course, memory, pause - done)
        else:
            walk_to_outcomes(course, memory, pause - done, exploration)
        done = pause
        progress.evaluating()
        strategy = average_of(course.starts, memory.sums)
        worth = evaluator.worth(strategy)
        if progress.stops(done, worth.exploitability):
            break
    parameters: dict[str, object] = {"seed": seed}
    if scheme is Scheme.OUTCOME:
        parameters["exploration"] = exploration
    return SolveResult(
        strategy=strategy,
        values=worth.values,
        exploitability=worth.exploitability,
        method=f"mccfr-{scheme}",
        parameters=parameters,
        iterations=done,
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _course(tree: GameTree) -> Course:
    payoffs = tree.payoffs
    if len(payoffs):
        payoffs -= (payoffs.min(axis=0) + payoffs.max(axis=0)) / 2
    return Course(
        movers=tree.movers,
        node_infosets=tree.node_infosets,
        node_payoffs=tree.node_payoffs,
        first_edges=tree.first_edges,
        targets=tree.targets,
        probabilities=tree.probabilities,
        payoffs=payoffs,
        starts=action_starts(tree.infosets),
    )


def _memory(tree: GameTree, seed: int) -> Memory:
    counts = tree.infosets.action_counts
    actions, most = int(counts.sum()), int(counts.max(initial=1))
    depth = len(tree.level_starts)
    drawn = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    return Memory(
        regrets=np.zeros(actions),
        sums=np.zeros(actions),
        nodes=np.zeros(depth, np.int64),
        places=np.zeros(depth, np.int64),
        behaviour=np.zeros((depth + 1, most)),
        values=np.zeros((depth, most)),
        reach=np.ones((depth + 1, len(tree.players))),
        generator=drawn | np.uint64(1),  # the all-zero state would stay zero
    )
