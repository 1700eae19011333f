"""What every method keeps of the play that it follows."""

from __future__ import annotations

from fogspiel.belief.protocol import BeliefLimits
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine


class BeliefBase:
    """The game, whose belief it is, the limits, and all that the role did and saw so far."""

    def __init__(self, machine: Machine, role: RoleId, limits: BeliefLimits | None) -> None:
        self.machine = machine
        self.role = role
        self.limits = limits or BeliefLimits()
        self.observations: list[Observation] = []
