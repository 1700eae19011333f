"""What a player can be sure of: facts that hold in all states which its view leaves possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.belief.positions import certain_fluents, fluent_probabilities
from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.machine.wrappers.illegal_moves import replace_illegal
from fogspiel.rules.sexpr import exact_text

if TYPE_CHECKING:
    from fogspiel.api.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What can be inferred from a view. `View.known` makes it."""

    states: int  #: The number of possible states
    certain: tuple[str, ...]  #: Facts that hold in all of them, in the order of the rules
    open: tuple[str, ...]  #: Facts that hold in some of them, in the order of the rules


class Inference:
    """Follows the views of one role, so that a longer view costs only the steps that are new."""

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self._machine, self._role = replace_illegal(machine), role
        self._lock = Lock()
        self._restart()

    def known(self, view: View, most: int) -> Known | None:
        """What can be inferred from a view; None where more than `most` histories are possible."""
        with self._lock:
            states = self._states(view.observations, most)
        if states is None:
            return None
        machine = self._machine
        certain = certain_fluents(machine, states)
        evenly = np.full(len(states), 1.0 / len(states))
        every = list(fluent_probabilities(machine, states, evenly))
        return Known(
            states=len(states),
            certain=tuple(exact_text(fluent) for fluent in every if fluent in certain),
            open=tuple(exact_text(fluent) for fluent in every if fluent not in certain),
        )

    def _restart(self) -> None:
        # A budget of simulations: no clock makes the belief give up what it could find.
        self._belief = ClockedBelief(self._machine, self._role, "auto", Budget.of(simulations=1))

    def _states(self, observations: Sequence[Observation], most: int) -> States | None:
        """All possible states, (states, words); None if there are too many histories."""
        followed = self._belief.observations
        if list(observations[: len(followed)]) != followed:
            self._restart()
        for observation in observations[len(self._belief.observations) :]:
            self._belief.advance(observation)
        size = self._belief.size()
        if size is None or size > most:
            return None
        found = self._belief.enumerate(most)
        if not found.complete:
            return None
        firsts, _ = distinct_rows(found.states)
        states: States = found.states[firsts]
        return states
