"""Any name may stand in a rule: clingo only ever sees numbers."""

from __future__ import annotations

import re

import pytest
from ground_texts import answer_atoms
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.ground.program import KEPT, REACHABILITY, SHOWN, encode, ground
from fogspiel.rules.clauses import Clause, Literal, Pattern, Program, TermComparison, Var

X, Y = Var("x"), Var("y")

ODD_NAMES = [
    "01", "1", "-1", "+x", "r-1", "not", "true", "#show", "#sup", "_", "Upper", "upper", "f0", "p1",
    "größe", "王", '"quoted"', "it's", "a.b", "a:-b", "%", "*", "\\", "{", "|", "&", "=", "!=", "@",
    "1..3", "99999999999999999999",
]  # fmt: skip


def program(*clauses: Clause) -> Program:
    return Program(clauses=clauses, roles=("r",), source=Source("test", ""))


def init_of(*terms: GroundTerm) -> Program:
    return program(*(Clause(Literal("init", (term,))) for term in terms))


def held(*clauses: Clause) -> set[tuple[str, tuple[GroundTerm, ...]]]:
    """Relations and arguments that follow from clauses, by way of clingo and back."""
    encoding = encode(program(*clauses))
    return {encoding.decode(symbol) for symbol in answer_atoms(encoding.text)}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_name_of_any_kind_survives_as_constant_functor_and_relation(name: str) -> None:
    assert held(
        Clause(Literal(name, (name, (name, "a")))),
        Clause(Literal("init", ((name, X, Y),)), (Literal(name, (X, Y)),)),
        Clause(Literal("next", (name,))),
    ) == {("init", ((name, name, (name, "a")),)), ("next", (name,))}


def test_odd_names_stay_apart_from_each_other() -> None:
    fluents = ground(init_of(*ODD_NAMES)).fluents
    assert set(fluents) == set(ODD_NAMES)
    # `01` is a name, not the number 1: GDL knows no arithmetic.
    assert fluents["01"] != fluents["1"]


def test_nothing_of_a_name_reaches_the_text() -> None:
    text = encode(init_of(("böse(1):-#sup", '"a"'))).text
    body = text.removeprefix(REACHABILITY)
    assert re.fullmatch(r"init\(f\d+\(\d+\)\)\.\s*", body)


def test_relations_of_one_name_and_different_arity_are_different() -> None:
    # true/2 and init/2 are relations of the sheet, not the keywords true/1 and init/1.
    found = held(
        Clause(Literal("true", ("a", "b"))),
        Clause(Literal("init", (X, X)), (Literal("true", (X, Y)),)),
        Clause(Literal("next", (("pair", X, Y),)), (Literal("true", (X, Y)),)),
        Clause(Literal("terminal"), (Literal("init", ("a",)),)),
        Clause(Literal("goal", ("r", X)), (Literal("init", (X, Y)),)),
    )
    assert found == {("next", (("pair", "a", "b"),)), ("goal", ("r", "a"))}


def test_conditions_keep_their_meaning() -> None:
    facts = [Clause(Literal("d", (name,))) for name in ("a", "b")]
    pair: Pattern = ("p", X, Y)
    body = (Literal("d", (X,)), Literal("d", (Y,)))
    differing = Clause(Literal("init", (pair,)), (*body, TermComparison(X, Y)))
    same = Clause(Literal("next", (pair,)), (*body, TermComparison(X, Y, equal=True)))
    negated = Clause(Literal("true", (X,)), (Literal("d", (X,)), Literal("e", (X,), negated=True)))
    made = Clause(Literal("legal", ("r", Y)), (*body[:1], TermComparison(Y, ("f", X), equal=True)))
    assert held(*facts, differing, same, negated, made, Clause(Literal("e", ("a",)))) == {
        ("init", (("p", "a", "b"),)),
        ("init", (("p", "b", "a"),)),
        ("next", (("p", "a", "a"),)),
        ("next", (("p", "b", "b"),)),
        ("true", ("b",)),
        ("legal", ("r", ("f", "a"))),
        ("legal", ("r", ("f", "b"))),
    }


def test_a_proposition_is_decoded_without_arguments() -> None:
    assert held(Clause(Literal("terminal"))) == {("terminal", ())}


def test_every_relation_with_a_meaning_is_asked_for_by_name() -> None:
    assert {tuple(signature.split("/")) for signature in SHOWN} == {(n, str(a)) for n, a in KEPT}


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)
terms = st.recursive(
    names,
    lambda inner: st.tuples(names, st.lists(inner, min_size=1, max_size=3)).map(
        lambda made: (made[0], *made[1])
    ),
    max_leaves=12,
)


@given(st.lists(terms, min_size=1, max_size=5, unique=True))
def test_terms_come_back_as_they_went_in(given_terms: list[GroundTerm]) -> None:
    clauses = [Clause(Literal("legal", ("r", term))) for term in given_terms]
    assert held(*clauses) == {("legal", ("r", term)) for term in given_terms}
