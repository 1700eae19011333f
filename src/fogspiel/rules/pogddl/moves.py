"""Moves of roles that are not to move: in POGDDL one role acts, in the machine all roles move."""

from __future__ import annotations

from fogspiel.rules.pogddl.syntax import Domain

IDLE = "noop"


def idle_move(domain: Domain) -> str:
    """The move of a role whose turn it is not: `noop`, or the first of `noop-1`, … that is free.

    Only an action without parameters looks like it; one with parameters is a longer term.
    """
    taken = {action.name.text for action in domain.actions if not action.parameters}
    name, number = IDLE, 0
    while name in taken:
        number += 1
        name = f"{IDLE}-{number}"
    return name
