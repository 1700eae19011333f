"""The exact best answer to opponents of unknown type, while all beliefs that may follow fit.

Looking ahead, opponents are of each type as probably as they are now, again and again at every
move: what they will do may not tell more about their type. They then go by the state, which the
solver needs (`solve/response/belief_mdp`), and beliefs that differ in nothing but the type are one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.mcts.decision_table import DecisionTable
from fogspiel.search.mcts.opponent_types import EVEN, TypedRoots, sighted_shares
from fogspiel.solve.response.belief_mdp import solve_belief_mdp


def typed_answer(
    machine: Machine,
    role: RoleId,
    roots: TypedRoots,
    forest: DecisionTable,
    *,
    max_rows: int,
    max_bytes: int,
    progress: Callable[[int], None],
) -> MoveId | None:
    """The best move; None where there are more rows than allowed, or `progress` says to stop.

    max_bytes: that may follow in one step, in which nobody looks at the clock.
    """
    even = float(roots.weights[:, EVEN].sum())

    def behaviour(other: RoleId, states: States, legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        return even * shares + (1.0 - even) * sighted_shares(forest, other, states, legal)

    firsts, inverse = distinct_rows(roots.states)
    weights = np.zeros(len(firsts))
    np.add.at(weights, inverse, roots.weights.sum(axis=1))
    start = roots.states[firsts], weights
    try:
        found = solve_belief_mdp(
            machine,
            role,
            behaviour,
            start=start,
            max_rows=max_rows,
            max_bytes=max_bytes,
            progress=progress,
        )
    except LimitError:
        return None
    return found.move
