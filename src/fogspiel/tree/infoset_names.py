"""What a role did and saw in one step, as text that names it exactly.

Labels of infosets are cut for reading. Where the knowledge of a role must be told apart from all
other, in a file or between programs, it is the list of these records, a step each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
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


def observation_text(machine: Machine, role: RoleId, observation: Observation) -> ObservationText:
    """An observation with the names that the rules give to its move and its percepts."""
    seen = (exact_text(machine.percept_term(role, percept)) for percept in observation.percepts)
    move = exact_text(machine.move_term(role, observation.move))
    return ObservationText(move, tuple(sorted(seen)))


def exact_text(term: GroundTerm) -> str:
    """A term in prefix notation, with names between bars that would not read back as one word."""
    return format_term(_quoted(term))


def _quoted(term: GroundTerm) -> GroundTerm:
    if isinstance(term, str):
        return term if PLAIN_NAME.fullmatch(term) else escape(term, "|")
    return tuple(map(_quoted, term))
