"""What is looked at before and after kernels run: they trust every number that they are given."""

from __future__ import annotations

import numpy as np

from fogspiel.core.findings import PlayError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.ground.arithmetic.registers import is_fault
from fogspiel.machine.compiled.compile.findings import unknown_name
from fogspiel.machine.compiled.compile.network import GateNetwork
from fogspiel.machine.compiled.compile.registers import Values
from fogspiel.machine.compiled.kernel.lanes import pack_bits
from fogspiel.machine.compiled.run.batch import first_unknown
from fogspiel.machine.protocol import Joints, States


class Guards:
    """Refuses moves that there are not, and states in which numbers went wrong."""

    def __init__(self, roles: tuple[str, ...], network: GateNetwork, numbers: Values) -> None:
        self._roles, self._network, self._numbers = roles, network, numbers
        self._counts = np.diff(network.wiring.role_starts).astype(np.int64)
        faults = np.array([is_fault(fluent) for fluent in network.fluents], np.bool_)
        self._faults = pack_bits(faults) if faults.any() else None

    def check_joints(self, states: States, joints: Joints) -> None:
        """Numbers of moves that are out of range would be read from other slots."""
        if joints.shape != (len(states), len(self._roles)):
            raise ValueError(
                f"a joint move has one move of each of the {len(self._roles)} roles; "
                f"got {joints.shape} for {len(states)} states"
            )
        row, role = first_unknown(np.ascontiguousarray(joints, np.int32), self._counts)
        if row >= 0:
            self._refuse(role, joints[row][role])

    def check_move(self, role: RoleId, move: MoveId) -> None:
        """The same of a single move."""
        if not 0 <= move < self._counts[role]:
            self._refuse(role, move)

    def _refuse(self, role: int, move: int) -> None:
        raise unknown_name("MCH002", f"move of {self._roles[role]}", f"number {move}")

    def check_faults(self, states: States) -> None:
        """Some number in the states may not fit its register."""
        if self._faults is not None:
            faulty = np.flatnonzero((states & self._faults).any(axis=1))
            if len(faulty):
                bits = (states[faulty[0]] & self._faults).view(np.uint8)
                first = np.flatnonzero(np.unpackbits(bits, bitorder="little"))[0]
                raise PlayError(self._numbers.fault(self._network.fluents[first]))
