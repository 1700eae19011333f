"""Games and problems as sets of atoms, and beliefs over the states that what is known leaves open.

Source: Smith and Nau (1993), section 2: operators add and delete atoms; I* is the set of states
that are consistent with an information set, and p the belief function over it. Whose turn it is,
who plays and whom the planner controls are atoms too: `(turn x)`, `(agent x)` and `(control x)`.
Departures: `(agent x)` and `(turn x)` need not be written into an operator's preconditions, since
each must have them. They leave open where I* comes from. Here it is either a list of states, or
made of choices: of each group exactly one atom holds, and of certain sets a given number do (of the
cards that nobody has seen, each is West's or East's, and each of them has three).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import Mask, MethodLiteral, Pattern, Weights, is_variable

State: TypeAlias = frozenset[GroundTerm]  #: The atoms that are true; all others are false
Objective: TypeAlias = Callable[[State], float | None]
"""f: the utility of a state for the planner, in [0, 1]; None where that is not known."""
Evaluation: TypeAlias = Callable[[State], float]
"""e: an estimate in [0, 1] for any state, equal to the objective where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSet:
    """Atoms that the planner knows to be true, and those that it knows to be false."""

    true: State
    false: State = frozenset()

    def allows(self, state: State) -> bool:
        """Whether a state is consistent with it."""
        return self.true <= state and self.false.isdisjoint(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimitiveOperator:
    """A kind of move. The first parameter is the agent that makes it."""

    name: str
    parameters: tuple[str, ...]
    when: tuple[MethodLiteral, ...] = ()
    add: tuple[Pattern, ...] = ()
    delete: tuple[Pattern, ...] = ()
    preconditions: tuple[MethodLiteral, ...] = field(init=False)
    """All preconditions, with those that every operator has."""

    def __post_init__(self) -> None:
        """Refuse variables that are no parameters: a move must say all that it does."""
        if not self.parameters or not all(map(is_variable, self.parameters)):
            raise ValueError(f"{self.name} needs an agent, and parameters that start with ?")
        atoms = [*(literal.atom for literal in self.when), *self.add, *self.delete]
        loose = set(_variables(atoms)) - set(self.parameters)
        if loose:
            raise ValueError(f"{self.name} uses {', '.join(sorted(loose))}, no parameter of it")
        agent = self.parameters[0]
        always = (MethodLiteral(("agent", agent)), MethodLiteral(("turn", agent)))
        object.__setattr__(self, "preconditions", (*always, *self.when))


@dataclass(frozen=True, slots=True, kw_only=True)
class StripsGame:
    """A set of operators; the language is whatever atoms they and the first states use."""

    operators: tuple[PrimitiveOperator, ...]

    def operator(self, move: GroundTerm) -> PrimitiveOperator:
        """The operator that a move is an instance of."""
        for operator in self.operators:
            named = move[0] == operator.name and not isinstance(move, str)
            if named and len(move) == len(operator.parameters) + 1:
                return operator
        known = [format_term((each.name, *each.parameters)) for each in self.operators]
        raise PlayError.of(
            "PLN026",
            f"the game has no operator for {format_term(move)}",
            fix=f"use one of {', '.join(known)}",
        )


def predicate(atom: GroundTerm) -> GroundTerm:
    """The predicate of an atom."""
    return atom if isinstance(atom, str) else atom[0]


def _variables(terms: Iterable[Pattern]) -> Iterable[str]:
    for term in terms:
        if not isinstance(term, str):
            yield from _variables(term)
        elif is_variable(term):
            yield term


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistentStates:
    """I* with p: all consistent states, or a sample of them."""

    known: State  #: Atoms that hold in all of them
    unknown: Mapping[GroundTerm, Mask]  #: The worlds in which each other atom holds, (worlds,)
    weights: Weights  #: (worlds,) summing to 1
    is_exact: bool  #: Whether these are all consistent states


class StripsBelief(Protocol):
    """A source of consistent states."""

    def states(self, information: InformationSet) -> ConsistentStates:
        """The states that are consistent with what is known."""


@dataclass(frozen=True, slots=True)
class ListedStates:
    """A belief over states that are given one by one."""

    weighted: tuple[tuple[State, float], ...]

    def states(self, information: InformationSet) -> ConsistentStates:
        """The states of the list that are consistent and have a weight."""
        kept = [
            (state, weight)
            for state, weight in self.weighted
            if weight > 0.0 and information.allows(state)
        ]
        if not kept:
            raise inconsistent("no state of the list agrees with what is known")
        weights = np.array([weight for _, weight in kept])
        known = frozenset.intersection(*(state for state, _ in kept))
        every = frozenset.union(*(state for state, _ in kept))
        unknown = {
            atom: np.array([atom in state for state, _ in kept], dtype=np.bool_)
            for atom in every - known
        }
        return ConsistentStates(
            known=known, unknown=unknown, weights=weights / weights.sum(), is_exact=True
        )


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Exactly so many of some atoms hold."""

    atoms: frozenset[GroundTerm]
    count: int


@dataclass(frozen=True, kw_only=True)
class IndependentChoices:
    """A belief in which all ways to choose one atom of each group are equally probable.

    All of them are listed if there are at most `limit`. Otherwise `samples` are drawn independently
    from the seed, each exactly uniform: ways are counted, not rejected.
    """

    groups: tuple[tuple[GroundTerm, ...], ...]
    cardinalities: tuple[Cardinality, ...] = ()
    limit: int = 1_000
    samples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an atom that is chosen twice."""
        atoms = [atom for group in self.groups for atom in group]
        if len(set(atoms)) < len(atoms):
            raise ValueError("an atom stands in two groups, or twice in one")

    def states(self, information: InformationSet) -> ConsistentStates:
        """All choices that agree with what is known, or a sample of them."""
        ways = _Ways(self, information)
        if ways.total == 0:
            raise inconsistent("no choice agrees with what is known and the numbers")
        is_exact = ways.total <= self.limit
        if is_exact:
            rows, counts = np.array(list(ways.every()), dtype=np.intp), None
        else:
            rng = np.random.default_rng(self.seed)
            drawn = [ways.draw(rng) for _ in range(self.samples)]
            rows, counts = np.unique(np.array(drawn, dtype=np.intp), axis=0, return_counts=True)
        weights = np.ones(len(rows)) if counts is None else counts.astype(np.float64)
        masks = _masks(ways.groups, rows.reshape(len(weights), len(ways.groups)))
        sure = {atom for atom, mask in masks.items() if mask.all()}
        return ConsistentStates(
            known=information.true | sure,
            unknown={atom: mask for atom, mask in masks.items() if atom not in sure},
            weights=weights / weights.sum(),
            is_exact=is_exact,
        )


class _Ways:
    """The choices that satisfy the cardinalities: counted, listed and drawn."""

    def __init__(self, choices: IndependentChoices, information: InformationSet) -> None:
        self.groups = [_open(group, information) for group in choices.groups]
        self._uses = [
            [tuple(int(atom in c.atoms) for c in choices.cardinalities) for atom in group]
            for group in self.groups
        ]
        free = {atom for group in choices.groups for atom in group}
        self._needed = tuple(
            c.count - len(c.atoms & information.true - free) for c in choices.cardinalities
        )
        self._counts: dict[tuple[int, tuple[int, ...]], int] = {}

    @cached_property
    def total(self) -> int:
        """The number of choices."""
        return self._count(0, self._needed)

    def every(self) -> Iterator[tuple[int, ...]]:
        """All choices, as the number of the chosen atom of each group."""
        return self._every(0, self._needed)

    def draw(self, rng: np.random.Generator) -> tuple[int, ...]:
        """A random choice, all equally probable."""
        row: list[int] = []
        needed = self._needed
        for place in range(len(self.groups)):
            options = list(self._options(place, needed))
            counts = np.array([float(self._count(place + 1, left)) for _, left in options])
            index = int(rng.choice(len(options), p=counts / counts.sum()))
            choice, needed = options[index]
            row.append(choice)
        return tuple(row)

    def _count(self, place: int, needed: tuple[int, ...]) -> int:
        """Ways to choose from the groups from a place on so that what is needed is met."""
        if place == len(self.groups):
            return int(not any(needed))
        key = place, needed
        if key not in self._counts:
            self._counts[key] = sum(
                self._count(place + 1, left) for _, left in self._options(place, needed)
            )
        return self._counts[key]

    def _options(
        self, place: int, needed: tuple[int, ...]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Atoms that may be chosen at a place, with what is needed afterwards."""
        for choice, uses in enumerate(self._uses[place]):
            left = tuple(count - use for count, use in zip(needed, uses, strict=True))
            if min(left, default=0) >= 0:
                yield choice, left

    def _every(self, place: int, needed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if place == len(self.groups):
            yield ()
            return
        for choice, left in self._options(place, needed):
            if self._count(place + 1, left):
                for row in self._every(place + 1, left):
                    yield (choice, *row)


def inconsistent(message: str) -> UsageError:
    """The error where no state is consistent."""
    return UsageError.of(
        "PLN025",
        f"no state is possible: {message}",
        fix="take back what is known wrongly, or allow more states",
    )


def _open(group: tuple[GroundTerm, ...], information: InformationSet) -> tuple[GroundTerm, ...]:
    """The atoms of a group that may hold, given what is known."""
    sure = tuple(atom for atom in group if atom in information.true)
    if len(sure) > 1:
        return ()
    return sure or tuple(atom for atom in group if atom not in information.false)


def _masks(groups: list[tuple[GroundTerm, ...]], rows: NDArray[np.intp]) -> dict[GroundTerm, Mask]:
    """The worlds in which each atom holds. rows: (worlds, groups) the chosen atoms."""
    return {
        atom: rows[:, place] == choice
        for place, group in enumerate(groups)
        for choice, atom in enumerate(group)
    }
