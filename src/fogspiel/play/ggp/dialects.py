"""The three ways in which a player is told of a step: what a manager says in each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import Told


class ProtocolDialect(StrEnum):
    """How PLAY and STOP tell of the last step."""

    GDL1 = "gdl1"
    """`(PLAY id (m1 m2))`: the joint move, which all may see."""
    GDL2 = "gdl2"
    """`(PLAY id TURN LASTMOVE PERCEPTS)`: the player's own move, and what it saw."""
    GDL2_OLD = "gdl2_old"
    """`(PLAY id (p1 p2))`: what the player saw. It must remember what it answered."""


def nothing_told(dialect: ProtocolDialect) -> Told:
    """Before the first step."""
    return Told(turn=0) if dialect is ProtocolDialect.GDL2 else Told()


def told_of_step(
    dialect: ProtocolDialect,
    *,
    turn: int,
    joint: Sequence[GroundTerm],
    own: GroundTerm,
    percepts: Sequence[GroundTerm],
) -> Told:
    """What a player is told of a step. In GDL-II nothing here comes from the joint move.

    turn: steps so far, this one included.
    joint: in the order of roles. own: the move that counted as the player's.
    """
    if dialect is ProtocolDialect.GDL1:
        return Told(terms=tuple(joint))
    if dialect is ProtocolDialect.GDL2:
        return Told(turn=turn, move=own, terms=tuple(percepts))
    return Told(terms=tuple(percepts))
