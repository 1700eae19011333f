"""Monte Carlo tree search in lockstep: each step of all simulations is one batch on the machine.

A simulation starts from a state of the searching role's information set. Inside the tree every role
that has a choice asks its bandit; the step after a new decision leaves the tree, and a leaf
evaluation, such as random playouts, gives the value. All decisions on the path learn it. The same
loop serves many searches, which differ in three things:
- the key of a decision: the state (as if the player saw all), or what its role knows;
- the selection rule (`kernels/bandits`);
- the states to start from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import stacked
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.random_walks import draw_chance
from fogspiel.machine.knowledge import Keys, knowledge_after, state_keys, with_choice
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.kernels.bandits import NO_NODE, BanditChoices, choose, learn
from fogspiel.search.mcts.roots import Source
from fogspiel.search.mcts.statistics import CROWDED_SHARE, DecisionTable

LARGEST_BATCH = 1024
MAX_DEPTH = 512  #: Steps inside the tree; a longer simulation goes on at random

Scope = Literal["state", "knowledge", "observer"]
"""Key of a decision: the state, what its role knows, or what the searching role knows."""
StateKey = Callable[[States, RoleId], Keys]  #: Keys of states, for the decisions of a role in them
Leaving = list[tuple[NDArray[np.int64], States]]
"""Simulations that leave the tree, and the states in which they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRule:
    """A rule by which bandits choose."""

    kind: int
    constant: float  #: UCB: the bonus. Others: the share of exploration.
    jointly: bool = False
    """Whether a tree of states tries all joint moves of a state before it chooses by the bonus."""


@dataclass(slots=True)
class Path:
    """Decisions of one role in one step of some simulations."""

    role: RoleId
    rows: NDArray[np.int64]
    choices: BanditChoices


Start = TypeVar("Start")


class BatchedSearch(ABC, Generic[Start]):
    """A search whose simulations run in batches, and that can be continued at any time."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        scope: Scope = "knowledge",
        seed: int,
        playouts: int = 1,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """playouts: random playouts of each simulation, whose mean is learnt."""
        self.machine = machine
        self.observer = observer
        self.decisions = DecisionTable()
        self.simulations = 0
        self._scope = scope
        self._evaluate = leaves.evaluator(machine, playouts)
        self._budget = Budget(simulations=0)
        """The budget of the last run."""
        self._seeds = np.random.SeedSequence(seed)
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = self._learning_roles()
        self._scale = value_scale(machine)

    def _learning_roles(self) -> list[RoleId]:
        """Roles that have bandits."""
        return [role for role in self._roles if role != self.machine.chance_role]

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return self.decisions.bytes

    def is_crowded(self, budget: Budget) -> bool:
        """Whether there is no room for more decisions, and too little time to make it."""
        return self._lacks_room(LARGEST_BATCH, CROWDED_SHARE * budget.seconds_left)

    def _lacks_room(self, simulations: int, seconds: float) -> bool:
        """Whether so many cannot add their decisions in time: at most one for each role."""
        return self.decisions.is_crowded(len(self._players) * simulations, seconds)

    def run(self, start: Start, budget: Budget) -> int:
        """Simulate until the budget is used up; how many simulations there were."""
        before, self._budget = self.simulations, budget
        for count in budget.batches(before, LARGEST_BATCH):
            if self._lacks_room(count, budget.seconds_left):
                break
            self._simulate(start, count)
            self.simulations += count
        return self.simulations - before

    @abstractmethod
    def _simulate(self, start: Start, count: int) -> None:
        """Run a batch of simulations."""

    def _knowledge_after(self, known: Keys, states: States, joints: Joints) -> Keys:
        """(n, roles) what roles know after a step, as far as decisions depend on it."""
        if self._scope == "state" or not len(known):
            return known
        after = known.copy()
        for role in self._players if self._scope == "knowledge" else [self.observer]:
            before = np.ascontiguousarray(known[:, role])
            after[:, role] = knowledge_after(self.machine, role, before, states, joints)
        return after

    def _evaluate_leaves(
        self, leaving: Leaving, goals: NDArray[np.float64], seed: int, budget: Budget | None
    ) -> None:
        """Fill in the goals of simulations that have left the tree. goals: (n, roles)"""
        rows = np.concatenate([rows for rows, _ in leaving])
        if len(rows):
            states = stacked([states for _, states in leaving])
            goals[rows] = self._evaluate(states, seed, budget)


class Lockstep(BatchedSearch[Source]):
    """A tree search of which every step is made by the machine."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        scope: Scope = "observer",
        rule: SelectionRule,
        seed: int,
        playouts: int = 1,
        state_key: StateKey = state_keys,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """state_key: keys of decisions where these depend on the state."""
        super().__init__(
            machine, observer, scope=scope, seed=seed, playouts=playouts, leaves=leaves
        )
        self._rule, self._state_key = rule, state_key

    def _simulate(self, source: Source, count: int) -> None:
        start_seed, step_seed, end_seed = (
            int(child.generate_state(1)[0]) for child in self._seeds.spawn(3)
        )
        starts = source(count, start_seed)
        rng = np.random.default_rng(step_seed)
        paths: list[Path] = []
        goals = np.zeros((count, len(self._roles)))
        rows, states, known = np.arange(count), starts.states, starts.knowledge
        leaving: Leaving = []
        for _ in range(MAX_DEPTH):
            ended = self.machine.terminal_batch(states)
            goals[rows[ended]] = self.machine.goals_batch(states[ended])
            rows, states, known = rows[~ended], states[~ended], known[~ended]
            if not len(rows):
                break
            joints, leaves = self._choose(rows, states, known, rng, paths)
            after = self.machine.step_batch(states, joints)
            leaving.append((rows[leaves], after[leaves]))
            stays = ~leaves
            known = self._knowledge_after(known[stays], states[stays], joints[stays])
            rows, states = rows[stays], after[stays]
        leaving.append((rows, states))
        self._evaluate_leaves(leaving, goals, end_seed, self._budget)
        self._learn(paths, self._scale.values(goals))

    def _choose(
        self,
        rows: NDArray[np.int64],
        states: States,
        known: Keys,
        rng: np.random.Generator,
        paths: list[Path],
    ) -> tuple[Joints, NDArray[np.bool_]]:
        """Joint moves, and which simulations leave the tree after them."""
        joints = np.empty((len(rows), len(self._roles)), np.int32)
        leaves = np.zeros(len(rows), np.bool_)
        if self.machine.chance_role is not None:
            joints[:, self.machine.chance_role] = draw_chance(self.machine, states, rng)
        rule = self._rule
        for role in self._players:
            legal = self._options(role, states, known, rng)
            self.decisions.make_room(len(rows), int(legal.sum()))
            choices = BanditChoices(
                joints[:, role].copy(),
                np.empty(len(rows), np.int64),
                np.empty(len(rows), np.int64),
                np.empty(len(rows)),
                leaves,
            )
            keys, uniforms = self._keys(role, states, known, legal), rng.random(len(rows))
            arrays = self.decisions.arrays
            choose(arrays, rule.kind, rule.constant, keys, legal, uniforms, choices)
            joints[:, role] = choices.moves
            if (choices.nodes != NO_NODE).any():
                paths.append(Path(role, rows, choices))
        return joints, leaves

    def _options(
        self, role: RoleId, states: States, known: Keys, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        """(n, moves) the moves from which a role chooses."""
        return self.machine.legal_batch(states, role)

    def _keys(self, role: RoleId, states: States, known: Keys, legal: NDArray[np.bool_]) -> Keys:
        if self._scope == "state":
            return self._state_key(states, role)
        if self._scope == "observer" and role != self.observer:
            # The observer may not know which moves another role has.
            return with_choice(np.ascontiguousarray(known[:, self.observer]), role, legal)
        return np.ascontiguousarray(known[:, role])

    def _learn(self, paths: list[Path], values: NDArray[np.float64]) -> None:
        rule, arrays = self._rule, self.decisions.arrays
        for path in paths:
            made = path.choices
            own = np.ascontiguousarray(values[path.rows, path.role])
            learn(arrays, rule.kind, rule.constant, made.nodes, made.arms, made.probabilities, own)
