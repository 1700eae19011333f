"""A coin lies under a cup: the smallest game with something hidden, for tests of single steps.

`we` move first, then `they`, who see the coin; then the game is over. Moves leave a mark, and the
objective reads the marks and the coin.
"""

from __future__ import annotations

from collections.abc import Callable

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.strips.beliefs import (
    InformationSet,
    ListedStates,
    PrimitiveOperator,
    State,
    StripsGame,
)
from fogspiel.plan.strips.problem import StripsProblem
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork

HEADS, TAILS = ("coin", "heads"), ("coin", "tails")


def lits(*atoms: Pattern) -> tuple[MethodLiteral, ...]:
    return tuple(MethodLiteral(atom) for atom in atoms)


def coin_game(
    worth: Callable[[State], float],
    *,
    agents: tuple[str, str] = ("we", "they"),
    controlled: tuple[str, ...] = ("we",),
    heads: float = 0.5,
    when: tuple[MethodLiteral, ...] = (),
) -> StripsProblem:
    """Each agent says one word; `(said agent word)` stays."""
    say = PrimitiveOperator(
        name="say",
        parameters=("?a", "?word", "?next"),
        when=(*lits(("then", "?a", "?next")), *when),
        add=(("said", "?a", "?word"), ("turn", "?next")),
        delete=(("turn", "?a"),),
    )
    first, second = agents
    known: set[GroundTerm] = {("agent", name) for name in (*agents, "nobody")}
    known |= {("control", name) for name in controlled} | {("turn", first)}
    known |= {("then", first, second), ("then", second, "nobody")}
    base = frozenset(known)
    return StripsProblem(
        game=StripsGame(operators=(say,)),
        information=InformationSet(true=base),
        belief=ListedStates(((base | {HEADS}, heads), (base | {TAILS}, 1 - heads))),
        objective=lambda state: worth(state) if ("turn", "nobody") in state else None,
        evaluation=worth,
    )


def say(name: str, agent: str, word: str, *when: MethodLiteral, **fields: str) -> Method:
    """A method by which an agent says a word."""
    return Method(
        name=name,
        task=None,
        when=(*lits(("turn", agent), ("then", agent, "?next")), *when),
        operator=("say", agent, word, "?next"),
        title=fields.get("title", ""),
        note=fields.get("note", ""),
    )


def words(*methods: Method) -> TaskNetwork:
    return TaskNetwork(name="words", methods=methods)


def even(state: State) -> float:
    """Nothing matters."""
    return 0.5
