"""Names of what an EFG file names, in rules: as they are, to be shown, or plain, to be written.

Texts of an EFG file may be anything, come twice, or be left out. Names of rules tell objects apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame

UNFIT = re.compile(r"[^a-z0-9]+")
MAX_LENGTH = 40
RESERVED = ("chance", "all", "others")  #: Names that mean something in the rules already


class PlainNames:
    """Names that every language can write; no two things share one."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.taken = EfgNames(RESERVED)  #: Hands out the names of everything else
        self.players: list[str] = [
            self.taken.take(player, f"player-{number}")
            for number, player in enumerate(game.players, 1)
        ]
        self.infosets: list[str] = self._infosets(game)
        """One for each infoset; empty for those of chance, which nobody sees."""
        self.labels: list[list[str]] = self._labels(game)
        """The actions of each infoset: the same text has the same name, but for one infoset."""

    def _infosets(self, game: ExtensiveGame) -> list[str]:
        return [
            self.taken.take(own.name, f"infoset-{index}") if own.player != CHANCE else ""
            for index, own in enumerate(game.infosets, 1)
        ]

    def _labels(self, game: ExtensiveGame) -> list[list[str]]:
        known: dict[tuple[str, int], str] = {}
        labels: list[list[str]] = []
        for infoset in game.infosets:
            own: list[str] = []
            for place, action in enumerate(infoset.actions):
                key = action, infoset.actions[:place].count(action)
                if key not in known:
                    known[key] = self._label(action, place, key[1])
                own.append(known[key])
            labels.append(own)
        return labels

    def _label(self, action: str, place: int, earlier: int) -> str:
        """The name of an action. earlier: how many actions of the infoset have the same text."""
        return self.taken.take(action, f"action-{place + 1}")


class OwnNames(PlainNames):
    """The names of the file. Where it has none they are numbers: those that the file gives.

    A player, an action and an infoset may share one; two players, two infosets of one player, or
    two actions of one infoset do not, and the later ones are numbered.
    """

    def __init__(self, game: ExtensiveGame) -> None:
        super().__init__(game)
        texts = [_text(player) or f"player-{at}" for at, player in enumerate(game.players, 1)]
        known = set(RESERVED)
        for at, text in enumerate(texts):
            texts[at] = text if text not in known else f"{text} ({at + 1})"
            known.add(texts[at])
        self.players = texts
        self.taken = EfgNames({*RESERVED, *texts, *self.infosets, *chain(*self.labels)})

    def _infosets(self, game: ExtensiveGame) -> list[str]:
        texts = [_text(own.name) or str(own.number) for own in game.infosets]
        counts = Counter((own.player, text) for own, text in zip(game.infosets, texts, strict=True))
        return [
            ""
            if own.player == CHANCE
            else f"{text} ({own.number})"
            if counts[own.player, text] > 1
            else text
            for own, text in zip(game.infosets, texts, strict=True)
        ]

    def _label(self, action: str, place: int, earlier: int) -> str:
        text = _text(action) or f"action-{place + 1}"
        return f"{text} ({earlier + 1})" if earlier else text


def _text(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


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
