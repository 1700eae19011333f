"""How long machines take that look at no clock themselves, guessed before anybody waits for them.

`continuations` and `layers` try the joint moves of some states one after the other. Where chance
deals whole hands at once, one state has tens of thousands of them. Playouts go on to the end: of a
game with half a million gates and a thousand steps that takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import prod

import numpy as np

from fogspiel.core.terms import PerceptId, RoleId
from fogspiel.machine.compiled.infoset.continuations import open_moves
from fogspiel.machine.compiled.kernel.evaluate import LANES
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States

WORDS = 8  #: Of lanes, in which states are tried side by side
GATE_SECONDS = 3e-9  #: For one value of one word; eight words take four times as long
WIDE_COST = 4
GRACE_SECONDS = 0.02  #: By which playouts may be late: most games end long before
LITTLE_SECONDS = 1e-3  #: That need not be guessed more exactly
LOOKED_AT = 16  #: States of rules that are not compiled, whose moves are counted for all of them


def expansion_seconds(
    machine: Machine, states: States, role: RoleId, percepts: Sequence[PerceptId]
) -> float:
    """For all joint moves of states in which a role knows its own, but for those that its percepts
    rule out; 0 for machines that are asked for no more than they know already."""
    if isinstance(machine, CompiledMachine):
        return _on_gates(machine, states, role, percepts)
    return _one_by_one(machine, states, role) if machine.engine == "reference" else 0.0


def affordable_steps(machine: Machine, playouts: int, seconds: float) -> int:
    """Of so many playouts side by side, on gates; as many as a playout may ever have elsewhere."""
    if not isinstance(machine, CompiledMachine):
        return DEFAULT_MAX_STEPS
    cost = GATE_SECONDS * machine.network.slots * (1 if playouts <= LANES else WIDE_COST)
    chunks = -(-playouts // (LANES * WORDS))
    return max(1, min(DEFAULT_MAX_STEPS, int((seconds + GRACE_SECONDS) / (cost * chunks))))


def _on_gates(
    machine: CompiledMachine, states: States, role: RoleId, percepts: Sequence[PerceptId]
) -> float:
    """A joint move is tried in all states of the lanes at once."""
    others = [other for other in map(RoleId, range(len(machine.roles))) if other != role]
    cost = GATE_SECONDS * machine.network.slots * (1 if len(states) <= LANES else WIDE_COST)
    chunks = -(-len(states) // (LANES * WORDS))
    bound = prod(machine.move_count(other) for other in others)
    if bound * chunks * cost < LITTLE_SECONDS:
        return bound * chunks * cost
    some, left = states[: LANES * WORDS], open_moves(machine.network, role, percepts)
    tried = prod(
        int((machine.legal_batch(some, other).any(axis=0) & left[other]).sum()) for other in others
    )
    return tried * chunks * cost


def _one_by_one(machine: Machine, states: States, role: RoleId) -> float:
    some = states[:: max(1, len(states) // LOOKED_AT)]
    others = [other for other in map(RoleId, range(len(machine.roles))) if other != role]
    tried = np.prod([machine.legal_batch(some, other).sum(axis=1) for other in others], axis=0)
    return float(np.mean(tried)) * len(states) * _step_seconds(machine)


@once_per_machine
def _step_seconds(machine: Machine) -> float:
    """Seconds for a joint move where play begins, and for what a role sees of it."""
    state = machine.initial()
    legal = [machine.legal(state, role) for role in map(RoleId, range(len(machine.roles)))]
    if machine.terminal(state) or not all(legal):
        return 0.0
    joint = [moves[0] for moves in legal]
    began = time.process_time()
    machine.percepts(state, joint, RoleId(0))
    machine.step(state, joint)
    return time.process_time() - began
