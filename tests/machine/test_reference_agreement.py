"""The reference machine against the naive evaluator: bundled games, random programs."""

from __future__ import annotations

import pytest
from agreement import check_walk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.games.library import game_source
from fogspiel.rules.clauses import Clause, Condition, Literal, Pattern, Program, TermComparison, Var
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.prefix import read_prefix

GAMES = ["tic_tac_toe", "kuhn_poker", "monty_hall", "biased_rps", "coin_flip", "prisoners_dilemma"]


def program_of(source: Source) -> Program:
    return normalise(read_prefix(source, ReadLimits())[0])


@pytest.mark.parametrize("name", GAMES)
def test_bundled_games_agree_along_random_walks(name: str) -> None:
    program = program_of(game_source(name))
    assert sum(check_walk(program, seed, max_steps=12) for seed in range(3)) >= 3


# Random programs. Relations have a layer each: a rule may use its own layer and those below,
# and negate only what is below, so every program is stratified. The last layers are GDL's own.
VARIABLES = [Var(name) for name in "xyz"]
CONSTANTS: list[Pattern] = ["a", "b", ("f", "a")]
ARITIES = {"p": 1, "q": 2, "s": 2, "t": 1}
LAYERS = list(ARITIES)

terms = st.sampled_from([*VARIABLES, *VARIABLES, *CONSTANTS, ("f", VARIABLES[0])])


def _positive(layer: int) -> st.SearchStrategy[Literal]:
    """A literal of a relation in one of the first layers, or of the state."""
    relations = st.sampled_from(LAYERS[: layer + 1]).flatmap(
        lambda name: st.tuples(*[terms] * ARITIES[name]).map(lambda args: Literal(name, args))
    )
    fluents = st.tuples(terms, terms).map(lambda pair: Literal("true", (("at", *pair),)))
    flag_terms: list[Pattern] = [*VARIABLES, "flag"]
    flags = st.sampled_from(flag_terms).map(lambda term: Literal("true", (term,)))
    return st.one_of(relations, relations, fluents, flags)


@st.composite
def _rules(draw: st.DrawFn, head: str, head_arity: int, layer: int, joint: bool) -> Clause:
    body: list[Condition] = list(draw(st.lists(_positive(layer), min_size=1, max_size=3)))
    if joint and draw(st.booleans()):
        body.append(Literal("does", (draw(st.sampled_from(["r", VARIABLES[1]])), draw(terms))))
    bound = sorted({v for c in body for v in _variables(c)}, key=lambda v: v.name)
    safe = st.sampled_from([*bound, *bound, *CONSTANTS[:2]])
    if layer > 0 and draw(st.booleans()):
        name = draw(st.sampled_from(LAYERS[:layer]))
        body.append(Literal(name, tuple(draw(safe) for _ in range(ARITIES[name])), negated=True))
    if draw(st.booleans()):
        body.append(TermComparison(draw(safe), draw(safe), equal=draw(st.booleans())))
    body = draw(st.permutations(body))
    return Clause(Literal(head, tuple(draw(safe) for _ in range(head_arity))), tuple(body))


def _variables(condition: Condition) -> set[Var]:
    assert isinstance(condition, Literal)
    work: list[Pattern] = list(condition.arguments)
    found = set()
    while work:
        item = work.pop()
        if isinstance(item, Var):
            found.add(item)
        elif isinstance(item, tuple):
            work.extend(item[1:])
    return found


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A small game of two roles in which anything may hold and follow."""
    constant = st.sampled_from(CONSTANTS)
    clauses = [Clause(Literal("role", (name,))) for name in ("r", "o")]
    clauses += [Clause(Literal("legal", (name, "go"))) for name in ("r", "o")]
    clauses.append(Clause(Literal("init", ("flag",))))
    for pair in draw(st.lists(st.tuples(constant, constant), min_size=1, max_size=3)):
        clauses.append(Clause(Literal("init", (("at", *pair),))))
    for layer, name in enumerate(LAYERS):
        for _ in range(draw(st.integers(0, 2))):
            facts = tuple(draw(constant) for _ in range(ARITIES[name]))
            clauses.append(Clause(Literal(name, facts)))
        clauses += draw(st.lists(_rules(name, ARITIES[name], layer, joint=False), max_size=2))
    top = len(LAYERS)
    for made in draw(st.lists(_rules("move", 2, top, joint=False), max_size=2)):
        first, second = made.head.arguments
        clauses.append(Clause(Literal("legal", ("r", ("go", first, second))), made.body))
        clauses.append(Clause(Literal("legal", ("o", second)), made.body))
    for made in draw(st.lists(_rules("step", 2, top, joint=True), max_size=3)):
        clauses.append(Clause(Literal("next", (("at", *made.head.arguments),)), made.body))
    for name in ("next", "sees", "goal", "terminal"):
        made = draw(_rules(name, 1, top, joint=name in ("next", "sees")))
        arguments: dict[str, tuple[Pattern, ...]] = {
            "next": ("flag",), "sees": ("o", *made.head.arguments),
            "goal": ("r", "40"), "terminal": (),
        }  # fmt: skip
        clauses.append(Clause(Literal(name, arguments[name]), made.body))
    return Program(
        clauses=tuple(draw(st.permutations(clauses))),
        roles=("r", "o"),
        source=Source("random", ""),
        has_percepts=draw(st.booleans()),
    )


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs(), seed=st.integers(0, 3))
def test_random_programs_agree(program: Program, seed: int) -> None:
    check_walk(program, seed, max_steps=4)
