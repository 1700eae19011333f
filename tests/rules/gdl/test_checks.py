"""Every check: its code, its severity, and the line and column it points at."""

from __future__ import annotations

import pytest

from code_examples import FRAME
from fogspiel.core.findings import MAX_OF_ONE_CODE, Finding, Severity, errors_in
from fogspiel.core.source import Source
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
FIRST = FRAME.count("\n") + 1
"""The line on which rules added to the sound game begin."""


def findings_of(text: str) -> list[Finding]:
    description, findings = read_description(Source("rules.kif", text))
    return findings + check(description)


def placed(findings: list[Finding]) -> list[tuple[str, Severity, int, int]]:
    rows = []
    for finding in findings:
        assert finding.source is not None
        line, column = (0, 0) if finding.span is None else finding.source.position(finding.span[0])
        rows.append((finding.code, finding.severity, line, column))
    return rows


@pytest.mark.parametrize(
    ("text", "code", "severity"),
    [
        ("; empty", "GDL018", ERROR),
        ("(legal white go)\nterminal\n(goal white 1)", "GDL020", ERROR),
        ("(role white)\nterminal\n(goal white 1)", "GDL021", ERROR),
        ("(role white)\n(legal white go)\n(goal white 1)", "GDL022", ERROR),
        ("(role white)\n(legal white go)\nterminal", "GDL023", WARNING),
    ],
)
def test_what_every_game_needs(text: str, code: str, severity: Severity) -> None:
    assert placed(findings_of(text)) == [(code, severity, 0, 0)]


@pytest.mark.parametrize(
    ("rules", "code", "severity", "line", "column"),
    [
        # Arity
        ("(goal white)", "GDL024", ERROR, 0, 1),
        ("(<= (legal white go) (true step 1))", "GDL024", WARNING, 0, 22),
        ("(base step 1)", "GDL024", WARNING, 0, 1),
        ("(<= (legal white go) (next 1 2))\n(next 1 2)", "GDL024", WARNING, 0, 22),
        ("(e a)\n(e a b)\n(<= (legal white (go ?x)) (e ?x) (e ?x ?x))", "GDL025", WARNING, 1, 1),
        ("(legal white (go a))\n(legal white (go a b))", "GDL026", WARNING, 1, 14),
        ("(legal white (Does a))", "GDL027", WARNING, 0, 14),
        ("(legal white true)", "GDL027", WARNING, 0, 14),
        # Shape
        ("(<= (legal white go) (not (not (true (step 1)))))", "GDL028", WARNING, 0, 22),
        ("(<= (legal ?r go) (role ?r) (not (distinct ?r white)))", "GDL028", WARNING, 0, 29),
        ("(<= (legal white go) (and (true (step 1))))", "GDL029", WARNING, 0, 22),
        # Safety
        ("(<= (next (l (s ?x))) (true (l ?y)))", "GDL014", ERROR, 0, 17),
        ("(<= (legal ?r go) (true (step 1)))", "GDL014", WARNING, 0, 12),
        ("(<= (legal white (go ?x)) (or (d ?x) (true (step 1))))\n(d 1)", "GDL014", WARNING, 0, 22),
        ("(<= (legal white go) (role ?x) (distinct ?x ?y))", "GDL016", ERROR, 0, 45),
        ("(<= (legal white go) (or (d ?x) (distinct ?x 1)))\n(d 1)", "GDL016", ERROR, 0, 43),
        ("(<= (legal white go) (not (role ?x)))", "GDL017", WARNING, 0, 33),
        # Cycles
        ("(<= (legal white go) p)\n(<= p (not q))\n(<= q p)", "GDL030", ERROR, 1, 12),
        ("(<= (goal white 0) (not (goal white 100)))", "GDL032", WARNING, 0, 25),
        # Placement
        ("(role (player 2))", "GDL040", ERROR, 0, 1),
        ("(<= (role ?x) (d ?x))\n(d black)", "GDL040", WARNING, 0, 5),
        ("(<= (true (step 2)) (role white))", "GDL041", ERROR, 0, 5),
        ("(true (step 2))", "GDL041", WARNING, 0, 1),
        ("(<= (legal white go) (init (step 1)))", "GDL042", WARNING, 0, 22),
        ("(<= (init (step 1)) (not (true (step 1))))", "GDL043", WARNING, 0, 26),
        ("(<= terminal p)\n(<= p (does white wait))", "GDL044", WARNING, 0, 14),
        ("(legal black wait)", "GDL045", WARNING, 0, 8),
        ("(<= (legal white go) (does black wait))", "GDL045", WARNING, 0, 28),
        ("(<= (goal white 101) (true (step 1)))", "GDL046", WARNING, 0, 17),
        ("(<= (goal white -1) (true (step 1)))", "GDL046", WARNING, 0, 17),
        ("(<= (goal white lots) (true (step 1)))", "GDL047", ERROR, 0, 17),
        ("(<= (goal white (s 0)) (true (step 1)))", "GDL047", ERROR, 0, 17),
        # Lint
        ("(<= (legal white go) (opne 1))", "GDL050", WARNING, 0, 22),
        ("(spare 1)\n(spare 2)", "GDL051", NOTE, 0, 1),
        ("(<= (legal white go) (true (step 1)) (step 1))", "GDL052", WARNING, 0, 38),
        ("(step 7)\n(<= (legal white go) (step 7))", "GDL052", NOTE, 1, 22),
        ("(legal white Go)\n(legal white go)", "GDL053", WARNING, 1, 14),
        ("(<= (legal white go) Late)\n(<= late (true (step 2)))", "GDL054", WARNING, 0, 22),
        ("(<= (sees black x) (does white wait))", "GDL056", WARNING, 0, 11),
        ("(<= (legal white go) (true (stepp 1)))", "GDL057", WARNING, 0, 28),
        ("(<= (next (step 2)) (does white wiat))", "GDL058", WARNING, 0, 33),
    ],
)
def test_a_check_points_at_the_fault(
    rules: str, code: str, severity: Severity, line: int, column: int
) -> None:
    found = placed(findings_of(FRAME + rules))
    assert (code, severity, FIRST + line, column) in found


def test_a_recursive_argument_must_be_bounded_outside_the_recursion() -> None:
    rules = "(r a)\n(e a b)\n(<= (r ?y) (e ?x ?y) (r (f ?x)))\n(<= (legal white (go ?x)) (r ?x))"
    assert placed(findings_of(FRAME + rules)) == [("GDL031", WARNING, FIRST + 2, 25)]


def test_plain_recursion_is_fine() -> None:
    rules = (
        "(e a b)\n(<= (r ?x ?y) (e ?x ?y))\n(<= (r ?x ?z) (e ?x ?y) (r ?y ?z))\n"
        "(<= (legal white (go ?x)) (r a ?x))"
    )
    assert findings_of(FRAME + rules) == []


def test_an_unbound_variable_of_a_rule_that_does_not_matter_is_a_warning() -> None:
    found = placed(findings_of(FRAME + "(same ?x ?x)\n(base (step ?n))"))
    assert {(code, severity) for code, severity, _, _ in found} == {
        ("GDL014", WARNING),
        ("GDL051", NOTE),
    }


def test_negation_apart_by_arguments_is_told_from_negation_through_a_cycle() -> None:
    apart = "(<= (legal white go) (p 2))\n(<= (p 1) (true (step 1)))\n(<= (p 2) (not (p 1)))"
    around = "(<= (legal white go) (p 2))\n(<= (p 1) (not (p 2)))\n(<= (p 2) (not (p 1)))"
    assert [f.code for f in findings_of(FRAME + apart)] == ["GDL032"]
    assert {f.code for f in findings_of(FRAME + around)} == {"GDL030"}


def test_an_undefined_relation_comes_with_the_nearest_name() -> None:
    rules = "(opened 1)\n(<= (legal white go) (opend 1))\n(<= (legal white go) (opened 1))"
    (finding,) = findings_of(FRAME + rules)
    assert finding.fix == "did you mean `opened`?"
    (finding,) = findings_of(FRAME + "(<= (legal white go) (ture (step 1)))")
    assert finding.fix == "did you mean `true`?"


@pytest.mark.parametrize(
    ("rules", "code", "line", "column"),
    [
        ("(<= (nxt (step 3)) (true (step 2)))", "GDL061", 0, 5),
        ("(inti (step 3))", "GDL061", 0, 1),
        ("(rloe black)", "GDL061", 0, 1),
        ("(<= (legl white go) (true (step 1)))", "GDL061", 0, 5),
        ("(<= (gaol white 0) (true (step 1)))", "GDL061", 0, 5),
        ("(<= terminl (true (step 3)))", "GDL061", 0, 5),
        ("(<= (see white x) (does white wait))", "GDL061", 0, 5),
        ("(<= (white x) (does white wait))", "GDL062", 0, 5),
    ],
)
def test_a_misspelt_or_lost_keyword_is_a_warning(
    rules: str, code: str, line: int, column: int
) -> None:
    (finding,) = findings_of(FRAME + rules)
    assert placed([finding]) == [(code, WARNING, FIRST + line, column)]
    assert finding.fix.startswith("did you mean ")


@pytest.mark.parametrize("rules", ["(int 1)\n(int 2)", "(<= (gaols ?x) (true ?x))", "(sea a b)"])
def test_a_relation_that_is_no_keyword_by_its_arguments_is_only_unused(rules: str) -> None:
    assert [(f.code, f.severity) for f in findings_of(FRAME + rules)] == [("GDL051", NOTE)]


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("role white", "roel white", "GDL020"),
        ("legal white wait", "leagl white wait", "GDL021"),
        ("terminal", "termial", "GDL022"),
        ("goal white", "gola white", "GDL023"),
    ],
)
def test_what_is_missing_because_it_is_misspelt_is_found_in_its_place(
    right: str, wrong: str, code: str
) -> None:
    text = FRAME.replace(right, wrong)
    (finding,) = findings_of(text)
    keyword, misspelt = right.partition(" ")[0], wrong.partition(" ")[0]
    assert (finding.code, finding.fix) == (code, f"did you mean `{keyword}`?")
    assert finding.span is not None
    assert text[finding.span.start : finding.span.end].strip("(").startswith(misspelt)


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        # The odd one of three.
        ("(e a)\n(e a b)\n(<= (legal white (go ?x)) (e ?x b))", ("GDL025", 0)),
        # Stated with one number and asked for with another: what its rule leaves behind.
        ("(<= (won ?x) (true ?x) (d ?x ?y))\n(d 1 2)\n(<= (legal white (go ?x)) (won ?x ?x))",
         ("GDL025", 0)),
        ("(<= (legal white (go ?x)) (won ?x) (d ?x ?y))\n(<= (won ?x ?y) (d ?x ?y))\n(d 1 2)",
         ("GDL025", 0)),
        ("(legal white (go a))\n(<= (next (x)) (does white (go a b)))\n(legal white (go b b))",
         ("GDL026", 0)),
        # A move or fluent without any argument.
        ("(legal white (go a))\n(<= (next (step 3)) (does white go))", ("GDL058", 1)),
        ("(<= (legal white go) (true step))", ("GDL057", 0)),
    ],
)  # fmt: skip
def test_a_wrong_number_of_arguments_is_said_once_and_where_it_is_odd(
    rules: str, place: tuple[str, int]
) -> None:
    found = [f for f in findings_of(FRAME + rules) if f.severity is WARNING and f.code != "GDL019"]
    assert [(code, line - FIRST) for code, _, line, _ in placed(found)] == [place]
    assert "argument" in found[0].message
    assert "did you mean" not in found[0].fix


@pytest.mark.parametrize(
    "rules",
    [
        "(outcome white wait (set (does white wait) (does white go)) (set 0.9 0.1))",
        "(<= (outcome ?p ?m (set (does ?p ?m) (does ?p wait)) (set 0.5 0.5)) (legal ?p ?m))",
    ],
)
def test_a_stochastic_extension_gets_one_finding_and_no_other(rules: str) -> None:
    (finding,) = findings_of(FRAME + rules + "\n(<= (legal white go) (undefined 1))")
    assert (finding.code, finding.severity) == ("GDL060", ERROR)
    assert "not GDL-II" in finding.message


def test_a_certain_outcome_says_nothing_and_does_no_harm() -> None:
    assert errors_in(findings_of(FRAME + "(outcome ?p ?m (set (does ?p ?m)) (set 1))")) == []


def test_fluents_without_true_throughout_are_another_language() -> None:
    text = FRAME.replace("(true (step 1))", "(step 1)").replace("(true (step 2))", "(step 2)")
    assert [finding.code for finding in findings_of(text)] == ["GDL060"]


ALIKE = "(role black)\n(legal black wait)\n(role random)\n(legal random wait)\n"
"""Two players with the same moves, and chance."""


@pytest.mark.parametrize(
    ("rules", "code", "severity", "line", "column"),
    [
        ("(init (step 2))", "GDL063", NOTE, 2, 1),
        ("(<= (sees white (moved wait)) (does black wait))", "GDL064", WARNING, 4, 5),
        ("(<= (sees ?r end) (role ?r))\n(<= (sees black (drew ?m)) (does random ?m))",
         "GDL064", WARNING, 5, 5),
        ("(<= (sees ?r end) (role ?r))\n(<= (next (late)) (true (step 1)))", "GDL065", NOTE, 5, 11),
        ("(<= (sees ?r end) (role ?r))\n(init (n 1))\n(<= (next (n 2)) (true (n 1)))",
         "GDL065", NOTE, 5, 7),
    ],
)  # fmt: skip
def test_what_nobody_is_told_and_nothing_reads_is_found(
    rules: str, code: str, severity: Severity, line: int, column: int
) -> None:
    found = placed(findings_of(FRAME + ALIKE + rules))
    assert [row for row in found if row[0] != "GDL019"] == [(code, severity, FIRST + line, column)]


@pytest.mark.parametrize(
    ("asking", "code"),
    [("(late 1)", "GDL052"), ("(true (lat 1))", "GDL057"), ("(ture (late 1))", "GDL050")],
)
def test_a_fluent_that_is_asked_for_wrongly_is_reported_once(asking: str, code: str) -> None:
    rules = f"(<= (next (late 1)) (true (step 1)))\n(<= (legal white go) {asking})"
    assert [finding.code for finding in findings_of(FRAME + rules)] == [code]


@pytest.mark.parametrize(
    "rules",
    [
        # Each is told something that the other is not.
        "(<= (sees white (a ?m)) (does black ?m))\n(<= (sees black (b ?m)) (does white ?m))",
        # Other moves, another part in the game.
        "(legal black pass)\n(<= (sees white (moved ?m)) (does black ?m))",
        # A percept may be anything, and so may be what is asked for.
        "(<= (sees white ?m) (does black ?m))",
        "(<= (sees ?r ?f) (role ?r) (true ?f))\n(init (late 1))",
        "(<= (sees ?r end) (role ?r))\n(init (control white))",
    ],
)
def test_what_may_be_meant_is_no_finding(rules: str) -> None:
    assert findings_of(FRAME + ALIKE + rules) == []


def test_findings_come_in_the_order_of_the_text_and_not_by_the_thousand() -> None:
    rules = "".join(f"(<= (legal white go) (undefined{n} 1))\n" for n in range(1_000))
    findings = findings_of(FRAME + rules)
    starts = [finding.span.start for finding in findings if finding.span is not None]
    assert starts == sorted(starts)
    assert len(findings) == MAX_OF_ONE_CODE


def test_a_finding_prints_place_excerpt_and_fix() -> None:
    (finding,) = findings_of(FRAME + "(<= (legal white go) (opne 1))")
    assert str(finding) == (
        "rules.kif:7:22: GDL050 warning: nothing states `opne` with 1 argument: it never holds\n"
        "    (<= (legal white go) (opne 1))\n"
        "                         ^^^^^^^^\n"
        "  fix: state when `opne` holds"
    )
