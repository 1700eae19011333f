"""Single decisions from the histories of an information set: Richards' SDPOG and DOMIS.

Source: Richards (2012), chapter 5. SDPOG makes the move with the largest expected heuristic value
over the histories of the information set. DOMIS (section 5.4) takes the probabilities of these
histories from an opponent model: each opponent decides by SDPOG itself.
Departures: large information sets are sampled. SDPOG supposes that opponents moved uniformly at
random; so does DOMIS where an opponent's information set was too large to be found. A model that is
wrong once would rule out the true history for good, so each opponent of DOMIS moves at random with
a small probability.

SDPOG makes as many simulations for each history as its heuristic says, and these are of no use in
another information set: it has nothing to do before play and in forced turns. DOMIS keeps the
decisions of modelled opponents for the match. With a clock, it models those that random play comes
to before play and in forced turns, after those of the present histories.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import gave_up
from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories
from fogspiel.belief.within_budget import WORDS_A_SECOND
from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, player_roles
from fogspiel.players.base import BeliefPlayer, uniform_policy
from fogspiel.players.protocol import Seat
from fogspiel.players.solving.heuristics import Heuristic, HeuristicQuery
from fogspiel.search.evaluation.value_scale import look_at_goals

MOST_HISTORIES = 512
LEAST_HISTORIES = 8  #: Histories that are evaluated however few simulations are allowed
RESERVE_SECONDS = 0.03
OPPONENT_HISTORIES = 8  #: Histories that a modelled opponent evaluates
MODELLED_HISTORIES = 32  #: Histories that the opponent model weighs
WALKS = 8  #: Random games at a time whose decisions are modelled before play
MODEL_SHARE = 0.5  #: Share of the clock spent on the opponent model
DOUBT = 0.1  #: Probability that an opponent moves uniformly at random instead of by the model
OPPONENT_LIMIT = 20_000  #: Histories that an opponent's belief may hold
CALL_SHARE = 0.25
"""Share of the time left for one step of an opponent's belief, and for its decision."""


class SdpogPlayer(BeliefPlayer):
    """Makes the move with the best mean value over the histories of its information set."""

    most_histories = MOST_HISTORIES

    def __init__(self, heuristic: Heuristic) -> None:
        self.heuristic = heuristic

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and find the range of goals before the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)

    def choose(self, budget: Budget) -> MoveId:
        """The move with the largest expected value; the first of them if there are several."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return legal[0]
        count = self.most_histories
        if budget.simulations is not None:
            wanted = budget.simulations // self.heuristic.simulations
            count = max(LEAST_HISTORIES, min(count, wanted))
        histories = some_histories(self.belief, count, self.turn_seed)
        weights = self.weights(histories, budget)
        return legal[int(self._sums(histories, weights, legal, budget).argmax())]

    def think(self, budget: Budget) -> None:
        """Use time in which there is no choice to be made."""

    def weights(self, histories: Histories, budget: Budget) -> NDArray[np.float64]:
        """The probability of each history, (histories,)."""
        return histories.weights

    def _sums(
        self,
        histories: Histories,
        weights: NDArray[np.float64],
        legal: tuple[MoveId, ...],
        budget: Budget,
    ) -> NDArray[np.float64]:
        """Expected values of moves by lines 4 to 8 of SDPOG, for the time there is, (moves,)."""
        sums = np.zeros(len(legal))
        # In random order, so that those that there is time for are a fair sample.
        order = np.random.default_rng(self.turn_seed).permutation(len(histories))
        clock = budget.without(RESERVE_SECONDS)
        # With a clock, one comes first, to see how long it takes.
        done, count = 0, len(order) if budget.deadline is None else 1
        while done < len(order) and (done == 0 or count > 0):
            some = order[done : done + count]
            began = clock.clock()
            query = HeuristicQuery(
                machine=self.machine,
                role=self.role,
                states=np.ascontiguousarray(histories.states[some]),
                moves=legal,
                seed=self.turn_seed + done,
                budget=clock,
            )
            sums += weights[some] @ self.heuristic.values(query)
            done += len(some)
            count = clock.fitting(len(some), clock.clock() - began)
        return sums


@dataclass(frozen=True, slots=True)
class _Point:
    """A decision of an opponent, by its observations so far."""

    role: RoleId
    observations: tuple[Observation, ...]


class DomisPlayer(SdpogPlayer):
    """SDPOG with an opponent model: histories weigh as much as SDPOG opponents make them likely."""

    most_histories = MODELLED_HISTORIES

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; the decisions of modelled opponents are kept for the match."""
        super().start(seat, budget)
        self._decisions: dict[tuple[_Point, tuple[MoveId, ...]], NDArray[np.float64]] = {}
        if budget.deadline is not None:
            self._model_walks(budget.without(RESERVE_SECONDS))

    def think(self, budget: Budget) -> None:
        """Model what opponents did in the present histories, then in random games."""
        if budget.deadline is not None:
            clock = budget.without(RESERVE_SECONDS)
            histories = some_histories(self.belief, self.most_histories, self.turn_seed)
            self._weighed(histories, clock)
            self._model_walks(clock)

    def weights(self, histories: Histories, budget: Budget) -> NDArray[np.float64]:
        """The probability of each history by the opponent model, (histories,).

        Histories that there was no time to model keep the weights of uniform random opponents.
        """
        return self._weighed(histories, budget.part(MODEL_SHARE))

    def _model_walks(self, clock: Budget) -> None:
        """Model decisions in random games, until time is over or games bring none that are new."""
        rng, modelled = np.random.default_rng(self.turn_seed), -1
        while modelled < len(self._decisions) and not clock.is_over:
            modelled = len(self._decisions)
            walks = islice(random_walks(self.machine, WALKS, rng), DEFAULT_MAX_STEPS)
            steps = list(takewhile(lambda _: not clock.is_over, walks))
            if not steps:
                return
            for walk in range(WALKS):
                joints = [step.joints[step.walks == walk] for step in steps]
                if self._likelihood(np.concatenate(joints), clock) is None:
                    return

    def _weighed(self, histories: Histories, clock: Budget) -> NDArray[np.float64]:
        weights = histories.weights.copy()
        for row, joints in enumerate(histories.joints):
            ratio = self._likelihood(joints, clock)
            if ratio is None:
                break
            weights[row] *= ratio
        weights /= weights.sum()
        return weights

    def _likelihood(self, joints: NDArray[np.int32], clock: Budget) -> float | None:
        """Likelihood of the opponents' moves in the model, relative to uniform random moves.

        None where time is over before it is known.
        """
        machine, state, ratio = self.machine, self.machine.initial(), 1.0
        opponents = [role for role in player_roles(machine) if role != self.role]
        seen: dict[RoleId, tuple[Observation, ...]] = dict.fromkeys(opponents, ())
        for row in joints.tolist():
            joint = [MoveId(move) for move in row]
            for role in opponents:
                legal = machine.legal(state, role)
                if clock.is_over:
                    return None
                if len(legal) > 1:
                    shares = self._decision(_Point(role, seen[role]), legal, clock)
                    ratio *= float(shares[legal.index(joint[role])]) * len(legal)
                observation = observation_of(machine, state, joint, role)
                seen[role] = (*seen[role], observation)
            state = machine.step(state, joint)
        return ratio

    def _decision(
        self, point: _Point, legal: tuple[MoveId, ...], clock: Budget
    ) -> NDArray[np.float64]:
        """The modelled strategy of an opponent at a decision, (moves,)."""
        # The moves are part of the key: a role need not know which of its moves are legal.
        if (point, legal) not in self._decisions:
            uniform = uniform_policy(len(legal))
            best = _sdpog_choice(self.machine, point, legal, self.heuristic, self.seed, clock)
            shares = uniform if best is None else DOUBT * uniform + (1.0 - DOUBT) * best
            self._decisions[point, legal] = shares
        return self._decisions[point, legal]


def some_histories(belief: Belief, count: int, seed: int) -> Histories:
    """All histories of a belief if they are few, else a sample of them."""
    size = belief.size()
    if size is not None and size <= count:
        found = belief.enumerate(count)
        if found.complete and len(found):
            return found
    return belief.sample(count, seed)


def _sdpog_choice(
    machine: Machine,
    point: _Point,
    legal: tuple[MoveId, ...],
    heuristic: Heuristic,
    seed: int,
    clock: Budget,
) -> NDArray[np.float64] | None:
    """SDPOG as a strategy, uniform over the best moves, (moves,).

    None where the opponent's belief could not be found.
    """
    try:
        belief = _opponents_belief(machine, point, clock)
        histories = some_histories(belief, OPPONENT_HISTORIES, seed)
    except FogspielError:
        return None
    query = HeuristicQuery(
        machine=machine,
        role=point.role,
        states=histories.states,
        moves=legal,
        seed=seed,
        budget=clock.part(CALL_SHARE),
    )
    sums = histories.weights @ heuristic.values(query)
    best = np.isclose(sums, sums.max(), rtol=1e-9, atol=1e-12)
    shares: NDArray[np.float64] = best / best.sum()
    return shares


def _opponents_belief(machine: Machine, point: _Point, clock: Budget) -> Belief:
    """The belief of an opponent at a decision. Raises `LimitError` where it takes too long."""
    limits = BeliefLimits(histories=OPPONENT_LIMIT)
    if clock.deadline is not None:
        seconds = CALL_SHARE * max(clock.seconds_left, 0.0)
        fitting = int(WORDS_A_SECOND * seconds / len(machine.initial()))
        limits = BeliefLimits(histories=min(OPPONENT_LIMIT, fitting), seconds=seconds)
    # Other methods cannot be stopped as soon, and without a clock they would stop elsewhere on
    # another machine.
    belief = make_belief("exact", machine, point.role, limits)
    for observation in point.observations:
        if clock.is_over:
            raise gave_up(belief.method, len(belief.observations), limits)
        belief.advance(observation)
    return belief
