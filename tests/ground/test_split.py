"""Splitting rules changes their size and never what follows from them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ground_texts import answer_atoms, program_of
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.ground import split
from fogspiel.ground.program import encode, ground
from fogspiel.ground.split import split_rules
from fogspiel.rules.clauses import (
    Clause,
    Condition,
    Literal,
    Pattern,
    Program,
    TermComparison,
    Var,
    pattern_variables,
)
from fogspiel.rules.gdl.normalise.estimate import estimate_instances

VARIABLES = [Var(name) for name in "uvwxyz"]
X, Y, Z = VARIABLES[3:]


@pytest.fixture(scope="module")
def split_all() -> Iterator[None]:
    """Split whatever can be split, whether it pays or not."""
    patch = pytest.MonkeyPatch()
    patch.setattr(split, "LARGE", -1)
    patch.setattr(split, "WORTHWHILE", float("inf"))
    yield
    patch.undo()


def split_of(program: Program) -> Program:
    """The program after splitting, by its own estimates."""
    return split_rules(program, estimate_instances(program))


def meaning(program: Program) -> set[tuple[str, tuple[GroundTerm, ...]]]:
    """All that follows about the relations of play, by clingo's solver."""
    encoding = encode(program)
    return {encoding.decode(symbol) for symbol in answer_atoms(encoding.text)}


BOARD = """
(role r)
{places}
(<= (init (cell ?x ?y ?p)) (place ?x) (place ?y) (place ?p))
(<= (legal r (move ?a ?b ?c ?d)) (true (cell ?a ?b ?p)) (place ?c) (place ?d))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does r (move ?a ?b ?c ?d)) (distinct ?x ?c))
"""


def test_a_move_whose_other_places_do_not_matter_is_taken_out() -> None:
    places = " ".join(f"(place {n})" for n in range(8))
    whole = program_of(BOARD.format(places=places))
    parts = split_of(whole)
    assert len(parts.clauses) > len(whole.clauses)
    # 8^3 cells times 8^4 moves stand whole; split, the moves are asked for one coordinate only.
    assert len(ground(whole).rules.heads) < 8**3 * 8**4 / 50


def test_small_rules_are_left_alone() -> None:
    whole = program_of(BOARD.format(places="(place 1) (place 2)"))
    assert split_of(whole) == whole


def test_equal_parts_of_different_rules_share_one_relation(split_all: None) -> None:
    whole = program_of("""
        (role r) (e a b) (e b c) (legal r go)
        (<= (next (p ?x)) (true (p ?x)) (does r ?m))
        (<= (next (q ?y)) (true (q ?y)) (does r ?n))
    """)
    clauses = split_of(whole).clauses
    (made,) = (c for c in clauses if c.head.predicate.startswith(" part"))
    assert made == Clause(Literal(" part 0"), (Literal("does", ("r", Var("v0"))),))
    uses = [c for c in clauses if c.head.predicate == "next"]
    assert len(uses) == 2
    assert all(made.head in use.body for use in uses)


def test_a_part_that_only_tests_a_variable_gets_a_condition_that_binds_it(split_all: None) -> None:
    whole = program_of("""
        (role r) (d a) (d b) (d c) (e a b) (e c a)
        (<= (init (p ?x ?z)) (d ?x) (d ?y) (d ?z) (not (e ?x ?y)) (distinct ?y ?z))
    """)
    assert meaning(split_of(whole)) == meaning(whole)


def test_spans_of_parts_are_those_of_the_rule(split_all: None) -> None:
    whole = program_of("""
        (role r) (d a)
        (<= (init (p ?x)) (d ?x) (d ?y) (d ?z))
    """)
    parts = [c for c in split_of(whole).clauses if c.head.predicate.startswith(" part")]
    assert parts
    assert {part.span for part in parts} == {whole.clauses[-1].span}


# Random clause sets. Relations have layers; a clause reads its own and those below, and negates
# only those below: stratified by construction.
LAYERS = {"p": 1, "q": 2, "s": 2, "next": 1}
CONSTANTS: list[Pattern] = ["a", "b", ("f", "a")]
terms: st.SearchStrategy[Pattern] = st.sampled_from(
    [*VARIABLES, *CONSTANTS, ("f", VARIABLES[0]), ("f", X)]
)


def atoms(names: list[str]) -> st.SearchStrategy[Literal]:
    relations = st.sampled_from(names).flatmap(
        lambda name: st.tuples(*[terms] * LAYERS[name]).map(lambda args: Literal(name, args))
    )
    fluents = st.tuples(terms, terms).map(lambda pair: Literal("true", (("at", *pair),)))
    return st.one_of(relations, fluents)


def variables_of(conditions: list[Condition]) -> list[Var]:
    patterns = [p for c in conditions if isinstance(c, Literal) for p in c.arguments]
    return sorted({v for p in patterns for v in pattern_variables(p)}, key=lambda v: v.name)


@st.composite
def clauses(draw: st.DrawFn, layer: int) -> Clause:
    names = list(LAYERS)
    head = names[layer]
    body: list[Condition] = list(
        draw(st.lists(atoms(names[: min(layer, 2) + 1]), min_size=2, max_size=5))
    )
    bound = variables_of(body)
    safe: st.SearchStrategy[Pattern] = st.sampled_from([*bound, *CONSTANTS])
    comparisons = st.builds(TermComparison, safe, safe, st.booleans())
    body += draw(st.lists(comparisons, max_size=2))
    if layer > 0:
        for name in draw(st.lists(st.sampled_from(names[:layer]), max_size=2)):
            arguments = tuple(draw(safe) for _ in range(LAYERS[name]))
            body.append(Literal(name, arguments, negated=True))
    head_terms: st.SearchStrategy[Pattern] = st.sampled_from([*bound, "a"])
    arguments = tuple(draw(head_terms) for _ in range(LAYERS[head]))
    return Clause(Literal(head, arguments), tuple(draw(st.permutations(body))))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    constants = st.sampled_from(CONSTANTS)
    pairs = st.tuples(constants, constants)
    made = [Clause(Literal("role", ("r",)))]
    for name, arity in list(LAYERS.items())[:3]:
        facts = draw(st.lists(pairs, max_size=3))
        made += [Clause(Literal(name, pair[:arity])) for pair in facts]
    fluents = draw(st.lists(pairs, min_size=1, max_size=4))
    made += [Clause(Literal("true", (("at", *pair),))) for pair in fluents]
    for layer in range(len(LAYERS)):
        made += draw(st.lists(clauses(layer), min_size=layer == len(LAYERS) - 1, max_size=2))
    return Program(clauses=tuple(made), roles=("r",), source=Source("random", ""))


@pytest.mark.usefixtures("split_all")
@settings(max_examples=50)
@given(programs())
def test_the_same_follows_with_and_without_splitting(program: Program) -> None:
    assert meaning(split_of(program)) == meaning(program)


@pytest.mark.usefixtures("split_all")
def test_many_random_clauses_are_split_at_all() -> None:
    """The property above would say little of clauses that stay whole."""
    met = split_whole = 0

    @settings(max_examples=50)
    @given(programs())
    def count(program: Program) -> None:
        nonlocal met, split_whole
        met += 1
        split_whole += len(split_of(program).clauses) > len(program.clauses)

    count()
    assert split_whole > met / 2
