"""Games as players behind a wire are told them: in GDL, whatever they were written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games.convert import Conversion, convert
from fogspiel.rules.languages import language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRules:
    """What is played, and what is sent."""

    sources: tuple[Source, ...]
    """The rules themselves, or their translation: both sides must mean the same game."""
    text: str
    """In prefix form, by our own writer: without comments and what only some readers understand."""
    translation: Conversion | None
    """None for rules that were in GDL already."""


def rules_to_send(
    sources: Sequence[Source], name: str, *, limits: GroundLimits | None = None
) -> SentRules:
    """The rules in GDL, translated if need be. Raises the errors of `convert`."""
    written = convert(sources, "gdl", name=name, limits=limits)
    if language_of(sources[0].text) == "gdl":
        return SentRules(sources=tuple(sources), text=written.text, translation=None)
    source = Source(f"{name}.gdl", written.text)
    return SentRules(sources=(source,), text=written.text, translation=written)
