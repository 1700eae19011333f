"""Influence of moves on fluents, by cofactors: gates simplified once the moves of a role are fixed.

Gates with equal inputs get one number, so that equal numbers mean equal values in every state. Two
moves have the same effect on a fluent if they make its next value the same gate. Simplification is
incomplete, of loops above all: moves may be found to matter that do not, never the reverse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fogspiel.core.findings import LimitError
from fogspiel.machine.protocol import StepCircuit

TRUE, FALSE = 0, 1
MAX_WORK = 3_000_000  #: Most gates that are simplified, which takes some seconds
MANY_INPUTS = 64  #: Most inputs of a conjunction that is merged into another one


class Simplifier:
    """Gates simplified under assumptions, with one number for all gates with equal inputs."""

    def __init__(self, circuit: StepCircuit, max_work: int = MAX_WORK) -> None:
        self.circuit = circuit
        self._left = max_work
        self._nodes = circuit.first_gate + len(circuit.starts) - 1
        self._gates: dict[tuple[int, ...], int] = {}
        self._inputs: dict[int, tuple[int, ...]] = {}
        self._next = self._nodes
        self._supports: dict[int, int] = {}
        self._looped = _looped_supports(circuit)
        self._readers = _readers(circuit)
        self._joints: dict[tuple[int, ...], list[int]] = {}
        self._fluents_of: dict[int, list[int]] = {}
        for fluent, literal in enumerate(circuit.next):
            self._fluents_of.setdefault(int(literal) >> 1, []).append(fluent)

    def rebuilt(self, fixed: dict[int, int], gates: Iterable[int] | None = None) -> list[int]:
        """(nodes,) literal that every node simplifies to if some nodes have fixed values.

        gates: nodes in the order of evaluation; all gates if not given."""
        found = [2 * node for node in range(self._nodes)]
        for node, value in fixed.items():
            found[node] = value
        for node in range(self.circuit.first_gate, self._nodes) if gates is None else gates:
            if node not in fixed:
                found[node] = self._gate(node, found)
        return found

    def changed_by(self, source: int, without: list[int]) -> dict[int, int]:
        """Simplified nodes that depend on a move, if it is the only one made by its role."""
        found = _Changed(without)
        found[source] = TRUE
        for node in self._behind(source):
            if node in self._looped:
                # Recursive relations are not simplified, so that any other value is possible.
                found[node] = 2 * self._next
                self._supports[self._next] = self._looped[node]
                self._next += 1
            else:
                found[node] = self._gate(node, found)
        return found

    def reading(self, nodes: Iterable[int]) -> Iterable[int]:
        """The fluents whose next values are some nodes."""
        return (fluent for node in nodes for fluent in self._fluents_of.get(node, ()))

    def under(self, moves: list[int], literal: int) -> int:
        """The literal simplified under the assumption that exactly these moves are made."""
        circuit = self.circuit
        key = tuple(moves)
        if key not in self._joints:
            made = {circuit.first_move + move for move in moves}
            last = circuit.first_move + int(circuit.role_starts[-1])
            fixed = {
                node: TRUE if node in made else FALSE for node in range(circuit.first_move, last)
            }
            self._joints[key] = self.rebuilt(fixed)
        return self._joints[key][literal >> 1] ^ (literal & 1)

    def support(self, literal: int) -> int:
        """Fluents and moves that a simplified literal depends on, as bits."""
        todo = [literal >> 1]
        while todo:
            node = todo[-1]
            if node in self._supports:
                todo.pop()
                continue
            if node < self._nodes:
                self._supports[node] = self._looped.get(node) or _bit(self.circuit, node)
                continue
            below = [inner >> 1 for inner in self._inputs[node]]
            missing = [inner for inner in below if inner not in self._supports]
            if missing:
                todo.extend(missing)
                continue
            total = 0
            for inner in below:
                total |= self._supports[inner]
            self._supports[node] = total
        return self._supports[literal >> 1]

    def _behind(self, source: int) -> list[int]:
        """Nodes that depend on a source, in the order of evaluation."""
        seen = {source}
        todo = [source]
        while todo:
            for reader in self._readers[todo.pop()]:
                if reader not in seen:
                    seen.add(reader)
                    todo.append(reader)
        seen.discard(source)
        return sorted(seen)

    def _gate(self, node: int, values: list[int] | dict[int, int]) -> int:
        self._left -= 1
        refuse_beyond(self._left)
        if node in self._looped:
            return 2 * node
        circuit = self.circuit
        gate = node - circuit.first_gate
        taken: set[int] = set()
        for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]].tolist():
            value = values[literal >> 1] ^ (literal & 1)
            if value == FALSE:
                return FALSE
            inner = self._inputs.get(value >> 1, ()) if not value & 1 else ()
            for part in inner if 0 < len(inner) <= MANY_INPUTS else (value,):
                if part ^ 1 in taken:
                    return FALSE
                if part != TRUE:
                    taken.add(part)
        if len(taken) < 2:
            return taken.pop() if taken else TRUE
        key = tuple(sorted(taken))
        if key not in self._gates:
            self._gates[key] = self._next
            self._inputs[self._next] = key
            self._next += 1
        return 2 * self._gates[key]


def refuse_beyond(left: int) -> None:
    """Raise `LimitError` MCH015 if no work is left. left: gates that may still be simplified."""
    if left < 0:
        raise LimitError.of(
            "MCH015",
            "the game has too many gates and moves to be taken apart",
            fix="play it as a whole",
        )


class _Changed(dict[int, int]):
    """Values of nodes that have changed; all other nodes have their values as before."""

    def __init__(self, before: list[int]) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, node: int) -> int:
        return self._before[node]


def _bit(circuit: StepCircuit, node: int) -> int:
    """The bit of a node in sets of fluents and moves: fluent f is bit f, and moves follow."""
    sources = circuit.first_move + int(circuit.role_starts[-1])
    return 1 << (node - 1) if 0 < node < sources else 0


def _readers(circuit: StepCircuit) -> list[list[int]]:
    """The gates that read each node; variables of a loop are among the readers of its gates."""
    found: list[list[int]] = [[] for _ in range(circuit.first_gate + len(circuit.starts) - 1)]
    for gate in range(len(circuit.starts) - 1):
        for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]].tolist():
            found[literal >> 1].append(circuit.first_gate + gate)
    for loop in circuit.loops:
        for gate in range(loop.first, loop.end):
            found[gate].extend(loop.variables.tolist())
    return found


def _looped_supports(circuit: StepCircuit) -> dict[int, int]:
    """Fluents and moves that each gate and variable of a loop depends on, as bits."""
    if not circuit.loops:
        return {}
    supports = plain_supports(circuit)
    found = {}
    for loop in circuit.loops:
        nodes = [*range(loop.first, loop.end), *loop.variables.tolist()]
        for node in nodes:
            found[node] = supports[node]
    return found


def plain_supports(circuit: StepCircuit) -> list[int]:
    """Fluents and moves that each node depends on, as bits."""
    nodes = circuit.first_gate + len(circuit.starts) - 1
    found = [_bit(circuit, node) for node in range(nodes)]
    while True:
        for gate in range(len(circuit.starts) - 1):
            total = 0
            for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]].tolist():
                total |= found[literal >> 1]
            found[circuit.first_gate + gate] = total
        changed = False
        for loop in circuit.loops:
            for variable, source in zip(
                loop.variables.tolist(), loop.sources.tolist(), strict=True
            ):
                if found[source >> 1] | found[variable] != found[variable]:
                    found[variable] |= found[source >> 1]
                    changed = True
        if not changed:
            return found


@dataclass(frozen=True, slots=True)
class Influence:
    """Dependencies of one fluent's next value. Sets are bits of integers."""

    fluents: int  #: Fluents that the next value may depend on
    touching: int
    """Moves of all roles that may have another effect than the usual one of the role's moves."""
    keeps: bool  #: Whether it keeps its value if no such move is made


Views = tuple[list[Influence], list[Influence]]


def influences(circuit: StepCircuit, max_work: int = MAX_WORK) -> Views:
    """Influence on every fluent, for two definitions of the usual effect of a role's moves: that it
    keeps its value, if it does after some move; or the effect of most moves.

    Raises `LimitError` MCH015 if there are too many gates."""
    refuse_beyond(max_work - len(circuit.role_starts) * (len(circuit.starts) - 1))
    # The effects of each move on each fluent are compared; eight take as long as one gate.
    refuse_beyond(max_work - int(circuit.role_starts[-1]) * circuit.fluents // 8)
    builder = Simplifier(circuit, max_work)
    roles = range(len(circuit.role_starts) - 1)
    outcomes = [_outcomes(builder, _moves(circuit, role), {}) for role in roles]
    starts = circuit.role_starts.tolist()
    quiet = [start + _quietest(builder, own) for start, own in zip(starts, outcomes, strict=False)]
    classes = [_classes(builder, role, outcomes[role], quiet) for role in roles]
    by_fluent = [[classes[role][fluent] for role in roles] for fluent in range(circuit.fluents)]
    return (
        [_influence(builder, fluent, own, keeping=True) for fluent, own in enumerate(by_fluent)],
        [_influence(builder, fluent, own, keeping=False) for fluent, own in enumerate(by_fluent)],
    )


def _influence(
    builder: Simplifier, fluent: int, by_role: list[_Classes], *, keeping: bool
) -> Influence:
    """Influence on one fluent. keeping: prefer moves that keep its value as the usual effect."""
    circuit, own = builder.circuit, 2 * (1 + fluent)
    support = fluents = (1 << circuit.fluents) - 1
    touching, usual = 0, []
    for classes in by_role:
        best = classes.usual(keeping=keeping)
        read = 0
        for outcome, moves in classes.moves.items():
            read |= builder.support(outcome)
            if outcome != best:
                touching |= sum(1 << move for move in moves)
        # A fluent that the next value depends on is found, whichever role's moves are fixed.
        support &= read
        usual.append(classes.moves[best][0])
    keeps = builder.under(usual, int(circuit.next[fluent])) == own
    return Influence(support & fluents, touching, keeps)


@dataclass(slots=True)
class _Classes:
    """Moves of one role, classed by their effect on a fluent."""

    moves: dict[int, list[int]]
    """Moves by the fluent's next value, a gate of fluents and moves of other roles."""
    keeping: set[int]  #: Moves that keep the fluent's value if all other roles are quiet

    def usual(self, *, keeping: bool) -> int:
        """The effect of most moves, or, if wanted, of those that keep the fluent's value."""

        def rank(outcome: int) -> tuple[bool, int, bool]:
            moves = self.moves[outcome]
            keeps = moves[0] in self.keeping
            return keeping and keeps, len(moves), keeps

        return max(self.moves, key=rank)


def _classes(
    builder: Simplifier, role: int, outcomes: list[list[int]], quiet: list[int]
) -> list[_Classes]:
    """Moves classed by effect, for each fluent. quiet: the move of each role that changes least."""
    circuit = builder.circuit
    own = _moves(circuit, role)
    alone = outcomes
    if len(quiet) > 1:
        fixed = {
            move: TRUE if move == quiet[other] else FALSE
            for other in range(len(quiet))
            if other != role
            for move in _moves(circuit, other)
        }
        alone = _outcomes(builder, own, fixed)
    found = []
    for fluent in range(circuit.fluents):
        classes: dict[int, list[int]] = {}
        for move, outcome in zip(own, outcomes[fluent], strict=True):
            classes.setdefault(outcome, []).append(move)
        kept = {
            move
            for move, outcome in zip(own, alone[fluent], strict=True)
            if outcome == 2 * (1 + fluent)
        }
        found.append(_Classes(classes, kept))
    return found


def _moves(circuit: StepCircuit, role: int) -> range:
    first, end = circuit.role_starts[role : role + 2]
    return range(int(first), int(end))


def _outcomes(builder: Simplifier, moves: range, others: dict[int, int]) -> list[list[int]]:
    """(fluents, moves) next values if one of a role's moves is made.

    others: fixed values of other roles' moves, if any."""
    circuit = builder.circuit
    fixed = {**dict.fromkeys(moves, FALSE), **others}
    without = builder.rebuilt({circuit.first_move + move: value for move, value in fixed.items()})
    usual = [without[int(literal) >> 1] ^ (int(literal) & 1) for literal in circuit.next]
    found = [[outcome] * len(moves) for outcome in usual]
    for place, move in enumerate(moves):
        after = builder.changed_by(circuit.first_move + move, without)
        for fluent in builder.reading(after):
            literal = int(circuit.next[fluent])
            found[fluent][place] = after[literal >> 1] ^ (literal & 1)
    return found


def _quietest(builder: Simplifier, outcomes: list[list[int]]) -> int:
    """The place of the move after which most fluents still depend on their old values."""
    remembered: Counter[int] = Counter()
    for fluent, row in enumerate(outcomes):
        remembering = {outcome for outcome in set(row) if builder.support(outcome) >> fluent & 1}
        remembered.update(place for place, outcome in enumerate(row) if outcome in remembering)
    count = len(outcomes[0]) if outcomes else 0
    return max(range(count), key=lambda place: remembered[place], default=0)
