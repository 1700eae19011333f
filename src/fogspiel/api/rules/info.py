"""Facts about a game: its kind, its engine, and the sizes of what the rules came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fogspiel.api.names import Role
from fogspiel.core.findings import Finding
from fogspiel.games.load import GameLanguage
from fogspiel.machine.analysis.features import explore
from fogspiel.machine.analysis.sizes import GameSizes

if TYPE_CHECKING:
    from fogspiel.api.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class GameInfo:
    """What is known of a game without solving it.

    The kind of game was found by random play: True is certain, False means that none was met.

    >>> info = fs.load("kuhn_poker").info()
    >>> info.hidden_information, info.simultaneous
    (True, False)
    """

    name: str  #: The bundled name, or that of the file
    title: str | None  #: The title of a bundled game
    language: GameLanguage  #: `gdl`, `pogddl`, `efg` or `python`
    engine: str  #: `compiled` or `reference`
    fallback: Finding | None
    """Why the reference reasoner plays, though the compiled machine was wanted."""
    roles: tuple[Role, ...]  #: All roles in the order of the rules, chance included
    chance: Role | None  #: The role of chance, if there is one
    simultaneous: bool  #: Whether several players have a choice in some step
    has_chance: bool  #: Whether chance has a choice in some step
    hidden_information: bool  #: Whether a player cannot tell what happened in some step
    has_percepts: bool
    """Whether the rules say what players see. Otherwise every role sees all moves."""
    explored_steps: int  #: Steps of random play that were looked at
    sizes: GameSizes | None  #: Sizes of a compiled game
    findings: tuple[Finding, ...]  #: Warnings and notes about the rules
    read_seconds: float  #: Time that reading and checking took


def info_of(game: Game) -> GameInfo:
    """Explore a game by random play; `Game.info` says more."""
    loaded = game.loaded
    kind = explore(game.machine, hides=loaded.hides)
    return GameInfo(
        name=game.name,
        title=loaded.entry.title if loaded.entry else None,
        language=loaded.language,
        engine=game.machine.engine,
        fallback=game.fallback,
        roles=game.roles,
        chance=game.chance,
        simultaneous=kind.simultaneous,
        has_chance=kind.chance,
        hidden_information=kind.hidden_information,
        has_percepts=game.has_percepts,
        explored_steps=kind.explored_steps,
        sizes=game.sizes,
        findings=game.findings,
        read_seconds=loaded.read_seconds,
    )
