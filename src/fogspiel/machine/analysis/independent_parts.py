"""Decomposition of a game into independent parts, which share neither moves nor fluents.

Two fluents are in one part if the next value of one depends on the other, if a move affects both,
or if the legality of a move that affects one depends on the other. Fluents that change in the same
way whatever is played belong to no part: they are the clock (whose turn it is, the number of
steps). Goals and terminal states may depend on all parts together.

Sources: Guenther, Schiffel & Thielscher (2009), "Factoring general games"; Zhao, Schiffel &
Thielscher (2009), "Decomposition of multi-player games".
Departures: parts are found on gates with fixed moves (`cofactors`) instead of the rules, so that
frame axioms do not join parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.machine.analysis.circuit_values import needed_nodes
from fogspiel.machine.analysis.cofactors import MAX_WORK, Influence, influences, plain_supports
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.memo import Attempts
from fogspiel.machine.protocol import Literals, Machine, State, StepCircuit
from fogspiel.machine.uncompiled.numbered_machine import bit_numbers

CLOCK = -1  #: The part of a fluent that no move affects
WAITING = -1  #: The part of a move that affects no fluent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Decomposition of a game. Parts are numbered in the order of their first fluents."""

    count: int
    of_fluents: NDArray[np.int64]  #: (fluents,) the part of each, or CLOCK
    of_moves: tuple[NDArray[np.int64], ...]  #: (moves,) part of each move or WAITING, for each role
    relevant: NDArray[np.bool_]  #: (parts,) whether goals or terminal states depend on it
    keeps: NDArray[np.bool_]  #: (parts,) whether it stays the same while no move is made in it
    timeless: NDArray[np.bool_]  #: (parts,) whether effects of moves are independent of the clock
    unscheduled: NDArray[np.bool_]
    """(parts,) whether the legality of moves is independent of the clock."""
    circuit: StepCircuit
    goal_literals: Literals  #: Literals of all goals
    asking: tuple[int, ...]  #: Gates that goals and terminal states depend on, in their order
    best_goals: tuple[int, ...]  #: Upper bound of each role's goals
    supports: tuple[int, ...]
    """Parts that each node of the circuit depends on, as bits; bit `count` is the clock."""

    def mask(self, *parts: int) -> State:
        """(words,) the fluents of some parts, as bits of a state."""
        chosen = np.isin(self.of_fluents, parts)
        words = np.zeros(64 * ((len(chosen) + 63) // 64), np.bool_)
        words[: len(chosen)] = chosen
        return np.packbits(words, bitorder="little").view(np.uint64)

    def concepts(self, part: int) -> Literals:
        """Literals in the formulas of goals and terminal states that depend on this part alone."""
        circuit, own = self.circuit, 1 << part
        asked = {int(literal) >> 1 for literal in (*self.goal_literals, circuit.terminal)}
        found = {node for node in asked if self.supports[node] == own}
        for node in self.asking:
            if self.supports[node] != own:
                gate = node - circuit.first_gate
                inputs = circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]]
                below = (int(literal) >> 1 for literal in inputs)
                found.update(inner for inner in below if self.supports[inner] == own)
        return np.array([2 * node for node in sorted(found)], np.int64)


_KNOWN: Attempts[Parts] = Attempts()


def parts_of(machine: Machine, max_work: int = MAX_WORK) -> Parts | None:
    """The decomposition of a game; None for a machine without gates, or with too many.

    max_work: gates that are examined, some hundred thousand in a second.
    """
    if not isinstance(machine, CompiledMachine):
        return None
    return _KNOWN.find(machine, max_work, lambda: _found(machine, max_work))


def _found(machine: CompiledMachine, max_work: int) -> Parts | None:
    circuit = machine.circuit()
    try:
        views = influences(circuit, max_work)
    except LimitError:
        return None
    supports = plain_supports(circuit)
    # Both views are sound; the one with more parts is more precise.
    return max((_seen(machine, circuit, view, supports) for view in views), key=_how_many)


def _how_many(parts: Parts) -> int:
    return parts.count


def _seen(
    machine: CompiledMachine, circuit: StepCircuit, effects: list[Influence], supports: list[int]
) -> Parts:
    fluents = (1 << circuit.fluents) - 1
    legal = [supports[int(literal) >> 1] & fluents for literal in circuit.legal]
    clock = _clock([(effect.fluents, effect.touching) for effect in effects])
    of_fluents = _of_fluents(_grouped(effects, legal, clock), circuit.fluents, clock)
    count = int(of_fluents.max(initial=CLOCK)) + 1
    goals = _goal_literals(machine)
    own_supports = _as_parts(supports, of_fluents, count)
    needed = np.flatnonzero(needed_nodes(circuit, np.append(goals, circuit.terminal)))
    asked = 0
    for literal in (*goals, circuit.terminal):
        asked |= own_supports[int(literal) >> 1]
    keeps, timeless, unscheduled = np.ones((3, count), np.bool_)
    for fluent, effect in enumerate(effects):
        part = of_fluents[fluent]
        if part != CLOCK:
            keeps[part] &= effect.keeps
            timeless[part] &= not effect.fluents & clock
    of_moves = _of_moves(circuit, [effect.touching for effect in effects], of_fluents)
    for support, part in zip(legal, np.concatenate(of_moves).tolist(), strict=True):
        if part != WAITING:
            unscheduled[part] &= not support & clock
    return Parts(
        count=count,
        of_fluents=of_fluents,
        of_moves=of_moves,
        relevant=np.array([bool(asked >> part & 1) for part in range(count)], np.bool_),
        keeps=keeps,
        timeless=timeless,
        unscheduled=unscheduled,
        circuit=circuit,
        goal_literals=goals,
        asking=tuple(needed[needed >= circuit.first_gate].tolist()),
        best_goals=_best_goals(machine),
        supports=tuple(own_supports),
    )


def _grouped(effects: list[Influence], legal: list[int], clock: int) -> _Groups:
    """Groups of fluents, each the fluents of one part."""
    groups = _Groups(len(effects))
    met: dict[int, int] = {}
    for fluent, effect in enumerate(effects):
        if clock >> fluent & 1:
            continue
        for other in bit_numbers(effect.fluents & ~clock):
            groups.join(fluent, other)
        for move in bit_numbers(effect.touching):
            groups.join(fluent, met.setdefault(move, fluent))
            for other in bit_numbers(legal[move] & ~clock):
                groups.join(fluent, other)
    return groups


def _clock(effects: list[tuple[int, int]]) -> int:
    """Fluents that no move affects and that depend only on such fluents, as bits."""
    clock = sum(1 << fluent for fluent, (_, touching) in enumerate(effects) if not touching)
    while True:
        kept = sum(1 << fluent for fluent in bit_numbers(clock) if not effects[fluent][0] & ~clock)
        if kept == clock:
            return clock
        clock = kept


def _of_fluents(groups: _Groups, fluents: int, clock: int) -> NDArray[np.int64]:
    """(fluents,) part of each fluent; parts are numbered in the order of their first fluents."""
    numbers: dict[int, int] = {}
    found = np.full(fluents, CLOCK, np.int64)
    for fluent in range(fluents):
        if not clock >> fluent & 1:
            found[fluent] = numbers.setdefault(groups.find(fluent), len(numbers))
    return found


def _of_moves(
    circuit: StepCircuit, touching: list[int], of_fluents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], ...]:
    """(moves,) part of each move, for each role."""
    found = np.full(len(circuit.legal), WAITING, np.int64)
    for fluent, moves in enumerate(touching):
        for move in bit_numbers(moves):
            found[move] = of_fluents[fluent]
    return tuple(np.split(found, circuit.role_starts[1:-1]))


def _goal_literals(machine: CompiledMachine) -> Literals:
    network = machine.network
    if network.raw_goals is None:
        return network.wiring.goals.astype(np.int64)
    return np.array([literal for raw in network.raw_goals for _, literal in raw], np.int64)


def best_goals(machine: Machine) -> tuple[int, ...] | None:
    """Upper bound of each role's goals, from the gates; None for a machine without gates."""
    return _best_goals(machine) if isinstance(machine, CompiledMachine) else None


def _best_goals(machine: CompiledMachine) -> tuple[int, ...]:
    network = machine.network
    if network.raw_goals is not None:
        return tuple(max((value for value, _ in raw), default=0) for raw in network.raw_goals)
    best = np.zeros(len(machine.roles) + 1, np.int64)
    np.add.at(best, network.wiring.goal_roles, np.maximum(network.wiring.goal_values, 0))
    return tuple(best[:-1].tolist())


def _as_parts(supports: list[int], of_fluents: NDArray[np.int64], count: int) -> list[int]:
    """Parts that each node depends on instead of fluents, as bits; the clock is bit `count`."""
    masks = [0] * (count + 1)
    for fluent, part in enumerate(of_fluents.tolist()):
        masks[part if part != CLOCK else count] |= 1 << fluent
    return [
        sum(1 << part for part, mask in enumerate(masks) if support & mask) for support in supports
    ]


class _Groups:
    """Disjoint sets (union-find with path halving)."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def find(self, item: int) -> int:
        parents = self._parents
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    def join(self, one: int, other: int) -> None:
        self._parents[self.find(one)] = self.find(other)
