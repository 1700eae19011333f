"""Steps that fit, with the probability that a model of the others gives them.

Methods move over points: a point is a state, preceded by a number for what each other role knows
where that matters. A step's share is the probability of all that others and chance do in it
(Richards, equations 5.1 to 5.3): chance by its weights, others evenly or as a `OpponentModel` says.
The observer's own moves are known, so their probability is the same in all histories and left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import BeliefLimits, OpponentModel
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows, widened
from fogspiel.core.observation import Observation
from fogspiel.machine.knowledge import NOTHING, KnowledgeTable
from fogspiel.machine.protocol import Continuations, Joints, Layer, Machine, States

Points = NDArray[np.uint64]
"""(n, roles whose knowledge is kept + words)"""

CHUNK = 1 << 12
"""States whose legal moves are looked at together."""
ROW_BYTES = 24
"""Of a step, beside its state and its moves."""


class Transitions:
    """From points to points, as one role sees it."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        model: OpponentModel | None = None,
        *,
        by_knowledge: bool = False,
    ) -> None:
        self.machine = machine
        self.role = role
        self.model = model
        roles = [RoleId(index) for index in range(len(machine.roles))]
        self.others = [r for r in roles if r not in (role, machine.chance_role)]
        kept = by_knowledge or (model is not None and model.needs_knowledge)
        self._words = len(machine.initial())
        self.knowledge = [KnowledgeTable(machine, other) for other in self.others] if kept else []

    @property
    def plain(self) -> bool:
        """Whether points are states and the others choose evenly."""
        return self.model is None and not self.knowledge

    def start(self) -> Points:
        """(1, …) where play begins."""
        start = self.machine.initial()[None, :]
        if not self.knowledge:
            return start
        nothing = np.full((1, len(self.knowledge)), NOTHING, np.uint64)
        return np.concatenate([nothing, start], axis=1)

    def first_layer(self) -> Layer:
        """The point where play begins, with its one history."""
        return Layer(states=self.start(), counts=np.ones(1), weights=np.ones(1))

    def affordable(self, limits: BeliefLimits, used: int = 0) -> int:
        """How many steps may be found at a time, where so many bytes are in use already.

        Steps are sorted once they are found, and for that moment held twice.
        """
        words = len(self.knowledge) + self._words
        each = 8 * words + 4 * len(self.machine.roles) + ROW_BYTES
        return max(0, min(limits.histories, (limits.bytes - used) // (2 * each)))

    def states(self, points: Points) -> States:
        """(n, words) the states of points."""
        return points[:, len(self.knowledge) :]

    def after(
        self, points: Points, observation: Observation, limit: int | None = None
    ) -> Continuations:
        """All steps from the points that fit what the role did and saw; their ends are points.

        Raises `LimitError` MCH014 beyond the limit.
        """
        states = self.states(points)
        found = self.machine.continuations(states, self.role, observation, limit=limit)
        if not len(found.parents) or self.plain:
            return found
        shares = found.shares if self.model is None else self._modelled(points, found)
        known = self._known(points[found.parents], states[found.parents], found.joints)
        ends = np.concatenate([known, found.states], axis=1)
        return Continuations(parents=found.parents, joints=found.joints, states=ends, shares=shares)

    def step(self, points: Points, joints: Joints) -> Points:
        """(n, …) where joint moves lead."""
        states = self.states(points)
        ends = self.machine.step_batch(states, joints)
        return np.concatenate([self._known(points, states, joints), ends], axis=1)

    def _known(self, points: Points, states: States, joints: Joints) -> Points:
        known = np.empty((len(points), len(self.knowledge)), np.uint64)
        for column, table in enumerate(self.knowledge):
            known[:, column] = table.after(points[:, column], states, joints)
        return known

    def _modelled(self, points: Points, found: Continuations) -> NDArray[np.float64]:
        """Shares in which each other role chooses as the model says instead of evenly."""
        shares = found.shares.copy()
        for column, other in enumerate(self.others):
            counts = _choices(self.machine, self.states(points), other)[found.parents]
            rows = np.flatnonzero(counts > 1)
            if len(rows):
                chosen = points[found.parents[rows]]
                moves = found.joints[rows, other]
                shares[rows] *= counts[rows] * self._probabilities(column, chosen, moves)
        return shares

    def _probabilities(
        self, column: int, points: Points, moves: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """(n,) of a role's moves. Equal questions are put to the model once."""
        assert self.model is not None
        own = points[:, column : column + 1] if self.knowledge else points[:, :0]
        rows = np.concatenate([moves[:, None].astype(np.uint64), own, self.states(points)], axis=1)
        firsts, inverse = distinct_rows(rows)
        pasts = None
        if self.knowledge:
            table = self.knowledge[column]
            pasts = [table.past(int(number)) for number in own[firsts, 0]]
        states, other = self.states(points)[firsts], self.others[column]
        return self.model.shares(self.machine, other, states, moves[firsts], pasts)[inverse]


def stacked(parts: Sequence[Points]) -> Points:
    """Rows, one after the other. A machine that meets fluents as it goes makes longer ones."""
    words = max(part.shape[1] for part in parts)
    return np.concatenate([widened(part, words) for part in parts])


def _choices(machine: Machine, states: States, role: RoleId) -> NDArray[np.int64]:
    """(n,) how many moves a role has in each state."""
    counts = [
        machine.legal_batch(states[first : first + CHUNK], role).sum(axis=1)
        for first in range(0, len(states), CHUNK)
    ]
    return np.concatenate(counts).astype(np.int64)
