"""Roles that see every joint move, known from the gates alone.

Rules without `sees` show all moves to everybody. Whoever knew the state then knows the next one,
and nobody has to ask what was seen: of many joint moves that takes longer than to make them.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from fogspiel.core.ids import RoleId
from fogspiel.machine.circuit import StepCircuit
from fogspiel.machine.protocol import Machine

_KNOWN: WeakKeyDictionary[Machine, frozenset[RoleId]] = WeakKeyDictionary()


def roles_seeing_all_moves(machine: Machine) -> frozenset[RoleId]:
    """The roles that see all moves of all others in every step; none where there are no gates.

    It is found out once for a machine.
    """
    if machine not in _KNOWN:
        circuit = machine.circuit()
        roles = () if circuit is None else map(RoleId, range(len(machine.roles)))
        _KNOWN[machine] = frozenset(
            role for role in roles if circuit is not None and _watches(circuit, role)
        )
    return _KNOWN[machine]


def _watches(circuit: StepCircuit, role: RoleId) -> bool:
    """Whether every move of the others is a percept by itself."""
    own = range(circuit.role_starts[role], circuit.role_starts[role + 1])
    moves = (move for move in range(circuit.role_starts[-1]) if move not in own)
    return {2 * (circuit.first_move + move) for move in moves} <= set(
        circuit.percepts[role].tolist()
    )
