"""A game that never ends, of our own: two switches, which their owners may turn or leave."""

from __future__ import annotations

from fogspiel.core.source import Source
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine

ENDLESS = """
(role left) (role right)
(init (off left)) (init (off right))
(<= (legal ?r turn) (role ?r))
(<= (legal ?r leave) (role ?r))
(<= (next (on ?r)) (does ?r turn) (true (off ?r)))
(<= (next (off ?r)) (does ?r turn) (true (on ?r)))
(<= (next (on ?r)) (does ?r leave) (true (on ?r)))
(<= (next (off ?r)) (does ?r leave) (true (off ?r)))
(<= terminal (true (on ?r)) (true (off ?r)))
(<= (goal ?r 100) (true (on ?r)))
(<= (goal ?r 0) (true (off ?r)))
"""


def endless(engine: EngineChoice = "auto") -> Machine:
    """The machine of the game."""
    return load_source(Source("endless.gdl", ENDLESS), engine=engine).machine
