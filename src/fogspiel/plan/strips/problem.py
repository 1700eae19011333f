"""Problems of the STRIPS model, and the situations that follow from them.

Source: Smith and Nau (1993), sections 2 and 4.1: I_v = I_u + Pre + Add - Del.
Departures: an atom that is deleted is known to be false afterwards, and what no consistent state
contains is false without being listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.strips.beliefs import (
    Evaluation,
    InformationSet,
    Objective,
    State,
    StripsBelief,
    StripsGame,
    predicate,
)
from fogspiel.plan.task_network import Bindings, Mask, Pattern, Weights, match, substitute


@dataclass(frozen=True, slots=True, kw_only=True)
class StripsProblem:
    """The initial information set, the belief over its states, and the planner's objective."""

    game: StripsGame
    information: InformationSet
    belief: StripsBelief
    objective: Objective
    evaluation: Evaluation

    def start(self) -> StripsSituation:
        """The first situation."""
        states = self.belief.states(self.information)
        unknown: dict[GroundTerm, dict[GroundTerm, Mask]] = {}
        for atom in sorted(states.unknown, key=format_term):
            unknown.setdefault(predicate(atom), {})[atom] = states.unknown[atom]
        known: dict[GroundTerm, State] = {}
        for atom in states.known:
            known[predicate(atom)] = known.get(predicate(atom), frozenset()) | {atom}
        return StripsSituation(self, known, unknown, states.weights)


@dataclass(eq=False)
class StripsSituation:
    """A state information set with its belief; see `fogspiel.plan.task_network.Situation`.

    Operators do the same in every consistent state, so atoms only ever pass from unknown to known:
    those that are known are held once, and a mask over the worlds is kept for the others alone.
    """

    problem: StripsProblem
    _known: Mapping[GroundTerm, State]
    _unknown: Mapping[GroundTerm, Mapping[GroundTerm, Mask]]
    weights: Weights
    reports: tuple[GroundTerm, ...] = ()
    """Operators do the same in every state: there is nothing to tell."""

    @cached_property
    def agent(self) -> str:
        """The agent to move."""
        turns = [found["?x"] for found in self.solutions(("turn", "?x"), {})]
        if len(turns) != 1 or not self._known.get("turn"):
            listed = " or ".join(map(format_term, turns)) or "nobody's"
            raise PlayError.of(
                "PLN027",
                f"it must be known whose turn it is; it may be {listed}",
                fix="let exactly one atom (turn x) hold in all consistent states",
            )
        assert isinstance(turns[0], str)
        return turns[0]

    @property
    def is_controlled(self) -> bool:
        """Whether the planner moves."""
        return ("control", self.agent) in self._known.get("control", ())

    @cached_property
    def is_over(self) -> bool:
        """Whether the objective is known in every consistent state."""
        objective = self.problem.objective
        return all(
            objective(self._state(world)) is not None for world in np.flatnonzero(self._consistent)
        )

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        """Matching atoms that some consistent state has, in the order in which they are written."""
        name = predicate(atom)
        wanted = substitute(atom, bindings)
        found = [
            (candidate, bound)
            for candidate in self._known.get(name, ())
            if (bound := match(wanted, candidate, {})) is not None
        ]
        for candidate, mask in self._unknown.get(name, {}).items():
            bound = match(wanted, candidate, {})
            if bound is not None and (mask & self._consistent).any():
                found.append((candidate, bound))
        if len(found) > 1:
            found.sort(key=lambda pair: _written(pair[0]))
        return [{**bindings, **bound} for _, bound in found]

    def holds(self, atom: GroundTerm) -> Mask:
        """(worlds,) truth of an atom."""
        name = predicate(atom)
        if atom in self._known.get(name, ()):
            return _constant(len(self.weights), True)
        mask = self._unknown.get(name, {}).get(atom)
        return _constant(len(self.weights), False) if mask is None else mask

    def assume(self, mask: Mask) -> StripsSituation:
        """The situation in which only some worlds are possible."""
        return StripsSituation(self.problem, self._known, self._unknown, self.weights * mask)

    def perform(self, operator: GroundTerm) -> StripsSituation:
        """The situation after a move: its preconditions held, and its effects hold."""
        kind = self.problem.game.operator(operator)
        bindings: Bindings = dict(zip(kind.parameters, operator[1:], strict=True))
        where = self._consistent
        for literal in kind.preconditions:
            holds = self.holds(substitute(literal.atom, bindings))
            where = where & holds if literal.positive else where > holds
        count = np.count_nonzero(where)
        if 0 < count < np.count_nonzero(self._consistent) and self.is_controlled:
            raise self._requirement(operator, where)
        delete = [substitute(atom, bindings) for atom in kind.delete]
        add = [substitute(atom, bindings) for atom in kind.add]
        known = dict(self._known)
        for atom in add:
            known[predicate(atom)] = known.get(predicate(atom), frozenset()) | {atom}
        # As the paper writes it, what is both added and deleted is deleted.
        for atom in delete:
            known[predicate(atom)] = known.get(predicate(atom), frozenset()) - {atom}
        unknown = self._without([*add, *delete])
        return StripsSituation(self.problem, known, unknown, self.weights * where)

    def evaluate(self) -> NDArray[np.float64]:
        """(worlds,) e of each consistent state, 0 elsewhere; equal to f where f is known."""
        values = np.zeros(self.weights.shape)
        for world in np.flatnonzero(self._consistent):
            values[world] = self._value(self._state(world))
        return values

    @cached_property
    def _consistent(self) -> Mask:
        return self.weights > 0.0

    def _without(
        self, atoms: Iterable[GroundTerm]
    ) -> Mapping[GroundTerm, Mapping[GroundTerm, Mask]]:
        """The unknown atoms but for some, copied only where that changes something."""
        unknown = self._unknown
        for atom in atoms:
            name = predicate(atom)
            if atom in unknown.get(name, {}):
                left = {other: mask for other, mask in unknown[name].items() if other != atom}
                unknown = {**unknown, name: left}
        return unknown

    def _state(self, world: np.intp) -> State:
        """One of the consistent states."""
        unknown = (
            atom for masks in self._unknown.values() for atom, mask in masks.items() if mask[world]
        )
        return frozenset().union(*self._known.values(), unknown)

    def _value(self, state: State) -> float:
        """e of a state, checked against f."""
        value, exact = self.problem.evaluation(state), self.problem.objective(state)
        if not 0.0 <= value <= 1.0 or exact not in {None, value}:
            raise PlayError.of(
                "PLN024",
                f"the evaluation of a state is {value}, the objective {exact}",
                fix="let both lie between 0 and 1, and be equal where the objective is known",
            )
        return value

    def _requirement(self, operator: GroundTerm, where: Mask) -> PlayError:
        """The error about a move of the planner that can be made in some states only."""
        some, total = int(where.sum()), int(self._consistent.sum())
        return PlayError.of(
            "PLN023",
            f"{self.agent} cannot know whether {format_term(operator)} can be made: "
            f"its preconditions hold in {some} of {total} consistent states",
            fix="let operators of controlled agents ask only for what the planner knows",
        )


@lru_cache(maxsize=65_536)
def _written(atom: GroundTerm) -> str:
    """An atom as text, to sort by. Cached, since the same few are sorted at every node."""
    return format_term(atom)


@lru_cache(maxsize=64)
def _constant(worlds: int, truth: bool) -> Mask:
    """(worlds,) mask of an atom that is known. Cached, since most atoms are."""
    mask = np.full(worlds, truth, dtype=np.bool_)
    mask.setflags(write=False)
    return mask
