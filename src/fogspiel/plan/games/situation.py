"""Situations of a game: the worlds are states of a machine.

See `model` for who moves when, and `relations` for what methods may ask. After each step the
planner is told what its role sees, by a report, also where it could have foreseen it: so whoever
follows the plan can compare it with what really came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.protocol import States
from fogspiel.plan.games.model import GameModel, Options, PlannedStep, outcome
from fogspiel.plan.games.relations import SituationRelations
from fogspiel.plan.task_network import Bindings, Mask, Pattern, Weights, substitute

UNKNOWN = 0.5  #: The value of a world that there is no time to evaluate


@dataclass(eq=False)
class GameSituation:
    """A state information set in a game. Implements `Situation`.

    Whatever takes a step of the machine is found when it is first asked for: leaves of a tree are
    just evaluated, and most of what is known there is never needed.
    """

    model: GameModel
    states: States  #: (worlds, words)
    weights: Weights  #: (worlds,)
    _: KW_ONLY
    step: int = 0  #: Number of steps since planning began
    seen: tuple[GroundTerm, ...] = ()  #: Percepts of the last step
    chosen: Mapping[RoleId, MoveId] = field(default_factory=dict)
    """Moves of roles that have chosen in this step already."""

    @property
    def agent(self) -> str:
        """The role that chooses next; the planner's where nobody does before the next report."""
        mover = self._mover
        return self.model.machine.roles[self.model.role if mover is None else mover]

    @property
    def is_controlled(self) -> bool:
        """Whether the planner's role chooses next."""
        return self._mover is None or self._mover == self.model.role

    @cached_property
    def is_over(self) -> bool:
        """Whether play has ended in every consistent world."""
        return bool(self.model.machine.terminal_batch(self._live).all())

    @property
    def reports(self) -> Sequence[GroundTerm]:
        """Reports of what the role may see next, where nobody chooses before."""
        return () if self.is_over or self._mover is not None else self._outcome.reports

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        """Bindings that make an atom hold in some world, in the order of the game's numbers."""
        pattern = substitute(atom, bindings)
        for key in self._knowledge.answers(pattern):
            yield {**bindings, **dict(key)}

    def holds(self, atom: GroundTerm) -> Mask:
        """(worlds,) truth of an atom."""
        everywhere = np.zeros(len(self.weights), np.bool_)
        found = self._knowledge.answers(atom).get(())
        if found is not None:
            everywhere[self._worlds] = found
        return everywhere

    def assume(self, mask: Mask) -> GameSituation:
        """The situation in which only some worlds are possible."""
        return replace(self, weights=np.where(mask, self.weights, 0.0))

    def perform(self, operator: GroundTerm) -> GameSituation:
        """The situation after a move of the role that chooses next, or after a report."""
        if self._mover is None:
            return self._told(operator)
        try:
            move = self.model.machine.move_id(self._mover, operator)
        except PlayError:
            return replace(self, weights=np.zeros_like(self.weights))
        legal = np.zeros(len(self.weights), np.bool_)
        moves = self._options.legal[self._mover]
        if move < moves.shape[1]:
            legal[self._worlds] = moves[:, move]
        weights = np.where(legal, self.weights, 0.0)
        return replace(self, weights=weights, chosen={**self.chosen, self._mover: move})

    def evaluate(self) -> NDArray[np.float64]:
        """(worlds,) values in [0, 1]: goals at the end of the game, random playouts before it.

        A step that is under way is made first, with drawn moves of those who have not chosen. When
        the clock is over nothing is evaluated any more, and all worlds have the same value.
        """
        return self._values

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        values = np.full(len(self.weights), UNKNOWN)
        if len(self._worlds) and not self.model.is_late:
            waits = not self.is_over and (self.chosen or self._mover is None)
            states = self._outcome.states if waits else self._live
            values[self._worlds] = self.model.values(states, self.weights[self._worlds], self.step)
        return values

    @cached_property
    def _worlds(self) -> NDArray[np.int64]:
        """(live,) the numbers of the consistent worlds."""
        return np.flatnonzero(self.weights > 0.0)

    @cached_property
    def _live(self) -> States:
        """(live, words)"""
        return np.ascontiguousarray(self.states[self._worlds])

    @cached_property
    def _options(self) -> Options:
        return Options.of(self.model, self._live, self._worlds)

    @cached_property
    def _mover(self) -> RoleId | None:
        """The role that chooses next; None where the step is made without anybody's choice."""
        if not len(self._worlds) or self.is_over:
            return None
        model, open_ = self.model, self._options.deciding - self.chosen.keys()
        if model.role in open_:
            return model.role
        others = sorted(role for role in open_ if role != model.machine.chance_role)
        if not others or model.draws_others or not self._options.may_be_seen(self.chosen):
            return None
        return others[0]

    @cached_property
    def _knowledge(self) -> SituationRelations:
        return SituationRelations(
            self._options,
            weights=self.weights[self._worlds],
            mover=self._mover,
            seen=self.seen,
        )

    @cached_property
    def _outcome(self) -> PlannedStep:
        """The next step, with random moves of the roles that have not chosen."""
        joints = self._options.drawn(self.chosen, self.step, len(self.weights))
        return outcome(self._options, joints)

    def _told(self, operator: GroundTerm) -> GameSituation:
        """The situation after a report, in the worlds that give it."""
        weights = np.zeros_like(self.weights)
        if operator not in self.reports:
            return replace(self, weights=weights)
        number = self._outcome.reports.index(operator)
        given = self._outcome.kinds == number
        rows = self._worlds[given]
        weights[rows] = self.weights[rows]
        after = self._outcome.states
        # A machine that meets fluents as it goes makes longer rows later.
        states = np.zeros((len(weights), max(after.shape[1], self.states.shape[1])), np.uint64)
        states[rows, : after.shape[1]] = after[given]
        return GameSituation(
            self.model,
            states,
            weights,
            step=self.step + 1,
            seen=self._outcome.percepts[number],
        )
