"""Methods files are read with all their faults, each with its place, its code and a fix."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_text import network_text

from fogspiel.core.findings import Finding, FogspielError, RulesError, Severity, codes
from fogspiel.core.source import Source
from fogspiel.plan.language.method_terms import OPERATOR, GameVocabulary, names_of
from fogspiel.plan.language.reading import read_network, sound_network
from fogspiel.plan.task_network import MethodLiteral
from methods_hostile import CASES

TEXT = """\
; how to hunt ships
(network hunt (note Fire where ships |may be (still)|.))
(method search
  (task nil) (title |Parity hunt|) (note "every second cell")
  (when (turn ?a) (cell ?x ?y) (not (shot ?x ?y)) (distinct ?x ?y))
  (do (fire ?x ?y)))
(method chase (expand (sink ?a ?x) (rest ?a)) (when (hit ?x) (turn ?a)) (task NIL))
(method finish (task (sink ?who ?x)) (when (NOT (sunk ?x))) (do (fire ?x a)))
(method rest (task (rest ?who)) (do pass))
"""
WORDS = GameVocabulary(
    relations={
        ("turn", 1): ("role",),
        ("agent", 1): ("role",),
        ("true", 1): ("fluent",),
        ("can", 1): (OPERATOR,),
    },
    kinds={
        "role": names_of(["north", "south"]),
        "fluent": names_of([("hit", "1", "2"), "calm"]),
        OPERATOR: names_of([("fire", "1", "2"), "shoot", "wait"]),
    },
)


def findings_of(text: str, vocabulary: GameVocabulary | None = None) -> list[Finding]:
    try:
        return read_network(Source("hunt.methods", text), vocabulary=vocabulary)[1]
    except FogspielError as error:
        return list(error.findings)


def test_a_file_is_read_as_it_stands() -> None:
    network, findings = read_network(Source("hunt.methods", TEXT))
    assert findings == []
    assert (network.name, network.note) == ("hunt", "Fire where ships may be (still) .")
    search, chase, finish, rest = network.methods
    assert search.task is None
    assert (search.title, search.note) == ("Parity hunt", "every second cell")
    assert [(literal.atom, literal.positive) for literal in search.when] == [
        (("turn", "?a"), True),
        (("cell", "?x", "?y"), True),
        (("shot", "?x", "?y"), False),
        (("distinct", "?x", "?y"), True),
    ]
    assert search.operator == ("fire", "?x", "?y")
    assert chase.expansion == (("sink", "?a", "?x"), ("rest", "?a"))
    assert chase.task is None
    assert finish.task == ("sink", "?who", "?x")
    assert finish.when == (MethodLiteral(("sunk", "?x"), False, finish.when[0].span),)
    assert rest.operator == "pass"


def test_facts_and_others_are_read() -> None:
    text = (
        "(network n (others drawn))\n(facts (next 1 2) (next 1 2))\n(facts (far a (b c)))\n"
        "(method a (task nil) (when (next ?x ?y) (far ?x ?y)) (do wait))"
    )
    network, findings = read_network(Source("n.methods", text), vocabulary=WORDS)
    assert findings == []
    assert network.facts == (("next", "1", "2"), ("far", "a", ("b", "c")))
    assert network.draws_others


def test_spans_lead_to_the_text() -> None:
    network, _ = read_network(Source("hunt.methods", TEXT))
    span = network.methods[0].when[2].span
    assert span is not None
    assert TEXT[span.start : span.end] == "(not (shot ?x ?y))"


def test_all_faults_of_a_file_are_told_in_their_order() -> None:
    text = (
        "(network hunt)\n"
        "(method a (task nil) (wen (turn ?a)) (do (fire ?x)))\n"
        "(method b (task nil))\n"
        "(method a (task nil) (do (fire ?x)))\n"
    )
    assert [finding.code for finding in findings_of(text)] == [
        "PLN003",
        "PLN009",
        "PLN006",
        "PLN012",
        "PLN009",
    ]


def test_a_finding_shows_the_place_and_the_fix() -> None:
    text = "(network hunt)\n(method a (task nil) (when (turn ?me)) (do (fire ?mee)))\n"
    assert str(findings_of(text)[0]) == (
        "hunt.methods:2:44: PLN009 error: nothing says what ?mee stands for here\n"
        "    (method a (task nil) (when (turn ?me)) (do (fire ?mee)))\n"
        "                                               ^^^^^^^^^^^\n"
        "  fix: did you mean ?me? Otherwise add a condition before it that holds for some ?mee"
    )


def test_a_task_that_is_nearly_answered_is_suggested() -> None:
    text = (
        "(network n)\n(method a (task nil) (when (turn ?a)) (expand (sinc ?a)))\n"
        "(method b (task (sink ?a)) (do wait))\n"
    )
    found = {finding.code: finding for finding in findings_of(text)}
    assert found["PLN010"].fix == "did you mean `sink`?"
    assert found["PLN011"].fix == "did you mean `sinc`?"
    assert found["PLN011"].severity is Severity.WARNING


def test_a_task_with_another_number_of_arguments_is_another_task() -> None:
    text = (
        "(network n)\n(method a (task nil) (when (turn ?a)) (expand (sink ?a ?a)))\n"
        "(method b (task (sink ?a)) (do wait))\n"
    )
    assert "with 1 arguments" in {f.code: f for f in findings_of(text)}["PLN010"].fix


def test_nothing_is_said_of_missing_tasks_where_methods_could_not_be_read() -> None:
    text = (
        "(network n)\n(method a (task nil) (when (turn ?a)) (expand (sink ?a)))\n"
        "(method b (task (sink ?a)) (when ()) (do wait))\n"
    )
    assert [finding.code for finding in findings_of(text)] == ["PLN007"]


@pytest.mark.parametrize(
    ("part", "code", "words"),
    [
        ("(when (tunr ?a)) (do wait)", "PLN015", "`turn`"),
        ("(when (turn nort)) (do wait)", "PLN015", "`north`"),
        ("(when (true (hitt ?x ?y))) (do wait)", "PLN015", "`hit`"),
        ("(when (true (hit ?x))) (do wait)", "PLN015", "with 2 arguments"),
        ("(when (true ?f) (can (fier ?x ?y))) (do wait)", "PLN015", "`fire`"),
        ("(when (turn ?a ?b)) (do wait)", "PLN015", "with 1 arguments"),
        ("(do zzz)", "PLN016", "the game has fire, shoot, wait"),
        ("(do (shoot a))", "PLN016", "with 0 arguments"),
    ],
)
def test_words_that_the_game_does_not_have_are_found(part: str, code: str, words: str) -> None:
    (finding,) = findings_of(f"(network n)\n(method a (task nil) {part})", WORDS)
    assert finding.code == code
    assert words in finding.fix


def test_words_of_the_game_are_taken() -> None:
    text = (
        "(network n)\n(method a (task nil) (when (turn north) (true calm) (true (hit ?x 2))"
        " (not (true ?x)) (can (fire ?x ?x)) (distinct ?x calm)) (do (fire ?x 1)))"
    )
    assert findings_of(text, WORDS) == []


@pytest.mark.parametrize("code", [code for code in codes() if "PLN001" <= code <= "PLN017"])
def test_an_example_of_a_methods_file_triggers_exactly_its_code(code: str) -> None:
    vocabulary = WORDS if code in {"PLN015", "PLN016"} else None
    assert {finding.code for finding in findings_of(codes()[code].example, vocabulary)} == {code}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_methods_file_ends_with_its_code(name: str) -> None:
    code, text = CASES[name]
    start = time.process_time()
    findings = findings_of(text())
    assert code in {finding.code for finding in findings}
    assert time.process_time() - start < 5.0
    assert max(len(str(finding)) for finding in findings) < 2_000
    assert len(findings) < 500


def test_a_sound_network_has_no_errors_and_others_are_refused_with_all_of_them() -> None:
    assert len(sound_network(Source("hunt.methods", TEXT)).methods) == 4
    with pytest.raises(RulesError) as refused:
        sound_network(Source("x.methods", "(method a (task nil))(method b (task nil))"))
    assert [finding.code for finding in refused.value.findings] == ["PLN002", "PLN006", "PLN006"]


def test_reading_takes_time_in_proportion_to_the_file() -> None:
    """Twenty times the methods would take 400 times as long if each were compared with each."""
    few, many = (min(_seconds(count) for _ in range(3)) for count in (40, 800))
    assert many < 100 * few


def _seconds(methods: int) -> float:
    text = "(network n)\n" + "".join(
        f"(method m{n} (task nil) (title |A scheme|) (note |What it does, in a sentence or two.|)"
        f" (when (turn ?a) (cell ?x ?y) (not (shot ?x ?y)) (distinct ?x ?y)) (do (fire ?x ?y)))\n"
        for n in range(methods)
    )
    start = time.process_time()
    assert findings_of(text) == []
    return time.process_time() - start


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_file_that_was_damaged_is_read_or_refused(data: st.DataObject) -> None:
    text = TEXT
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        piece = data.draw(
            st.sampled_from(["", "(", ")", "|", "?", "not", " nil ", "\n(method ", ";"])
        )
        text = text[:start] + piece + text[end:]
    network, findings = read_network(Source("damaged.methods", text), vocabulary=WORDS)
    for finding in findings:
        assert finding.code in codes()
        assert finding.fix
    if not any(finding.severity is Severity.ERROR for finding in findings):
        assert read_network(Source("again", network_text(network)))[0].name == network.name
