"""Payoffs of the states where a tree ends: their goals, or the values of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine, States

Evaluate = Callable[[States], NDArray[np.float64]]
"""(n, words) states that are not terminal -> (n, players) payoffs, in the unit of the tree."""

Cut = Callable[[States, int], NDArray[np.bool_]]
"""(n, words) states and their step -> (n,) where play is cut."""

GOES_ON = -1


class PayoffTable:
    """Different payoffs, numbered as they are met."""

    def __init__(
        self,
        machine: Machine,
        depth: int | None = None,
        evaluate: Evaluate | None = None,
        cut: Cut | None = None,
    ) -> None:
        """depth: the step before which play is cut, and states are evaluated; cut: where else."""
        self._machine = machine
        self._depth, self._cut = depth, cut
        self._evaluate = evaluate
        roles = map(RoleId, range(len(machine.roles)))
        self._players = [role for role in roles if role != machine.chance_role]
        self._numbers: dict[tuple[Fraction, ...], int] = {}

    @property
    def table(self) -> tuple[tuple[Fraction, ...], ...]:
        """Different payoffs of all players."""
        return tuple(self._numbers)

    def of_step(self, states: States, step: int) -> NDArray[np.int32]:
        """(states,) rows of the table for states of a step; GOES_ON where play does."""
        rows = np.full(len(states), GOES_ON, np.int32)
        ended = self._machine.terminal_batch(states)
        if ended.any():
            goals = self._machine.goals_batch(states[ended])[:, self._players]
            scale = self._machine.goal_scale
            rows[ended] = self._numbered(goals, lambda goal: Fraction(int(goal), scale))
        cut = ~ended if step == self._depth else np.zeros(len(states), np.bool_)
        if self._cut is not None:
            cut |= ~ended & self._cut(states, step)
        if cut.any():
            rows[cut] = self._numbered(self._evaluated(states[cut]), Fraction)
        return rows

    def _evaluated(self, states: States) -> NDArray[np.float64]:
        assert self._evaluate is not None, "a tree is cut only where states can be evaluated"
        values = np.asarray(self._evaluate(states), np.float64)
        expected = len(states), len(self._players)
        if values.shape != expected or not np.isfinite(values).all():
            raise ValueError(f"an evaluation gives {expected} finite payoffs; got {values.shape}")
        return values + 0.0  # -0.0 is no payoff of its own

    def _numbered(
        self,
        payoffs: NDArray[np.int64] | NDArray[np.float64],
        exact: Callable[[int | float], Fraction],
    ) -> NDArray[np.int64]:
        """(n,) the rows of the table that hold the payoffs."""
        firsts, inverse = distinct_rows(np.ascontiguousarray(payoffs).view(np.uint64))
        numbers = self._numbers
        found = [
            numbers.setdefault(tuple(map(exact, row)), len(numbers))
            for row in payoffs[firsts].tolist()
        ]
        return np.array(found, np.int64)[inverse]
