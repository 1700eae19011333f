"""`fogspiel compare`: the same game in several languages, and what is said of different ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import document, run, written

KUHN, CHIPS = "kuhn_poker", "kuhn_poker_pogddl"
"""The same game; the first counts goals from 0 to 100, the second chips."""

COIN = """\
EFG 2 R "coin" {{ "Ann" }}
c "" 1 "" {{ "heads" {heads} "tails" {tails} }} 0
p "" 1 1 "" {{ "take" "leave" }} 0
t "" 1 "" {{ {best} }}
t "" 2 "" {{ 0 }}
p "" 1 {infoset} "" {{ "take" "leave" }} 0
t "" 3 "" {{ -1 }}
t "" 4 "" {{ 0 }}
"""


def coin(
    heads: str = "1/2", tails: str = "1/2", best: str = "1", infoset: str = "1", name: str = "Ann"
) -> str:
    """A coin that the player does not see."""
    text = COIN.format(heads=heads, tails=tails, best=best, infoset=infoset)
    return text.replace("Ann", name)


@pytest.mark.parametrize("to", ["gdl", "infix", "pogddl", "efg"])
def test_a_game_stays_the_same_in_every_language(tmp_path: Path, to: str) -> None:
    path = str(tmp_path / f"game.{to}")
    assert run("convert", "prisoners_dilemma", "--to", to, "--out", path).exit_code == 0
    result = run("compare", "prisoners_dilemma", path)
    assert (result.exit_code, result.output) == (0, "the same game\n")


def test_units_of_payoff_count_unless_they_are_left_open() -> None:
    assert run("compare", KUHN, CHIPS, "--any-unit").exit_code == 0
    result = run("compare", KUHN, CHIPS)
    assert result.exit_code == 1
    assert "the game ends with 0, 100 in the first game" in result.output


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (
            coin(heads="1/3", tails="2/3"),
            "at the root: the action 'heads' with probability 1/2 in the first game has no partner "
            "in the second, which has the action 'heads' with probability 1/3",
        ),
        (
            coin(best="2"),
            "after heads, take: the game ends with 1 in the first game, "
            "the game ends with 2 in the second",
        ),
        (
            coin(infoset="2"),
            "the trees agree but for what players know: Ann has 1 infosets in the first game, "
            "2 in the second",
        ),
    ],
    ids=["chance", "payoffs", "knowledge"],
)
def test_the_first_difference_is_told(tmp_path: Path, other: str, difference: str) -> None:
    paths = written(tmp_path, coin(), "coin.efg"), written(tmp_path, other, "other.efg")
    answer = document("compare", *paths, code=1)
    assert answer == {
        "first": paths[0],
        "second": paths[1],
        "same": False,
        "difference": difference,
        "nodes": [7, 7],
    }


def test_names_count_only_if_asked_for(tmp_path: Path) -> None:
    paths = written(tmp_path, coin(), "a.efg"), written(tmp_path, coin(name="Ben"), "b.efg")
    answer = document("compare", *paths)
    assert answer["same"] is True
    assert answer["difference"] is None
    answer = document("compare", *paths, "--labels", code=1)
    assert answer["difference"] == "the players are called differently: Ann and Ben"


def test_another_unit_must_not_make_all_payoffs_equal(tmp_path: Path) -> None:
    flat = coin(best="0").replace("{ -1 }", "{ 0 }")
    paths = written(tmp_path, coin(), "a.efg"), written(tmp_path, flat, "b.efg")
    assert run("compare", *paths, "--any-unit").exit_code == 1
    assert run("compare", *reversed(paths), "--any-unit").exit_code == 1


def test_two_draws_are_one_if_asked_for(tmp_path: Path) -> None:
    once = """EFG 2 R "" { "Ann" }
    c "" 1 "" { "hh" 1/4 "ht" 1/4 "t" 1/2 } 0
    t "" 1 "" { 1 }
    t "" 2 "" { 2 }
    t "" 3 "" { 3 }
    """
    twice = """EFG 2 R "" { "Ann" }
    c "" 1 "" { "h" 1/2 "t" 1/2 } 0
    c "" 2 "" { "h" 1/2 "t" 1/2 } 0
    t "" 1 "" { 1 }
    t "" 2 "" { 2 }
    t "" 3 "" { 3 }
    """
    paths = written(tmp_path, once, "once.efg"), written(tmp_path, twice, "twice.efg")
    assert run("compare", *paths).exit_code == 1
    assert run("compare", *paths, "--merge-chance").exit_code == 0


def test_errors_keep_their_codes() -> None:
    result = run("compare", KUHN, "no_such_game")
    assert result.exit_code == 2
    answer = document("compare", "tic_tac_toe", KUHN, "--max-nodes", "1000", code=4)
    assert answer["findings"][0]["code"] == "TRE001"
    assert run("compare", KUHN).exit_code == 2
