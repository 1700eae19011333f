"""The plan of a tournament: who plays what, how often and by which clock.

The plan with the rules of its games is one text, the same wherever and whenever it is made: by it a
journal knows whether it belongs to a plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from fogspiel.core.source import Source
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks

Format: TypeAlias = Literal["round-robin"]

DEFAULT_MATCH_SECONDS = 86_400.0
"""After which a match is given up: a day, since a player may hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPlan:
    """Who takes part: a player of this program, or one behind an address."""

    name: str
    player: str | None = None
    """The name by which it is made, such as `uct`."""
    simulations: int | None = None
    """Instead of those of the clock."""
    url: str | None = None
    dialect: str | None = None
    """Of the protocol that the address speaks; found out if not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan:
    """A tournament as its file describes it."""

    name: str
    seed: int
    games: tuple[str, ...]
    """Bundled names, members of families, or files."""
    players: tuple[PlayerPlan, ...]
    clock: MatchClocks
    repetitions: int
    format: Format = "round-robin"
    keep_records: bool = False
    """Whether the journal holds every move too."""
    match_seconds: float = DEFAULT_MATCH_SECONDS

    @property
    def urls(self) -> dict[str, str]:
        """Where players are, by name, those of this program left out."""
        return {player.name: player.url for player in self.players if player.url is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """A game of a plan. Workers get its text: files may change, or be on another machine."""

    name: str
    """As the plan says it."""
    sources: tuple[Source, ...] = field(repr=False)
    roles: tuple[str, ...]
    """Chance left out."""
    hides: bool = False
    """Whether the rules say what each role sees; without, all see the joint move."""
    gdl: str | None = field(default=None, repr=False)
    """The text that players behind an address are sent, if the plan has any."""


ReadRules = Callable[[str, Path], GameRules]
"""From a game as the plan names it, and the folder that files are meant from."""
SendableRules = Callable[[GameRules], GameRules]
"""The same game in GDL, with the text to be sent."""
LoadRules = Callable[[GameRules], Machine]
"""Takes a while. A function of a module, since it also runs in other processes."""


def canonical_text(plan: TournamentPlan, games: Sequence[GameRules]) -> str:
    """All that results depend on, as JSON."""
    rules = {
        game.name: {"roles": game.roles, "texts": [source.text for source in game.sources]}
        for game in games
    }
    return json.dumps({"plan": asdict(plan), "rules": rules}, sort_keys=True, ensure_ascii=False)
