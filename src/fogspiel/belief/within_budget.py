"""A belief for players: found out when it is asked for, within a share of the turn's clock.

Without a clock it is a belief by the method that the player wants; where that gives up, by `auto`.
With a clock there are three ways, each taken where the one before gave up or would be late:
- the method that the player wants, as long as it keeps up within its share;
- constraint satisfaction, where a sample is likely to be drawn in time, by how long the last took;
- a small population of histories, carried on from the last sample that there was.
If the population dies out, constraint satisfaction is asked whatever the time: a role with an empty
belief does not know its legal moves, and a late move is better than none.

Source of populations: Richards (2012), algorithm 4.1, with all continuations of each particle
instead of one, and the resampling of Fearnhead and Clifford (2003), section 4. Where a particle has
too many continuations, some of them are drawn, as there; if none of these fits, particles are tried
one by one until one of them goes on, and as long as there is time for more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fogspiel.belief.methods import METHODS, make_belief
from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories, OpponentModel
from fogspiel.belief.transitions import drawn_steps
from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.kernels.rows import stacked
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.layers import joined
from fogspiel.machine.protocol import Continuations, Machine, State

HISTORIES = 200_000  #: Histories that are held at a time
PATIENCE_SECONDS = 60.0
"""Time for one question, where no clock says less, or where a late answer is better than none."""
BELIEF_SHARE = 0.5  #: Part of a turn's clock for all that is asked in it
METHOD_SHARE = 0.4  #: Part of that for the method that the player wants
WORDS_A_SECOND = 8_000_000
"""Words of states that are stepped through in a second, by a careful guess."""
MODEL_COST = 30  #: Factor by which a state takes longer where an opponent model is asked about it
REFERENCE_COST = 10_000  #: Factor by which a word takes longer where rules are not compiled
FEWEST_DRAWN = 16
SAMPLE_SECONDS = 0.3
"""Time that a sample by constraint satisfaction is supposed to take, until one was drawn."""


class ClockedBelief:
    """A belief for one match. Implements `Belief`."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        method: str,
        budget: Budget,
        *,
        model: OpponentModel | None = None,
        histories: int = HISTORIES,
    ) -> None:
        """budget: for getting ready; whether it has a clock decides how the belief goes on."""
        self.machine, self.role = machine, role
        self.observations: list[Observation] = []
        self._timed = budget.deadline is not None
        self.limits = BeliefLimits(histories=histories, seconds=PATIENCE_SECONDS)
        self._pace = WORDS_A_SECOND / (1 if model is None else MODEL_COST)
        if self._timed and method == "auto":
            method = "exact"
        model = model if METHODS[method].takes_model else None
        self._wanted: Belief | None = make_belief(method, machine, role, self.limits, model=model)
        self._population: Histories | None = None
        self._csp: Belief | None = None
        self._sample_seconds = SAMPLE_SECONDS
        self.open(budget)

    @property
    def method(self) -> str:
        """The name of the method that answers now."""
        return "population" if self._wanted is None else self._wanted.method

    def open(self, budget: Budget) -> None:
        """Begin a turn, with its clock."""
        self._budget = budget.part(BELIEF_SHARE)

    def advance(self, observation: Observation) -> None:
        """Take note of a step. It is looked at when something is asked."""
        self.observations.append(observation)

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior; fewer than asked for where time is short."""
        count = self._affordable(count)
        wanted = self._followed()
        if wanted is not None:
            try:
                return wanted.sample(count, seed)
            except LimitError:
                self._give_up()
                wanted = self._followed()
        if wanted is not None:
            return wanted.sample(count, seed)
        return self._few().draw(count, np.random.default_rng(seed))

    def enumerate(self, limit: int) -> Histories:
        """All possible histories, or as many as the limits allow."""
        if self.machine.engine == "reference":
            limit = self._affordable(limit)
        wanted = self._followed()
        return self._few().take(slice(limit)) if wanted is None else wanted.enumerate(limit)

    def size(self) -> int | None:
        """The number of possible histories; None if it is not known."""
        wanted = self._followed()
        return None if wanted is None else wanted.size()

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""
        wanted = self._followed()
        return (self._few() if wanted is None else wanted).probability(state)

    def witness(self) -> State | None:
        """One possible state, where one is at hand."""
        wanted = self._followed()
        if wanted is None:
            first: State = self._few().states[0]
            return first
        return wanted.witness()

    def _followed(self) -> Belief | None:
        """The wanted method after all steps that were noted.

        None where it gave up on a clock; the population is there then.
        """
        if self._wanted is not None:
            try:
                self._lead(self._wanted, METHOD_SHARE * self._budget.seconds_left)
            except LimitError:
                self._give_up()
        if self._wanted is None:
            self._carry()
        return self._wanted

    def _lead(self, belief: Belief, seconds: float) -> None:
        """Tell a belief what it does not know yet. Raises `LimitError` where it gives up."""
        steps = len(belief.observations)
        if steps == len(self.observations):
            return
        deadline = self._budget.clock() + seconds
        for observation in self.observations[steps:]:
            self._allow(belief, deadline - self._budget.clock())
            belief.advance(observation)

    def _allow(self, belief: Belief, seconds: float) -> None:
        """Let the next question take so long."""
        if self._timed:
            seconds = min(max(seconds, 1e-3), PATIENCE_SECONDS)
            fitting = int(self._pace * seconds / len(self.machine.initial()))
            histories = min(self.limits.histories, fitting)
            belief.limits = replace(self.limits, seconds=seconds, histories=histories)

    def _affordable(self, count: int) -> int:
        """The number of histories that can be played again in time, to see what others know."""
        if self._budget.deadline is None:
            return count
        words = len(self.machine.initial()) * (1 + len(self.observations))
        pace = WORDS_A_SECOND / (1 if self.machine.engine == "compiled" else REFERENCE_COST)
        fitting = int(pace * self._budget.seconds_left / words)
        return min(count, max(FEWEST_DRAWN, fitting))

    def _give_up(self) -> None:
        """Go on without the method that the player wants."""
        left, self._wanted = self._wanted, None
        if not self._timed:
            self._wanted = make_belief("auto", self.machine, self.role, self.limits)
            self._lead(self._wanted, PATIENCE_SECONDS)
            return
        assert left is not None
        self._allow(left, self._budget.seconds_left)
        try:
            self._population = as_population(left.sample(MOST, len(left.observations)))
        except LimitError:
            self._population = None

    def _carry(self) -> None:
        """Bring the population to the present step."""
        steps = 0 if self._population is None else self._population.joints.shape[1]
        if self._population is not None and steps == len(self.observations):
            return
        if self._budget.seconds_left > self._sample_seconds and self._drawn_anew(
            self._budget.seconds_left
        ):
            return
        for step in range(steps, len(self.observations)):
            if self._population is None:
                break
            rng = np.random.default_rng([step, len(self.machine.roles)])
            step_on = PopulationStep(
                self.machine, self.role, self.observations[step], rng, self._budget
            )
            self._population = step_on.after(self._population)
        if self._population is None and not self._drawn_anew(PATIENCE_SECONDS):
            # What searches gave up too: let all methods try, however long it takes.
            belief = make_belief("auto", self.machine, self.role, self.limits)
            self._lead(belief, PATIENCE_SECONDS)
            self._population = as_population(belief.sample(MOST, 0))

    def _drawn_anew(self, seconds: float) -> bool:
        """Whether constraint satisfaction found a population in that time."""
        began = self._budget.clock()
        try:
            if self._csp is None:
                self._csp = make_belief("csp", self.machine, self.role, self.limits)
            self._lead(self._csp, seconds)
            self._allow(self._csp, seconds - (self._budget.clock() - began))
            found = self._csp.sample(MOST, len(self.observations))
        except (LimitError, UsageError):
            # It takes longer than was thought, or the machine does not offer what it needs.
            self._sample_seconds *= 2.0
            return False
        self._population = as_population(found)
        self._sample_seconds = self._budget.clock() - began
        return True

    def _few(self) -> Histories:
        assert self._population is not None
        return self._population


MOST = 256  #: Histories that are kept
WORDS_A_STEP = 1 << 17  #: Words of the states that are looked at in a step: a few milliseconds
LANES = 64
WIDE_SECONDS = 0.005
"""Time for trying all that others may have done; where it takes longer, some of it is drawn."""
ROUNDS, ENOUGH_ROUNDS = 16, 8  #: Rounds of draws: until something fits, and until that is enough
DRAWS, SLOW_DRAWS = 1024, 16  #: Draws of a round: on gates, and where rules are not compiled
DRAWN_MOVES = 1 << 20  #: Moves of all roles in all draws of a round: a few milliseconds


def as_population(histories: Histories) -> Histories:
    """A sample with weights that add up to 1; later steps will make it biased."""
    weights = histories.weights / histories.weights.sum()
    return replace(histories, weights=weights, complete=False, unbiased=False)


@dataclass(frozen=True, slots=True)
class PopulationStep:
    """One step of play, by which populations are carried on."""

    machine: Machine
    role: RoleId
    observation: Observation
    rng: np.random.Generator
    budget: Budget  #: Time, where histories have to be tried one by one

    def after(self, population: Histories) -> Histories | None:
        """The population after the step; None if none of its histories goes on."""
        few = self._few(population, MOST)
        limit = max(1, WORDS_A_STEP // few.states.shape[1])
        seconds = expansion_seconds(self.machine, few.states, self.role, self.observation.percepts)
        if seconds > WIDE_SECONDS:
            drawn = self._drawn(few)
            if drawn is not None:
                return drawn
            few = self._few(few, LANES)
            if self.machine.engine != "compiled":
                return self._one_by_one(few)
            # Trying it all takes a word of lanes as long as a single state.
        while True:
            try:
                found = self.machine.continuations(
                    few.states, self.role, self.observation, limit=limit
                )
            except LimitError:
                # Fewer histories go on in fewer ways; a single one must be allowed to.
                if len(few) == 1:
                    limit *= 2
                few = self._few(few, -(-len(few) // 2))
                continue
            return self._going_on(few, found)

    def _few(self, population: Histories, count: int) -> Histories:
        if len(population) <= count:
            return population
        rows, kept = resample(population.weights, count, self.rng)
        return population.take(rows, kept / kept.sum())

    def _one_by_one(self, few: Histories) -> Histories | None:
        """Try one history after the other, until something fits and the time is over."""
        parts: list[Continuations] = []
        for row in self.rng.permutation(len(few)):
            if parts and self.budget.seconds_left <= 0.0:
                break
            states = few.states[row : row + 1]
            part = self.machine.continuations(states, self.role, self.observation)
            if len(part.states):
                parts.append(replace(part, parents=np.full(len(part.states), row)))
        return self._going_on(few, joined(parts)) if parts else None

    def _going_on(self, few: Histories, found: Continuations) -> Histories | None:
        """The continuations of histories, resampled; None if there are none."""
        weights = few.weights[found.parents] * found.shares
        if not weights.any():
            return None
        rows, kept = resample(weights / weights.sum(), MOST, self.rng)
        steps = found.joints[rows][:, None, :]
        joints = np.concatenate([few.joints[found.parents[rows]], steps], axis=1)
        return replace(few, joints=joints, states=found.states[rows], weights=kept / kept.sum())

    def _drawn(self, few: Histories) -> Histories | None:
        """Single draws of what the others did, where there is too much to try it all.

        None if none of them fits.
        """
        roles = map(RoleId, range(len(self.machine.roles)))
        moves = sum(self.machine.move_count(role) for role in roles)
        compiled = self.machine.engine == "compiled"
        count = max(1, min(DRAWS, DRAWN_MOVES // moves)) if compiled else SLOW_DRAWS
        parts, found = list[Histories](), 0
        for number in range(1, ROUNDS + 1):
            parts.append(self._drawn_once(few, count))
            found += len(parts[-1])
            if found >= MOST or (found and number >= ENOUGH_ROUNDS):
                break
        if not found:
            return None
        parts = [part for part in parts if len(part)]
        return replace(
            few,
            joints=np.concatenate([part.joints for part in parts]),
            states=stacked([part.states for part in parts]),
            weights=np.full(found, 1.0 / found),
        )

    def _drawn_once(self, few: Histories, count: int) -> Histories:
        """The histories of some draws that fit; their weights mean nothing."""
        rows = self.rng.choice(len(few), count, p=few.weights)
        found = drawn_steps(self.machine, self.role, few.states[rows], self.observation, self.rng)
        rows = rows[found.parents]
        joints = np.concatenate([few.joints[rows], found.joints[:, None, :]], axis=1)
        return replace(few, joints=joints, states=found.states, weights=few.weights[rows])
