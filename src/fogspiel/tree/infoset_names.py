"""What a role did and saw in one step, as text that names it exactly.

Labels of infosets are cut for reading. Where the knowledge of a role must be told apart from all
other, in a file or between programs, it is the list of these records, a step each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.protocol import Machine
from fogspiel.rules.sexpr import escape

PLAIN_NAME = re.compile(r"(?!\?)[^\s();|\\]+")
"""What reads back as the same name; with a question mark before it, it would be a variable."""


@dataclass(frozen=True, slots=True)
class ObservationText:
    """One step, as a role lived through it. Terms are in prefix notation."""

    move: str
    """What it did, also where it had no choice."""
    percepts: tuple[str, ...]
    """All that it saw, sorted."""


def sight_of(
    machine: Machine, role: RoleId, move: MoveId, percepts: Iterable[PerceptId]
) -> ObservationText:
    """The record of a step that a machine gives in numbers."""
    seen = (exact_text(machine.percept_term(role, percept)) for percept in percepts)
    return ObservationText(exact_text(machine.move_term(role, move)), tuple(sorted(seen)))


def exact_text(term: GroundTerm) -> str:
    """A term in prefix notation, with names between bars that would not read back as one word."""
    return format_term(_quoted(term))


def _quoted(term: GroundTerm) -> GroundTerm:
    if isinstance(term, str):
        return term if PLAIN_NAME.fullmatch(term) else escape(term, "|")
    return tuple(map(_quoted, term))
