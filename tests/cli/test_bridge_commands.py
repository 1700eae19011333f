"""`fogspiel bridge`: deals played, declarers compared, problems solved, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import document, run, written

pytest.importorskip("endplay", reason="the extra `bridge` is not installed")

DEAL = "N:432.5432.5432.32 7.JT87.QJ97.KQJT AKQJ65.AK.AK.654 T98.Q96.T86.A987"
FIGURE_3 = f"""\
[Board "3"]
[Deal "{DEAL}"]
[Declarer "S"]
[Contract "5S"]
[Play "W"]
D6 - - -
*
"""


@pytest.fixture
def board(tmp_path: Path) -> str:
    return written(tmp_path, FIGURE_3, "figure3.pbn")


def played(board: str, *arguments: str) -> dict[str, Any]:
    return document("bridge", "play", board, "--declarer", "double-dummy", *arguments)


def test_a_plan_has_tricks_nodes_and_schemes(board: str) -> None:
    answer = document("bridge", "plan", board)
    assert (answer["contract"], answer["declarer_seat"], answer["lead"]) == ("5S", "S", "D6")
    assert answer["declarer_hand"] == "AKQJ65.AK.AK.654"
    assert 10.0 < answer["tricks"] <= 13.0
    assert 0.0 < answer["chance"] <= 1.0
    assert 1 < answer["nodes"] <= 1_301
    schemes = answer["schemes"]
    assert answer["nodes"] == sum(scheme["nodes"] for scheme in schemes)
    assert all(scheme["name"] and scheme["title"] and scheme["note"] for scheme in schemes)
    # Smith and Nau (1993), section 5: the deal is made by a club ruff in dummy.
    assert "Ruffing in the short hand" in {scheme["title"] for scheme in schemes}
    told = [scheme for scheme in schemes if scheme["title"] != "Following"]
    assert len(answer["words"]) == 1 + len(told)
    assert not answer["lead_is_assumed"]
    assert answer["replans_when"]


def test_a_plan_without_a_lead_says_which_one_it_assumes() -> None:
    answer = document("bridge", "plan", DEAL, "--contract", "5SS")
    assert answer["lead_is_assumed"]
    assert answer["words"][0].startswith("The lead is assumed to be ")


def test_a_plan_does_not_depend_on_the_defenders_hands(tmp_path: Path, board: str) -> None:
    """East and West exchange all but the card led and the seven of diamonds."""
    other = "N:432.5432.5432.32 T98.Q96.T87.A987 AKQJ65.AK.AK.654 7.JT87.QJ96.KQJT"
    elsewhere = written(tmp_path, FIGURE_3.replace(DEAL, other), "other.pbn")
    assert document("bridge", "plan", board) == document("bridge", "plan", elsewhere)


def test_a_plan_is_told_in_words(board: str) -> None:
    output = run("bridge", "plan", board).output
    assert "Board 3: 5♠ by South, West leads ♦6" in output
    assert "South (declarer)" in output
    assert "AKQJ65" in output
    assert "KQJT" not in output
    assert "♣4 from South: Ruffing in the short hand." in output
    assert "Declarer plans again when:" in output


def test_a_deal_is_told_trick_by_trick(board: str) -> None:
    answer = played(board, "--defence", "natural", "--seed", "7")
    assert answer["deal"] == DEAL
    assert (answer["board"], answer["contract"], answer["declarer_seat"]) == (3, "5S", "S")
    assert answer["lead"] == "D6"
    assert (answer["tricks"], answer["needed"], answer["made"], answer["lost"]) == (11, 11, True, 0)
    assert answer["double_dummy"] == {"before_lead": 11, "after_lead": 11}
    assert answer["settings"] == {
        "declarer": "double-dummy",
        "defence": "natural",
        "objective": "contract",
        "worlds": None,
        "seed": 7,
    }
    tricks = answer["play"]
    assert len(tricks) == 13
    assert len({card for trick in tricks for card in trick["cards"]}) == 52
    assert all(one["winner"] == other["leader"] for one, other in pairwise(tricks))
    assert sum(trick["winner"] in "NS" for trick in tricks) == 11
    assert len(answer["decisions"]) == 26
    assert answer["choices"] == sum(decision["choice"] for decision in answer["decisions"])
    assert answer["choice_seconds"]["max"] >= answer["choice_seconds"]["mean"] >= 0.0


def test_a_deal_is_shown_with_its_hands_and_winners(board: str) -> None:
    output = run("bridge", "play", board, "--declarer", "double-dummy").output
    assert "Board 3: 5♠ by South, West leads ♦6" in output
    assert "♠ AKQJ65" in output
    first = next(line for line in output.splitlines() if line.split()[:2] == ["1", "W"])
    assert first.split()[2:4] == ["♦6", "♦2"]
    assert first.split()[5] in {"♦A*", "♦K*"}
    assert "made: 11 tricks; double dummy 11 after the lead, 11 before it" in output


def test_schemes_are_told_by_a_declarer_that_has_them(board: str) -> None:
    answer = document("bridge", "play", board, "--declarer", "tignum")
    assert answer["made"]
    assert any(decision["scheme"] for decision in answer["decisions"])


def test_the_same_seed_plays_the_same_cards(board: str) -> None:
    one, same = (played(board, "--seed", "5")["play"] for _ in range(2))
    assert one == same


def test_what_was_played_is_written_and_can_be_read(board: str, tmp_path: Path) -> None:
    target = tmp_path / "played.pbn"
    output = run("bridge", "play", board, "--declarer", "double-dummy", "--pbn", str(target)).output
    assert f"wrote {target}" in output.replace("\n", "")
    again = played(str(target))
    assert again["board"] == 3
    assert again["lead"] == "D6"


def test_the_file_of_the_board_is_not_written_over(board: str) -> None:
    answer = document("bridge", "play", board, "--pbn", board, code=2)
    assert answer["findings"][0]["code"] == "CLI001"
    assert Path(board).read_text(encoding="utf-8") == FIGURE_3


def test_a_deal_can_be_given_without_a_file() -> None:
    answer = played(DEAL, "--contract", "3NTN", "--defence", "natural")
    assert (answer["board"], answer["contract"], answer["declarer_seat"]) == (None, "3NT", "N")
    # The defence chose the lead, from the hand to the left of North.
    assert answer["play"][0]["leader"] == "E"
    led = played(DEAL, "--contract", "3NTN", "--lead", "S7", "--defence", "natural")
    assert led["lead"] == "S7"


def test_the_lead_of_a_file_can_be_replaced(board: str) -> None:
    assert played(board, "--lead", "CA")["lead"] == "CA"


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("play", "nowhere.pbn"), "BRI020", 3),
        (("play", "BOARD", "--lead", "SA"), "BRI009", 3),
        (("play", "BOARD", "--lead", "S1"), "BRI013", 3),
        (("play", "BOARD", "--board", "9"), "BRI017", 2),
        (("play", "BOARD", "--contract", "5SS"), "CLI001", 2),
        (("play", DEAL), "CLI001", 2),
        (("play", DEAL, "--contract", "8SS"), "BRI007", 3),
        (("play", DEAL, "--contract", "S"), "BRI007", 3),
        (("play", DEAL[:-1], "--contract", "5SS"), "BRI004", 3),
        (("play", "BOARD", "--declarer", "gib"), "BRI031", 2),
        (("play", "BOARD", "--defence", "passive"), "BRI032", 2),
        (("play", "BOARD", "--declarer", "pimc:few"), "BRI033", 2),
        (("plan", "nowhere.pbn"), "BRI020", 3),
        (("match", "--declarer", "pimc,pimc"), "CLI001", 2),
        (("match", "--declarer", "gib"), "BRI031", 2),
        (("match", "--defence", "passive"), "BRI032", 2),
        (("problems", "--scheme", "luck"), "BRI035", 2),
        (("problems", "--declarer", "gib"), "BRI031", 2),
    ],
)
def test_what_cannot_be_played_is_refused(
    board: str, arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    words = [board if word == "BOARD" else word for word in arguments]
    answer = document("bridge", *words, code=exit_code)
    assert answer["ok"] is False
    assert answer["findings"][0]["code"] == code


def test_two_boards_want_a_number(tmp_path: Path) -> None:
    text = FIGURE_3 + "\n" + FIGURE_3.replace('Board "3"', 'Board "4"').replace("D6", "CA")
    path = written(tmp_path, text, "two.pbn")
    answer = document("bridge", "play", path, "--declarer", "double-dummy", code=2)
    assert answer["findings"][0]["code"] == "BRI017"
    assert played(path, "--board", "4")["lead"] == "CA"


def test_a_match_compares_declarers_over_the_same_deals() -> None:
    arguments = ("bridge", "match", "--deals", "2", "--seed", "4", "--defence", "natural")
    answer = document(*arguments, "--declarer", "double-dummy,alpha-mu:2,2", "--worlds", "2")
    assert answer["settings"]["declarers"] == ["double-dummy", "alpha-mu:2,2"]
    assert [account["declarer"] for account in answer["standings"]] == [
        "double-dummy",
        "alpha-mu:2,2",
    ]
    for account in answer["standings"]:
        assert account["deals"] == 2
        low, high = account["lost"]["ci95"]
        assert low <= account["lost"]["mean"] <= high
        times = account["choice_seconds"]
        assert 0.0 <= times["mean"] <= times["max"]
        assert times["p95"] <= times["max"]
    (pair,) = answer["comparisons"]
    means = [account["lost"]["mean"] for account in answer["standings"]]
    assert pair["lost"]["mean"] == pytest.approx(means[0] - means[1])
    assert pair["verdict"].startswith(("between", "double-dummy"))
    assert [result["deal"] for result in answer["results"]] == [1, 1, 2, 2]


def test_a_match_is_told_in_a_table_with_the_verdict() -> None:
    arguments = ("--deals", "1", "--declarer", "double-dummy,pimc:1", "--defence", "natural")
    output = run("bridge", "match", *arguments).output
    assert output.startswith("1 deal against natural, objective tricks, in ")
    assert "one deal says nothing about double-dummy and pimc:1" in output


def test_the_bound_solves_every_problem_of_a_scheme() -> None:
    answer = document("bridge", "problems", "--scheme", "hold-up", "--declarer", "double-dummy")
    assert answer["solved"] == answer["count"] >= 4
    (group,) = answer["schemes"]
    assert group == {
        "scheme": "hold-up",
        "solved": group["count"],
        "count": answer["count"],
        "unsolved": [],
    }
    assert all(problem["right"] for problem in answer["problems"])


def test_problems_are_told_by_scheme() -> None:
    arguments = ("--scheme", "hold-up", "--declarer", "double-dummy")
    output = run("bridge", "problems", *arguments).output
    assert "hold-up" in output
    assert "(100 %)" in output
