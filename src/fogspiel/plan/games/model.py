"""The game of a plan, and steps of it in all worlds of a situation.

The paper lets one agent move at a time. A step of a game is a move of every role, of whom most
have just one. So in a step:
- the planner's role comes first, if it has a choice: whatever others choose at the same time, it
  cannot know it, and their methods cannot ask what it chose;
- then come the others that have one, if the planner will see what they did. What it will not see
  is no node of its plan, or the plan would depend on it: it is drawn by chance, in each world;
- chance is drawn in each world: a plan is for all that it may bring.
Where others are to be drawn though the planner sees what they do, the draw is the same in all
worlds, as far as it is possible there: it must not tell worlds apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.plan.language.method_terms import head
from fogspiel.search.evaluation.value_scale import ValueScale, value_scale

MOST_COMBINED = 1_024
"""Moves of others that are tried to find out whether the planner would observe them."""

PLAYOUT_SHARE = 0.2  #: The part of the time left that the playouts from one situation may take


@dataclass(eq=False)
class GameModel:
    """A game as one role plans in it. Only what concerns playouts changes on the way."""

    machine: Machine
    role: RoleId  #: The role that plans
    seed: int  #: The seed of all random draws
    facts: tuple[GroundTerm, ...] = ()  #: The facts of a methods file
    draws_others: bool = False
    """Whether the others move at random, also where the planner sees what they do."""
    playouts: int = 1
    """Playouts from each situation in which a plan breaks off, shared by its worlds."""
    simulated: int = 0  #: Playouts made so far
    playout_seconds: float = 0.0  #: The time of one of the last playouts
    budget: Budget = field(default_factory=lambda: Budget(simulations=1))
    """The budget at whose deadline planning must give up."""

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles, chance left out."""
        names = enumerate(self.machine.roles)
        return tuple(name for role, name in names if role != self.machine.chance_role)

    @cached_property
    def facts_by_name(self) -> Mapping[str, tuple[GroundTerm, ...]]:
        """The facts by their relations."""
        found: dict[str, list[GroundTerm]] = {}
        for fact in self.facts:
            found.setdefault(head(fact)[0], []).append(fact)
        return {name: tuple(facts) for name, facts in found.items()}

    @cached_property
    def scale(self) -> ValueScale:
        """The scale that maps goals to values in [0, 1]."""
        return value_scale(self.machine)

    @property
    def is_late(self) -> bool:
        """Whether the time for planning is over."""
        return self.budget.is_over

    def refuse_late(self) -> None:
        """Raise `LimitError` PLN018 where the time for planning is over."""
        if self.is_late:
            raise LimitError.of(
                "PLN018",
                "the clock was over before a plan was made",
                fix="give more time a move, or fewer nodes or worlds",
            )

    def values(
        self, states: States, weights: NDArray[np.float64], number: int
    ) -> NDArray[np.float64]:
        """(n,) values in [0, 1]: goals where the game is over, means of playouts elsewhere.

        Where there are fewer playouts than worlds, some worlds are drawn by weight, and all others
        get the mean of these.
        number: that of the step, so that the same playouts are drawn for all that is compared.
        """
        goals = self.machine.goals_batch(states)[:, self.role].astype(np.float64)
        open_ = np.flatnonzero(~self.machine.terminal_batch(states))
        if len(open_):
            rng = np.random.default_rng([self.seed, number])
            rows, playouts = open_, self._affordable()
            if playouts < len(open_):
                rows = open_[systematic(weights[open_], playouts, rng)]
            count = max(1, playouts // len(rows))
            means = self._played_out(states[rows], count, int(rng.integers(1 << 31)))
            goals[open_] = means.mean()
            goals[rows] = means
        return np.clip(self.scale.values(goals), 0.0, 1.0)

    def _affordable(self) -> int:
        """Playouts from a situation: fewer than wanted where the last ones took too long."""
        if self.budget.deadline is None or not self.playout_seconds:
            return self.playouts
        fitting = PLAYOUT_SHARE * max(0.0, self.budget.seconds_left) / self.playout_seconds
        return max(1, min(self.playouts, int(fitting)))

    def _played_out(self, states: States, count: int, seed: int) -> NDArray[np.float64]:
        """(n,) mean goals of the planner's role, from `count` playouts of each state."""
        began = self.budget.clock()
        played = self.machine.playouts(np.ascontiguousarray(states), seed=seed, count=count)
        made = int(played.counts.sum())
        self.simulated += made
        self.playout_seconds = (self.budget.clock() - began) / max(1, made)
        means: NDArray[np.float64] = played.goal_sums[:, self.role] / np.maximum(played.counts, 1)
        return means


@dataclass(frozen=True, slots=True)
class Options:
    """The legal moves of all roles in the consistent worlds."""

    model: GameModel
    states: States  #: (live, words)
    worlds: NDArray[np.int64]  #: (live,) the numbers of the consistent worlds
    legal: tuple[NDArray[np.bool_], ...]  #: Legal moves of each role, (live, moves)
    deciding: frozenset[RoleId]  #: Roles that have more than one move in some world

    @classmethod
    def of(cls, model: GameModel, states: States, worlds: NDArray[np.int64]) -> Options:
        """The legal moves as the machine has them."""
        model.refuse_late()
        roles = [RoleId(role) for role in range(len(model.machine.roles))]
        legal = tuple(model.machine.legal_batch(states, role) for role in roles)
        deciding = frozenset(role for role in roles if (legal[role].sum(axis=1) > 1).any())
        return cls(model, states, worlds, legal, deciding)

    def may_be_seen(self, chosen: Mapping[RoleId, MoveId]) -> bool:
        """Whether the percepts will tell the planner what the others chose.

        Tried in as many different worlds as there is room for, with all that others may do there.
        """
        open_ = self._open(chosen)
        different, _ = distinct_rows(self.states)
        legal = [self.legal[role][different] for role in open_]
        counts = np.prod([moves.sum(axis=1) for moves in legal], axis=0, dtype=np.int64)
        tried = int(np.searchsorted(np.cumsum(counts), MOST_COMBINED, side="right"))
        rows = np.arange(tried)
        joints = self._settled(chosen)[different[:tried]]
        for role, moves in zip(open_, legal, strict=True):
            parents, picked = np.nonzero(moves[rows])
            rows, joints = rows[parents], joints[parents]
            joints[:, role] = picked
        model, states = self.model, self.states[different[rows]]
        percepts = packed(model.machine.percepts_batch(states, joints, model.role))
        with_moves = np.concatenate([percepts, joints[:, open_].astype(np.uint64)], axis=1)
        # Observed if no percepts come with two different moves.
        return tried > 0 and len(distinct_rows(percepts)[0]) == len(distinct_rows(with_moves)[0])

    def _open(self, chosen: Mapping[RoleId, MoveId]) -> list[RoleId]:
        return sorted(role for role in self.deciding if role not in chosen)

    def _settled(self, chosen: Mapping[RoleId, MoveId]) -> Joints:
        """(live, roles) joint moves: those chosen, and the first legal move of every other role."""
        firsts = [legal.argmax(axis=1) for legal in self.legal]
        joints = np.stack(firsts, axis=1).astype(np.int32)
        for role, move in chosen.items():
            joints[:, role] = move
        return joints

    def drawn(self, chosen: Mapping[RoleId, MoveId], step: int, count: int) -> Joints:
        """(live, roles) joint moves: those chosen, those forced, and the rest drawn.

        count: number of all worlds, consistent or not: draws go by their numbers.
        """
        joints = self._settled(chosen)
        open_ = self._open(chosen)
        chance = self.model.machine.chance_role
        is_seen = any(role != chance for role in open_) and self.may_be_seen(chosen)
        for role in open_:
            shared = is_seen and role != chance
            rng = np.random.default_rng([self.model.seed, step, role])
            moves = self.legal[role].shape[1]
            # Who of several arrives first, each after a time that is exponential in its weight, is
            # a draw by weight; and with the same times the same move is first wherever it can be.
            times = rng.exponential(size=moves) if shared else rng.exponential(size=(count, moves))
            arrivals = np.broadcast_to(times, (count, moves))[self.worlds]
            joints[:, role] = np.where(
                self.legal[role], arrivals / self._weights(role), np.inf
            ).argmin(axis=1)
        return joints

    def _weights(self, role: RoleId) -> NDArray[np.float64]:
        """(live, moves) weights by which moves of a role are drawn; tiny where not legal."""
        machine = self.model.machine
        if role != machine.chance_role:
            return np.ones(self.legal[role].shape)
        return np.maximum(machine.chance_weights_batch(self.states), 1e-300)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step that was made in all consistent worlds, with the reports of it."""

    states: States  #: (live, words)
    reports: tuple[GroundTerm, ...]
    """`(sees PERCEPT …)`, or `(ends PERCEPT …)` where the game is over with it."""
    kinds: NDArray[np.int64]  #: (live,) the number of the report that each world gives
    percepts: tuple[tuple[GroundTerm, ...], ...]  #: The percepts of each report


def outcome(options: Options, joints: Joints) -> PlannedStep:
    """Make a step. joints: (live, roles)."""
    model = options.model
    machine = model.machine
    model.refuse_late()
    after = machine.step_batch(options.states, joints)
    seen = machine.percepts_batch(options.states, joints, model.role)
    ended = machine.terminal_batch(after)
    told = np.concatenate([seen, ended[:, None]], axis=1)
    firsts, kinds = distinct_rows(packed(told))
    terms = tuple(
        percept_terms(machine, model.role, np.flatnonzero(seen[row]).tolist()) for row in firsts
    )
    reports = tuple(
        report(percepts, ends=bool(ended[row])) for row, percepts in zip(firsts, terms, strict=True)
    )
    return PlannedStep(after, reports, kinds, terms)


def systematic(
    weights: NDArray[np.float64], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """(count,) rows by systematic sampling: each as often as its weight says, up to rounding."""
    places = (np.arange(count) + rng.random()) / count * weights.sum()
    found = np.searchsorted(np.cumsum(weights), places, side="right")
    rows: NDArray[np.int64] = np.minimum(found, len(weights) - 1)
    return rows


def packed(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(n, words) rows of bits packed into at least one word."""
    words = max(1, -(-rows.shape[1] // 64))
    bits = np.zeros((len(rows), 64 * words), np.bool_)
    bits[:, : rows.shape[1]] = rows
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def percept_terms(
    machine: Machine, role: RoleId, percepts: Sequence[int]
) -> tuple[GroundTerm, ...]:
    """Percepts of a role as the rules write them."""
    return tuple(machine.percept_term(role, PerceptId(number)) for number in percepts)


def report(percepts: tuple[GroundTerm, ...], *, ends: bool) -> GroundTerm:
    """The report of a step."""
    return ("ends" if ends else "sees", *percepts)
