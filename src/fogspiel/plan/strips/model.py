"""Games and problems as sets of atoms, with operators that add and delete some of them.

Source: Smith and Nau (1993), section 2. Whose turn it is, who plays and whom the planner controls
are atoms too: `(turn x)`, `(agent x)` and `(control x)`.
Departures: `(agent x)` and `(turn x)` need not be written into an operator's preconditions, since
each must have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import MethodLiteral, Pattern, is_variable

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
