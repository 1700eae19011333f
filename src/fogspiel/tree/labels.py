"""Names of infosets that people can read: what the role did and saw, cut to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.protocol import Machine

MAX_LENGTH = 80
"""Longer names are cut at their start: the last that was seen tells the most."""


def observed_terms(
    machine: Machine, role: RoleId, observation: Observation, *, is_forced: bool
) -> list[GroundTerm]:
    """What a role did, where it had a choice, and what it saw besides its own move."""
    own = machine.move_term(role, observation.move)
    seen = [machine.percept_term(role, percept) for percept in observation.percepts]
    told = ("does", machine.roles[role], own)
    return [*([] if is_forced else [own]), *(term for term in seen if term != told)]


class InfosetLabels:
    """Names, no two of one role the same."""

    def __init__(
        self,
        terms: Callable[[RoleId, int], list[GroundTerm]],
        knowledge: Mapping[RoleId, NDArray[np.int32] | NDArray[np.int64]],
    ) -> None:
        """terms: what a role did and saw in one step, by the number of the sight.

        knowledge: of each role (n, 2), what it knew before and its last sight; row 0 is nothing.
        """
        self._terms = terms
        self._knowledge = knowledge
        self._sights: dict[tuple[RoleId, int], str] = {}
        self._uses: Counter[tuple[RoleId, str]] = Counter()

    def label(self, role: RoleId, known: int) -> str:
        """What a role did and saw, step by step, with steps parted by semicolons."""
        parts: list[str] = []
        length = 0
        while known > 0 and length <= MAX_LENGTH:
            known, sight = self._knowledge[role][known].tolist()
            if text := self._sight(role, sight):
                parts.append(text)
                length += len(text) + 2
        text = "; ".join(reversed(parts))
        if len(text) > MAX_LENGTH:
            text = "…" + text[1 - MAX_LENGTH :]
        self._uses[role, text] += 1
        uses = self._uses[role, text]
        return text if uses == 1 else f"{text} #{uses}"

    def _sight(self, role: RoleId, sight: int) -> str:
        if (role, sight) not in self._sights:
            self._sights[role, sight] = " ".join(map(format_term, self._terms(role, sight)))
        return self._sights[role, sight]
