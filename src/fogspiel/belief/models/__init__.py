"""How others are supposed to play: what makes some of the possible histories more probable."""

from fogspiel.belief.models.opponents import (
    ParanoidModel,
    PolicyModel,
    RationalModel,
    UniformModel,
    VisitCounts,
    VisitModel,
)

__all__ = [
    "ParanoidModel",
    "PolicyModel",
    "RationalModel",
    "UniformModel",
    "VisitCounts",
    "VisitModel",
]
