"""Names for POGDDL from the texts of an EFG file: readable, and no two the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

UNFIT = re.compile(r"[^a-z0-9]+")
MAX_LENGTH = 40


class EfgNames:
    """Hands out names."""

    def __init__(self, taken: Iterable[str]) -> None:
        """taken: names that mean something already."""
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, text: str, otherwise: str) -> str:
        """A name like a text, or like `otherwise` if nothing of the text can stand in a name."""
        plain = UNFIT.sub("-", text.lower()).strip("-")[:MAX_LENGTH].strip("-")
        if plain and not plain[0].isalpha():
            # Names begin with a letter: that of what is named.
            plain = f"{otherwise[0]}{plain}"
        name = plain = plain or otherwise
        while name in self._taken:
            self._next[plain] = self._next.get(plain, 1) + 1
            name = f"{plain}-{self._next[plain]}"
        self._taken.add(name)
        return name
