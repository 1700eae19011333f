"""Whatever the text, it ends in findings: no other exception leaves the GDL layer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from code_examples import FRAME
from fogspiel.core.findings import Finding, FogspielError, codes, errors_in
from fogspiel.core.source import Source
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.normalise.estimate import estimate_instances
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description, source_from_bytes
from fogspiel.rules.gdl.syntax import Notation
from fogspiel.rules.gdl.write import write

PREFIX_WORDS = [
    *"((()))|;",
    *(
        "<=",
        "not",
        "or",
        "and",
        "distinct",
        "role",
        "init",
        "true",
        "next",
        "legal",
        "does",
        "goal",
    ),
    *("terminal", "sees", "base", "?x", "?y", "?z", "p", "q", "white", "100", "\n"),
    *("(true (step ?x))", "(role ?x)", "(distinct ?x ?y)"),
]
INFIX_WORDS = [
    *"(),.&|~XY_p1'% \n",
    *(":-", " not ", " or ", "p(", "q(", "role(", "true(", "legal(", "white"),
]


def findings_of(source: Source) -> list[Finding]:
    """Every step that a text goes through; the steps after checks only if they allow it."""
    try:
        description, findings = read_description(source)
        findings += check(description)
        for dialect in Notation:
            write(description, dialect)
        if not errors_in(findings):
            estimate_instances(normalise(description))
    except FogspielError as error:
        return list(error.findings)
    return findings


def assert_well_said(findings: list[Finding]) -> None:
    for finding in findings:
        assert finding.code in codes()
        assert finding.message
        assert finding.fix
        assert finding.code in str(finding)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PREFIX_WORDS), max_size=40).map(" ".join))
def test_any_words_of_prefix_end_in_findings(text: str) -> None:
    assert_well_said(findings_of(Source("words.kif", text)))
    assert_well_said(findings_of(Source("words.kif", FRAME + text)))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(INFIX_WORDS), max_size=40).map("".join))
def test_any_words_of_infix_end_in_findings(text: str) -> None:
    assert_well_said(findings_of(Source("words.gdl", "role(white).\n" + text)))


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_end_in_findings(data: bytes) -> None:
    try:
        source = source_from_bytes("bytes.gdl", data)
    except FogspielError as error:
        assert_well_said(list(error.findings))
        return
    assert_well_said(findings_of(source))
