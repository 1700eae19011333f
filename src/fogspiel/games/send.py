"""Games as players behind an address get them: in GDL, whatever the rules were written in.

Both sides play by the text that is sent, so that both mean the same game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.core.values import AS_THE_RULES_COUNT, Unit
from fogspiel.games.convert import Conversion, convert
from fogspiel.games.library import GameEntry, no_text
from fogspiel.games.load import LoadedGame, load_sources
from fogspiel.games.making import EngineChoice, sound_rules
from fogspiel.play.ggp.manage.seats import ManagedGame
from fogspiel.play.ggp.serve.observations import Playable
from fogspiel.play.tournament.plan import GameRules
from fogspiel.rules.languages import language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRules:
    """Rules that are played, and their text that is sent."""

    sources: tuple[Source, ...]
    """The rules themselves, or their translation: both sides must mean the same game."""
    text: str  #: GDL in prefix form, without comments and what only some readers understand
    translation: Conversion | None  #: The translation; None for rules that were in GDL already


def rules_to_send(
    sources: Sequence[Source], name: str, *, limits: GroundLimits | None = None
) -> SentRules:
    """The rules in GDL, translated if need be. Raises the errors of `convert`."""
    written = convert(sources, "gdl", name=name, limits=limits)
    if language_of(sources[0].text) == "gdl":
        return SentRules(sources=tuple(sources), text=written.text, translation=None)
    source = Source(f"{name}.gdl", written.text)
    return SentRules(sources=(source,), text=written.text, translation=written)


def sendable_rules(rules: GameRules) -> GameRules:
    """The game of a tournament in GDL, with the text to be sent. Raises the errors of `convert`."""
    if rules.python is not None:
        raise no_text(rules.name)
    sent = rules_to_send(rules.sources, rules.name)
    program = sound_rules(sent.sources)[0].program
    # A translation may name roles otherwise, where GDL cannot write the names.
    roles = tuple(role for role in program.roles if role != program.chance_role)
    hides = program.has_percepts
    return replace(rules, sources=sent.sources, roles=roles, hides=hides, gdl=sent.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedGame:
    """A game that a manager can let others play."""

    game: LoadedGame  #: The game that is played; its rules may be a translation
    managed: ManagedGame
    unit: Unit | None  #: The unit of its payoffs; None where goals are payoffs themselves
    is_translated: bool  #: Whether the rules were in another language than GDL


def stage(
    sources: Sequence[Source],
    name: str,
    *,
    engine: EngineChoice = "auto",
    limits: GroundLimits | None = None,
    entry: GameEntry | None = None,
) -> StagedGame:
    """The game of some rules, ready to be managed.

    name: of a translation. Raises what loading rules raises, and the errors of `convert`.
    """
    sent = rules_to_send(sources, name, limits=limits)
    translation, own_entry = sent.translation, entry if sent.translation is None else None
    game = load_sources(sent.sources, engine=engine, limits=limits, entry=own_entry)
    unit = game.unit
    if translation is not None:
        unit = Unit(AS_THE_RULES_COUNT, translation.offset, translation.scale)
    managed = ManagedGame(
        name=entry.name if entry else game.name,
        rules=sent.text,
        machine=game.machine,
        hides=game.hides,
    )
    return StagedGame(game=game, managed=managed, unit=unit, is_translated=translation is not None)


def load_sent(text: str, engine: EngineChoice) -> Playable:
    """A game from rules that somebody sent. The limits are those for strangers."""
    game = load_sources([Source("rules", text)], engine=engine)
    return Playable(machine=game.machine, has_percepts=game.hides)
