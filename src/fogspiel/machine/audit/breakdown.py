"""Where rules break down in play: the course of play that leads there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import TypeAlias

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import Machine, State

MAX_JOINTS = 10_000
"""Joint moves tried to find the one after which the rules break down."""

History: TypeAlias = list[tuple[int, ...]]
"""Joint moves from the start on."""


class BrokenPlayError(Exception):
    """The rules broke down, with the course of play that led there where it was found."""

    def __init__(self, finding: Finding, history: History | None) -> None:
        super().__init__(str(finding))
        self.finding = finding
        self.history = history


def breakdown_after(
    machine: Machine, error: PlayError, places: Iterable[tuple[State, History]]
) -> BrokenPlayError:
    """The breakdown that `error` tells of, which is in one of the states or one step after it.

    places: states with the courses of play that lead to them.
    """
    for state, history in places:
        found = _located(machine, state, history)
        if found is not None:
            return found
    return BrokenPlayError(error.findings[0], None)


def _located(machine: Machine, state: State, history: History) -> BrokenPlayError | None:
    try:
        _ask(machine, state)
        choices = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
    except PlayError as error:
        return BrokenPlayError(error.findings[0], history)
    if machine.terminal(state):
        return None
    for joint in islice(product(*choices), MAX_JOINTS):
        try:
            _step(machine, state, joint)
        except PlayError as error:
            return BrokenPlayError(error.findings[0], [*history, tuple(map(int, joint))])
    return None


def _step(machine: Machine, state: State, joint: Sequence[MoveId]) -> None:
    for role in range(len(machine.roles)):
        machine.percepts(state, joint, RoleId(role))
    _ask(machine, machine.step(state, joint))


def _ask(machine: Machine, state: State) -> None:
    """Ask for all that the rules say of a state."""
    if machine.terminal(state):
        machine.goals(state)
    else:
        for role in range(len(machine.roles)):
            machine.legal(state, RoleId(role))
