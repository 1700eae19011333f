"""`auto`: looks at the game first, then lets the player play that fits it.

What decides is the kind of the game (`player/nature`), how large its tree is beside the clock, and
what the round robin of all players showed to be best for that kind (docs/studies.md).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fogspiel.core.ids import MoveId, PerceptId
from fogspiel.player.following import BookPlayer, Computed
from fogspiel.player.nature import Nature, nature_of
from fogspiel.player.norns import NornsBeliefPlayer
from fogspiel.player.protocol import Player, Seat
from fogspiel.player.searching import Setup, ucb
from fogspiel.player.solutions import equilibrium, restricted_response
from fogspiel.player.solving_kinds import FALLBACK, cfr, sm_lp
from fogspiel.player.state_searching import StateSearchPlayer
from fogspiel.search.budget import Budget

CONFIDENCE = 0.1
"""That an opponent chooses evenly: a response to it loses next to nothing against others, and wins
more against those who err."""
UCT_CONSTANT = 0.4

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """Who is to play, and why."""

    make: Callable[[], Player]
    why: str


def choice_for(nature: Nature) -> Choice:
    """The player that fits a game."""
    if nature.kind == "alone":
        return Choice(NornsBeliefPlayer, "one player: beliefs and what questions tell about them")
    if nature.kind == "turns":
        return Choice(_uct, "nothing is hidden and one moves at a time: a tree of states")
    if nature.players > 2 or not nature.constant_sum:
        if nature.kind == "open":
            return Choice(cfr, "moves at once and no constant sum of two: regrets in states")
        return Choice(_solved, "hidden, without a constant sum of two: an equilibrium")
    if nature.kind == "open":
        return Choice(sm_lp, "moves at once, constant sum of two: matrix games of states")
    return Choice(
        _safe_response,
        "hidden, constant sum of two: a safe response, solved while the tree fits",
    )


class AutoPlayer:
    """Hands everything on to the player that it chose."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Look at the game, choose, and let the chosen player get ready."""
        self.choice = choice_for(nature_of(seat.machine, budget))
        _log.info("%s: %s", seat.machine.roles[seat.role], self.choice.why)
        self._player = self.choice.make()
        self._player.start(seat, budget)

    def choose(self, budget: Budget) -> MoveId:
        """What the chosen player chooses."""
        return self._player.choose(budget)

    def observe(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """Tell the chosen player."""
        self._player.observe(move, percepts)

    def stop(self) -> None:
        """Tell the chosen player."""
        self._player.stop()


def _uct() -> Player:
    return StateSearchPlayer(Setup(scope="state", rule=ucb(UCT_CONSTANT), advice="visits"))


def _solved() -> Player:
    return BookPlayer(Computed("equilibrium", equilibrium), FALLBACK)


def _safe_response() -> Player:
    solver = restricted_response(CONFIDENCE)
    return BookPlayer(Computed(f"response {CONFIDENCE}", solver), FALLBACK)
