"""Models of how others play: what makes some of the possible histories more probable.

Sources: Parker, Nau and Subrahmanian (2006), "Overconfidence or paranoia?", for `UniformModel` and
`ParanoidModel`; Černý (2014), section 5.4.2, the player Shodan, for `VisitModel`; Richards (2012),
section 5.4, for `RationalModel`.

A model gives the probability of one move. `Transitions` multiplies it with that of chance along a
history (Richards, equations 5.1 to 5.3), and a belief divides by the sum over all that fits.

A model that thinks it knows the one move someone makes calls everything else impossible, and is
refuted by the first other move. `slip` is the probability with which someone moves evenly instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.models.evaluation import PlayoutValue, StateEvaluation, best, values_of_moves
from fogspiel.belief.models.local_view import LocalView
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine, State, States

SLIP = 0.05

Past: TypeAlias = tuple[Observation, ...]
"""All that a role did and saw."""
Shares: TypeAlias = Mapping[MoveId, float]
Policy: TypeAlias = Callable[[RoleId, Past], Shares | None]
"""The probabilities of a role's moves, by what it knows; None where nothing is said."""


class UniformModel:
    """Others choose evenly, whatever they know: overconfidence."""

    name = "uniform"
    needs_knowledge = False

    def shares(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: NDArray[np.int32],
        knowledge: Sequence[Sequence[Observation]] | None,
    ) -> NDArray[np.float64]:
        """(n,) one over the number of legal moves."""
        return _even(machine, role, states)


class ParanoidModel:
    """Others see everything, and do what is worst for one role."""

    name = "paranoid"
    needs_knowledge = False

    def __init__(
        self, against: RoleId, *, evaluation: StateEvaluation | None = None, slip: float = SLIP
    ) -> None:
        self.against = against
        self.evaluation = evaluation or PlayoutValue()
        self.slip = slip
        self._known: dict[tuple[RoleId, bytes], Shares] = {}

    def shares(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: NDArray[np.int32],
        knowledge: Sequence[Sequence[Observation]] | None,
    ) -> NDArray[np.float64]:
        """(n,) the moves after which the role's value is least, by one step of lookahead."""
        return np.array(
            [
                self._distribution(machine, role, state)[MoveId(int(move))]
                for state, move in zip(states, moves, strict=True)
            ]
        )

    def _distribution(self, machine: Machine, role: RoleId, state: State) -> Shares:
        key = (role, machine.key(state))
        if key not in self._known:
            values = values_of_moves(machine, state, role, self.evaluation)
            harm = {move: -float(value[self.against]) for move, value in values.items()}
            self._known[key] = best(harm, self.slip)
        return self._known[key]


class KnowledgeModel(ABC):
    """A model by which what a role knows decides about its moves."""

    needs_knowledge = True

    @abstractmethod
    def share(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The probability of a move after all that the role did and saw; None if none is known."""

    def shares(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: NDArray[np.int32],
        knowledge: Sequence[Sequence[Observation]] | None,
    ) -> NDArray[np.float64]:
        """(n,) by what the role knows in each state; evenly where the model says nothing."""
        assert knowledge is not None
        found = _even(machine, role, states)
        for row, (move, past) in enumerate(zip(moves, knowledge, strict=True)):
            share = self.share(machine, role, tuple(past), MoveId(int(move)))
            if share is not None:
                found[row] = share
        return found


class PolicyModel(KnowledgeModel):
    """Others follow a policy that is given: a function, or a table by role and knowledge."""

    name = "policy"

    def __init__(self, policy: Policy | Mapping[tuple[RoleId, Past], Shares]) -> None:
        self._policy = policy if callable(policy) else _looked_up(policy)

    def share(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """As the policy says."""
        said = self._policy(role, past)
        return None if said is None else said.get(move, 0.0)


class VisitCounts:
    """How often a tree search passed through decisions, added up over information sets."""

    def __init__(self) -> None:
        self._visits: dict[tuple[RoleId, Past], int] = {}
        self._moves: dict[tuple[RoleId, Past], dict[MoveId, int]] = {}

    def add(
        self, role: RoleId, past: Sequence[Observation], visits: int, moves: Mapping[MoveId, int]
    ) -> None:
        """Count a node o of the role's information set: n(o), and n(C(o, a)) for each move a."""
        key = (role, tuple(past))
        self._visits[key] = self._visits.get(key, 0) + visits
        sums = self._moves.setdefault(key, {})
        for move, count in moves.items():
            sums[move] = sums.get(move, 0) + count

    def share(self, role: RoleId, past: Past, move: MoveId) -> float | None:
        """Equation 5.5; None where the search has not been (section 5.4.3)."""
        count = self._moves.get((role, past), {}).get(move, 0)
        return count / self._visits[role, past] if count else None


class VisitModel(KnowledgeModel):
    """Others prefer what a tree search looked at more often.

    Shodan's equations: 5.1 is the first layer of a belief, where play begins in one state; 5.2 and
    5.4 are the step from layer to layer with the shares of chance and of this model, equation 5.5;
    5.3 and 5.6 are the division by the sum. 5.3 is taken up in 5.6, since both divide all beliefs
    of a layer by the same number. Where the search has not been moves are even (section 5.4.3).
    """

    name = "visits"

    def __init__(self, counts: VisitCounts) -> None:
        self.counts = counts

    def share(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """By visits to the information sets of the role."""
        return self.counts.share(role, past, move)


class RationalModel(KnowledgeModel):
    """Others choose what looks best to them after less thought than ours.

    Richards' DOMIS: the opponent is supposed to use SDPOG with one step of lookahead. It holds its
    own information set possible, with others choosing evenly, and makes the move of which the mean
    value over that set is largest.
    """

    name = "rational"

    def __init__(self, *, evaluation: StateEvaluation | None = None, slip: float = SLIP) -> None:
        self.evaluation = evaluation or PlayoutValue()
        self.slip = slip
        self._views: dict[RoleId, LocalView] = {}
        self._known: dict[tuple[RoleId, Past], Shares] = {}

    def share(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The moves of the largest mean value, by what the role knows."""
        return self._distribution(machine, role, past).get(move)

    def _distribution(self, machine: Machine, role: RoleId, past: Past) -> Shares:
        key = (role, past)
        if key not in self._known:
            view = self._views.setdefault(role, LocalView(machine, role))
            values = view.values(past, self.evaluation)
            self._known[key] = best(values, self.slip) if values else {}
        return self._known[key]


def _even(machine: Machine, role: RoleId, states: States) -> NDArray[np.float64]:
    """(n,) one over the number of legal moves."""
    counts = machine.legal_batch(states, role).sum(axis=1)
    return np.asarray(1.0 / counts, np.float64)


def _looked_up(table: Mapping[tuple[RoleId, Past], Shares]) -> Policy:
    def policy(role: RoleId, past: Past) -> Shares | None:
        return table.get((role, past))

    return policy
