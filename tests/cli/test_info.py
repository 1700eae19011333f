"""`fogspiel info`: sizes, kind of game, and which machine plays."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import GAME, document, run, written

KEYS = {
    "name", "engine", "fallback", "roles", "fluents", "moves", "percepts", "ground_rules",
    "gates", "inputs", "ground_seconds", "build_seconds", "simultaneous", "chance",
    "hidden_information", "findings",
}  # fmt: skip
TAGS = {"simultaneous": "simultaneous", "chance": "chance", "hidden": "hidden_information"}


def test_the_document_has_what_it_promises() -> None:
    answer = document("info", "tic_tac_toe")
    assert set(answer) >= KEYS
    assert answer["roles"] == ["x", "o"]
    # Nine cells for each player, and who is to move.
    assert answer["fluents"] == 20
    assert answer["moves_by_role"] == {"x": 10, "o": 10}
    assert answer["engine"] == "compiled"


@pytest.mark.parametrize(
    ("game", "simultaneous", "chance", "hidden"),
    [
        ("tic_tac_toe", False, False, False),
        ("biased_rps", True, False, False),
        ("kuhn_poker", False, True, True),
        ("monty_hall", False, True, True),
        ("latent_tic_tac_toe", False, False, True),
        ("hidden_goofspiel_4", True, False, True),
    ],
)
def test_the_kind_of_game_is_found(
    game: str, simultaneous: bool, chance: bool, hidden: bool
) -> None:
    answer = document("info", game)
    found = answer["simultaneous"], answer["chance"], answer["hidden_information"]
    assert found == (simultaneous, chance, hidden)


def test_the_reference_reasoner_knows_the_kind_but_no_sizes() -> None:
    answer = document("info", "kuhn_poker", "--engine", "reference")
    assert answer["engine"] == "reference"
    assert answer["hidden_information"]
    assert answer["chance"]
    assert answer["gates"] is None
    assert answer["fluents"] is None
    assert answer["explored_steps"] > 0


def test_a_fallback_is_said_plainly(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(init (c z))\n(<= (next (c (s ?x))) (true (c ?x)))\n")
    result = run("info", path, "--ground-seconds", "0.5")
    assert result.exit_code == 0
    assert "The reference reasoner plays it because grounding takes too long" in result.output
    answer = document("info", path, "--ground-seconds", "0.5")
    assert answer["fallback"]["code"].startswith("GRD")


def test_the_compiled_machine_can_be_insisted_on(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(init (c z))\n(<= (next (c (s ?x))) (true (c ?x)))\n")
    arguments = ("info", path, "--ground-seconds", "0.5", "--engine", "compiled")
    assert document(*arguments, code=4)["findings"][0]["code"].startswith("GRD")


def test_warnings_are_summarised(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(<= (legal white go) (opne 1))\n")
    output = run("info", path).output
    assert "warning" in output
    assert f"{path}:7:" in output


def test_a_member_of_a_family_has_a_size_of_its_own() -> None:
    small = document("info", "breakthrough(5,5)")
    assert small["name"] == "breakthrough(5,5)"
    assert 0 < small["fluents"] < document("info", "breakthrough_6")["fluents"]
    assert run("info", "breakthrough(0,0)").exit_code == 2


def test_the_text_says_how_the_kind_was_found() -> None:
    output = run("info", "tic_tac_toe").output
    assert "Tic-tac-toe, on the compiled machine" in output
    assert "steps of random play: a yes is certain" in output
    assert "The rules have no `sees`" in output
