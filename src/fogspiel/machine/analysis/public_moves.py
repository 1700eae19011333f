"""Roles that see every joint move, known from the gates alone.

Rules without `sees` show all moves to everybody. Whoever knew the state then knows the next one,
and nobody has to ask what was seen: of many joint moves that takes longer than to make them.
"""

from __future__ import annotations

from fogspiel.core.ids import RoleId
from fogspiel.machine.circuit import StepCircuit
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine


@once_per_machine
def roles_seeing_all_moves(machine: Machine) -> frozenset[RoleId]:
    """The roles that see all moves of all others in every step; none where there are no gates."""
    circuit = machine.circuit()
    if circuit is None:
        return frozenset()
    return frozenset(
        role for role in map(RoleId, range(len(machine.roles))) if _watches(circuit, role)
    )


def _watches(circuit: StepCircuit, role: RoleId) -> bool:
    """Whether every move of the others is a percept by itself."""
    own = range(circuit.role_starts[role], circuit.role_starts[role + 1])
    moves = (move for move in range(circuit.role_starts[-1]) if move not in own)
    return {2 * (circuit.first_move + move) for move in moves} <= set(
        circuit.percepts[role].tolist()
    )
