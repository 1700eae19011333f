"""Which moves matter to which fluents: gates simplified under the assumption that a move is made.

Gates are rebuilt with the moves of one role fixed (`machine/analysis/simplifier`), and two moves
after which a fluent's next value is the same gate do the same to it, whatever the state. What
simplification does not see is taken for a difference: moves may be said to matter that do not,
never the other way round.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fogspiel.machine.analysis.simplifier import FALSE, MAX_WORK, TRUE, Simplifier, refuse_beyond
from fogspiel.machine.circuit import StepCircuit


@dataclass(frozen=True, slots=True)
class Influence:
    """What one fluent's next value depends on. Sets are bits of whole numbers."""

    fluents: int
    """Fluents that it may depend on."""
    touching: int
    """Moves of all roles that may do something else to it than most moves of their role do."""
    keeps: bool
    """Whether it stays as it is where no such move is made."""


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
    keeping: set[int]
    """Moves that leave the fluent as it is if all other roles are quiet."""

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
