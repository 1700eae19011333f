"""The tree search in plain Python: one simulation at a time, one decision after the other.

It says once more what the kernels of `search/mcts` do, without tables, batches or virtual visits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.knowledge import (
    first_knowledge,
    key_after,
    observation_key,
    observation_of,
    set_keys,
)
from fogspiel.machine.protocol import Machine, State, player_roles
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.algorithms import Algorithm
from fogspiel.search.mcts.kernels import selection as rules

Draw = Callable[[], float]


@dataclass(slots=True)
class Decision:
    """What a decision has learnt."""

    moves: int
    visits: int = 0
    stood: int = 0
    picked: int = 0  #: The move that the first simulation made at random
    chosen: list[int] = field(default_factory=list)
    mean: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    strategy: list[float] = field(default_factory=list)
    total: float = 0.0  #: Sum of all values, counted values, their worth and the best mean
    counted: int = 0
    worth: float = 0.0
    best: float = 0.0

    def open(self, with_first: bool) -> None:
        """Give the decision its moves."""
        self.chosen, self.mean = [0] * self.moves, [0.0] * self.moves
        self.score, self.strategy = [0.0] * self.moves, [0.0] * self.moves
        if with_first:
            self.chosen[self.picked], self.mean[self.picked] = 1, self.total

    def matched(self) -> list[float]:
        """Regret matching."""
        total = sum(max(0.0, score) for score in self.score)
        if total <= 0.0:
            return [1.0 / self.moves] * self.moves
        return [max(0.0, score) / total for score in self.score]


@dataclass(slots=True)
class Choice:
    """A decision on the path of a simulation; the pick is None where the simulation stood."""

    decision: Decision
    pick: int | None
    role: RoleId
    probability: float
    share: float


class Oracle:
    """A search that makes one simulation after the other."""

    def __init__(
        self, machine: Machine, observer: RoleId, algorithm: Algorithm, *, seed: int
    ) -> None:
        self.machine, self.observer, self.algorithm = machine, observer, algorithm
        self.rng = np.random.default_rng(seed)
        self.decisions: dict[Hashable, Decision] = {}
        self.tried: dict[bytes, set[tuple[int, ...]]] = {}
        self.players = player_roles(machine)
        self.simulations = 0

    def run(self, simulations: int) -> None:
        """Simulate from the beginning; opponents are of both types in turn, where there are two."""
        for _ in range(simulations):
            alone = self.algorithm.only_observer
            alone |= self.algorithm.has_types and self.simulations % 2 == 0
            learner = self.players[self.simulations % len(self.players)]
            self._simulate([self.observer] if alone else self.players, learner)
            self.simulations += 1

    def key(self, state: State, known: list[np.uint64], role: RoleId) -> Hashable:
        """What the decision of a role is found by: a state, or a number as the search has it."""
        keys = self.algorithm.keys
        if keys == "state" or (keys in ("past", "memory") and role != self.observer):
            return self.machine.key(state), role
        legal = np.zeros((1, self.machine.move_count(role)), np.bool_)
        legal[0, list(self.machine.legal(state, role))] = True
        own = self.observer if keys == "observer" else role
        return int(known[own] ^ set_keys(role, legal)[0])

    def _simulate(self, learning: list[RoleId], learner: RoleId) -> None:
        machine, state, outside = self.machine, self.machine.initial(), False
        known = [first_knowledge(RoleId(role)) for role in range(len(machine.roles))]
        path: list[Choice] = []
        while True:
            legal = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
            if machine.terminal(state) or not all(legal):
                break
            deciding = [] if outside else [r for r in learning if len(legal[r]) > 1]
            joint_first = self._untried(state, deciding, legal)
            joint: list[MoveId] = []
            for index, moves in enumerate(legal):
                role, pick = RoleId(index), self._drawn(state, RoleId(index), len(moves))
                if role in deciding:
                    first = None if joint_first is None else joint_first[deciding.index(role)]
                    choice = self._asked(state, known, role, pick, first, role == learner)
                    path.append(choice)
                    outside |= choice.pick is None
                    pick = pick if choice.pick is None else choice.pick
                joint.append(moves[pick])
            if self.algorithm.keys not in ("state",):
                known = [
                    self._known_after(state, joint, RoleId(role), own)
                    for role, own in enumerate(known)
                ]
            state = machine.step(state, joint)
        values = value_scale(machine).values(np.array(machine.goals(state)))
        self._learn(path, values.tolist(), learner)

    def _known_after(
        self, state: State, joint: list[MoveId], role: RoleId, before: np.uint64
    ) -> np.uint64:
        word = observation_key(self.machine, role, observation_of(self.machine, state, joint, role))
        if self.algorithm.keys in ("memory", "memories"):
            return np.uint64((int(before) + int(word)) % 2**64)
        return key_after(before, word)

    def _drawn(self, state: State, role: RoleId, count: int) -> int:
        if role != self.machine.chance_role:
            return int(self.rng.integers(count))
        weights = self.machine.chance_weights(state)
        weights = weights[weights > 0.0]
        return int(self.rng.choice(count, p=weights / weights.sum()))

    def _untried(
        self, state: State, deciding: list[RoleId], legal: list[tuple[MoveId, ...]]
    ) -> tuple[int, ...] | None:
        """A joint move that was never made, where decisions know their moves."""
        if not isinstance(self.algorithm.rule, rules.JointUcb) or len(deciding) < 2:
            return None
        key = self.machine.key(state)
        if (key, deciding[0]) not in self.decisions and not self._is_root(state):
            return None
        tried = self.tried.setdefault(key, set())
        left = [
            joint
            for joint in product(*(range(len(legal[role])) for role in deciding))
            if joint not in tried
        ]
        if not left:
            return None
        tried.add(found := left[int(self.rng.integers(len(left)))])
        return found

    def _is_root(self, state: State) -> bool:
        """Whether simulations begin in a state: nobody stands there."""
        return self.machine.key(state) == self.machine.key(self.machine.initial())

    def _asked(
        self, state: State, known: list[np.uint64], role: RoleId, drawn: int, first: int | None,
        learns: bool,
    ) -> Choice:  # fmt: skip
        key = self.key(state, known, role)
        learns_at_once = isinstance(self.algorithm.rule, rules.BestWorth | rules.EagerUcb)
        decision = self.decisions.get(key)
        if decision is None:
            decision = Decision(len(self.machine.legal(state, role)), picked=drawn)
            self.decisions[key] = decision
            if learns_at_once or not self._is_root(state):
                decision.visits, decision.stood = 1, int(not learns_at_once)
                return Choice(decision, None, role, 1.0, 1.0)
        if not decision.chosen:
            decision.open(learns_at_once)
        pick, probability, share = first, 1.0, 1.0
        if pick is None:
            pick, probability, share = self._chosen(decision, learns)
        decision.visits += 1
        decision.chosen[pick] += 1
        return Choice(decision, pick, role, probability, share)

    def _chosen(self, decision: Decision, learns: bool) -> tuple[int, float, float]:
        rule, n = self.algorithm.rule, np.array(decision.chosen)
        if isinstance(rule, rules.Ucb | rules.EagerUcb | rules.JointUcb | rules.BestWorth):
            if (n == 0).any():
                return int(self.rng.choice(np.flatnonzero(n == 0))), 1.0, 1.0
            spread = rule.constant * np.sqrt(np.log(decision.visits - decision.stood))
            if isinstance(rule, rules.BestWorth):
                spread = rule.constant * (decision.best or 1.0) * decision.visits**0.25
            return int((np.array(decision.mean) + spread / np.sqrt(n)).argmax()), 1.0, 1.0
        exploration = rule.constant
        if isinstance(rule, rules.Exp3):
            weights = np.exp(np.array(decision.score) - max(decision.score))
            shares = weights / weights.sum()
        else:
            shares = np.array(decision.matched())
        if isinstance(rule, rules.OutcomeSampling):
            exploration = rule.constant if learns else rule.slip
        else:
            decision.strategy = (np.array(decision.strategy) + shares).tolist()
        mixed = (1.0 - exploration) * shares + exploration / decision.moves
        pick = int(self.rng.choice(decision.moves, p=mixed / mixed.sum()))
        return pick, float(mixed[pick]), float(shares[pick])

    def _learn(self, path: list[Choice], values: list[float], learner: RoleId) -> None:
        rule = self.algorithm.rule
        if isinstance(rule, rules.BestWorth):
            learn_best(path, values, rule.doubt)
            return
        if isinstance(rule, rules.OutcomeSampling):
            self._learn_outcome(path, values[learner] - 0.5, learner)
            return
        for choice in path:
            if choice.pick is None:
                choice.decision.total = values[choice.role]
                continue
            decision, pick, value = choice.decision, choice.pick, values[choice.role]
            if isinstance(rule, rules.Exp3):
                gain = value / choice.probability
                decision.score[pick] += rule.constant / decision.moves * gain
            elif isinstance(rule, rules.RegretMatching):
                decision.score = [score - value for score in decision.score]
                decision.score[pick] += value / choice.probability
            else:
                decision.mean[pick] += (value - decision.mean[pick]) / decision.chosen[pick]

    def _learn_outcome(self, path: list[Choice], value: float, learner: RoleId) -> None:
        path = [choice for choice in path if choice.pick is not None]
        sampled = 1.0
        for choice in path:
            if choice.role == learner:
                sampled *= choice.probability
        tail = 1.0
        for choice in reversed(path):
            if choice.role != learner or choice.pick is None:
                continue
            after, tail = tail, tail * choice.share
            own = choice.decision
            own.score = [score - value / sampled * tail for score in own.score]
            own.score[choice.pick] += value / sampled * after


def learn_best(path: list[Choice], values: list[float], doubt: float) -> None:
    """Back up the value of the best move (Keller & Helmert 2013), with doubt."""
    gain = values[path[0].role] if path else 0.0
    for choice in reversed(path):
        own = choice.decision
        before = own.counted * own.worth
        own.counted, own.total = own.counted + 1, own.total + gain
        if choice.pick is not None:
            own.mean[choice.pick] += (gain - own.mean[choice.pick]) / own.chosen[choice.pick]
        own.worth = own.best = own.total / own.counted
        if own.chosen and all(own.chosen):
            more, mean = (doubt * own.moves) ** 2, own.worth
            own.best = max(own.mean)
            own.worth = max(
                (each * count + more * mean) / (count + more)
                for each, count in zip(own.mean, own.chosen, strict=True)
            )
        gain = own.counted * own.worth - before
