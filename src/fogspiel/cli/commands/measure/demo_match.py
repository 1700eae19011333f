"""One random match, told from all sides: what each role did, saw, and could not tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.terms import format_term
from fogspiel.machine.protocol import Machine, State

MAX_STEPS = 40
MAX_JOINTS = 2_000
"""Joint moves that are compared to say what a role could not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSide:
    """One role's side of a step."""

    role: str
    move: str
    sees: tuple[str, ...]
    possible: dict[str, tuple[str, ...]]
    """Of the other roles, the moves that look the same from here, where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoMatch:
    """A match that was played at random."""

    steps: tuple[tuple[RoleSide, ...], ...]
    goals: dict[str, int]
    ended: bool


def random_match(machine: Machine, seed: int) -> DemoMatch:
    """Play once, every role at random."""
    rng = np.random.default_rng(seed)
    state = machine.initial()
    steps: list[tuple[RoleSide, ...]] = []
    while not machine.terminal(state) and len(steps) < MAX_STEPS:
        choices = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        if not all(choices):
            break
        joint = tuple(moves[rng.integers(len(moves))] for moves in choices)
        steps.append(_views(machine, state, choices, joint))
        state = machine.step(state, joint)
    goals = dict(zip(machine.roles, machine.goals(state), strict=True))
    if machine.chance_role is not None:
        del goals[machine.roles[machine.chance_role]]
    return DemoMatch(steps=tuple(steps), goals=goals, ended=machine.terminal(state))


def _views(
    machine: Machine,
    state: State,
    choices: list[tuple[MoveId, ...]],
    joint: tuple[MoveId, ...],
) -> tuple[RoleSide, ...]:
    """The step from every side. Chance sees nothing that matters to it."""
    return tuple(
        RoleSide(
            role=name,
            move=_move(machine, role, joint[role]),
            sees=_seen(machine, state, joint, RoleId(role)),
            possible=_possible(machine, state, choices, joint, RoleId(role)),
        )
        for role, name in enumerate(machine.roles)
    )


def _seen(
    machine: Machine, state: State, joint: tuple[MoveId, ...], role: RoleId
) -> tuple[str, ...]:
    percepts = machine.percepts(state, joint, role)
    return tuple(sorted(format_term(machine.percept_term(role, p)) for p in percepts))


def _possible(
    machine: Machine,
    state: State,
    choices: list[tuple[MoveId, ...]],
    joint: tuple[MoveId, ...],
    role: RoleId,
) -> dict[str, tuple[str, ...]]:
    """Which moves of the others would have looked the same to the role in this state."""
    others = [(joint[r],) if r == role else moves for r, moves in enumerate(choices)]
    if role == machine.chance_role or np.prod([len(moves) for moves in others]) > MAX_JOINTS:
        return {}
    grid = np.array(np.meshgrid(*others, indexing="ij"), np.int32).reshape(len(others), -1).T
    seen = machine.percepts_batch(np.repeat(state[None, :], len(grid), axis=0), grid, role)
    actual = seen[(grid == np.array(joint)).all(axis=1)][0]
    same = grid[(seen == actual).all(axis=1)]
    possible = {}
    for other, name in enumerate(machine.roles):
        moves = sorted(_move(machine, other, move) for move in np.unique(same[:, other]))
        if other != role and len(moves) > 1:
            possible[name] = tuple(moves)
    return possible


def _move(machine: Machine, role: int, move: int) -> str:
    return format_term(machine.move_term(RoleId(role), MoveId(int(move))))
