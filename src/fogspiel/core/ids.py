"""Integers that must not mix. Inside, everything is an index; terms appear only at the border."""

from __future__ import annotations

from typing import NewType

RoleId = NewType("RoleId", int)
MoveId = NewType("MoveId", int)
"""Index of a move among the moves of one role."""
PerceptId = NewType("PerceptId", int)
"""Index of a percept among the percepts of one role."""
