"""Players that do not think: to measure others against, to test with, and to replay."""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.ids import MoveId
from fogspiel.core.terms import format_term
from fogspiel.player.mixing import Mixer, evenly
from fogspiel.player.protocol import Shares
from fogspiel.player.tracking import Tracking
from fogspiel.search.budget import Budget


class RandomPlayer(Mixer):
    """Any legal move, all as probable."""

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) one over their number."""
        return evenly(len(self.legal_moves(budget)))


class FirstPlayer(Tracking):
    """Always the first legal move, in the order of the rules."""

    def choose(self, budget: Budget) -> MoveId:
        """The first legal move."""
        return self.legal_moves(budget)[0]


class ScriptedPlayer(Tracking):
    """Moves that were written down before, one a step."""

    def __init__(self, script: Sequence[str]) -> None:
        """script: moves as terms, those without a choice included."""
        self._script = script

    def choose(self, budget: Budget) -> MoveId:
        """The next move of the script. Raises `PlayError` PLY001 if it has none that is legal."""
        step = len(self.sightings)
        legal = {
            format_term(self.machine.move_term(self.role, move)): move
            for move in self.legal_moves()
        }
        wanted = self._script[step] if step < len(self._script) else None
        if wanted not in legal:
            raise PlayError(_off_script(step + 1, wanted, sorted(legal)))
        return legal[wanted]


def _off_script(step: int, wanted: str | None, legal: Sequence[str]) -> Finding:
    found = "the script is over" if wanted is None else f"{wanted} is not legal"
    return Finding(
        code="PLY001",
        message=f"in step {step}, {found}",
        fix=f"write one of: {', '.join(legal[:8])}",
    )
