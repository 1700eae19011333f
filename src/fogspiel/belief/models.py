"""Opponent models: assumptions on how others play, which make some histories more probable.

Sources: Parker, Nau and Subrahmanian (2006), "Overconfidence or paranoia?", for `UniformModel` and
`ParanoidModel`; Richards (2012), section 5.4, for `RationalModel`, and section 5.3, algorithm 5.1
(SDPOG), with random playouts as the heuristic evaluation function, for how good moves look one step
ahead.

A model gives the probability of one move. `Transitions` multiplies it with that of chance along a
history (Richards, equations 5.1 to 5.3), and a belief divides by the sum over all possible ones.
A model by the visits of a tree search is `search/mcts/statistics.VisitedMovesModel`.

A model that claims to know the one move someone makes calls everything else impossible, and is
refuted by the first other move. `slip` is the probability of a uniformly random move instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import ChosenMoves
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.layers import merged
from fogspiel.machine.protocol import Layer, Machine, State, States

SLIP = 0.05
PLAYOUTS = 16
BEST_WITHIN = 1e-9  #: Moves whose values differ by less, relative to the largest, are equally good
STATES = 64  #: States in the small belief of a role that `RationalModel` thinks for
STEPS = 20_000  #: Steps that this role looks at to find the next states

Past: TypeAlias = tuple[Observation, ...]  #: All that a role did and saw
MoveProbabilities: TypeAlias = Mapping[MoveId, float]
Policy: TypeAlias = Callable[[RoleId, Past], MoveProbabilities | None]
"""The probabilities of a role's moves, by what it knows; None where nothing is said."""


class UniformModel:
    """Others choose uniformly at random, whatever they know: overconfidence."""

    name = "uniform"
    needs_knowledge = False

    def probabilities(self, machine: Machine, chosen: ChosenMoves) -> NDArray[np.float64]:
        """(n,) one over the number of legal moves."""
        counts = machine.legal_batch(chosen.states, chosen.role).sum(axis=1)
        return np.asarray(1.0 / counts, np.float64)


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
        self._known: dict[tuple[RoleId, bytes], MoveProbabilities] = {}

    def probabilities(self, machine: Machine, chosen: ChosenMoves) -> NDArray[np.float64]:
        """(n,) the moves after which the role's value is least, by one step of lookahead."""
        rows = zip(chosen.states, map(MoveId, chosen.moves.tolist()), strict=True)
        return np.array(
            [self._distribution(machine, chosen.role, state)[move] for state, move in rows]
        )

    def _distribution(self, machine: Machine, role: RoleId, state: State) -> MoveProbabilities:
        key = (role, machine.key(state))
        if key not in self._known:
            values = values_of_moves(machine, state, role, self.evaluation)
            harm = {move: -float(value[self.against]) for move, value in values.items()}
            self._known[key] = best(harm, self.slip)
        return self._known[key]


class KnowledgeModel(UniformModel, ABC):
    """A model by which what a role knows decides about its moves."""

    needs_knowledge = True

    @abstractmethod
    def probability(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The probability of a move after all that the role did and saw; None if none is known."""

    def probabilities(self, machine: Machine, chosen: ChosenMoves) -> NDArray[np.float64]:
        """(n,) probabilities by what the role knows; uniform where the model says nothing."""
        assert chosen.knowledge is not None
        found = super().probabilities(machine, chosen)
        for row, (move, past) in enumerate(zip(chosen.moves, chosen.knowledge, strict=True)):
            own = self.probability(machine, chosen.role, tuple(past), MoveId(int(move)))
            if own is not None:
                found[row] = own
        return found


class PolicyModel(KnowledgeModel):
    """Others follow a policy that is given: a function, or a table by role and knowledge."""

    name = "policy"

    def __init__(self, policy: Policy | Mapping[tuple[RoleId, Past], MoveProbabilities]) -> None:
        self._policy = policy if callable(policy) else lambda *key: policy.get(key)

    def probability(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The probability that the policy gives."""
        said = self._policy(role, past)
        return None if said is None else said.get(move, 0.0)


class RationalModel(KnowledgeModel):
    """Others choose what looks best to them after less thought than ours.

    Richards' DOMIS: the opponent is supposed to use SDPOG with one step of lookahead. It considers
    its own information set, with others choosing uniformly at random, and makes the move of which
    the mean value over that set is largest.
    """

    name = "rational"

    def __init__(self, *, evaluation: StateEvaluation | None = None, slip: float = SLIP) -> None:
        self.evaluation = evaluation or PlayoutValue()
        self.slip = slip
        self._views: dict[RoleId, _LocalView] = {}
        self._known: dict[tuple[RoleId, Past], MoveProbabilities] = {}

    def probability(self, machine: Machine, role: RoleId, past: Past, move: MoveId) -> float | None:
        """The same for all moves of the largest mean value, by what the role knows."""
        key = (role, past)
        if key not in self._known:
            view = self._views.setdefault(role, _LocalView(machine, role))
            values = view.values(past, self.evaluation)
            self._known[key] = best(values, self.slip) if values else {}
        return self._known[key].get(move)


class _LocalView:
    """The beliefs of one role after any past of its own, others choosing uniformly at random.

    Kept apart from `ExactBelief` because it must answer for many pasts at once, and only needs the
    last layer of each: layers are kept by past, and resampled to a few states.
    """

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self.machine = machine
        self.role = role
        start = machine.initial()[None, :]
        first = Layer(states=start, counts=np.ones(1), weights=np.ones(1))
        self._layers: dict[Past, Layer | None] = {(): first}

    def values(self, past: Past, evaluation: StateEvaluation) -> dict[MoveId, float]:
        """The mean value of each move; empty where no state is possible.

        V(a) = sum over the information set of P(h) phi(S(h a)), algorithm 5.1, lines 4 to 8.
        """
        layer = self._layer(past)
        sums: dict[MoveId, float] = {}
        if layer is None:
            return sums
        for state, weight in zip(layer.states, layer.weights, strict=True):
            if self.machine.terminal(state):
                continue
            values = values_of_moves(self.machine, state, self.role, evaluation)
            for move, value in values.items():
                sums[move] = sums.get(move, 0.0) + float(weight) * float(value[self.role])
        return sums

    def _layer(self, past: Past) -> Layer | None:
        """The possible states; None where resampling has lost them all."""
        if past not in self._layers:
            before = self._layer(past[:-1])
            self._layers[past] = self._after(before, past[-1]) if before else None
        return self._layers[past]

    def _after(self, before: Layer, observation: Observation) -> Layer | None:
        try:
            found = self.machine.continuations(before.states, self.role, observation, limit=STEPS)
        except LimitError:
            return None
        if not len(found.parents):
            return None
        layer, _ = merged(before, found)
        rows, kept = resample(layer.weights, STATES, np.random.default_rng(0))
        counts, weights = np.ones(len(rows)), kept / kept.sum()
        return Layer(states=layer.states[rows], counts=counts, weights=weights)


class StateEvaluation(Protocol):
    """A heuristic estimate of the value of a state."""

    def __call__(self, machine: Machine, states: States) -> NDArray[np.float64]:
        """(n, roles) an estimate of the goals of all roles."""


class PlayoutValue:
    """Mean goals of random playouts."""

    def __init__(self, count: int = PLAYOUTS, seed: int = 0) -> None:
        self.count = count
        self.seed = seed

    def __call__(self, machine: Machine, states: States) -> NDArray[np.float64]:
        """(n, roles) means; of terminal states, the goals themselves."""
        values = machine.goals_batch(states).astype(np.float64)
        going = np.flatnonzero(~machine.terminal_batch(states))
        if len(going):
            played = machine.playouts(states[going], seed=self.seed, count=self.count)
            values[going] = played.goal_sums / np.maximum(played.counts, 1)[:, None]
        return values


def values_of_moves(
    machine: Machine, state: State, role: RoleId, evaluation: StateEvaluation
) -> dict[MoveId, NDArray[np.float64]]:
    """Mean values (roles,) of the states that each move of a role leads to.

    Others choose uniformly at random, chance by its weights.
    """
    expansion = machine.expand(state)
    values = evaluation(machine, expansion.states)
    weights = np.ones(len(values))
    for other in map(RoleId, range(len(machine.roles))):
        if other == role:
            continue
        moves = machine.legal(state, other)
        even = np.full(len(moves), 1.0 / len(moves))
        shares = machine.chance_weights(state) if other == machine.chance_role else even
        weights *= shares[np.searchsorted(moves, expansion.joints[:, other])]
    made = expansion.joints[:, role]
    return {
        move: (weights[made == move, None] * values[made == move]).sum(axis=0)
        for move in machine.legal(state, role)
    }


def best(values: Mapping[MoveId, float], slip: float) -> dict[MoveId, float]:
    """A distribution on the moves of the largest value; a part `slip` of it on all, uniformly."""
    top = max(values.values())
    margin = BEST_WITHIN * max(1.0, abs(top))
    chosen = [move for move, value in values.items() if value >= top - margin]
    shares = dict.fromkeys(values, slip / len(values))
    for move in chosen:
        shares[move] += (1.0 - slip) / len(chosen)
    return shares
