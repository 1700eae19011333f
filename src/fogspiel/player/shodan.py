"""`shodan`: EXP3 on information sets, from states weighed by how the search saw others play.

Source: Cerny (2014), sections 5.4.1 to 5.4.3. The equations of beliefs, 5.1 to 5.6, are those of
`belief/models`: a history is as probable as chance and the visits of the search make it.
Departures: decisions are kept by what roles know rather than added up over the states of an
information set, which gives the same sums in equation 5.5; the search goes on where it stopped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.player.clocked_belief import ClockedBelief
from fogspiel.player.protocol import Seat
from fogspiel.player.searching import SearchPlayer, Setup
from fogspiel.search.bandits import EXP3
from fogspiel.search.budget import Budget
from fogspiel.search.ends import PLAYED_OUT, Ending
from fogspiel.search.lockstep import Rule
from fogspiel.search.visit_model import ForestModel

GAMMA = 0.05
"""Cerny (2014), section 6.1: the share of exploration."""
HISTORIES = 20_000
"""That are weighed exactly. What others know is followed in each, which takes its time; where
there are more, some are drawn."""


class ShodanPlayer(SearchPlayer):
    """Draws its move as often as the search chose it."""

    def __init__(self, ending: Ending = PLAYED_OUT) -> None:
        rule = Rule(kind=EXP3, constant=GAMMA)
        super().__init__(Setup(scope="knowledge", rule=rule, advice="average", ending=ending))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; the belief asks the search about the others from the first step on."""
        super().start(seat, budget)
        model = ForestModel(lambda: self._search.forest)
        self.belief = ClockedBelief(
            self.machine, self.role, self.belief_method, budget, model=model, histories=HISTORIES
        )

    def _shares(self, arms: slice) -> NDArray[np.float64]:
        """By the number of selections (end of section 5.4.2), exploration included."""
        visits = self._search.forest.arrays.arm_visits[arms]
        return np.asarray(visits / max(float(visits.sum()), 1.0))
