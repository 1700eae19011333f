"""Values of some literals of a circuit: their truth in a state, and their degree of truth.

Fuzzy logic on the gates of goals tells how close a state is to goals that it does not reach.

Source: Schiffel & Thielscher (2007), "Fluxplayer: a successful general game player". A fluent that
holds has the value p, any other 1 - p. A conjunction is a t-norm of Yager's family; a threshold
keeps true conjunctions above one half, however many conjuncts they have. A goal that holds counts
more in terminal states, one that does not counts more while the game goes on.
Departures: the formula is that of the gates, which share and regroup parts of the rules. Goals are
weighted by their difference from the least goal of the role, gains by their amount. Recursive
relations are iterated from false until they hardly change. Orders and distances on boards are not
recognised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine, States, StepCircuit


class Cone(NamedTuple):
    """The gates that some literals depend on, in the order of evaluation."""

    fluents: int
    first_gate: int  #: Node of gate 0
    starts: NDArray[np.int64]
    inputs: NDArray[np.int64]  #: Literals that gates read, as in the circuit
    order: NDArray[np.int64]  #: Gates, with -1 - k before the gates of loop k
    loops: NDArray[np.int64]
    """(loops, 3) number of the loop's gates, which follow; its first variable, and the variable
    after its last."""
    variables: NDArray[np.int64]  #: Nodes of loop variables
    sources: NDArray[np.int64]  #: Literals that loop variables take their values from


def cone_of(circuit: StepCircuit, literals: NDArray[np.int64]) -> Cone:
    """The gates that the literals depend on."""
    needed = needed_nodes(circuit, literals)
    order: list[int] = []
    loops = np.zeros((len(circuit.loops), 3), np.int64)
    firsts = {loop.first: number for number, loop in enumerate(circuit.loops)}
    ends = np.cumsum([0, *(len(loop.variables) for loop in circuit.loops)])
    for node in range(circuit.first_gate, len(needed)):
        if node in firsts:
            number = firsts[node]
            loop = circuit.loops[number]
            inside = int(needed[loop.first : loop.end].sum())
            loops[number] = inside, ends[number], ends[number + 1]
            if inside:
                order.append(-1 - number)
        if needed[node]:
            order.append(node - circuit.first_gate)
    none = np.zeros(0, np.int64)
    return Cone(
        fluents=circuit.fluents,
        first_gate=circuit.first_gate,
        starts=circuit.starts,
        inputs=circuit.inputs,
        order=np.array(order, np.int64),
        loops=loops,
        variables=np.concatenate([none, *(loop.variables for loop in circuit.loops)]),
        sources=np.concatenate([none, *(loop.sources for loop in circuit.loops)]),
    )


def needed_nodes(circuit: StepCircuit, literals: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(nodes,) whether the literals depend on each node."""
    needed = np.zeros(circuit.first_gate + len(circuit.starts) - 1, np.bool_)
    needed[literals >> 1] = True
    while True:
        before = int(needed.sum())
        _mark_inputs(circuit.first_gate, circuit.starts, circuit.inputs, needed)
        for loop in circuit.loops:
            needed[loop.sources[needed[loop.variables]] >> 1] = True
        if int(needed.sum()) == before:
            return needed


@native
def _mark_inputs(
    first_gate: int,
    starts: NDArray[np.int64],
    inputs: NDArray[np.int64],
    needed: NDArray[np.bool_],
) -> None:
    for gate in range(len(starts) - 2, -1, -1):
        if needed[first_gate + gate]:
            for place in range(starts[gate], starts[gate + 1]):
                needed[inputs[place] >> 1] = True


class Reader:
    """Evaluates literals in states. The literals must depend on fluents only, not on moves."""

    def __init__(self, circuit: StepCircuit, literals: NDArray[np.int64]) -> None:
        self._cone, self._literals = cone_of(circuit, literals), literals

    def __call__(self, states: States) -> NDArray[np.bool_]:
        """(n, literals) whether each literal holds in each state."""
        found = np.empty((len(states), len(self._literals)), np.bool_)
        _read(np.ascontiguousarray(states), self._cone, self._literals, found)
        return found


@native
def _read(
    states: NDArray[np.uint64],
    cone: Cone,
    literals: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> None:
    values = np.zeros(cone.first_gate + len(cone.starts) - 1, np.bool_)
    values[0] = True
    for row in range(len(states)):
        for fluent in range(cone.fluents):
            word = states[row, fluent >> 6] >> np.uint64(fluent & 63)
            values[1 + fluent] = (word & np.uint64(1)) != 0
        at = 0
        while at < len(cone.order):
            if cone.order[at] >= 0:
                _set_gate(cone, cone.order[at], values)
                at += 1
            else:
                at = _set_loop(cone, at, values)
        for k in range(len(literals)):
            found[row, k] = values[literals[k] >> 1] != (literals[k] & 1 == 1)


@native
def _set_loop(cone: Cone, at: int, values: NDArray[np.bool_]) -> int:
    """Evaluate a loop up to its least fixpoint; returns the place in the order after the loop."""
    number = -1 - cone.order[at]
    count, first, end = cone.loops[number, 0], cone.loops[number, 1], cone.loops[number, 2]
    for k in range(first, end):
        values[cone.variables[k]] = False
    changed = True
    while changed:
        changed = False
        for step in range(at + 1, at + 1 + count):
            _set_gate(cone, cone.order[step], values)
        for k in range(first, end):
            new = values[cone.sources[k] >> 1] != (cone.sources[k] & 1 == 1)
            changed = changed or new != values[cone.variables[k]]
            values[cone.variables[k]] = new
    return int(at + 1 + count)


@native
def _set_gate(cone: Cone, gate: int, values: NDArray[np.bool_]) -> None:
    holds = True
    for place in range(cone.starts[gate], cone.starts[gate + 1]):
        literal = cone.inputs[place]
        if values[literal >> 1] == (literal & 1 == 1):
            holds = False
            break
    values[cone.first_gate + gate] = holds


TRUTH = 0.75  #: Default value of a fluent that holds
THRESHOLD = 0.55  #: Least value of a conjunction that is true
EXPONENT = 25  #: Parameter of Yager's family of t-norms; `_power` depends on it
MAX_PASSES = 1_000
CLOSE = 1e-3
"""Largest relative change of a power at which iteration of a loop ends."""


class FuzzyGoals:
    """Evaluation function of states, derived from the goals of a compiled game by fuzzy logic."""

    def __init__(self, machine: CompiledMachine, truth: float = TRUTH) -> None:
        """truth: from just above `THRESHOLD` to 1."""
        if not THRESHOLD < truth <= 1.0:
            raise ValueError(f"truth must be above {THRESHOLD} and at most 1; got {truth}")
        circuit, network = machine.circuit(), machine.network
        self._truth = truth
        self._roles = len(machine.roles)
        wiring = network.wiring
        if network.raw_goals is None:
            own = wiring.goal_roles < self._roles  # the role after the last stands for faults
            literals = wiring.goals[own].astype(np.int64)
            self._owners, worths = wiring.goal_roles[own], wiring.goal_values[own].astype(float)
        else:
            rows = [
                (role, value, literal)
                for role, raw in enumerate(network.raw_goals)
                for value, literal in raw
            ]
            self._owners = np.array([role for role, _, _ in rows], np.int64)
            literals = np.array([literal for _, _, literal in rows], np.int64)
            worths = np.array([value for _, value, _ in rows], np.float64)
            for role in range(self._roles):
                mine = self._owners == role
                if mine.any():
                    worths[mine] -= worths[mine].min()
        self._worths = worths
        self.literals = np.append(literals, circuit.terminal)
        """Literals of all goals, followed by that of terminal states."""
        self._cone = cone_of(circuit, self.literals)

    def read(self, states: States) -> NDArray[np.float64]:
        """(n, literals) value of each literal, above 1/2 exactly where it holds."""
        found = np.empty((len(states), len(self.literals)))
        _evaluate(np.ascontiguousarray(states), self._cone, self._truth, self.literals, found)
        return found

    def __call__(self, states: States) -> NDArray[np.float64]:
        """(n, roles) evaluation: higher if a role is closer to its better goals."""
        read = self.read(states)
        ended = read[:, -1:]
        goals = read[:, :-1]
        near = np.where(goals > 0.5, _either(goals, ended), 1.0 - _either(1.0 - goals, ended))
        found = np.zeros((len(states), self._roles))
        for role in range(self._roles):
            mine = self._owners == role
            total = np.abs(self._worths[mine]).sum()
            if total > 0.0:
                found[:, role] = near[:, mine] @ self._worths[mine] / total
        return found


def fuzzy_goals(machine: Machine, truth: float = TRUTH) -> FuzzyGoals | None:
    """The evaluation of states by fuzzy goals, or None for a machine without gates."""
    return FuzzyGoals(machine, truth) if isinstance(machine, CompiledMachine) else None


def _either(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """The t-conorm: value of a disjunction."""
    joined = np.minimum((one**EXPONENT + other**EXPONENT) ** (1.0 / EXPONENT), 1.0)
    false = (one < 0.5) & (other < 0.5)
    return np.where(false, np.minimum(joined, 1.0 - THRESHOLD), joined)


@native
def _power(value: float) -> float:
    """The value raised to the power of EXPONENT."""
    second = value * value
    fourth = second * second
    eighth = fourth * fourth
    return eighth * eighth * eighth * value


@native
def _evaluate(
    states: NDArray[np.uint64],
    cone: Cone,
    truth: float,
    literals: NDArray[np.int64],
    read: NDArray[np.float64],
) -> None:
    """Write to read[i, k] the value of literal k in state i."""
    # Summands in a conjunction for the literals of each node: (1 - v)^q, and v^q if inverted.
    parts = np.zeros(2 * (cone.first_gate + len(cone.starts) - 1))
    parts[1] = 1.0
    holds, fails = _power(truth), _power(1.0 - truth)
    for row in range(len(states)):
        for fluent in range(cone.fluents):
            held = (states[row, fluent >> 6] >> np.uint64(fluent & 63)) & np.uint64(1)
            node = 2 * (1 + fluent)
            parts[node] = fails if held else holds
            parts[node + 1] = holds if held else fails
        at = 0
        while at < len(cone.order):
            if cone.order[at] >= 0:
                _gate(cone, cone.order[at], parts)
                at += 1
            else:
                at = _loop(cone, at, parts)
        for k in range(len(literals)):
            read[row, k] = 1.0 - parts[literals[k]] ** (1.0 / EXPONENT)


@native
def _loop(cone: Cone, at: int, parts: NDArray[np.float64]) -> int:
    """Evaluate a loop until it hardly changes; returns the place in the order after the loop."""
    number = -1 - cone.order[at]
    count = cone.loops[number, 0]
    first, end = cone.loops[number, 1], cone.loops[number, 2]
    for k in range(first, end):
        parts[2 * cone.variables[k]] = 1.0
        parts[2 * cone.variables[k] + 1] = 0.0
    for _ in range(MAX_PASSES):
        for step in range(at + 1, at + 1 + count):
            _gate(cone, cone.order[step], parts)
        changed = False
        for k in range(first, end):
            node = 2 * cone.variables[k]
            for side in range(2):
                new, old = parts[cone.sources[k] ^ side], parts[node + side]
                changed = changed or abs(new - old) > CLOSE * max(new, old)
                parts[node + side] = new
        if not changed:
            break
    return int(at + 1 + count)


@native
def _gate(cone: Cone, gate: int, parts: NDArray[np.float64]) -> None:
    """Write the summands of a conjunction for both of its literals."""
    total = 0.0
    true = True
    for place in range(cone.starts[gate], cone.starts[gate + 1]):
        part = parts[cone.inputs[place]]
        total += part
        true = true and part < 0.5**EXPONENT
    value = max(1.0 - total ** (1.0 / EXPONENT), 0.0)
    if true:
        value = max(value, THRESHOLD)
    node = 2 * (cone.first_gate + gate)
    parts[node] = _power(1.0 - value)
    parts[node + 1] = _power(value)
