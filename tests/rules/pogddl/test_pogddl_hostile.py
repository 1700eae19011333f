"""Broken and hostile texts end with findings, soon, and never with an exception of Python's."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.core.findings import Severity, codes
from fogspiel.core.limits import ReadLimits
from pogddl_games import CARDS, CART, findings_of, places

DEPTH = ReadLimits().depth
LEFT_OPEN = {"GDL002", "POG004"}

HOSTILE: dict[str, tuple[str, set[str]]] = {
    "a word": ("define", {"POG001"}),
    "empty parentheses": ("()", {"POG001"}),
    "a bare define": ("(define)", {"POG001"}),
    "a define of words": ("(define domain x)", {"POG001"}),
    "a define of a variable": ("(define (domain ?x))", {"POG001"}),
    "a define of a group": ("(define (domain (x)))", {"POG001"}),
    "a stray parenthesis": (CARDS + ")", {"GDL001"}),
    "an unclosed parenthesis": (
        CARDS.replace("(pot)\n", "((pot)\n"),
        {"GDL002", "POG003"},
    ),
    "a text cut in the middle": (CARDS[: len(CARDS) // 2], {"GDL002", "POG002", "POG048"}),
    "an unclosed quote": (CARDS.replace("jack queen", "|jack queen"), {"GDL010"}),
    "too deep": ("(define (domain d) (:terminal " + "(not " * 500 + ")" * 502, {"GDL003"}),
    "a comment without its mark": (CARDS.replace("; A bluffing game", "A bluffing"), {"POG001"}),
    "words between sections": (CARDS.replace("  (:terminal", "  who wins? (:terminal"), {"POG003"}),
    "a condition left open": (CARDS.replace("(not (served ?r))", "(not (served ?r)"), LEFT_OPEN),
    "a section alone": ("(:types a)", {"POG001"}),
    "sections of words": ("(define (domain d) a b :types)", {"POG003", "POG040", "POG048"}),
    "sections of nothing": ("(define (domain d) () (()))", {"POG003", "POG040", "POG048"}),
    "an action without a name": (CARDS.replace(":action say", ":action"), {"POG003"}),
    "keywords without values": (
        CARDS.replace(":parameters (?r - player ?n - role ?a - act)", ":parameters"),
        {"POG003", "POG025"},
    ),
    "lists of dashes": (CARDS.replace("(:types ", "(:types - - "), {"POG005"}),
    "an empty either": (CARDS.replace("king - card", "king - (either)"), {"POG005", "POG028"}),
    "an observation of one": (CARDS.replace("(all (said ?r ?a))", "(all)"), {"POG003"}),
    "an observation with a type": (
        CARDS.replace("(?r (dealt ?r ?c))", "(?r - player (dealt ?r ?c))"),
        {"POG003"},
    ),
    "an observation that comes first": (
        CARDS.replace("(all (said ?r ?a))", "((said ?r ?a) all)"),
        {"POG003"},
    ),
    "a choice without pairs": (CART.replace("1/3 (slip ?p)", "1/3"), {"POG003"}),
    "a division by nothing": (CART.replace("1/3", "1/0"), {"POG006"}),
    "a number with letters": (CART.replace("1/3", "1e999"), {"POG006"}),
    "no types of functions": (CARDS.replace("- number", "- act"), {"POG003"}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_ends_with_the_right_codes(name: str) -> None:
    text, codes = HOSTILE[name]
    assert {finding.code for finding in findings_of(text)} == codes


def test_the_section_that_was_left_open_is_named_and_the_rest_is_read() -> None:
    text = CARDS.replace("(observe (all (said ?r ?a)))))", "(observe (all (said ?r ?a))))")
    found = findings_of(text.replace("(higher king queen)", "(higher king quen)"))
    assert places(found) == [("GDL002", 32, 46), ("POG024", 45, 23)]


def test_sections_after_the_end_belong_to_the_definition_before() -> None:
    text = CARDS.replace("(observe (all (said ?r ?a)))))", "(observe (all (said ?r ?a))))))")
    found = findings_of(text)
    assert places(found) == [("POG013", 34, 3), ("GDL001", 39, 85)]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(not ", ")"), ("(and (exists (?x) ", "))"), ("(imply () ", ")"), ("(or () ", " ())")],
)
def test_the_deepest_conditions_are_read_and_checked(opening: str, closing: str) -> None:
    levels = (DEPTH - 10) // opening.count("(") if "(?x)" not in opening else (DEPTH - 10) // 2
    deep = opening * levels + "(showdown)" + closing * levels
    found = findings_of(CARDS.replace("(:terminal", f"(:terminal {deep}) (:terminal"))
    assert all(finding.severity is not Severity.ERROR for finding in found)


def test_the_deepest_effects_and_expressions_are_read_and_checked() -> None:
    levels = DEPTH - 20
    effect = "(when () " * levels + "(showdown)" + ")" * levels
    text = CARDS.replace("(observe (all", f"{effect} (observe (all")
    sum_of = "(+ 1 " * levels + "1" + ")" * levels
    assert findings_of(text.replace("(increase (pot) 1)", f"(increase (pot) {sum_of})")) == []


@pytest.mark.parametrize(
    "body",
    [
        "(:types " + " ".join(f"t{n} - t{n + 1}" for n in range(30_000)) + ")",
        "(:constants " + " ".join(f"c{n} - nothing{n}" for n in range(30_000)) + ")",
        "(:terminal (and " + " ".join(f"(p{n} ?x{n})" for n in range(20_000)) + "))",
        "(:action a " + ":wrong () " * 30_000 + ")",
        "(:functions " + "(f) " * 30_000 + ")",
        "(:predicates " + " ".join(f"(p{n} ?x)" for n in range(20_000)) + ")",
    ],
    ids=["types", "constants", "conditions", "keywords", "functions", "predicates"],
)
def test_large_texts_take_seconds_and_few_findings(body: str) -> None:
    began = time.process_time()
    found = findings_of(f"(define (domain d) {body})")
    assert time.process_time() - began < 5
    assert 0 < len(found) < 500


@given(st.text(alphabet="()?:-|_ \nabc=0/.;\\é", max_size=200))
def test_garbage_ends_with_findings(text: str) -> None:
    assert findings_of(text + " (define (domain x)") != []


@given(st.data())
def test_a_game_with_words_lost_or_doubled_never_fails(data: st.DataObject) -> None:
    words = CART.replace("(", " ( ").replace(")", " ) ").split(" ")
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at : at + 1] = data.draw(st.sampled_from([[], [words[at]] * 2, ["("], ["?x"], ["-"]]))
    found = findings_of(" ".join(words))
    assert all(finding.code in codes() for finding in found)
