"""`fogspiel analyze`: sizes that are known, kinds, values, and games beyond any tree."""

from __future__ import annotations

from typing import Any

import pytest
from commands import document, run


def analysis(*arguments: str) -> dict[str, Any]:
    return document("analyze", *arguments)


def test_kuhn_poker_is_described() -> None:
    answer = analysis("kuhn_poker")
    # Twelve infosets of two actions each: six sequences of a player, and the empty one.
    assert answer["tree"]["infosets"] == 12
    assert answer["tree"]["sequences"] == {"first": 13, "second": 13}
    assert answer["tree"]["leaves"] == 30
    # Two cards are dealt, and at most three actions follow.
    assert answer["tree"]["depth"] == 5
    kind = answer["kind"]
    assert (kind["players"], kind["chance"], kind["hidden_information"]) == (2, True, True)
    assert (kind["simultaneous"], kind["sum"], kind["perfect_recall"]) == (False, "zero", True)
    assert kind["perfect_information"] is False
    assert answer["solution"]["values"]["first"] == pytest.approx(-1 / 18, abs=1e-9)
    # Kuhn (1950): every equilibrium bluffs with the jack, or calls with the queen, now and then.
    assert answer["taxonomy"]["class"] == "mixed"
    assert answer["procedure"]["method"] == "lp"
    assert {"cfr+", "double-oracle"} <= set(answer["procedure"]["fitting"])
    assert "induction" not in answer["procedure"]["fitting"]
    assert answer["estimate"] is None


def test_a_game_without_secrets_is_solved_by_its_states() -> None:
    answer = analysis("goofspiel_4")
    assert answer["procedure"]["method"] == answer["solution"]["method"] == "induction-lp"
    assert answer["states"] < answer["tree"]["nodes"]
    assert answer["solution"]["values"]["first"] == pytest.approx(50)


def test_a_game_with_a_general_sum_is_promised_nothing() -> None:
    answer = analysis("prisoners_dilemma")
    assert answer["kind"]["sum"] == "general"
    # Defecting is better whatever the other does.
    assert answer["taxonomy"]["class"] == "dominant"
    assert answer["procedure"]["method"] == "pure"
    text = run("analyze", "prisoners_dilemma").output
    assert "in dominant strategies" in text
    assert "No method guarantees an equilibrium" in text


def test_what_is_known_without_a_tree_is_told() -> None:
    answer = analysis("kuhn_poker", "--max-nodes", "10")
    assert answer["tree"] is answer["solution"] is None
    assert answer["limit"]["code"] == "TRE001"
    assert answer["kind"]["sum"] == "zero"
    assert answer["kind"]["certain"] is False
    # The tree has 58 nodes; 256 walks come within a fifth of that.
    assert 10 ** answer["estimate"]["log10_nodes"] == pytest.approx(58, rel=0.2)
    assert answer["procedure"]["method"] is None
    text = run("analyze", "kuhn_poker", "--max-nodes", "10").output
    assert "more than 10 nodes" in text
    assert "use a search" in text


def test_independent_parts_are_told() -> None:
    answer = analysis("nim", "--max-nodes", "10")
    # Heaps of 1, 3, 5 and 7, whose nim-sum is 0 (Bouton 1902): the first player has lost.
    assert answer["parts"] == {"count": 4, "relevant": 4, "grundy_number": 0}
    output = " ".join(run("analyze", "nim", "--max-nodes", "10").output.split())
    assert "4, and no move in one changes another" in output
    assert "Grundy number 0: with best play, whoever moves first loses" in output
    assert analysis("prisoners_dilemma")["parts"]["grundy_number"] is None
    assert analysis("kuhn_poker", "--engine", "reference")["parts"] is None


@pytest.mark.parametrize("game", ["kuhn_poker", "tic_tac_toe"])
def test_independent_parts_are_left_out_where_they_help_nobody(game: str) -> None:
    # Cards that were dealt, and cells of a board: changed by different moves, but played together.
    assert analysis(game, "--max-nodes", "10")["parts"]["count"] > 1
    assert "independent parts" not in run("analyze", game, "--max-nodes", "10").output


def test_an_unknown_game_is_bad_usage() -> None:
    assert run("analyze", "kun_poker").exit_code == 2
