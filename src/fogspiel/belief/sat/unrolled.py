"""A game unrolled over what a role did and saw: rules whose models are the histories that fit.

Each step is a copy of the machine's gates, with all that is known put in: the first state, the
role's own moves, and what follows from what it saw. Most of a copy vanishes by that. A relation
that depends on itself is unrolled in its turn, pass by pass: as many passes as it has atoms reach
the least fixpoint, and none is made that changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.sat.logic import FALSE, TRUE, ImpossibleError, Logic
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.protocol import GateLoop, State, StepCircuit


@dataclass(frozen=True, slots=True)
class Hidden:
    """What some role did in some step, which the observer may not know."""

    step: int
    role: int
    moves: tuple[int, ...]
    atoms: tuple[int, ...]  #: (moves,) just one holds


class Unrolled:
    """All steps so far, as rules."""

    def __init__(self, circuit: StepCircuit, role: RoleId, start: State) -> None:
        self.logic = Logic()
        self.hidden: list[Hidden] = []
        self.steps: list[list[int]] = []
        """The move of each role in each step; -1 where it is hidden."""
        self._circuit = circuit
        self._role = role
        self._plan = _Plan(circuit, role)
        bits = np.unpackbits(start.view(np.uint8), bitorder="little")[: circuit.fluents]
        self._fluents = [TRUE if bit else FALSE for bit in bits]
        self._values: list[int] | None = None
        """Literals of all nodes in the last step."""

    def advance(self, observation: Observation) -> None:
        """Add a step. Raises `ImpossibleError` where it is plain that nothing fits."""
        circuit, logic = self._circuit, self.logic
        known_percepts = range(len(circuit.percepts[self._role]))
        if not all(percept in known_percepts for percept in observation.percepts):
            raise ImpossibleError
        self._leave_last_step()
        values = [FALSE] * (circuit.first_gate + len(circuit.starts) - 1)
        values[0] = TRUE
        values[1 : circuit.first_move] = self._fluents
        self._values = values
        self._run(self._plan.before)
        logic.require(-self._read(circuit.terminal))
        self._choose(observation.move)
        self._run(self._plan.seen)
        seen = set(observation.percepts)
        values_seen = enumerate(map(self._read, circuit.percepts[self._role].tolist()))
        logic.require(*(value if percept in seen else -value for percept, value in values_seen))

    def following(self) -> list[int]:
        """(fluents,) literals of the state after the last step."""
        self._leave_last_step()
        return self._fluents

    def joints(self, models: NDArray[np.int32]) -> NDArray[np.int32]:
        """(n, steps, roles) the moves in some models.

        models: (n, choices) atoms of hidden moves that hold; those known to hold may be left out.
        """
        roles = len(self._circuit.role_starts) - 1
        known = np.array(self.steps, np.int32).reshape(len(self.steps), roles)
        joints = np.repeat(known[None], len(models), axis=0)
        if not self.hidden or not len(models):
            return joints
        places = np.zeros((self.logic.atoms + 1, 3), np.int32)
        for choice in self.hidden:
            for move, atom in zip(choice.moves, choice.atoms, strict=True):
                places[atom] = choice.step, choice.role, move
                if self.logic.value(atom) == TRUE:
                    joints[:, choice.step, choice.role] = move
        chosen = places[models]
        rows = np.arange(len(models))[:, None]
        joints[rows, chosen[:, :, 0], chosen[:, :, 1]] = chosen[:, :, 2]
        return joints

    def _leave_last_step(self) -> None:
        """Successors are made only once they are needed: after all that is known of the step."""
        if self._values is not None:
            self._run(self._plan.after)
            self._fluents = [self._read(int(literal)) for literal in self._circuit.next]
            self._values = None

    def _choose(self, move: MoveId) -> None:
        """Make the role's own move; leave to others what may be legal."""
        circuit = self._circuit
        assert self._values is not None
        made: list[int] = []
        for role in range(len(circuit.role_starts) - 1):
            first, end = int(circuit.role_starts[role]), int(circuit.role_starts[role + 1])
            legal = [self._read(int(literal)) for literal in circuit.legal[first:end]]
            if role == self._role:
                if not 0 <= move < len(legal):
                    raise ImpossibleError
                self.logic.require(legal[move])
                chosen = [FALSE] * len(legal)
                chosen[move] = TRUE
            else:
                chosen = self.logic.choice(legal)
                self._note_hidden(role, chosen)
            self._values[circuit.first_move + first : circuit.first_move + end] = chosen
            made.append(chosen.index(TRUE) if TRUE in chosen else -1)
        self.steps.append(made)

    def _note_hidden(self, role: int, chosen: list[int]) -> None:
        moves = tuple(move for move, literal in enumerate(chosen) if literal not in {TRUE, FALSE})
        if moves:
            atoms = tuple(chosen[move] for move in moves)
            self.hidden.append(Hidden(len(self.steps), role, moves, atoms))

    def _read(self, literal: int) -> int:
        assert self._values is not None
        value = self._values[literal >> 1]
        return self.logic.value(-value if literal & 1 else value)

    def _run(self, parts: Sequence[range | list[int] | GateLoop]) -> None:
        for part in parts:
            if isinstance(part, GateLoop):
                self._run_loop(part)
            else:
                self._run_gates(part)

    def _run_gates(self, nodes: Sequence[int]) -> None:
        values, inputs, conjunction = self._values, self._plan.inputs, self.logic.conjunction
        assert values is not None
        for node in nodes:
            open_inputs = []
            for literal in inputs[node]:
                value = -values[literal >> 1] if literal & 1 else values[literal >> 1]
                if value == FALSE:
                    values[node] = FALSE
                    break
                if value != TRUE:
                    open_inputs.append(value)
            else:
                values[node] = conjunction(open_inputs) if open_inputs else TRUE

    def _run_loop(self, loop: GateLoop) -> None:
        values = self._values
        assert values is not None
        for variable in loop.variables:
            values[variable] = FALSE
        for _ in range(len(loop.variables) + 1):
            self._run_gates(range(loop.first, loop.end))
            sources = [self._read(int(source)) for source in loop.sources]
            if sources == [values[variable] for variable in loop.variables]:
                break
            for variable, value in zip(loop.variables, sources, strict=True):
                values[variable] = value


class _Plan:
    """The gates to run before moves are made, for what the role sees, and for what follows."""

    def __init__(self, circuit: StepCircuit, role: RoleId) -> None:
        self.inputs: dict[int, list[int]] = {}
        literals = circuit.inputs.tolist()
        starts = circuit.starts.tolist()
        for gate in range(len(starts) - 1):
            self.inputs[circuit.first_gate + gate] = literals[starts[gate] : starts[gate + 1]]
        self._loop_of = {
            node: loop
            for loop in circuit.loops
            for node in (*loop.variables.tolist(), *range(loop.first, loop.end))
        }
        done: set[int] = set()
        self.before = self._parts([*circuit.legal.tolist(), circuit.terminal], done)
        self.seen = self._parts(circuit.percepts[role].tolist(), done)
        self.after = self._parts(circuit.next.tolist(), done)

    def _parts(self, outputs: Sequence[int], done: set[int]) -> list[list[int] | GateLoop]:
        """What the outputs need and earlier parts have not done, in the order of the nodes."""
        found: set[int] = set()
        stack = [literal >> 1 for literal in outputs]
        while stack:
            node = stack.pop()
            if node in done or node in found:
                continue
            found.add(node)
            stack.extend(literal >> 1 for literal in self.inputs.get(node, ()))
            if (loop := self._loop_of.get(node)) is not None:
                stack.extend(loop.variables.tolist())
                stack.extend(range(loop.first, loop.end))
                stack.extend(literal >> 1 for literal in loop.sources.tolist())
        done |= found
        parts: list[list[int] | GateLoop] = []
        for node in sorted(found & self.inputs.keys()):
            looped = self._loop_of.get(node)
            if looped is not None:
                if not parts or parts[-1] is not looped:
                    parts.append(looped)
            elif parts and isinstance(parts[-1], list):
                parts[-1].append(node)
            else:
                parts.append([node])
        return parts
