"""The reader of POGDDL: every construct of the grammar, and faults with their places."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.core.findings import LimitError
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.pogddl.read.read import read_pogddl
from fogspiel.rules.pogddl.syntax import (
    Add,
    And,
    Arithmetic,
    Atom,
    Change,
    Comparison,
    Delete,
    Domain,
    Effects,
    Equal,
    Fluent,
    ForEach,
    Imply,
    Name,
    Not,
    Number,
    ObservationClause,
    Observe,
    Option,
    Problem,
    Quantified,
    Quantifier,
    Typed,
    Variable,
    When,
)
from fogspiel.rules.pogddl.text_parts import Part, is_pogddl, parts_of
from pogddl_games import CARDS, CARDS_DOMAIN, CARDS_PROBLEM, CART, GAMES, NOUGHTS, findings_of


def read(*texts: str) -> tuple[Domain, Problem]:
    """A game that is read without a finding."""
    sources = [Source(f"{index}.pogddl", text) for index, text in enumerate(texts)]
    description, findings = read_pogddl(sources)
    assert findings == []
    assert description.domain is not None
    assert description.problem is not None
    return description.domain, description.problem


def atom(text: str) -> Atom:
    """`p ?x a` as an atom."""
    name, *terms = text.split()
    return Atom(Name(name), tuple(Variable(t[1:]) if t[0] == "?" else Name(t) for t in terms))


def fluent(text: str) -> Fluent:
    found = atom(text)
    return Fluent(found.name, found.arguments)


def number(text: str) -> Number:
    return Number(Fraction(text))


@pytest.mark.parametrize("name", GAMES)
def test_the_games_of_the_tests_have_no_findings(name: str) -> None:
    assert findings_of(GAMES[name]) == []


def test_one_file_and_two_in_either_order_say_the_same() -> None:
    assert read(CARDS) == read(CARDS_DOMAIN, CARDS_PROBLEM) == read(CARDS_PROBLEM, CARDS_DOMAIN)


def test_declarations_keep_types_and_subtypes() -> None:
    domain, problem = read(CARDS)
    assert domain.name == Name("three-cards")
    assert domain.requirements[-1] == Name(":pogddl")
    role, player, card = (Name(text) for text in ("role", "player", "card"))
    assert domain.types == (Typed(player, (role,)), Typed(role), Typed(card), Typed(Name("act")))
    assert domain.constants[2] == Typed(Name("chance"), (role,))
    assert [p.name.text for p in domain.predicates][:2] == ["whoseturn", "holds"]
    assert domain.predicates[3].parameters[0] == Typed(Variable("a"), (card,))
    assert [(f.name.text, len(f.parameters)) for f in domain.functions] == [
        ("pot", 0),
        ("chips", 1),
    ]
    assert problem.domain == domain.name
    assert [item.term for item in problem.objects] == [Name("jack"), Name("queen"), Name("king")]


def test_either_is_a_list_of_types() -> None:
    domain, _ = read(CART)
    assert domain.predicates[1].parameters == (
        Typed(Variable("p"), (Name("wet-cell"), Name("dry-cell"))),
    )


def test_conditions() -> None:
    domain, _ = read(CARDS)
    deal = domain.actions[0].precondition
    assert isinstance(deal, And)
    assert deal.conditions[0] == atom("whoseturn chance")
    assert deal.conditions[2] == Not(atom("served ?r"))
    assert deal.conditions[4] == Imply(Equal(Variable("r"), Name("ben")), atom("served ann"))
    gain = domain.gains[0]
    assert gain.condition == And(())
    assert gain.value == Arithmetic("-", (fluent("chips ?r"), number("10")))
    terminal = domain.terminals[0]
    assert "Or(" in repr(terminal)
    assert "FORALL" in repr(domain.gains[1].condition)


def test_derived_predicates_may_ask_for_themselves() -> None:
    domain, _ = read(CARDS)
    (derived,) = domain.derived
    assert derived.head.name == Name("beats")
    assert "higher" in repr(derived.condition)
    assert "beats" in repr(derived.condition)


def test_keywords_are_read_in_any_case() -> None:
    domain, _ = read(NOUGHTS)
    assert isinstance(domain.derived[0].condition, Quantified)
    assert domain.derived[0].condition.quantifier is Quantifier.EXISTS
    assert domain.types[0] == Typed(Name("role"))
    assert domain.gains[0].roles == (Typed(Name("x")),)


def test_effects() -> None:
    domain, _ = read(CARDS)
    effect = domain.actions[0].effect
    assert isinstance(effect, Effects)
    assert effect.effects[0] == Delete(atom("indeck ?c"))
    assert effect.effects[1] == Add(atom("holds ?r ?c"))
    assert isinstance(effect.effects[3], When)
    assert effect.effects[4] == Observe(
        (
            ObservationClause(Variable("r"), atom("dealt ?r ?c")),
            ObservationClause(Name("others"), atom("dealt ?r _")),
        )
    )


def test_numbers_change_in_five_ways() -> None:
    domain, problem = read(CART)
    push = domain.actions[0]
    assert isinstance(push.precondition, And)
    assert push.precondition.conditions[1:] == (
        Comparison(">", fluent("fuel"), Arithmetic("/", (number("1"), number("2")))),
        Comparison(">=", fluent("fuel"), number("0")),
        Comparison("<=", fluent("fuel"), Arithmetic("*", tuple(map(number, "235")))),
    )
    assert isinstance(push.effect, Effects)
    assert push.effect.effects[2:7] == (
        Change("decrease", fluent("fuel"), number("1")),
        Change(
            "assign",
            fluent("bonus driver"),
            Arithmetic("+", (fluent("bonus driver"), Arithmetic("-", (number("3"),)))),
        ),
        Change("scale-up", fluent("bonus chance"), number("2")),
        Change("scale-down", fluent("bonus chance"), number("1/2")),
        ForEach(
            (Typed(Variable("r"), (Name("role"),)),),
            Change(
                "increase",
                fluent("bonus ?r"),
                Arithmetic("-", (fluent("fuel"), fluent("fuel"))),
            ),
        ),
    )
    assert problem.values[1].value == number("10")
    assert problem.gains[0].roles == (Typed(Name("driver")),)


def test_chance_chooses_by_weight() -> None:
    domain, _ = read(CART)
    (choice,) = domain.choices
    assert [item.term for item in choice.parameters] == [Variable("p"), Variable("q")]
    assert choice.options == (
        Option(number("1/3"), atom("slip ?p")),
        Option(number("2/3"), atom("roll ?p ?q")),
    )


def test_equality_is_of_numbers_where_a_function_is_named() -> None:
    domain, _ = read(CART.replace("(= (fuel) 0)", "(= fuel bonus)"))
    assert domain.terminals == (Comparison("=", fluent("fuel"), fluent("bonus")),)


def test_spans_cover_what_was_written() -> None:
    domain, problem = read(CARDS)
    written = CARDS[slice(*domain.actions[1].span)]
    assert written.startswith("(:action say")
    assert written.endswith("(observe (all (said ?r ?a)))))")
    assert CARDS[slice(*problem.facts[0].span)] == "(whoseturn chance)"


def test_content_tells_the_language() -> None:
    assert parts_of(CARDS) == Part.DOMAIN | Part.PROBLEM
    assert parts_of(CARDS_DOMAIN) is Part.DOMAIN
    assert parts_of("; a comment\n ( DEFINE\n(Problem p))") is Part.PROBLEM
    assert not is_pogddl("(role white)\n; (define (domain x))")
    assert not is_pogddl("role(white). define(domain).")
    assert not is_pogddl("")


def test_limits_of_size_are_kept() -> None:
    with pytest.raises(LimitError) as caught:
        findings_of(CARDS, limits=ReadLimits(bytes=100))
    assert caught.value.findings[0].code == "GDL012"
    with pytest.raises(LimitError) as caught:
        findings_of(CARDS, limits=ReadLimits(tokens=50))
    assert caught.value.findings[0].code == "GDL013"
