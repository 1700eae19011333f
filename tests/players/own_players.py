"""Players of one's own for tests, as text of a file that a user may have written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BOTS = '''\
"""Bots that test files play with."""

import fogspiel
from fogspiel.players.simple import FirstPlayer, RandomPlayer


class First(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[0]


class Plain(FirstPlayer):
    """An agent itself: it makes the first legal move."""


class Wrapped:
    """Makes an agent, as fogspiel.Player does."""

    def __init__(self, depth=1, name="nobody", share=0.5, wide=False):
        self.settings = depth, name, share, wide

    def agent(self):
        agent = FirstPlayer()
        agent.settings = self.settings
        return agent


class Mixer:
    def agent(self):
        return RandomPlayer()


class Raises(FirstPlayer):
    def choose(self, budget):
        return 1 / 0


class Leaves(FirstPlayer):
    def choose(self, budget):
        raise SystemExit("bye")


class Babbles(FirstPlayer):
    def choose(self, budget):
        return "noop"


class Asks(FirstPlayer):
    """Asks this program for what it does not have."""

    def choose(self, budget):
        from fogspiel.players.catalogue import make_player

        make_player("nobody")


class NoPlayer:
    pass


class OnlyChooses:
    def choose(self, budget):
        return 0


class Abstract(fogspiel.Player):
    pass


class Fails:
    def __init__(self):
        raise ValueError("no such depth")

    def agent(self):
        return FirstPlayer()


class GivesNothing:
    def agent(self):
        return None


def made(depth=3):
    return Wrapped(depth)


OBJECT = Wrapped(9)
NUMBER = 3
'''


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return path
