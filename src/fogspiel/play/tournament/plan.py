"""The plan of a tournament: who plays what, how often and by which clock.

The plan with the rules of its games is one text, the same wherever and whenever it is made: by it a
journal knows whether it belongs to a plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fogspiel.core.source import Source
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks, PlayerLimits

FAULT_RULES = ("replace", "loss")  #: Rules for faults; the first is the usual one
USUAL_LIMITS = PlayerLimits()
DEFAULT_FORMAT = "round-robin"
DEFAULT_MATCH_SECONDS = 86_400.0
"""Seconds after which a match is given up: a day, since a player may hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPlan:
    """A participant: a player of this program, or one behind an address."""

    name: str  #: The name under which it enters
    player: str | None = None  #: The name by which it is made, such as `uct`
    simulations: int | None = None  #: Simulations for a move, instead of those of the clock
    url: str | None = None  #: The address of a player that is reached over HTTP
    dialect: str | None = None  #: The dialect that the address speaks; found out if not given
    code: str | None = None  #: The SHA-256 of the file of a player of one's own


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan:
    """A tournament as its file describes it.

    Journals know their plan by a hash of these fields: none may be renamed, and a new one must be
    left out of `canonical_text` where it is not used.
    """

    name: str  #: The name of the tournament
    seed: int  #: The seed of everything that is left to chance
    games: tuple[str, ...]  #: Bundled names, members of families, or files
    players: tuple[PlayerPlan, ...]  #: The participants
    clock: MatchClocks  #: The clocks of all matches
    repetitions: int  #: The number of times that everybody meets
    format: str = DEFAULT_FORMAT  #: `round-robin` or `swiss`
    keep_records: bool = False  #: Whether the journal holds every move too
    match_seconds: float = DEFAULT_MATCH_SECONDS  #: Time after which a match is given up
    options: Mapping[str, int] = field(default_factory=dict)  #: Numbers that the format asks for
    limits: PlayerLimits = USUAL_LIMITS  #: Limits on players of one's own, beside the clock
    faults: str = FAULT_RULES[0]
    """The rule for faults: `replace` them by random moves and count the goals, or a `loss`."""

    @property
    def urls(self) -> dict[str, str]:
        """The addresses of players by name; those of this program have none."""
        return {player.name: player.url for player in self.players if player.url is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """A game of a plan. Workers get its text: files may change, or be on another machine."""

    name: str  #: The name in the plan
    sources: tuple[Source, ...] = field(repr=False)
    roles: tuple[str, ...]  #: All roles but chance
    hides: bool = False
    """Whether the rules say what each role sees; otherwise all see the joint move."""
    gdl: str | None = field(default=None, repr=False)
    """The text that players behind an address are sent, if the plan has any."""
    python: object = field(default=None, repr=False, compare=False)
    """The object of a game in Python, which processes make anew by the name of its class."""


ReadRules = Callable[[str, Path], GameRules]
"""Reads a game by its name in the plan, from the folder that files are meant from."""
SendableRules = Callable[[GameRules], GameRules]
"""Translates a game to GDL, with the text to be sent."""
LoadRules = Callable[[GameRules], Machine]
"""Makes the machine of a game. A function of a module, since it also runs in other processes."""


def canonical_text(plan: TournamentPlan, games: Sequence[GameRules]) -> str:
    """Everything that results depend on, as JSON."""
    rules = {
        game.name: {"roles": game.roles, "texts": [source.text for source in game.sources]}
        for game in games
    }
    document = asdict(plan)
    if not plan.options:
        del document["options"]
    if plan.limits == USUAL_LIMITS:
        del document["limits"]
    if plan.faults == FAULT_RULES[0]:
        del document["faults"]
    for player in document["players"]:
        if player["code"] is None:
            del player["code"]
    return json.dumps({"plan": document, "rules": rules}, sort_keys=True, ensure_ascii=False)


def plan_of_canonical(text: str) -> tuple[TournamentPlan, list[GameRules]]:
    """The plan that a canonical text was made of, and its games."""
    document: dict[str, Any] = json.loads(text)
    plan, rules = document["plan"], document["rules"]
    plan["players"] = tuple(PlayerPlan(**player) for player in plan["players"])
    plan["clock"], plan["games"] = MatchClocks(**plan["clock"]), tuple(plan["games"])
    plan["limits"] = PlayerLimits(**plan.get("limits", {}))
    return TournamentPlan(**plan), [_game_of(name, rules[name]) for name in plan["games"]]


def _game_of(name: str, rules: Mapping[str, Any]) -> GameRules:
    sources = tuple(Source(name, text) for text in rules["texts"])
    return GameRules(name=name, sources=sources, roles=tuple(rules["roles"]))
