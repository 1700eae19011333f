"""Every study by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fogspiel.lab import belief_agreement, richards_4_1
from fogspiel.lab.study import Study

STUDIES: Mapping[str, Study] = MappingProxyType(
    {study.name: study for study in (richards_4_1.STUDY, belief_agreement.STUDY)}
)
