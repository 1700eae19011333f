"""POGDDL on the command line: told apart by content, checked and played."""

from __future__ import annotations

from pathlib import Path

from commands import GAME, document, run, written

from code_examples import POGDDL_FRAME

DOMAIN, _, REST = POGDDL_FRAME.partition("(define (problem")
PROBLEM = "(define (problem" + REST
FAULTY = POGDDL_FRAME.replace("(has ann ball)", "(has anne ball)")


def test_a_sound_game_has_no_findings(tmp_path: Path) -> None:
    path = written(tmp_path, POGDDL_FRAME, "game.pogddl")
    assert run("check", path).output == f"{path}: no findings\n"
    assert document("check", path) == {"ok": True, "findings": []}


def test_content_decides_and_not_the_name_of_the_file(tmp_path: Path) -> None:
    assert run("check", written(tmp_path, POGDDL_FRAME, "game.gdl")).exit_code == 0
    assert run("check", "-", text="; a comment\n" + POGDDL_FRAME).exit_code == 0


def test_domain_and_problem_come_in_two_files_in_any_order(tmp_path: Path) -> None:
    domain = written(tmp_path, DOMAIN, "domain.pddl")
    problem = written(tmp_path, PROBLEM, "problem.pddl")
    said = f"{domain} + {problem}: no findings\n"
    assert run("check", domain, problem).output == said
    assert run("check", problem, domain).output == said


def test_each_problem_is_checked_with_the_domain(tmp_path: Path) -> None:
    domain = written(tmp_path, DOMAIN, "domain.pddl")
    good = written(tmp_path, PROBLEM, "good.pddl")
    bad = written(tmp_path, PROBLEM.replace("has ann", "has anne"), "bad.pddl")
    other = written(tmp_path, GAME, "other.gdl")
    answer = document("check", other, domain, good, bad, code=1)
    assert [(f["code"], f["file"]) for f in answer["findings"]] == [("POG024", bad)]


def test_one_part_alone_is_said_to_lack_the_other(tmp_path: Path) -> None:
    domain = written(tmp_path, DOMAIN, "domain.pddl")
    (finding,) = document("check", domain)["findings"]
    assert (finding["code"], finding["severity"]) == ("POG009", "warning")
    assert run("check", domain, "--strict").exit_code == 1
    assert run("check", written(tmp_path, PROBLEM, "problem.pddl")).exit_code == 1


def test_findings_come_in_all_formats(tmp_path: Path) -> None:
    path = written(tmp_path, FAULTY, "game.pogddl")
    (finding,) = document("check", path, code=1)["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("POG024", 16, 31)
    assert finding["fix"] == "did you mean `ann`?"
    text = run("check", path)
    assert f"{path}:16:31: POG024 error: the object `anne` is not declared" in text.output
    annotations = run("check", path, "--format", "github").output
    assert annotations.startswith(f"::error file={path},line=16,col=31,title=POG024::")


def test_a_game_is_described_and_played(tmp_path: Path) -> None:
    path = written(tmp_path, POGDDL_FRAME, "game.pogddl")
    assert document("info", path)["roles"] == ["ann", "ben"]
    answer = document("simulate", path, "--playouts", "10")
    assert answer["playouts"] == 10


def test_a_problem_brings_its_domain_from_the_same_folder(tmp_path: Path) -> None:
    domain = written(tmp_path, DOMAIN, "domain.pddl")
    problem = written(tmp_path, PROBLEM, "problem.pddl")
    assert run("info", problem).exit_code == 0
    assert run("simulate", problem, "--domain", domain, "--playouts", "10").exit_code == 0


def test_an_audit_of_play_speaks_of_actions_and_gains(tmp_path: Path) -> None:
    path = written(tmp_path, POGDDL_FRAME, "game.pogddl")
    answer = document("check", path, "--play", "5")
    assert answer["findings"] == []
    codes = {claim["code"] for claim in answer["audits"][0]["claims"]}
    # Rules with actions always have a goal, and a mover without an action ends the game.
    assert codes == {"DYN001", "DYN005", "DYN006", "DYN007", "DYN008", "DYN010", "DYN011"}


def test_an_audit_of_a_tree_asks_only_what_trees_can_answer(tmp_path: Path) -> None:
    tree = 'EFG 2 R "Coin" { "ann" }\nc "" 1 "" { "heads" 1/2 "tails" 1/2 } 0\n'
    for side in (1, 2):
        tree += 'p "" 1 1 "" { "bet" "pass" } 0\n'
        tree += f't "" {2 * side - 1} "" {{ {side} }}\nt "" {2 * side} "" {{ 0 }}\n'
    answer = document("check", written(tmp_path, tree, "coin.efg"), "--play", "5")
    assert answer["findings"] == []
    assert {claim["code"] for claim in answer["audits"][0]["claims"]} == {"DYN001", "DYN005"}
