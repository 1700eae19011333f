"""Estimates of the time that operations of a machine take, since machines do not watch a clock.

`continuations` and `layers` try all joint moves of some states, of which there are tens of
thousands if chance deals whole hands at once. Playouts run to the end of the game, which takes
seconds for half a million gates and a thousand steps.
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

WORDS = 8  #: Number of words of lanes in an evaluation of many states
GATE_SECONDS = 3e-9  #: Time to evaluate a gate in one word; eight words take four times as long
WIDE_COST = 4
GRACE_SECONDS = 0.02  #: Time that playouts may take beyond a limit: most games end much earlier
LITTLE_SECONDS = 1e-3  #: Time that need not be estimated more precisely
LOOKED_AT = 16  #: Number of states in which moves are counted if rules are not compiled


CHUNK, LARGE_CHUNK, LARGE_GATES = 1 << 17, 1 << 13, 5_000
"""Playouts to ask for at a time, in games with few and with many gates: a chunk ends soon, so that
progress can be shown and work be interrupted."""


def chunk_of_playouts(machine: Machine) -> int:
    """The number of playouts to ask for at a time."""
    if not isinstance(machine, CompiledMachine):
        return 1
    return LARGE_CHUNK if machine.network.gate_count > LARGE_GATES else CHUNK


def expansion_seconds(
    machine: Machine, states: States, role: RoleId, percepts: Sequence[PerceptId]
) -> float:
    """Time to try all joint moves of some states that a role's percepts do not exclude, given its
    own move; 0 for other machines than these two, such as wrappers of a compiled one."""
    if isinstance(machine, CompiledMachine):
        return _on_gates(machine, states, role, percepts)
    return _one_by_one(machine, states, role) if machine.engine == "reference" else 0.0


def affordable_steps(machine: Machine, playouts: int, seconds: float) -> int:
    """Most steps of playouts side by side within a time; the default limit without gates."""
    if not isinstance(machine, CompiledMachine):
        return DEFAULT_MAX_STEPS
    cost = GATE_SECONDS * machine.network.slots * (1 if playouts <= LANES else WIDE_COST)
    chunks = -(-playouts // (LANES * WORDS))
    return max(1, min(DEFAULT_MAX_STEPS, int((seconds + GRACE_SECONDS) / (cost * chunks))))


def _on_gates(
    machine: CompiledMachine, states: States, role: RoleId, percepts: Sequence[PerceptId]
) -> float:
    """Time on gates, which try a joint move in the states of all lanes at once."""
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
    """Time of a step from the initial state, and of a role's percepts."""
    state = machine.initial()
    legal = [machine.legal(state, role) for role in map(RoleId, range(len(machine.roles)))]
    if machine.terminal(state) or not all(legal):
        return 0.0
    joint = [moves[0] for moves in legal]
    began = time.process_time()
    machine.percepts(state, joint, RoleId(0))
    machine.step(state, joint)
    return time.process_time() - began
