"""The players that solve, by name: whole games, or what lies ahead."""

from __future__ import annotations

from pathlib import Path

from fogspiel.core.findings import Finding, UsageError
from fogspiel.player.following import BookPlayer, Computed, Saved
from fogspiel.player.kind import Kind
from fogspiel.player.protocol import Player
from fogspiel.player.searching import Setup, ucb
from fogspiel.player.solutions import equilibrium, restricted_response

CONFIDENCE = 0.9
FALLBACK = Setup(scope="knowledge", rule=ucb(0.4), advice="visits")
"""What plays where nothing can be solved: `ismcts`."""


def solved(path: str | None = None) -> Player:
    """Follows an equilibrium, computed or from a file."""
    source = Computed("equilibrium", equilibrium) if path is None else Saved(Path(path))
    return BookPlayer(source, FALLBACK)


def exploit(confidence: str = str(CONFIDENCE)) -> Player:
    """Follows a response to even play. Raises `UsageError` PLY021 for no probability."""
    try:
        share = float(confidence)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise UsageError(_unusable("exploit", confidence, "a probability, e.g. 0.9"))
    return BookPlayer(Computed(f"response {share}", restricted_response(share)), FALLBACK)


def _unusable(name: str, argument: str, wanted: str) -> Finding:
    return Finding(
        code="PLY021",
        message=f"the player {name} cannot use {argument!r}",
        fix=f"give {wanted}",
    )


SOLVING_KINDS = (
    Kind(
        name="solved",
        what="draws from an equilibrium of the whole game",
        source="solve: a method that fits the game; Koller, Megiddo & von Stengel (1996)",
        fits="games whose tree fits in memory and clock; elsewhere it plays as ismcts",
        make=solved,
        argument="a file that `fogspiel solve --save` wrote",
        make_with=solved,
    ),
    Kind(
        name="exploit",
        what="a restricted Nash response to opponents that choose evenly",
        source="Johanson, Zinkevich & Bowling (2007); Shafiei (2010), section 5.4",
        fits="weak opponents in games whose tree fits; elsewhere it plays as ismcts",
        make=exploit,
        argument=f"how probable the model is, from 0 to 1; {CONFIDENCE} if not given",
        make_with=exploit,
    ),
)
