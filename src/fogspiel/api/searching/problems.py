"""Problems of one's own for planning: states as sets of atoms, and what the planner knows of them.

Source: Smith and Nau (1993), section 2; `plan/strips` has the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, final

from fogspiel.api.names import term_of
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.strips.beliefs import (
    Cardinality,
    IndependentChoices,
    InformationSet,
    ListedStates,
    PrimitiveOperator,
    StripsGame,
)
from fogspiel.plan.strips.problem import StripsProblem, StripsSituation
from fogspiel.plan.task_network import MethodLiteral

UNKNOWN = 0.5  #: The estimate for states whose worth the objective does not know

Worth: TypeAlias = "Callable[[frozenset[str]], float | None]"
"""The worth of a state, the set of its atoms, from 0 to 1; None where it is not known."""


@final
class Operator:
    """A kind of move in a problem of one's own: when it can be made, and what it changes.

    >>> take = fs.planning.Operator(
    ...     "(take ?who ?what)", when=["(lies ?what)"], add=["(has ?who ?what)"]
    ... )
    >>> take
    Operator('(take ?who ?what)')
    """

    def __init__(
        self,
        move: str,
        *,
        when: Iterable[str] = (),
        add: Iterable[str] = (),
        delete: Iterable[str] = (),
    ) -> None:
        """The operator of a pattern.

        move: a name with parameters, of which the first is the agent: `(play ?who ?card)`.
        when: atoms that must hold, or must not: `(not (played ?card))`. That it is the agent's
        turn goes without saying.
        add: atoms that hold afterwards.
        delete: atoms that do not hold any more.
        Raises `UsageError` API005 for a text that is no term.
        """
        term = term_of(move)
        name, *parameters = (term,) if isinstance(term, str) else term
        self.kind = PrimitiveOperator(
            name=str(name),
            parameters=tuple(map(str, parameters)),
            when=tuple(map(_literal, when)),
            add=tuple(map(term_of, add)),
            delete=tuple(map(term_of, delete)),
        )

    def __repr__(self) -> str:
        return f"Operator({format_term((self.kind.name, *self.kind.parameters))!r})"


@final
class Problem:
    """A game as sets of atoms, with what the planner knows of the state and wants of it.

    Whose turn it is, who plays and whom the planner controls are atoms: `(turn x)`, `(agent x)` and
    `(control x)`.

    >>> look = fs.planning.Operator(
    ...     "(open ?who ?door)", add=["(opened ?door)", "(turn nobody)"], delete=["(turn ?who)"]
    ... )
    >>> def found(state):
    ...     if "(turn nobody)" not in state:
    ...         return None
    ...     return float("(opened left)" in state and "(prize left)" in state)
    >>> doors = fs.planning.Problem(
    ...     [look],
    ...     true=["(agent me)", "(control me)", "(turn me)"],
    ...     choices=[["(prize left)", "(prize right)"]],
    ...     objective=found,
    ... )
    >>> guess = "(network guess) (method left (task nil) (when (turn ?p)) (do (open ?p left)))"
    >>> fs.planning.Methods.read(guess).plan(doors.start()).value
    0.5
    """

    def __init__(
        self,
        operators: Sequence[Operator],
        *,
        true: Iterable[str],
        objective: Worth,
        evaluation: Worth | None = None,
        choices: Iterable[Iterable[str]] = (),
        counts: Iterable[tuple[Iterable[str], int]] = (),
        states: Iterable[tuple[Iterable[str], float]] | None = None,
    ) -> None:
        """The problem of some operators and some knowledge.

        operators: all kinds of moves.
        true: atoms that are known to hold.
        objective: the worth of a state, from 0 to 1; None where it is not known yet.
        evaluation: an estimate for any state; one half where the objective says nothing.
        choices: groups of atoms, of each of which exactly one holds; all ways are equally probable.
        counts: sets of atoms, each with the number of them that hold.
        states: instead of choices, the possible states with their weights.
        """
        self.operators: tuple[Operator, ...] = tuple(operators)  #: All kinds of moves
        known = frozenset(map(term_of, true))
        worth = evaluation or (lambda state: None)

        def estimated(state: frozenset[GroundTerm]) -> float:
            words = _words(state)
            exact = objective(words)
            value = worth(words) if exact is None else exact
            return UNKNOWN if value is None else value

        belief: ListedStates | IndependentChoices
        if states is not None:
            listed = [(frozenset(map(term_of, atoms)) | known, weight) for atoms, weight in states]
            belief = ListedStates(tuple(listed))
        else:
            belief = IndependentChoices(
                groups=tuple(tuple(map(term_of, group)) for group in choices),
                cardinalities=tuple(
                    Cardinality(frozenset(map(term_of, atoms)), count) for atoms, count in counts
                ),
            )
        self.problem = StripsProblem(
            game=StripsGame(operators=tuple(operator.kind for operator in self.operators)),
            information=InformationSet(true=known),
            belief=belief,
            objective=lambda state: objective(_words(state)),
            evaluation=estimated,
        )

    def start(self) -> Position:
        """What is known at first.

        Raises `PlayError` PLN025 where no state agrees with what is known.

        >>> doors.start().agent
        'me'
        """
        return Position(self.problem.start())


@final
class Position:
    """What is known at some point of a problem. `Problem.start` gives the first one.

    >>> wait = fs.planning.Operator("(wait ?who)", add=["(turn nobody)"], delete=["(turn ?who)"])
    >>> position = fs.planning.Problem(
    ...     [wait],
    ...     true=["(agent me)", "(control me)", "(turn me)"],
    ...     objective=lambda state: 1.0 if "(turn nobody)" in state else None,
    ... ).start()
    >>> position.agent, position.controlled, position.over
    ('me', True, False)
    """

    def __init__(self, situation: StripsSituation) -> None:
        """The position of a situation; use `Problem.start` and `play` instead."""
        self.situation = situation

    @property
    def agent(self) -> str:
        """The agent to move. Raises `PlayError` PLN027 where that is not known."""
        return self.situation.agent

    @property
    def controlled(self) -> bool:
        """Whether the planner moves."""
        return self.situation.is_controlled

    @property
    def over(self) -> bool:
        """Whether the objective is known in every possible state."""
        return self.situation.is_over

    def play(self, move: str) -> Position:
        """The position after a move.

        move: an operator with its arguments: `(play south small west)`.
        Raises `PlayError` PLN026 for a move that no operator is, PLN023 for one that the planner
        cannot know to be possible.

        >>> position.play("(wait me)").over
        True
        """
        return Position(self.situation.perform(term_of(move)))


def _literal(text: str) -> MethodLiteral:
    """An atom that must hold, or must not."""
    term = term_of(text)
    if not isinstance(term, str) and term[0] == "not" and len(term) == 2:
        return MethodLiteral(term[1], positive=False)
    return MethodLiteral(term)


def _words(state: Iterable[GroundTerm]) -> frozenset[str]:
    """The atoms of a state as texts."""
    return frozenset(map(format_term, state))
