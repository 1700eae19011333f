"""Games that do to a worker what should never happen. Workers import this module."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from fogspiel.games.load import load_rules
from fogspiel.machine.protocol import Machine
from fogspiel.play.tournament.plan import GameRules


def load_or_worse(rules: GameRules) -> Machine:
    """The machine of a game, or a mishap, by the name of the game."""
    if rules.name.startswith("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    if rules.name.startswith("hungry"):
        raise MemoryError
    if rules.name.startswith("faulty"):
        raise ValueError("no such\nluck")
    if rules.name.startswith("endless"):
        time.sleep(600)
    return load_rules(rules)


def load_or_die_once(flag: Path, rules: GameRules) -> Machine:
    """The first process that comes here dies."""
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return load_rules(rules)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody gets here")


class Deadly:
    """Ends the process that unpickles it."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (7,)

    def __call__(self, rules: GameRules) -> Machine:
        raise AssertionError("nobody gets here")
