"""clingo as a solver of rules: satisfiability and all models, told by the atoms that matter.

Definitions become rules, and the completion that the solver makes of them is what they mean:
nothing here depends on itself. Models are enumerated by backtracking, without a clause for each
model found. That is why it is clingo: in Battleship, Racko and GOPS it tells 4,000 to 18,000 models
a second, the solvers of PySAT with blocking clauses 1,100 to 2,500 (CaDiCaL, Glucose, MiniSat).
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import clingo
import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.sat.logic import Ban, Definition, ExactlyOne, Rule

OPTIONS = ("0", "--warn=none")
"""All models. Without restarts the first may never be found, and the others come no sooner."""


class SolverStoppedError(Exception):
    """The solver was stopped before it knew."""


@dataclass(frozen=True, slots=True)
class Models:
    """Some models."""

    atoms: NDArray[np.int32]
    """(models, choices) the atom of each choice that holds; choices known before are left out."""
    complete: bool
    """Whether there are no others."""

    def __len__(self) -> int:
        """How many models there are."""
        return len(self.atoms)


class Solver:
    """Rules that may grow, between questions about them."""

    def __init__(self, options: Sequence[str] = OPTIONS) -> None:
        self._control = clingo.Control(list(options))
        self._names: dict[clingo.Symbol, int] = {}
        self._atoms: list[int] = [0]
        """Of each of our atoms, clingo's."""
        with self._control.backend() as backend:
            self._atoms.append(backend.add_atom())
            backend.add_rule([self._atoms[1]])

    def add(self, rules: Iterable[Rule], atoms: int, known: Mapping[int, int]) -> None:
        """More rules. atoms: how many there are now; known: those whose value need not be told."""
        with self._control.backend() as backend:
            rules = list(rules)
            for rule in rules:
                if isinstance(rule, ExactlyOne):
                    self._name(backend, rule.atoms, known)
            self._fill(backend, atoms)
            for rule in rules:
                self._add_rule(backend, rule)

    def satisfiable(self, deadline: float) -> bool:
        """Whether there is a model. Raises `SolverStoppedError`."""
        return len(self.models(1, deadline)) > 0

    def models(self, limit: int, deadline: float, assumptions: Sequence[int] = ()) -> Models:
        """As many models as the limit allows. Raises `SolverStoppedError` where not even one was
        found.

        deadline: by the clock of `time.perf_counter`.
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

        exhausted = self._solve(take, deadline, assumptions)
        if not count and not exhausted:
            raise SolverStoppedError
        width = len(flat) // max(1, count)
        return Models(np.array(flat, np.int32).reshape(count, width), exhausted)

    def count(self, limit: int, deadline: float) -> int | None:
        """How many models there are; None where they are more than the limit or take too long."""
        found = 0

        def take(_: clingo.Model) -> bool:
            nonlocal found
            found += 1
            return found <= limit

        exhausted = self._solve(take, deadline, ())
        return found if exhausted else None

    def _solve(
        self,
        take: Callable[[clingo.Model], bool],
        deadline: float,
        assumptions: Sequence[int],
    ) -> bool:
        """Hand over model after model; whether there are no more."""
        given = [self._literal(literal) for literal in assumptions]
        with self._control.solve(assumptions=given, on_model=take, async_=True) as handle:
            if not handle.wait(max(0.0, deadline - time.perf_counter())):
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
