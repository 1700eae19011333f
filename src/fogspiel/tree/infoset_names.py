"""Names of information sets: exact ones for programs, and short ones for people.

What a role did and saw, step by step, names its information set. A list of `ObservationText`, one
for each step, is exact: it tells the set apart from all others, in a file or between programs. A
label is for reading: the same without moves that were forced, cut to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fogspiel.core.terms import GroundTerm, Observation, RoleId, format_term
from fogspiel.machine.protocol import Machine
from fogspiel.rules.sexpr import escape

PLAIN_NAME = re.compile(r"(?!\?)[^\s();|\\]+")
"""What reads back as the same name; with a question mark before it, it would be a variable."""
LABEL_LENGTH = 80  #: Longer labels are cut at their start: the last observations tell the most


@dataclass(frozen=True, slots=True)
class ObservationText:
    """What a role did and saw in one step. Terms are in prefix notation."""

    move: str  #: The role's own move, also where it had no choice
    percepts: tuple[str, ...]  #: All percepts of the step, sorted


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


def observation_label(
    machine: Machine, role: RoleId, observation: Observation, *, is_forced: bool
) -> str:
    """The part of a label for one step: the move, if it was not forced, and the percepts.

    That the role observes its own move is not said twice.
    """
    own = machine.move_term(role, observation.move)
    seen = (machine.percept_term(role, percept) for percept in observation.percepts)
    told = ("does", machine.roles[role], own)
    terms = [*([] if is_forced else [own]), *(term for term in seen if term != told)]
    return " ".join(map(format_term, terms))


def infoset_label(backwards: Iterable[str]) -> str:
    """A label from the parts of its steps, the last step first, with semicolons between them."""
    parts: list[str] = []
    length = 0
    for part in backwards:
        if part:
            parts.append(part)
            length += len(part) + 2
        if length > LABEL_LENGTH:
            break
    label = "; ".join(reversed(parts))
    return label if len(label) <= LABEL_LENGTH else "…" + label[1 - LABEL_LENGTH :]


def distinct_labels(labels: Iterable[str]) -> Iterator[str]:
    """Labels of one role's information sets with a number at those that came before."""
    uses: Counter[str] = Counter()
    for label in labels:
        uses[label] += 1
        yield label if uses[label] == 1 else f"{label} #{uses[label]}"
