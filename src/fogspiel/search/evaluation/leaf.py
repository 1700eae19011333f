"""Leaf evaluation: how a simulation is scored once it leaves the tree.

Random playouts score it, or an evaluation made from the rules: in place of playouts, mixed with
them, or after some random steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.machine.analysis.cost import affordable_steps
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.search.evaluation.evaluations import EVALUATIONS, evaluation

PLAYOUT_SHARE = 0.5
"""Share of the time left for playouts where rules are not compiled and one may take seconds."""
FIRST_STEPS = 4  #: Steps of a playout there, until it is known how long a step takes
SHARE, STEPS = "share", "steps"
SETTINGS = (SHARE, STEPS)
"""Settings of an evaluation: its weight beside a playout, and random steps before it."""
ARGUMENT = "a leaf evaluation such as mobility (default: random playouts)"
"""Text for users about what may follow the name of a player that simulates."""


class LeafEvaluator(Protocol):
    """Estimates the goals of states."""

    def __call__(
        self, states: States, seed: int, budget: Budget | None = None
    ) -> NDArray[np.float64]:
        """(n, roles) goals, by the scale of the machine. budget: how much time there is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafEvaluation:
    """The settings of a leaf evaluation."""

    name: str | None = None  #: Name of the evaluation; playouts alone if not given
    share: float = 1.0  #: Weight of the evaluation; the rest is the weight of a playout
    steps: int = 0  #: Random steps before states are evaluated

    def evaluator(self, machine: Machine, playouts: int = 1) -> LeafEvaluator:
        """The evaluator of a machine.

        playouts: from each state, whose mean counts, where there are any.
        Raises `PlayError` SEA001 where the machine has no gates that the evaluation needs.
        """
        played = _Playouts(machine, playouts)
        if self.name is None:
            return played
        value, share = evaluation(machine, self.name), self.share

        def evaluated(
            states: States, seed: int, budget: Budget | None = None
        ) -> NDArray[np.float64]:
            found = value(_walked(machine, states, self.steps, seed))
            if share >= 1.0:
                return found
            return share * found + (1.0 - share) * played(states, seed, budget)

        return evaluated


RANDOM_PLAYOUTS = LeafEvaluation()


def leaf_evaluation_of(name: str, settings: Mapping[str, str] | None = None) -> LeafEvaluation:
    """The leaf evaluation of a name, with settings out of `SETTINGS` as they were typed.

    Raises `UsageError` SEA002 for an unknown name, and SEA003 for the value of a setting.
    """
    EVALUATIONS.find(name)
    share, steps = 1.0, 0
    for key, value in (settings or {}).items():
        if key == SHARE and _is_share(value):
            share = float(value)
        elif key == STEPS and value.isdecimal():
            steps = int(value)
        else:
            raise UsageError.of(
                "SEA003",
                f"an evaluation cannot be set by {f'{key}={value}'!r}",
                fix="write share=S with S from 0 to 1, or steps=K with a whole number K",
            )
    return LeafEvaluation(name=name, share=share, steps=steps)


def _is_share(text: str) -> bool:
    try:
        return 0.0 <= float(text) <= 1.0
    except ValueError:
        return False


def _walked(machine: Machine, states: States, steps: int, seed: int) -> States:
    """States after some random steps, or where the game ended before."""
    if steps == 0:
        return states
    rng, last, rows = np.random.default_rng(seed), states.copy(), np.arange(len(states))
    for _ in range(steps):
        rows = rows[~machine.terminal_batch(last[rows])]
        if not len(rows):
            break
        last[rows] = machine.step_batch(last[rows], random_joints(machine, last[rows], rng))
    return last


_STEP_SECONDS: MachineMemo[float] = MachineMemo()
"""Time of a step of the last playout, where playouts may be cut."""


class _Playouts:
    """Evaluates by random playouts. Slow ones are cut where time is over, and count with the goals
    of the state that they have come to."""

    def __init__(self, machine: Machine, count: int) -> None:
        self._machine, self._count = machine, count

    def __call__(
        self, states: States, seed: int, budget: Budget | None = None
    ) -> NDArray[np.float64]:
        if budget is None or budget.deadline is None:
            return self._together(states, seed, DEFAULT_MAX_STEPS)
        if self._machine.engine == "compiled":
            fitting = affordable_steps(
                self._machine, self._count * len(states), budget.seconds_left
            )
            return self._together(states, seed, fitting)
        found = np.empty((len(states), len(self._machine.roles)))
        for row in range(len(states)):
            part = budget.part(PLAYOUT_SHARE / (len(states) - row))
            found[row] = self._one(states[row : row + 1], seed + row, part)
        return found

    def _together(self, states: States, seed: int, most_steps: int) -> NDArray[np.float64]:
        played = self._machine.playouts(states, seed=seed, count=self._count, max_steps=most_steps)
        means: NDArray[np.float64] = played.goal_sums / played.counts[:, None]
        return means

    def _one(self, state: States, seed: int, budget: Budget) -> NDArray[np.float64]:
        """The goals of a single playout where rules are not compiled, (1, roles)."""
        began, most = budget.clock(), FIRST_STEPS
        if seconds := _STEP_SECONDS.get(self._machine):
            most = max(1, int(budget.seconds_left / seconds))
        most = min(most, DEFAULT_MAX_STEPS)
        played = self._machine.playouts(state, seed=seed, count=1, max_steps=most)
        if played.steps:
            _STEP_SECONDS.keep(self._machine, (budget.clock() - began) / played.steps)
        goals: NDArray[np.float64] = played.goal_sums.astype(np.float64)
        return goals
