"""Known faults in POGDDL: each is found under its code, at its line and column."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import Severity
from pogddl_games import CARDS, CARDS_DOMAIN, CARDS_PROBLEM, CART, NOUGHTS, findings_of, places

# A piece of the card game, what stands there instead, and code, line and column of the findings.
FAULTS: dict[str, tuple[str, str, list[tuple[str, int, int]]]] = {
    "a misspelt section": ("(:terminal", "(:termnal", [("POG002", 34, 4)]),
    "a misspelt part of an action": (
        ":precondition (and (whoseturn ?r)",
        ":precondtion (and (whoseturn ?r)",
        [("POG002", 26, 5)],
    ),
    "a condition without parentheses": ("(or (showdown)", "(or showdown", [("POG003", 34, 18)]),
    "an effect as a condition": (
        "(and (whoseturn ?r) (after ?r ?n))",
        "(and (whoseturn ?r) (after ?r ?n) (increase (pot) 1))",
        [("POG003", 26, 53)],
    ),
    "a condition as an effect": ("(folded ?r))\n", "(or (folded ?r)))\n", [("POG003", 30, 36)]),
    "a negation of two": ("(not (served ?r))", "(not (served ?r) ())", [("POG004", 18, 72)]),
    "a type glued to its dash": ("king - card)", "king -card)", [("POG005", 43, 29)]),
    "a parameter without its mark": (
        "(?r - player ?n - role ?a",
        "(r - player ?n - role ?a",
        [("POG005", 25, 18)],
    ),
    "an endless number": ("(= (pot) 2)", f"(= (pot) {'9' * 200})", [("POG006", 46, 19)]),
    "an unknown requirement": (":fluents", ":fluent", [("POG010", 3, 26)]),
    "a type that is not declared": (
        "(indeck ?c - card)",
        "(indeck ?c - crad)",
        [("POG020", 7, 70)],
    ),
    "a subtype of itself": (
        "player - role role",
        "player - role role - player",
        [("POG021", 4, 11)],
    ),
    "an unknown predicate": ("(not (indeck ?c))", "(not (inDeck ?c))", [("POG022", 20, 24)]),
    "a function as a predicate": ("(or (showdown)", "(or (pot)", [("POG022", 34, 19)]),
    "an unknown function": ("(increase (pot) 1)", "(increase (pots) 1)", [("POG023", 28, 51)]),
    "an unknown object": ("(when (= ?a fold)", "(when (= ?a flod)", [("POG024", 30, 30)]),
    "a free variable": ("(all (said ?r ?a))", "(all (said ?r ?b))", [("POG025", 32, 41)]),
    "an action twice": ("(:action say", "(:action deal", [("POG026", 24, 12)]),
    "a variable twice": (
        "(?r - player ?n - role ?a",
        "(?r - player ?r - role ?a",
        [("POG026", 25, 30), ("POG025", 26, 49)],
    ),
    "a value twice": ("(= (chips ben) 9)", "(= (chips ann) 9)", [("POG026", 46, 40)]),
    "one argument too few": ("(holds ?r ?c)", "(holds ?r)", [("POG027", 20, 36)]),
    "an object of another type": ("(higher king queen)", "(higher king ann)", [("POG028", 45, 23)]),
    "a placeholder in a condition": ("(indeck ?c) (not", "(indeck _) (not", [("POG030", 18, 51)]),
    "a derived fact at the start": (
        "(higher king queen)",
        "(beats king queen)",
        [("POG032", 45, 11)],
    ),
    "no mover": ("whoseturn", "whose_turn", [("POG040", 7, 6)]),
    "an observation for nobody": ("(others (dealt", "(other (dealt", [("POG042", 22, 47)]),
    "a gain for a thing": (
        "(:gain ?r - player (pot)",
        "(:gain ?r - card (pot)",
        [("POG043", 36, 10), ("POG028", 39, 30), ("POG028", 39, 56)],
    ),
    "nobody's turn at the start": ("(:init (whoseturn chance)", "(:init", [("POG044", 41, 18)]),
    "two movers": (
        "(:init (whoseturn chance)",
        "(:init (whoseturn chance) (whoseturn ann)",
        [("POG044", 44, 29)],
    ),
    "another domain": ("(:domain three-cards)", "(:domain four-cards)", [("POG045", 42, 12)]),
    "a parameter without a use": (
        "?n - role ?a - act)",
        "?n - role ?a - act ?c - card)",
        [("POG060", 25, 49)],
    ),
}


@pytest.mark.parametrize(
    ("right", "wrong", "place", "said"),
    [
        ("(served ?r -", "(serve ?r -", ("POG022", 8, 70), "`serve` is never used"),
        ("(higher ?a ?b -", "(higher ?a -", ("POG027", 8, 5), "used with 2 everywhere"),
        ("(chips ?r -", "(chpis ?r -", ("POG023", 10, 31), "`chpis` is never used"),
    ],
)
def test_a_fault_in_a_declaration_is_reported_there_and_once(
    right: str, wrong: str, place: tuple[str, int, int], said: str
) -> None:
    text = CARDS.replace(right, wrong, 1)
    assert text != CARDS
    (finding,) = findings_of(text)
    assert places([finding]) == [place]
    assert said in finding.message


def test_a_name_without_a_declaration_is_reported_once() -> None:
    text = CARDS.replace("(after ?r ?n - role)", "")
    assert text.count("(after ") > 2
    assert [finding.code for finding in findings_of(text)] == ["POG022"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_where_it_stands(fault: str) -> None:
    right, wrong, expected = FAULTS[fault]
    assert right in CARDS
    assert places(findings_of(CARDS.replace(right, wrong))) == expected


def test_all_faults_of_a_text_are_reported_in_their_order() -> None:
    text = CARDS.replace("(indeck ?c) (not", "(indek ?c) (not")
    text = text.replace("(:terminal", "(:termnal").replace("(:domain three", "(:domain four")
    assert places(findings_of(text)) == [
        ("POG022", 18, 44),
        ("POG002", 34, 4),
        ("POG045", 42, 12),
    ]


def test_faults_of_two_files_name_their_files() -> None:
    found = findings_of(
        CARDS_DOMAIN.replace("(pot) 1)", "(pots) 1)"), CARDS_PROBLEM.replace("jack)", "jak)")
    )
    files = [finding.source.name for finding in found if finding.source is not None]
    assert files == ["game.pogddl", "game-2.pogddl", "game-2.pogddl"]
    assert places(found)[:2] == [("POG023", 28, 51), ("POG024", 4, 37)]


def test_close_names_are_offered() -> None:
    (finding,) = findings_of(CARDS.replace("(not (indeck ?c))", "(not (INDECK ?c))"))
    assert finding.fix == "did you mean `indeck`?"


def test_a_domain_alone_is_checked_and_a_problem_alone_is_not() -> None:
    (alone,) = findings_of(CARDS_DOMAIN)
    assert (alone.code, alone.severity) == ("POG009", Severity.WARNING)
    (lost,) = findings_of(CARDS_PROBLEM)
    assert (lost.code, lost.severity) == ("POG009", Severity.ERROR)


def test_names_of_observations_need_no_declaration_but_their_objects_do() -> None:
    assert findings_of(NOUGHTS.replace("(placed ?r", "(anything ?r")) == []
    found = findings_of(NOUGHTS.replace("(placed ?r", "(placed nowhere"))
    assert [finding.code for finding in found] == ["POG024"]


def test_a_wider_variable_is_a_warning() -> None:
    (finding,) = findings_of(
        CART.replace("(?p - wet-cell)\n", "(?p - (either wet-cell dry-cell))\n")
    )
    assert (finding.code, finding.severity) == ("POG028", Severity.WARNING)


def test_subtypes_fit_where_their_type_is_expected() -> None:
    """`ann` is a player, and a player is a role."""
    assert findings_of(CARDS) == []
    found = findings_of(CARDS.replace("(chips ?r) 10", "(chips chance) 10"))
    assert [finding.code for finding in found] == ["POG028"]


def test_lint_waits_until_a_text_has_no_errors() -> None:
    unused = CARDS.replace("(showdown))\n  (:fun", "(showdown) (spare))\n  (:fun")
    (note,) = findings_of(unused)
    assert (note.code, note.severity) == ("POG061", Severity.NOTE)
    codes = [finding.code for finding in findings_of(unused.replace("(:terminal", "(:termnal"))]
    assert codes == ["POG002"]


def test_a_type_of_an_object_must_be_declared_once_only() -> None:
    found = findings_of(CART.replace("b - dry-cell)", "b - dry-cell a - wet-cell)"))
    assert [finding.code for finding in found] == ["POG026"]


def test_weights_may_depend_on_the_state_but_not_be_negative() -> None:
    assert findings_of(CART.replace("1/3 (slip", "(fuel) (slip")) == []
    found = findings_of(CART.replace("1/3 (slip", "0 (slip").replace("2/3 (roll", "0 (roll"))
    assert [finding.code for finding in found] == ["POG046"]
