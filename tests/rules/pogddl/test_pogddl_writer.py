"""What is written reads back equal."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.core.source import Source
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.read.read import read_pogddl
from fogspiel.rules.pogddl.write import WIDTH, write
from pogddl_games import CARDS_DOMAIN, GAMES


def reread(text: str) -> syntax.GameDescription:
    return read_pogddl([Source("written.pogddl", text)])[0]


@pytest.mark.parametrize("name", GAMES)
def test_games_read_back_equal(name: str) -> None:
    game = reread(GAMES[name])
    text = write(game)
    assert reread(text) == game
    assert write(reread(text)) == text
    assert max(map(len, text.splitlines())) <= WIDTH + 20


def test_a_domain_alone_can_be_written() -> None:
    assert "problem" not in write(reread(CARDS_DOMAIN))


# Names that must be quoted are among them: keywords, numbers, blanks, bars, another alphabet.
names = st.builds(
    syntax.Name,
    st.sampled_from(["a", "b-c", "and", "OR", "3", "_", "-", "x y", "|", "?q", "é", "=", "\\"]),
)
variables = st.builds(syntax.Variable, st.sampled_from(["x", "y", "zed-2"]))
terms: st.SearchStrategy[syntax.Term] = st.one_of(names, variables)
arguments = st.lists(terms, max_size=3).map(tuple)
atoms = st.builds(syntax.Atom, names, arguments)
type_lists = st.lists(names, max_size=2).map(tuple)
typed = st.lists(st.builds(syntax.Typed, variables, type_lists), max_size=3).map(tuple)
# The pool of functions is apart from that of objects: `(= f g)` asks which of the two is meant.
fluents = st.builds(syntax.Fluent, st.builds(syntax.Name, st.sampled_from(["f", "g"])), arguments)
numbers = st.builds(
    syntax.Number, st.fractions(max_denominator=1000).filter(lambda f: abs(f) < 10**9)
)
expressions: st.SearchStrategy[syntax.Expression] = st.recursive(
    st.one_of(numbers, fluents),
    lambda inner: st.builds(syntax.Arithmetic, st.sampled_from("+-*/"), st.tuples(inner, inner)),
    max_leaves=4,
)
conditions: st.SearchStrategy[syntax.Condition] = st.recursive(
    st.one_of(
        atoms,
        st.builds(syntax.Equal, terms, terms),
        st.builds(
            syntax.Comparison,
            st.sampled_from(["<", "<=", "=", ">=", ">"]),
            expressions,
            expressions,
        ),
    ),
    lambda inner: st.one_of(
        st.builds(syntax.And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(syntax.Or, st.lists(inner, max_size=3).map(tuple)),
        st.builds(syntax.Not, inner),
        st.builds(syntax.Imply, inner, inner),
        st.builds(syntax.Quantified, st.sampled_from(syntax.Quantifier), typed, inner),
    ),
    max_leaves=6,
)
observations = st.builds(syntax.ObservationClause, terms, atoms)
changes = st.sampled_from(["assign", "increase", "decrease", "scale-up", "scale-down"])
effects: st.SearchStrategy[syntax.Effect] = st.recursive(
    st.one_of(
        st.builds(syntax.Add, atoms),
        st.builds(syntax.Delete, atoms),
        st.builds(syntax.Change, changes, fluents, expressions),
        st.builds(syntax.Observe, st.lists(observations, max_size=3).map(tuple)),
    ),
    lambda inner: st.one_of(
        st.builds(syntax.Effects, st.lists(inner, max_size=3).map(tuple)),
        st.builds(syntax.When, conditions, inner),
        st.builds(syntax.ForEach, typed, inner),
    ),
    max_leaves=6,
)
actions = st.builds(syntax.Action, names, typed, st.none() | conditions, st.none() | effects)


@given(st.lists(actions, max_size=2).map(tuple), st.lists(conditions, max_size=2).map(tuple))
def test_any_actions_and_ends_read_back_equal(
    some: tuple[syntax.Action, ...], ends: tuple[syntax.Condition, ...]
) -> None:
    functions = (syntax.Declaration(syntax.Name("f")), syntax.Declaration(syntax.Name("g")))
    domain = syntax.Domain(
        name=syntax.Name("any"),
        functions=functions,
        actions=some,
        terminals=ends,
        source=Source("", ""),
    )
    text = write(syntax.GameDescription(domain, None))
    assert reread(text).domain == domain, text


@given(st.fractions(max_denominator=10**12).filter(lambda value: abs(value) < 10**12))
def test_numbers_read_back_exactly(value: Fraction) -> None:
    domain = reread(f"(define (domain d) (:terminal (< {value} 1)))").domain
    assert domain is not None
    assert domain.terminals == (
        syntax.Comparison("<", syntax.Number(value), syntax.Number(Fraction(1))),
    )
