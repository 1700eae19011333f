"""Players and loaders that are slow, die or hog the processor: what they do is in a role's name."""

from __future__ import annotations

import ctypes
import os
import time

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.games.send import load_sent
from fogspiel.play.ggp.serve.observations import LoadEngine, Playable
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.protocol import Seat

HOG_SECONDS = 300
LATE_SECONDS = 1.0
SLOW_TO_COMPILE = "slow_to_compile"

GAME = """
(role {role}) (role other) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal {role} (take ?n)) (true (step ?n))) (<= (legal {role} (give ?n)) (true (step ?n)))
(legal other wait) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 4))) (goal {role} 100) (goal other 0)
"""
"""One has two moves in each of four steps, whose names tell the step; the other only waits."""


class OddPlayer(BeliefPlayer):
    """Does what its role is called, and the last of its legal moves where that is nothing odd."""

    def start(self, seat: Seat, budget: Budget) -> None:
        super().start(seat, budget)
        self.habit, self.has_pondered = seat.machine.roles[seat.role], False
        if self.habit == "sleepy":
            time.sleep(60.0)

    def choose(self, budget: Budget) -> MoveId:
        moves = self.legal_moves(budget)
        if self.habit == "hog":
            # As a kernel does: nothing else of the process runs meanwhile.
            ctypes.PyDLL(None).sleep(HOG_SECONDS)
        if self.habit == "mortal":
            os._exit(3)
        if self.habit == "late":
            time.sleep(max(0.0, budget.seconds_left) + LATE_SECONDS)
        if self.habit == "thoughtful":
            return moves[-1 if self.has_pondered else 0]
        return moves[-1]

    def ponder(self, budget: Budget) -> None:
        if self.habit == "thoughtful":
            self.has_pondered = True
            time.sleep(max(0.0, budget.seconds_left))


def slow_load(text: str, engine: LoadEngine) -> Playable:
    """Rules that take a minute to compile, if they say so."""
    if engine == "auto" and SLOW_TO_COMPILE in text:
        time.sleep(60.0)
    return load_sent(text, "reference")
