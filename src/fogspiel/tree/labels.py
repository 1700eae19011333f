"""Names of infosets that people can read: what the role did and saw, cut to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.terms import format_term
from fogspiel.tree.stategraph import StateGraph

MAX_LENGTH = 80
"""Longer names are cut at their start: the last that was seen tells the most."""


class InfosetLabels:
    """Names, no two of one role the same."""

    def __init__(self, graph: StateGraph, knowledge: Sequence[NDArray[np.int64]]) -> None:
        """knowledge: of each role (n, 2), what it knew before and its last sight; -1 for none."""
        self._graph = graph
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
            terms = self._graph.sight_terms(role, sight)
            self._sights[role, sight] = " ".join(map(format_term, terms))
        return self._sights[role, sight]
