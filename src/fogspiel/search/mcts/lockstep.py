"""Many simulations side by side: each step is made for all of them at once, on the machine's lanes.

A simulation starts from a state that the searching role holds possible. Inside what is kept, every
role that has a choice asks its bandit; the step after a decision that is new leads out, and random
playouts say how the simulation ends. All decisions on the way learn from it. The same loop serves
many searches; they differ in three things:
- the key of a decision: the state (the player sees all), or what its role knows;
- the rule that chooses (`bandits`);
- the states to start from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import stacked
from fogspiel.core.budget import Budget
from fogspiel.core.ids import RoleId
from fogspiel.machine.knowledge_keys import Keys, knowledge_after, state_keys, with_choice
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.bandits import BanditChoices, choose, learn
from fogspiel.search.mcts.decision_table import CROWDED_SHARE, DecisionTable
from fogspiel.search.mcts.kernels.nodes import NO_NODE

LARGEST_BATCH = 1024
MAX_DEPTH = 512
"""Steps inside what is kept; a longer simulation goes on at random."""

Scope = Literal["state", "knowledge", "observer"]
"""What a decision is found by: the state, what its role knows, or what the searching role knows."""


StateKey = Callable[[States, RoleId], Keys]
"""Of states, for the decisions of a role in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRule:
    """How bandits choose."""

    kind: int
    constant: float
    """UCB: the bonus. Others: the share of exploration."""
    jointly: bool = False
    """Whether a tree of states tries all joint moves of a state before it chooses by the bonus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationStarts:
    """Where simulations begin."""

    states: States
    knowledge: Keys
    """(n, roles) what each role knows there; used where decisions go by knowledge."""


Source = Callable[[int, int], SimulationStarts]
"""From a number of simulations and a seed to where they begin."""


@dataclass(slots=True)
class Path:
    """Decisions of one role in one step of some simulations."""

    role: RoleId
    rows: NDArray[np.int64]
    choices: BanditChoices


class Lockstep:
    """A search that can go on as long as it is let."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        scope: Scope,
        rule: SelectionRule,
        seed: int,
        playouts: int = 1,
        state_key: StateKey = state_keys,
        ending: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """playouts: random ends of each simulation, whose mean is learnt.

        state_key: what decisions are found by where they go by the state.
        """
        self.machine = machine
        self.observer = observer
        self.forest = DecisionTable()
        self.simulations = 0
        self._scope, self._rule = scope, rule
        self._ends = ending.ends(machine, playouts)
        self._budget = Budget(simulations=0)
        """Of the last run."""
        self._state_key = state_key
        self._seeds = np.random.SeedSequence(seed)
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = [role for role in self._roles if role != machine.chance_role]
        self._scale = value_scale(machine)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return self.forest.bytes

    def is_crowded(self, budget: Budget) -> bool:
        """Whether there is no room for more decisions, and too little time to make it."""
        return not self._is_in_time(LARGEST_BATCH, CROWDED_SHARE * budget.seconds_left)

    def _is_in_time(self, simulations: int, seconds: float) -> bool:
        """Whether so many can add their decisions: no more than one for each role."""
        return self.forest.is_in_time(len(self._players) * simulations, seconds)

    def run(self, source: Source, budget: Budget) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        before, self._budget = self.simulations, budget
        for count in budget.batches(before, LARGEST_BATCH):
            if not self._is_in_time(count, budget.seconds_left):
                break
            self._simulate(source, count)
            self.simulations += count
        return self.simulations - before

    def _simulate(self, source: Source, count: int) -> None:
        start_seed, step_seed, end_seed = (
            int(child.generate_state(1)[0]) for child in self._seeds.spawn(3)
        )
        starts = source(count, start_seed)
        rng = np.random.default_rng(step_seed)
        trails: list[Path] = []
        goals = np.zeros((count, len(self._roles)))
        rows, states, known = np.arange(count), starts.states, starts.knowledge
        leaving: list[tuple[NDArray[np.int64], States]] = []
        for _ in range(MAX_DEPTH):
            ended = self.machine.terminal_batch(states)
            goals[rows[ended]] = self.machine.goals_batch(states[ended])
            rows, states, known = rows[~ended], states[~ended], known[~ended]
            if not len(rows):
                break
            joints, leaves = self._choose(rows, states, known, rng, trails)
            after = self.machine.step_batch(states, joints)
            leaving.append((rows[leaves], after[leaves]))
            stays = ~leaves
            known = self._learnt(known[stays], states[stays], joints[stays])
            rows, states = rows[stays], after[stays]
        leaving.append((rows, states))
        self._finish(leaving, goals, end_seed)
        self._learn(trails, self._scale.values(goals))

    def _choose(
        self,
        rows: NDArray[np.int64],
        states: States,
        known: Keys,
        rng: np.random.Generator,
        trails: list[Path],
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Joint moves, and which simulations leave what is kept after them."""
        joints = np.empty((len(rows), len(self._roles)), np.int32)
        leaves = np.zeros(len(rows), np.bool_)
        if self.machine.chance_role is not None:
            joints[:, self.machine.chance_role] = self._drawn(states, rng)
        for role in self._players:
            legal = self._options(role, states, known, rng)
            self.forest.make_room(len(rows), int(legal.sum()))
            choices = BanditChoices(
                joints[:, role].copy(),
                np.empty(len(rows), np.int64),
                np.empty(len(rows), np.int64),
                np.empty(len(rows)),
                leaves,
            )
            keys, uniforms = self._keys(role, states, known, legal), rng.random(len(rows))
            rule = self._rule
            arrays = self.forest.arrays
            choose(arrays, rule.kind, rule.constant, keys, legal, uniforms, choices)
            joints[:, role] = choices.moves
            if (choices.nodes != NO_NODE).any():
                trails.append(Path(role, rows, choices))
        return joints, leaves

    def _options(
        self, role: RoleId, states: States, known: Keys, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        """(n, moves) what a role chooses from."""
        return self.machine.legal_batch(states, role)

    def _drawn(self, states: States, rng: np.random.Generator) -> NDArray[np.int64]:
        """(n,) moves of chance, by their weights."""
        bounds = np.cumsum(self.machine.chance_weights_batch(states), axis=1)
        # Rounding must not lead past the last move that has a weight.
        uniforms = rng.random(len(states)) * bounds[:, -1]
        moves: NDArray[np.int64] = (bounds <= uniforms[:, None]).sum(axis=1)
        return moves

    def _keys(self, role: RoleId, states: States, known: Keys, legal: NDArray[np.bool_]) -> Keys:
        if self._scope == "state":
            return self._state_key(states, role)
        if self._scope == "observer" and role != self.observer:
            # The observer may not know which moves another role has.
            return with_choice(np.ascontiguousarray(known[:, self.observer]), role, legal)
        return np.ascontiguousarray(known[:, role])

    def _learnt(self, known: Keys, states: States, joints: NDArray[np.int32]) -> Keys:
        """(n, roles) what roles know after a step, as far as decisions go by it."""
        if self._scope == "state" or not len(known):
            return known
        after = known.copy()
        for role in self._players if self._scope == "knowledge" else [self.observer]:
            before = np.ascontiguousarray(known[:, role])
            after[:, role] = knowledge_after(self.machine, role, before, states, joints)
        return after

    def _finish(
        self,
        leaving: list[tuple[NDArray[np.int64], States]],
        goals: NDArray[np.float64],
        seed: int,
    ) -> None:
        """Say how simulations end that have left what is kept."""
        rows = np.concatenate([rows for rows, _ in leaving])
        if not len(rows):
            return
        states = stacked([states for _, states in leaving])
        goals[rows] = self._ends(states, seed, self._budget)

    def _learn(self, trails: list[Path], values: NDArray[np.float64]) -> None:
        rule, arrays = self._rule, self.forest.arrays
        for trail in trails:
            made = trail.choices
            learn(
                arrays,
                rule.kind,
                rule.constant,
                made.nodes,
                made.arms,
                made.probabilities,
                np.ascontiguousarray(values[trail.rows, trail.role]),
            )
