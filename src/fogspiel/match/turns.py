"""A match as a loop of turns: every role chooses, chance draws, and each is told what it saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, State
from fogspiel.player.protocol import Player, Seat
from fogspiel.search.budget import Budget

MakeBudget = Callable[[], Budget]
"""A fresh budget for a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What happened."""

    joints: tuple[tuple[MoveId, ...], ...]
    goals: tuple[int, ...]
    """Of every role, by the scale of the machine."""


def play_match(
    machine: Machine,
    players: Mapping[RoleId, Player],
    *,
    start_budget: MakeBudget,
    turn_budget: MakeBudget,
    seed: int,
    max_steps: int = DEFAULT_MAX_STEPS,
) -> Match:
    """Let players play one match; chance draws by the seed.

    Raises `PlayError` MAT001 for a move that is not legal, MAT002 for a match without end, and
    DYN002 where the rules leave a role without a move.
    """
    rng = np.random.default_rng([seed, len(machine.roles)])
    for role, player in players.items():
        player.start(Seat(machine, role, seed + int(role)), start_budget())
    state, joints = machine.initial(), list[tuple[MoveId, ...]]()
    while not machine.terminal(state):
        if len(joints) >= max_steps:
            raise PlayError(_endless(max_steps))
        joint = _joint_move(machine, state, players, turn_budget, rng)
        for role, player in players.items():
            player.observe(joint[role], machine.percepts(state, joint, role))
        state = machine.step(state, joint)
        joints.append(joint)
    for player in players.values():
        player.stop()
    return Match(joints=tuple(joints), goals=machine.goals(state))


def _joint_move(
    machine: Machine,
    state: State,
    players: Mapping[RoleId, Player],
    turn_budget: MakeBudget,
    rng: np.random.Generator,
) -> tuple[MoveId, ...]:
    joint: list[MoveId] = []
    for role in map(RoleId, range(len(machine.roles))):
        legal = machine.legal(state, role)
        if not legal:
            raise PlayError(_stuck(machine.roles[role]))
        if role == machine.chance_role:
            weights = machine.chance_weights(state)
            joint.append(legal[int(rng.choice(len(legal), p=weights / weights.sum()))])
            continue
        move = players[role].choose(turn_budget())
        if move not in legal:
            raise PlayError(_illegal(machine.roles[role], len(legal)))
        joint.append(move)
    return tuple(joint)


def roles_to_play(machine: Machine) -> Sequence[RoleId]:
    """All roles but chance."""
    return [RoleId(role) for role in range(len(machine.roles)) if role != machine.chance_role]


def _illegal(role: str, legal: int) -> Finding:
    return Finding(
        code="MAT001",
        message=f"the player of {role} chose a move that is not among its {legal} legal ones",
        fix="this is a fault of the player; let another one play the role",
    )


def _stuck(role: str) -> Finding:
    return Finding(
        code="DYN002",
        message=f"the match cannot go on: {role} has no legal move",
        fix="give every role a move in every state that is not terminal, such as `noop`",
    )


def _endless(max_steps: int) -> Finding:
    return Finding(
        code="MAT002",
        message=f"the match was not over after {max_steps:,} steps",
        fix="let the rules count steps and end the game",
    )
