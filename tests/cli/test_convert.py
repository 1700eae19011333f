"""`fogspiel convert`: all directions, where the text goes, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import GAME, document, run, written

from code_examples import POGDDL_FRAME
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import read_description
from fogspiel.rules.gdl.syntax import Notation
from fogspiel.rules.languages import language_of

DOMAIN, _, REST = POGDDL_FRAME.partition("(define (problem")
PROBLEM = "(define (problem" + REST
TREE = """\
EFG 2 R "Matching pennies" { "Ann" "Ben" }
p "" 1 1 "" { "heads" "tails" } 0
p "" 2 1 "" { "heads" "tails" } 0
t "" 1 "Ann" { 1 -1 }
t "" 2 "Ben" { -1 1 }
p "" 2 1 "" { "heads" "tails" } 0
t "" 2 "Ben"
t "" 1 "Ann"
"""
FORMATS = ["gdl", "infix", "pogddl", "efg"]
LANGUAGES = {"gdl": "gdl", "infix": "gdl", "pogddl": "pogddl", "efg": "efg"}


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(
    ("text", "name"),
    [(GAME, "game.gdl"), (POGDDL_FRAME, "game.pogddl"), (TREE, "game.efg")],
    ids=["gdl", "pogddl", "efg"],
)
def test_every_language_becomes_every_other(tmp_path: Path, text: str, name: str, to: str) -> None:
    result = run("convert", written(tmp_path, text, name), "--to", to)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert language_of(result.stdout) == LANGUAGES[to]
    again = written(tmp_path, result.stdout, f"again.{to}")
    assert run("check", again).exit_code == 0
    assert run("info", again).exit_code == 0


def test_the_two_notations_of_gdl_are_told_apart() -> None:
    for to, dialect in (("gdl", Notation.PREFIX), ("infix", Notation.INFIX)):
        description, _ = read_description(
            Source("text", run("convert", "kuhn_poker", "--to", to).stdout)
        )
        assert description.dialect is dialect


def test_a_file_is_written_and_only_its_name_is_said(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.efg"
    result = run("convert", "kuhn_poker", "--to", "efg", "--out", str(path))
    text = path.read_text(encoding="utf-8")
    assert result.output == f"wrote {path}: {text.count(chr(10))} lines\n"
    assert text.startswith('EFG 2 R "kuhn_poker" { "first" "second" }\n')


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "mine", "kuhn.efg"))
    arguments = ("convert", "kuhn_poker", "--to", "efg", "--out", str(path))
    result = run(*arguments)
    assert result.exit_code == 2
    assert f"CLI006 error: {path} exists already" in result.stderr
    assert path.read_text(encoding="utf-8") == "mine"
    assert document(*arguments, code=2)["findings"][0]["code"] == "CLI006"
    assert run(*arguments, "--force").exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("EFG 2 R")


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    arguments = ("convert", "kuhn_poker", "--to", "efg", "--out")
    result = run(*arguments, str(tmp_path / "no folder" / "kuhn.efg"))
    assert result.exit_code == 1
    assert result.stderr.startswith("CLI005 error: ")
    assert run(*arguments, str(tmp_path)).exit_code == 2  # a folder


def test_a_conversion_that_fails_writes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "game.pogddl"
    broken = written(tmp_path, GAME + "(<= (legal white", "broken.gdl")
    assert run("convert", broken, "--to", "pogddl", "--out", str(path)).exit_code == 3
    assert not path.exists()


def test_the_document_holds_the_text_and_the_meaning_of_goals() -> None:
    answer = document("convert", "kuhn_poker_pogddl", "--to", "gdl")
    assert (answer["game"], answer["to"], answer["out"]) == ("kuhn_poker_pogddl", "gdl", None)
    # At most two chips are lost, and goals count from 0.
    assert (answer["offset"], answer["scale"]) == (2, 1)
    assert answer["text"].startswith("; payoff = (goal - 2) / 1\n")


def test_the_document_names_the_file_instead_of_holding_its_text(tmp_path: Path) -> None:
    path = str(tmp_path / "kuhn.pogddl")
    answer = document("convert", "kuhn_poker", "--to", "pogddl", "--out", path)
    assert (answer["out"], answer["text"]) == (path, None)
    assert Path(path).exists()


def test_a_bundled_game_is_written_in_its_own_unit(tmp_path: Path) -> None:
    """Goals of the rules are 50 and 25 for each chip."""
    assert '"-2, 2" { -2 2 }' in run("convert", "kuhn_poker", "--to", "efg").stdout
    rules = run("convert", "kuhn_poker", "--to", "gdl").stdout
    copy = written(tmp_path, rules, "copy.gdl")
    assert '"0, 100" { 0 100 }' in run("convert", copy, "--to", "efg").stdout


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GAME + "(<= (legal white", "GDL002"),
        (POGDDL_FRAME.replace("(has ann ball)", "(has anne ball)"), "POG024"),
        (TREE.rsplit("\n", 3)[0], "EFG005"),
    ],
    ids=["gdl", "pogddl", "efg"],
)
def test_errors_in_the_rules_are_told_with_their_codes(text: str, code: str, to: str) -> None:
    answer = document("convert", "-", "--to", to, text=text, code=3)
    assert answer["ok"] is False
    assert code in {finding["code"] for finding in answer["findings"]}


def test_a_missing_file_is_an_unreadable_game(tmp_path: Path) -> None:
    result = run("convert", str(tmp_path / "nothing.gdl"), "--to", "efg")
    assert result.exit_code == 3
    assert "GAM002" in result.stderr


def test_a_tree_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.efg"
    arguments = ("convert", "tic_tac_toe", "--to", "efg", "--max-nodes", "1000")
    result = run(*arguments, "--out", str(path))
    assert result.exit_code == 4
    assert "TRE001 error: the tree of this game has more than 1,000 nodes" in result.stderr
    assert not path.exists()
    assert document(*arguments, code=4)["findings"][0]["code"] == "TRE001"
    # Rules stay rules, however large their tree is.
    assert run("convert", "tic_tac_toe", "--to", "pogddl", "--max-nodes", "1000").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("kuhn_poker",),
        ("kuhn_poker", "--to", "nfg"),
        ("--to", "efg"),
        ("kuhn_poker", "--to", "efg", "--max-nodes", "0"),
        ("kuhn_pocker", "--to", "efg"),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...]) -> None:
    result = run("convert", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_rules_come_from_standard_input() -> None:
    for text in (GAME, POGDDL_FRAME, TREE):
        result = run("convert", "-", "--to", "efg", text=text)
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith("EFG 2 R ")


def test_a_problem_brings_its_domain_from_the_same_folder(tmp_path: Path) -> None:
    written(tmp_path, DOMAIN, "domain.pddl")
    problem = written(tmp_path, PROBLEM, "problem.pddl")
    whole = written(tmp_path, POGDDL_FRAME, "whole.pogddl")
    for to in FORMATS:
        expected = run("convert", whole, "--to", to).stdout.replace('"whole"', '"problem"')
        assert run("convert", problem, "--to", to).stdout == expected


def test_a_domain_may_lie_elsewhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    domain = written(elsewhere, DOMAIN, "rules.pddl")
    problem = written(tmp_path, PROBLEM, "problem.pddl")
    assert run("convert", problem, "--to", "gdl").exit_code == 3
    assert run("convert", problem, "--domain", domain, "--to", "gdl").exit_code == 0
    piped = run("convert", "-", "--domain", domain, "--to", "gdl", text=PROBLEM)
    assert piped.exit_code == 0
