"""clingo as a solver of rules: satisfiability and all models, told by the atoms that matter.

Definitions become rules, and the completion that the solver makes of them is what they mean:
nothing here depends on itself. Models are enumerated by backtracking, without a clause for each
model found. That is why it is clingo: in Battleship, Racko and GOPS it tells 4,000 to 18,000 models
a second, the solvers of PySAT with blocking clauses 1,100 to 2,500 (CaDiCaL, Glucose, MiniSat).

Random parts of a set of histories that is too large to be listed, each small enough to be.

Source: Chakraborty, Meel & Vardi, "A Scalable and Nearly Uniform Generator of SAT Witnesses"
(CAV 2013), for cutting a set of models by random parities into cells that are then enumerated.
Departures: a parity is over few choices, as it must be for solvers that do not eliminate; of each
parity a side is drawn only where both have models, and a cell bears the inverse of its
probability. So every cell counts as much as the histories it stands for, however uneven the
parities are: the sum over a cell, times its factor, is an unbiased estimate of the sum over all.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import clingo
import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock
from fogspiel.belief.sat.logic import FALSE, TRUE, Ban, Definition, ExactlyOne, Logic, Rule
from fogspiel.belief.sat.unrolled import Hidden

OPTIONS = ("0", "--warn=none")
"""All models. Without restarts the first may never be found, and the others come no sooner."""


class SolverStoppedError(Exception):
    """The solver was stopped before it knew."""


@dataclass(frozen=True, slots=True)
class Models:
    """Some models."""

    atoms: NDArray[np.int32]
    """(models, choices) the atom of each choice that holds; choices known before are left out."""
    complete: bool  #: Whether there are no others

    def __len__(self) -> int:
        """The number of models."""
        return len(self.atoms)


class Solver:
    """Rules that may grow, between questions about them."""

    def __init__(self, options: Sequence[str] = OPTIONS) -> None:
        self._control = clingo.Control(list(options))
        self._names: dict[clingo.Symbol, int] = {}
        self._atoms: list[int] = [0]
        """The number that clingo has for each of our atoms."""
        with self._control.backend() as backend:
            self._atoms.append(backend.add_atom())
            backend.add_rule([self._atoms[1]])

    def add(self, rules: Iterable[Rule], atoms: int, known: Mapping[int, int]) -> None:
        """Add rules. atoms: their number now; known: those whose value need not be told."""
        with self._control.backend() as backend:
            rules = list(rules)
            for rule in rules:
                if isinstance(rule, ExactlyOne):
                    self._name(backend, rule.atoms, known)
            self._fill(backend, atoms)
            for rule in rules:
                self._add_rule(backend, rule)

    def satisfiable(self, clock: CallClock) -> bool:
        """Whether there is a model. Raises `SolverStoppedError`."""
        return len(self.models(1, clock)) > 0

    def models(self, limit: int, clock: CallClock, assumptions: Sequence[int] = ()) -> Models:
        """Find as many models as the limit allows.

        Raises `SolverStoppedError` where not even one was found in time.
        """
        # One flat array: lists of numbers would take ten times the memory.
        flat = array("i")
        count = 0
        names = self._names

        def take(model: clingo.Model) -> bool:
            nonlocal count
            count += 1
            flat.extend([names[symbol] for symbol in model.symbols(atoms=True)])
            return count < limit

        exhausted = self._solve(take, clock, assumptions)
        if not count and not exhausted:
            raise SolverStoppedError
        width = len(flat) // max(1, count)
        return Models(np.array(flat, np.int32).reshape(count, width), exhausted)

    def count(self, limit: int, clock: CallClock) -> int | None:
        """The number of models; None where they are more than the limit or take too long."""
        found = 0

        def take(_: clingo.Model) -> bool:
            nonlocal found
            found += 1
            return found <= limit

        exhausted = self._solve(take, clock, ())
        return found if exhausted else None

    def _solve(
        self,
        take: Callable[[clingo.Model], bool],
        clock: CallClock,
        assumptions: Sequence[int],
    ) -> bool:
        """Hand over model after model; whether there are no more."""
        given = [self._literal(literal) for literal in assumptions]
        with self._control.solve(assumptions=given, on_model=take, async_=True) as handle:
            if not handle.wait(max(0.0, clock.seconds_left)):
                handle.cancel()
            return bool(handle.get().exhausted)

    def _name(
        self, backend: clingo.Backend, atoms: Sequence[int], known: Mapping[int, int]
    ) -> None:
        """Atoms of choices have names, by which models tell them. Each name costs time a model."""
        self._fill(backend, atoms[0] - 1)
        for atom in atoms:
            if atom in known:
                self._atoms.append(backend.add_atom())
                continue
            symbol = clingo.Function("m", [clingo.Number(atom)])
            self._names[symbol] = atom
            self._atoms.append(backend.add_atom(symbol))

    def _fill(self, backend: clingo.Backend, atoms: int) -> None:
        while len(self._atoms) <= atoms:
            self._atoms.append(backend.add_atom())

    def _literal(self, literal: int) -> int:
        return self._atoms[literal] if literal > 0 else -self._atoms[-literal]

    def _add_rule(self, backend: clingo.Backend, rule: Rule) -> None:
        match rule:
            case Definition(atom, body):
                backend.add_rule([self._atoms[atom]], [self._literal(part) for part in body])
            case Ban(body):
                backend.add_rule([], [self._literal(part) for part in body])
            case ExactlyOne(atoms):
                chosen = [self._atoms[atom] for atom in atoms]
                backend.add_rule(chosen, [], choice=True)
                backend.add_rule([], [-atom for atom in chosen])
                two = backend.add_atom()
                backend.add_weight_rule([two], 2, [(atom, 1) for atom in chosen])
                backend.add_rule([], [two])


CELL = 400  #: Histories that a cell may have at most
PAIRS = 96  #: Parities over two choices, made for each sample
LAST_PAIRS = 12
"""Cuts that should be by pairs: they halve better than cuts of one choice, but cost more."""
ROUGH = 10  #: Moves of a choice below which half of them may be far from half of the histories


@dataclass(frozen=True, slots=True)
class HistoryCell:
    """Some histories, and how many times as many they stand for."""

    models: NDArray[np.int32]
    """(histories, hidden choices) the atom of each choice that holds, as the solver tells them."""
    log_factor: float
    """Logarithm, to base 2, of the number of times as many histories that it stands for."""


@dataclass(frozen=True, slots=True)
class Parity:
    """Whether an odd number of choices fell into their halves."""

    literal: int
    halves: tuple[frozenset[int], ...]

    def holds(self, model: NDArray[np.int32]) -> bool:
        """Whether it is odd in a model, given by the atoms of choices that hold."""
        chosen = model.tolist()
        return sum(not half.isdisjoint(chosen) for half in self.halves) % 2 == 1


class Cells:
    """A source of cells. The solver must have the rules of the histories, and gets more."""

    def __init__(
        self, logic: Logic, hidden: Sequence[Hidden], solver: Solver, rng: np.random.Generator
    ) -> None:
        self._rng = rng
        self._solver = solver
        extra = logic.fork()
        open_atoms = [
            [atom for atom in choice.atoms if logic.value(atom) not in {TRUE, FALSE}]
            for choice in hidden
        ]
        choices = [atoms for atoms in open_atoms if atoms]
        self._singles = [
            _parity(extra, [atoms], rng)
            for atoms in choices
            for _ in range(max(0, int(np.log2(len(atoms) / ROUGH))))
        ]
        # Where nothing is open there is one history, and nothing to cut.
        pairs = PAIRS if choices else 0
        self._pairs = [_parity(extra, _some(choices, rng), rng) for _ in range(pairs)]
        solver.add(extra.rules, extra.atoms, extra.known)
        self._depth: int | None = None
        """Parities to begin with: about as many as the last cell took."""

    def draw(self, clock: CallClock) -> HistoryCell:
        """A cell, independent of others. Raises `SolverStoppedError`."""
        model = self._solver.models(1, clock).atoms[0]
        sides: list[int] = []
        log_factor = 0.0
        least = self._depth or 0
        for used, parity in enumerate([*self._order(), None]):
            if used >= least or parity is None:
                found = self._solver.models(CELL + 1, clock, sides)
                if found.complete and len(found) <= CELL:
                    # A cell much smaller than need be could have done with fewer cuts.
                    small = len(found) < CELL // 8 and used == least
                    self._depth = max(0, used - 1 if small else used)
                    # Sorted, because the order in which a solver finds them tells its past.
                    return HistoryCell(np.unique(found.atoms, axis=0), log_factor)
            if parity is None:
                break
            side = parity.literal if parity.holds(model) else -parity.literal
            wanted = parity.literal if self._rng.random() < 0.5 else -parity.literal
            other = self._solver.models(1, clock, [*sides, -side]).atoms
            if len(other):
                log_factor += 1.0
                if wanted != side:
                    side, model = wanted, other[0]
            sides.append(side)
        raise SolverStoppedError

    def _order(self) -> list[Parity]:
        """Parities for a cell, at random: first of single choices, then pairs."""
        singles = len(self._singles)
        if self._depth is not None:
            singles = min(singles, max(0, self._depth - LAST_PAIRS))
        first = self._rng.permutation(len(self._singles))[:singles]
        then = self._rng.permutation(len(self._pairs))
        return [self._singles[k] for k in first] + [self._pairs[k] for k in then]


def _some(choices: Sequence[list[int]], rng: np.random.Generator) -> list[list[int]]:
    """Two choices, or the only one."""
    picked = rng.choice(len(choices), size=min(2, len(choices)), replace=False)
    return [choices[place] for place in picked]


def _parity(logic: Logic, choices: Sequence[list[int]], rng: np.random.Generator) -> Parity:
    """The parity of some choices: whether an odd number of them fell into a random half."""
    literal, halves = FALSE, []
    for choice in choices:
        atoms = rng.permutation(choice)
        half = [int(atom) for atom in atoms[: max(1, len(atoms) // 2)]]
        literal = logic.differ(literal, logic.either(half))
        halves.append(frozenset(half))
    return Parity(literal, tuple(halves))
