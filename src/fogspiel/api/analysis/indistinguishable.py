"""Moves of others that a player could not have told apart in the last step of a history.

All joint moves that keep the player's own move are tried in the state before the step, at once;
those that give the player the same percepts look the same from where it sits.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.api.names import Move, Role
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import MoveId

if TYPE_CHECKING:
    from fogspiel.api.history import History

MAX_JOINTS = 2_000  #: Joint moves that are compared; where there are more, nothing is said


def indistinguishable_moves(
    history: History, role: Role, max_joints: int = MAX_JOINTS
) -> dict[str, tuple[Move, ...]]:
    """Compare the last step of a history with all others that could have been.

    role: a player, who knows its own move.
    max_joints: joint moves that are compared; where there are more, nothing is found.
    Returns: for each other role with several moves that the player could not tell apart, these
    moves, sorted by their text.
    Raises `UsageError` API004 for the empty history.
    """
    if history.before is None:
        raise UsageError.of(
            "API004",
            "nothing has happened yet, so that there is no step to tell from others",
            fix="play first: `game.begin().play(...)`",
        )
    game, joint, state = history.game, history.joint_ids, history.before.state.bits
    machine = game.machine
    # The player knows its own move.
    choices = [
        (joint[other.id],) if other is role else machine.legal(state, other.id)
        for other in game.roles
    ]
    if prod(map(len, choices)) > max_joints:
        return {}
    joints = np.array(np.meshgrid(*choices, indexing="ij"), np.int32).reshape(len(choices), -1).T
    seen = machine.percepts_batch(np.repeat(state[None, :], len(joints), axis=0), joints, role.id)
    actual = seen[(joints == np.array(joint)).all(axis=1)][0]
    same = joints[(seen == actual).all(axis=1)]
    found = {
        other: [MoveId(move) for move in np.unique(same[:, other.id]).tolist()]
        for other in game.roles
        if other is not role
    }
    return {
        other: tuple(sorted(game.vocabulary.moves(other.id, moves)))
        for other, moves in found.items()
        if len(moves) > 1
    }
