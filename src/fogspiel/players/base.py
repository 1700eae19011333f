"""Base classes of players: bookkeeping of a match, and players that draw from a mixed strategy.

A mixed player tells the probabilities of its moves, and draws by them, so that the two cannot
disagree. Whoever evaluates it can ask for the probabilities once, instead of letting it draw again
and again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.machine.wrappers.illegal_moves import replace_illegal
from fogspiel.players.protocol import Seat, Shares
from fogspiel.search.mcts.roots import belief_roots


class BeliefPlayer:
    """A player's observations, belief and legal moves. Players inherit it and choose."""

    belief_method = "auto"

    def start(self, seat: Seat, budget: Budget) -> None:
        """Begin a match, in which nothing has happened so far."""
        self.machine: Machine = replace_illegal(seat.machine)
        self.role: RoleId = seat.role
        self.seed = seat.seed
        self.observations: list[Observation] = []
        self._legal: tuple[int, tuple[MoveId, ...]] | None = None
        """Legal moves, with the number of steps after which they hold."""
        self.belief = ClockedBelief(self.machine, self.role, self.belief_method, budget)

    def observe(self, observation: Observation) -> None:
        """Take note of a step. The belief is updated when it is next used."""
        self.observations.append(observation)
        self.belief.advance(observation)

    def stop(self) -> None:
        """Free the belief."""
        del self.belief

    def legal_moves(self, budget: Budget | None = None) -> tuple[MoveId, ...]:
        """The role's legal moves, which are the same in all states of its information set.

        If the rules do not let the role know them, they are those of one of these states.
        budget: given where a turn begins, since finding a possible state takes a share of it.
        """
        if budget is not None:
            self.belief.open(budget)
        step = len(self.observations)
        if self._legal is None or self._legal[0] != step:
            state = self.belief.witness()
            if state is None:
                state = self.belief.sample(1, self.turn_seed).states[0]
            self._legal = step, self.machine.legal(state, self.role)
        return self._legal[1]

    def possible_states(self) -> tuple[States, Shares]:
        """The states of the information set, or of a sample of it, with their probabilities."""
        return belief_roots(self.belief, self.turn_seed, with_knowledge=False).distinct()

    def known_state(self) -> State | None:
        """The state of the game, if the role knows it."""
        states, _ = self.possible_states()
        return states[0] if len(states) == 1 else None

    @property
    def turn_seed(self) -> int:
        """A seed for each turn."""
        return int(np.random.SeedSequence([self.seed, len(self.observations)]).generate_state(1)[0])


class MixedPlayer(BeliefPlayer, ABC):
    """A player that draws its moves from a mixed strategy."""

    @abstractmethod
    def mixture(self, budget: Budget) -> Shares:
        """The probability of each legal move, (legal moves,)."""

    def think(self, budget: Budget) -> None:
        """Use time in which there is no choice to be made. Players that search or learn do."""

    def choose(self, budget: Budget) -> MoveId:
        """A draw from the mixture."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return legal[0]
        shares = self.mixture(budget)
        return legal[int(np.random.default_rng(self.turn_seed).choice(len(legal), p=shares))]


def uniform_policy(count: int) -> Shares:
    """All moves with the same probability."""
    return np.full(count, 1.0 / count)


def pure(count: int, place: int) -> Shares:
    """One of several moves with probability 1."""
    shares = np.zeros(count)
    shares[place] = 1.0
    return shares


def surely_move(legal: Sequence[MoveId], move: MoveId) -> Shares:
    """One of the legal moves with probability 1; uniform if the move is not among them.

    That happens only in games in which a role cannot know its legal moves.
    """
    return pure(len(legal), legal.index(move)) if move in legal else uniform_policy(len(legal))


def normalised(weights: Shares) -> Shares:
    """Probabilities in proportion to weights of 0 and more; uniform if all are 0."""
    total = float(weights.sum())
    return weights / total if total > 0.0 else uniform_policy(len(weights))
