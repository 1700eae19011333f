"""Reading of GDL: limits, decoding, dialects, and the prefix form."""

from __future__ import annotations

from pathlib import Path

import pytest

from fogspiel.core.findings import LimitError, RulesError, Severity, UsageError, errors_in
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import dialect_of, read_description, read_file, source_from_bytes
from fogspiel.rules.gdl.syntax import Atom, Compound, Not, Notation, Or, Rule, Variable
from pogddl_games import places


def read(text: str) -> tuple[Rule, ...]:
    description, findings = read_description(Source("rules.kif", text))
    assert findings == []
    return description.rules


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert source_from_bytes("a.kif", b"\xef\xbb\xbf(role x)").text == "(role x)"


def test_latin_1_is_read_where_utf_8_fails() -> None:
    assert source_from_bytes("a.kif", b"; caf\xe9\n(role x)").text == "; café\n(role x)"


@pytest.mark.parametrize("data", [b"(role x)\0", b"\x1f\x8b\x08\x00", b"\x7fELF\x02"])
def test_what_is_no_text_is_refused_with_its_place(data: bytes) -> None:
    with pytest.raises(RulesError) as raised:
        source_from_bytes("a.kif", data)
    (finding,) = raised.value.findings
    assert finding.code == "GDL011"
    assert finding.span is not None


def test_a_long_file_is_refused_without_reading_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "long.gdl"
    with path.open("wb") as stream:
        stream.truncate(50 << 30)  # a file with a hole: reading it all would take minutes
    with pytest.raises(LimitError) as raised:
        read_file(path)
    assert raised.value.findings[0].code == "GDL012"
    assert raised.value.exit_code == 4


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        read_file(tmp_path / "missing.gdl")
    assert raised.value.findings[0].code == "GAM002"


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("(role x)", Notation.PREFIX),
        ("; role(x).\n(role x)", Notation.PREFIX),
        ("terminal (role x)", Notation.PREFIX),
        ("terminal\n(role x)", Notation.PREFIX),
        ("", Notation.PREFIX),
        ("role(x).", Notation.INFIX),
        ("% (role x)\nrole(x).", Notation.INFIX),
        ("terminal.", Notation.INFIX),
        ("terminal :- p.", Notation.INFIX),
        ("'Is over' :- p.", Notation.INFIX),
        ("% only a comment", Notation.INFIX),
    ],
)
def test_the_dialect_is_known_by_the_text(text: str, dialect: Notation) -> None:
    assert dialect_of(text) is dialect


def test_keywords_are_read_in_any_case_and_other_names_as_written() -> None:
    rules = read("(ROLE White) (<= (Next ?X) (TRUE ?X) (NOT (Open ?X)) (OR Terminal (open ?X)))")
    assert rules[0].head == Atom("role", (Compound("White"),))
    assert rules[1].head.predicate == "next"
    assert rules[1].body[1] == Not(Atom("Open", (Variable("X"),)))
    assert rules[1].body[2] == Or((Atom("terminal"), Atom("open", (Variable("X"),))))


def test_a_quoted_name_may_hold_anything() -> None:
    (rule,) = read(r"(p |a b| |?x| |(| |a\|b| |a\\b| |a\nb| ||)")
    names = [term.functor for term in rule.head.arguments if isinstance(term, Compound)]
    assert names == ["a b", "?x", "(", "a|b", "a\\b", "a\nb", ""]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("(p a))\n(q b)", "GDL001", 1, 6),
        ("(p a)\n(q (r b)", "GDL002", 2, 8),
        ("(p ())", "GDL004", 1, 4),
        ("(<= (p a) (<= q r))", "GDL005", 1, 11),
        ("(not (p a))", "GDL005", 1, 1),
        ("(<=)", "GDL005", 1, 1),
        ("(<= p (not a b))", "GDL006", 1, 7),
        ("(<= p (distinct ?x))", "GDL006", 1, 7),
        ("(<= p or)", "GDL006", 1, 7),
        ("(<= p ?x)", "GDL007", 1, 7),
        ("(<= p (?x a))", "GDL007", 1, 8),
        ("(<= p ((q) a))", "GDL007", 1, 8),
        ("(p |a)", "GDL010", 1, 4),
    ],
)
def test_a_fault_is_reported_where_it_stands(text: str, code: str, line: int, column: int) -> None:
    _, findings = read_description(Source("rules.kif", text))
    assert places(errors_in(findings)) == [(code, line, column)]


def test_all_faults_of_a_text_are_reported_and_the_rest_is_read() -> None:
    text = "(<= p ?x)\n(role white)\n(<= q ())\n(role black)"
    description, findings = read_description(Source("rules.kif", text))
    assert [finding.code for finding in findings] == ["GDL007", "GDL004"]
    assert len(description.rules) == 2


def test_a_rule_left_open_does_not_swallow_the_next() -> None:
    text = "(<= (p ?x) (q ?x)\n(<= (r ?x) (q ?x))\n(<= (s ?x) (q (f ?x))\n(<= (t ?x) (q ?x))"
    source = Source("rules.kif", text)
    description, findings = read_description(source)
    assert [rule.head.predicate for rule in description.rules] == ["p", "r", "s", "t"]
    assert [(f.code, source.position(f.span.start).line) for f in findings if f.span] == [
        ("GDL002", 1),
        ("GDL002", 3),
    ]


@pytest.mark.parametrize(
    ("text", "place", "opened"),
    [
        # At the end of the rule, or of the line after which the indentation falls back.
        ("(<= (legal ?p go)\n    (role ?p)\n\n(<= terminal\n    over)", (2, 13), (1, 1)),
        ("(<= (legal ?p go)\n    (role ?p\n    (ready ?p))\n(<= terminal\n    over)",
         (2, 12), (2, 5)),
        ("(<= (legal ?p go\n    (role ?p))\n(<= terminal\n    over)", (1, 16), (1, 5)),
        ("(role white\n(role black)\n(init (step 1))\n(<= terminal\n    over)",
         (1, 11), (1, 1)),
        ("(<= (won ?p)\n    (line ?p)\n\n(succ 1 2)\n(<= terminal\n    over)", (2, 13), (1, 1)),
        # Bodies without indentation.
        ("(<= (won ?p)\n(line ?p)\n(role ?p)\n(<= terminal\nover)", (3, 9), (1, 1)),
        # A condition set too far to the left is no fault, if the rest fits it.
        ("(<= (legal ?p go)\n    (or (role ?p)\n    (all ?p))\n    (not over)\n(<= terminal over)",
         (4, 14), (1, 1)),
    ],
)  # fmt: skip
def test_a_missing_parenthesis_is_told_by_the_layout(
    text: str, place: tuple[int, int], opened: tuple[int, int]
) -> None:
    source = Source("rules.kif", text)
    description, (finding,) = read_description(source)
    assert places([finding]) == [("GDL002", *place)]
    assert f"the `(` in line {opened[0]}, column {opened[1]}" in finding.message
    assert "terminal" in {rule.head.predicate for rule in description.rules}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        # The head, a condition and the whole rule without their opening parenthesis.
        ("(<= legal ?p go)\n    (role ?p))\n(role white)", (1, 16)),
        ("(<= (legal ?p go)\n    role ?p)\n    (ready ?p))\n(role white)", (2, 12)),
        ("<= (legal ?p go)\n    (role ?p))\n(role white)", (1, 1)),
        ("(<= (legal ?p go) role ?p) (ready ?p))\n(role white)", (1, 26)),
    ],
)
def test_a_missing_opening_parenthesis_is_one_fault(text: str, place: tuple[int, int]) -> None:
    description, (finding,) = read_description(Source("rules.kif", text))
    assert places([finding]) == [("GDL001", *place)]
    assert finding.severity is Severity.ERROR
    assert "a `(` is missing" in finding.message
    assert [rule.head.predicate for rule in description.rules] == ["role"]
    assert "legal" in description.lost


def test_what_stands_in_an_unreadable_part_is_not_missed() -> None:
    from fogspiel.rules.languages import examine

    text = """
        (role white) (init (step 1)) (hand rock)
        (<= (legal ?p ?h) ?p (hand ?h))
        (<= (next (step 2)) (true (step 1)))
        (<= terminal (true (step 2)))
        (goal white 100)
    """
    assert [finding.code for finding in examine([Source("rules.kif", text)])[0]] == ["GDL007"]


def test_a_bare_not_applies_to_what_follows_it() -> None:
    description, findings = read_description(Source("rules.kif", "(<= terminal not open)"))
    assert description.rules[0].body == (Not(Atom("open")),)
    assert [(f.code, f.severity) for f in findings] == [("GDL006", Severity.WARNING)]


def test_a_text_cut_out_of_a_message_is_read_with_a_warning() -> None:
    description, findings = read_description(Source("rules.kif", "(role white) (role black) ) 10"))
    assert len(description.rules) == 3
    assert [(f.code, f.severity) for f in findings] == [("GDL001", Severity.WARNING)]


@pytest.mark.parametrize("text", ["(" * 100_000, "(f " * 100_000, "(<= p (not " * 40_000])
def test_deep_nesting_is_one_finding(text: str) -> None:
    _, findings = read_description(Source("rules.kif", text))
    assert [finding.code for finding in findings] == ["GDL003"]


def test_the_deepest_rules_allowed_pass_through_every_layer() -> None:
    from fogspiel.rules.gdl.check.checks import check
    from fogspiel.rules.gdl.normalise.normalise import normalise
    from fogspiel.rules.gdl.write import write

    depth = ReadLimits().depth
    term = "(f " * (depth - 2) + "a" + ")" * (depth - 2)
    nots = "(not " * (depth - 3) + "(role white)" + ")" * (depth - 3)
    ors = "(or (and " * (depth // 2 - 2) + "(role white)" + "))" * (depth // 2 - 2)
    text = f"(role white)\n(legal white {term})\n(<= terminal {nots})\n(<= terminal {ors})"
    description, findings = read_description(Source("deep.kif", text))
    assert findings == []
    assert len(normalise(description).clauses) == 4
    assert check(description)
    for dialect in Notation:
        again, _ = read_description(Source("deep.kif", write(description, dialect)))
        assert again == description


def test_a_relation_stated_in_another_case_is_the_same_relation() -> None:
    text = "(<= terminal timeOut)\n(<= timeout (true (step 2)))"
    description, findings = read_description(Source("rules.kif", text))
    assert [finding.code for finding in findings] == ["GDL054"]
    assert description.rules[0].body == (Atom("timeout"),)


def test_relations_stated_in_both_cases_stay_apart() -> None:
    rules = read("(<= terminal Over over)\n(<= Over (true a))\n(<= over (true b))")
    assert rules[0].body == (Atom("Over"), Atom("over"))
