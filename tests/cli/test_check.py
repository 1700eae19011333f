"""`fogspiel check`: all findings of all files, as text, JSON or annotations."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import GAME, document, run, written

from fogspiel.cli.commands.rules.check import github_annotation
from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Source, Span

UNSAFE = GAME + "(<= (legal white go) (distinct ?x ?y))\n"
WARNED = GAME + "(<= (legal white go) (opne 1))\n"
EXPLODING = GAME + (
    "".join(f"(d {n})\n" for n in range(10))
    + "(<= (legal white (go ?a ?b ?c ?d ?e ?f ?g ?h ?i))"
    + "".join(f" (d ?{v})" for v in "abcdefghi")
    + ")\n"
)
FINDING_KEYS = {"code", "severity", "file", "line", "column", "message", "fix"}


def test_sound_rules_have_no_findings(tmp_path: Path) -> None:
    path = written(tmp_path, GAME)
    result = run("check", path)
    assert result.exit_code == 0
    assert result.output == f"{path}: no findings\n"
    assert document("check", path) == {"ok": True, "findings": []}


def test_findings_have_place_reason_and_fix(tmp_path: Path) -> None:
    path = written(tmp_path, UNSAFE)
    answer = document("check", path, code=1)
    assert answer["ok"] is False
    assert all(set(finding) == FINDING_KEYS for finding in answer["findings"])
    unsafe = next(finding for finding in answer["findings"] if finding["code"] == "GDL016")
    assert (unsafe["file"], unsafe["line"], unsafe["severity"]) == (path, 7, "error")


def test_several_files_are_reported_together(tmp_path: Path) -> None:
    good, bad = written(tmp_path, GAME, "good.gdl"), written(tmp_path, UNSAFE, "bad.gdl")
    result = run("check", good, bad)
    assert result.exit_code == 1
    assert f"{good}: no findings" in result.output
    missing = str(tmp_path / "missing.gdl")
    answer = document("check", bad, missing, code=3)
    assert {finding["file"] for finding in answer["findings"]} == {bad, missing}


def test_warnings_fail_only_when_strict(tmp_path: Path) -> None:
    path = written(tmp_path, WARNED)
    assert run("check", path).exit_code == 0
    assert run("check", path, "--strict").exit_code == 1
    assert document("check", path, "--strict", code=1)["ok"] is False


def test_rules_come_from_standard_input_too() -> None:
    result = run("check", "-", text=UNSAFE)
    assert result.exit_code == 1
    assert "<stdin>:7:" in result.output


def test_too_large_a_text_is_a_limit(tmp_path: Path) -> None:
    path = written(tmp_path, "(p a)\n" * 2_000_000)
    assert document("check", path, code=4)["findings"][0]["code"] == "GDL012"


def test_a_grounding_that_explodes_is_a_warning_that_names_the_rule(tmp_path: Path) -> None:
    path = written(tmp_path, EXPLODING)
    (finding,) = [
        finding
        for finding in document("check", path, "--ground-seconds", "1")["findings"]
        if finding["code"].startswith("GRD")
    ]
    assert finding["severity"] == "warning"
    assert finding["line"] == 17
    assert "the reference reasoner plays this game instead" in finding["message"]
    assert "GRD" not in run("check", path, "--no-ground").output


def test_annotations_escape_what_github_would_misread() -> None:
    finding = Finding(
        "GDL999",
        "50% of: a,b\nnext",
        fix="none",
        severity=Severity.WARNING,
        source=Source("odd:na,me%.gdl", "(p a)\n(q b)\n"),
        span=Span(6, 11),
    )
    assert github_annotation(finding) == (
        "::warning file=odd%3Ana%2Cme%25.gdl,line=2,col=1,title=GDL999::"
        "50%25 of: a,b%0Anext%0Afix: none"
    )


@pytest.mark.parametrize(("text", "level"), [(UNSAFE, "error"), (WARNED, "warning")])
def test_every_finding_becomes_an_annotation(tmp_path: Path, text: str, level: str) -> None:
    path = written(tmp_path, text)
    lines = run("check", path, "--format", "github").output.splitlines()
    assert lines
    assert any(line.startswith(f"::{level} file={path},line=7,") for line in lines)


def test_play_proves_what_holds_of_a_small_game() -> None:
    answer = document("check", "kuhn_poker", "--play", "10")
    (audit,) = answer["audits"]
    assert audit["states"] == 52
    assert {claim["verdict"] for claim in audit["claims"]} == {"proved"}


def test_play_fails_with_a_counterexample(tmp_path: Path) -> None:
    path = written(tmp_path, GAME.replace("(legal white wait)", "(legal white wait) (role black)"))
    answer = document("check", path, "--play", "10", "--no-ground", code=1)
    found = {finding["code"]: finding["message"] for finding in answer["findings"]}
    assert found["DYN002"].endswith("counterexample: at the start")
