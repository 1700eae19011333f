"""Gates rebuilt under assumptions: what a step comes to where some moves are made or not.

Gates that come out alike are one, so that equal numbers mean equal values in every state. Not all
that is equal is found so: loops are not simplified, and no gate is looked at in two ways.

Which moves matter to which fluents: gates simplified under the assumption that a move is made.

Gates are rebuilt with the moves of one role fixed (`machine/analysis/simplifier`), and two moves
after which a fluent's next value is the same gate do the same to it, whatever the state. What
simplification does not see is taken for a difference: moves may be said to matter that do not,
never the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fogspiel.core.findings import LimitError
from fogspiel.machine.circuit import StepCircuit

TRUE, FALSE = 0, 1
MAX_WORK = 3_000_000  #: Gates that are rebuilt: some seconds
MANY_INPUTS = 64  #: Conjunctions of more are not merged into others


class Simplifier:
    """Gates made once for each set of inputs, over all assumptions: equal ones have one number."""

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
        """(nodes,) what every node comes to where some have values.

        gates: nodes in the order of evaluation; all gates if not given.
        """
        found = [2 * node for node in range(self._nodes)]
        for node, value in fixed.items():
            found[node] = value
        for node in range(self.circuit.first_gate, self._nodes) if gates is None else gates:
            if node not in fixed:
                found[node] = self._gate(node, found)
        return found

    def changed_by(self, source: int, without: list[int]) -> dict[int, int]:
        """What the nodes that read a move come to if it is made and no other one of its role."""
        found = _Changed(without)
        found[source] = TRUE
        for node in self._behind(source):
            if node in self._looped:
                # What depends on itself is not simplified: it may be anything else.
                found[node] = 2 * self._next
                self._supports[self._next] = self._looped[node]
                self._next += 1
            else:
                found[node] = self._gate(node, found)
        return found

    def reading(self, nodes: Iterable[int]) -> Iterable[int]:
        """The fluents whose next values are read at some nodes."""
        return (fluent for node in nodes for fluent in self._fluents_of.get(node, ()))

    def under(self, moves: list[int], literal: int) -> int:
        """What a literal comes to if just these moves are made."""
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
        """Fluents and moves that a rebuilt literal depends on."""
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
        """Nodes that read a source, through others too, in the order of evaluation."""
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
    """No work beyond the limit. left: how much may still be done."""
    if left < 0:
        raise LimitError.of(
            "MCH015",
            "the game has too many gates and moves to be taken apart",
            fix="play it as a whole",
        )


class _Changed(dict[int, int]):
    """Values of some nodes, those of all others as before."""

    def __init__(self, before: list[int]) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, node: int) -> int:
        return self._before[node]


def _bit(circuit: StepCircuit, node: int) -> int:
    """Fluent f is bit f, moves follow."""
    sources = circuit.first_move + int(circuit.role_starts[-1])
    return 1 << (node - 1) if 0 < node < sources else 0


def _readers(circuit: StepCircuit) -> list[list[int]]:
    """Of each node, the gates that read it; loops read what their variables come to."""
    found: list[list[int]] = [[] for _ in range(circuit.first_gate + len(circuit.starts) - 1)]
    for gate in range(len(circuit.starts) - 1):
        for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]].tolist():
            found[literal >> 1].append(circuit.first_gate + gate)
    for loop in circuit.loops:
        for gate in range(loop.first, loop.end):
            found[gate].extend(loop.variables.tolist())
    return found


def _looped_supports(circuit: StepCircuit) -> dict[int, int]:
    """Of gates and variables of loops, everything that the loop depends on."""
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
    """Of each node, the fluents and moves that it reads, through others too."""
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
    """What one fluent's next value depends on. Sets are bits of whole numbers."""

    fluents: int  #: Fluents that it may depend on
    touching: int
    """Moves of all roles that may do something else to it than most moves of their role do."""
    keeps: bool  #: Whether it stays as it is where no such move is made


Views = tuple[list[Influence], list[Influence]]


def influences(circuit: StepCircuit, max_work: int = MAX_WORK) -> Views:
    """Of every fluent, in two ways to say what moves usually do to it.

    In the first, to keep it as it is, if any move of a role does that; in the second, whatever most
    moves do. Raises `LimitError` MCH015 where there is too much to rebuild.
    """
    refuse_beyond(max_work - len(circuit.role_starts) * (len(circuit.starts) - 1))
    # What each move does to each fluent is compared, which takes as long as a gate for eight.
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
    """keeping: whether to keep the fluent comes before what most moves do."""
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
        # What the next value depends on, it depends on whichever role's moves are put in.
        support &= read
        usual.append(classes.moves[best][0])
    keeps = builder.under(usual, int(circuit.next[fluent])) == own
    return Influence(support & fluents, touching, keeps)


@dataclass(slots=True)
class _Classes:
    """Moves of one role by what they make of a fluent."""

    moves: dict[int, list[int]]
    """By what the next value comes to, in terms of fluents and the other roles' moves."""
    keeping: set[int]  #: Moves that leave the fluent as it is if all other roles are quiet

    def usual(self, *, keeping: bool) -> int:
        """What comes of most moves, or of those that keep the fluent, if any do."""

        def rank(outcome: int) -> tuple[bool, int, bool]:
            moves = self.moves[outcome]
            keeps = moves[0] in self.keeping
            return keeping and keeps, len(moves), keeps

        return max(self.moves, key=rank)


def _classes(
    builder: Simplifier, role: int, outcomes: list[list[int]], quiet: list[int]
) -> list[_Classes]:
    """Of each fluent. outcomes: (fluents, moves). quiet: of each role, its quietest move."""
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
    """(fluents, moves) what next values come to if one of a role's moves is made.

    others: values of moves of other roles; left open if not given.
    """
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
    """The place of the move after which most fluents still depend on what they were."""
    remembered: Counter[int] = Counter()
    for fluent, row in enumerate(outcomes):
        remembering = {outcome for outcome in set(row) if builder.support(outcome) >> fluent & 1}
        remembered.update(place for place, outcome in enumerate(row) if outcome in remembering)
    count = len(outcomes[0]) if outcomes else 0
    return max(range(count), key=lambda place: remembered[place], default=0)
