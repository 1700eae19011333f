"""How simulations end that have left what is kept: by playouts, by an evaluation, or by both.

An evaluation takes the place of playouts, is mixed with them, or is asked after some random steps.
"""

from __future__ import annotations

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
from fogspiel.search.evaluation.evaluations import EVALUATIONS, Evaluation, evaluation

PLAYOUT_SHARE = 0.5
"""Of the time that is left, for playouts where rules are not compiled and one may take seconds."""
FIRST_STEPS = 4
"""Of a playout there, until it is known how long a step takes."""


class LeafEvaluator(Protocol):
    """What states come to."""

    def __call__(
        self, states: States, seed: int, budget: Budget | None = None
    ) -> NDArray[np.float64]:
        """(n, roles) goals, by the scale of the machine. budget: how much time there is left."""


ARGUMENT = "an evaluation of leaves, as told below; playouts alone if not given"
"""What may follow the name of a player that simulates, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafEvaluation:
    """What to make of states in which simulations leave what is kept."""

    name: str | None = None
    """Of the evaluation; playouts alone if not given."""
    share: float = 1.0
    """Of the evaluation; the rest is a playout's."""
    steps: int = 0
    """That are made at random before states are evaluated."""

    def evaluator(self, machine: Machine, playouts: int = 1) -> LeafEvaluator:
        """For a machine.

        playouts: from each state, whose mean counts, where there are any.
        Raises `PlayError` SEA001 where the machine has no gates that the evaluation needs.
        """
        played = _Played(machine, playouts)
        if self.name is None:
            return played
        value = evaluation(machine, self.name)
        evaluated = _Evaluated(machine, value, self.steps)
        if self.share >= 1.0:
            return evaluated
        return _Mixed(evaluated, played, self.share)


RANDOM_PLAYOUTS = LeafEvaluation()


def leaf_evaluation_of(argument: str) -> LeafEvaluation:
    """From what follows a player's name. Raises `UsageError` SEA002, and SEA003 for settings."""
    name, *settings = argument.split(",")
    EVALUATIONS.find(name)
    share, steps = 1.0, 0
    for setting in settings:
        key, _, value = setting.partition("=")
        if key == "share" and _is_share(value):
            share = float(value)
        elif key == "steps" and value.isdecimal():
            steps = int(value)
        else:
            raise UsageError.of(
                "SEA003",
                f"an evaluation cannot be set by {setting!r}",
                fix="write share=S with S from 0 to 1, or steps=K with a whole number K",
            )
    return LeafEvaluation(name=name, share=share, steps=steps)


def _is_share(text: str) -> bool:
    try:
        return 0.0 <= float(text) <= 1.0
    except ValueError:
        return False


_STEP_SECONDS: MachineMemo[float] = MachineMemo()
"""Of the last playout, where playouts may be cut."""


class _Mixed:
    """By both."""

    def __init__(self, evaluated: LeafEvaluator, played: LeafEvaluator, share: float) -> None:
        self._evaluated, self._played, self._share = evaluated, played, share

    def __call__(
        self, states: States, seed: int, budget: Budget | None = None
    ) -> NDArray[np.float64]:
        evaluated = self._share * self._evaluated(states, seed, budget)
        return evaluated + (1.0 - self._share) * self._played(states, seed, budget)


class _Played:
    """By random playouts. Those that are cut, where they are slow and the time is over, count with
    the goals of where they are."""

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
        """(1, roles) by a single playout, where rules are not compiled."""
        began, most = budget.clock(), FIRST_STEPS
        if seconds := _STEP_SECONDS.get(self._machine):
            most = max(1, int(budget.seconds_left / seconds))
        most = min(most, DEFAULT_MAX_STEPS)
        played = self._machine.playouts(state, seed=seed, count=1, max_steps=most)
        if played.steps:
            _STEP_SECONDS.keep(self._machine, (budget.clock() - began) / played.steps)
        goals: NDArray[np.float64] = played.goal_sums.astype(np.float64)
        return goals


class _Evaluated:
    """By an evaluation, at once or after some random steps."""

    def __init__(self, machine: Machine, value: Evaluation, steps: int) -> None:
        self._machine, self._value, self._steps = machine, value, steps

    def __call__(
        self, states: States, seed: int, budget: Budget | None = None
    ) -> NDArray[np.float64]:
        if self._steps == 0:
            return self._value(states)
        machine, rng = self._machine, np.random.default_rng(seed)
        last = states.copy()
        rows = np.arange(len(states))
        for _ in range(self._steps):
            rows = rows[~machine.terminal_batch(last[rows])]
            if not len(rows):
                break
            last[rows] = machine.step_batch(last[rows], random_joints(machine, last[rows], rng))
        return self._value(last)
