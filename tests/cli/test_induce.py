"""`fogspiel induce`: what is printed, kept and refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import document, run

KEYS = {
    "game", "player", "settings", "unit", "values", "best_values", "goals", "exploitability",
    "exploitability_goals", "nash_conv", "nodes", "infosets", "seconds", "files",
}  # fmt: skip


def test_the_document_tells_values_and_what_is_lost() -> None:
    answer = document("induce", "solved", "kuhn_poker", "--simulations", "10")
    assert set(answer) == KEYS
    assert answer["settings"] == {"seconds": None, "simulations": 10, "draws": 1, "seed": 0}
    assert (answer["unit"], answer["infosets"]) == ("chips", 12)
    # Kuhn (1950): -1/18 of a chip for the first player.
    assert answer["values"]["first"] == pytest.approx(-1 / 18, abs=1e-6)
    assert answer["exploitability"] == pytest.approx(0.0, abs=1e-6)


def test_even_choices_lose_what_they_must() -> None:
    answer = document("induce", "random", "kuhn_poker", "--simulations", "1")
    # OpenSpiel: the uniform policy of kuhn_poker has nash_conv 11/12.
    assert answer["nash_conv"] == pytest.approx(11 / 12)
    assert answer["exploitability"] == pytest.approx(11 / 24)
    assert answer["exploitability_goals"] == pytest.approx(25 * 11 / 24)


def test_people_read_roles_and_units() -> None:
    output = run("induce", "first", "kuhn_poker", "--simulations", "5", "--draws", "2").output
    assert "kuhn_poker: first at 12 information sets, 5 simulations per decision" in output
    assert "averaged over 2 seeds" in output
    assert "value, chips" in output
    assert "second" in output
    assert "NashConv" in output


def test_a_saved_strategy_is_worth_the_same(tmp_path: Path) -> None:
    path = tmp_path / "induced.json"
    words = ("simple_poker", "--simulations", "50", "--seed", "2", "--save", str(path))
    found = document("induce", "oos", *words)
    assert found["files"] == [str(path)]
    read = document("solve", "simple_poker", "--evaluate", str(path))
    assert read["method"] == "induced by oos"
    assert read["parameters"] == {"simulations": 50, "draws": 1, "seed": 2}
    assert read["exploitability"] == pytest.approx(found["exploitability"])


def test_the_same_seed_makes_the_same_strategy() -> None:
    words = ("induce", "shodan", "simple_poker", "--simulations", "40")
    first, second, other = (document(*words, "--seed", seed) for seed in ("4", "4", "5"))
    assert first["values"] == second["values"]
    assert first["values"] != other["values"]


def test_time_may_be_given_instead_of_simulations() -> None:
    answer = document("induce", "ismcts", "simple_poker", "--seconds", "0.01")
    assert answer["settings"]["seconds"] == 0.01
    assert answer["exploitability"] >= 0.0


def test_without_a_clock_a_player_has_1_000_simulations() -> None:
    assert document("induce", "random", "kuhn_poker")["settings"]["simulations"] == 1_000
    assert "1,000 simulations per decision" in run("induce", "random", "kuhn_poker").output


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("random", "kuhn_poker", "--seconds", "1", "--simulations", "1"), 2, "MAT004"),
        (("nobody", "kuhn_poker", "--simulations", "1"), 2, "PLY002"),
        (("human", "kuhn_poker", "--simulations", "1"), 2, "PLY003"),
        (("random", "kuhn_poker", "--simulations", "1", "--max-nodes", "20"), 4, "TRE001"),
        (("random", "kuhn_poker", "--simulations", "1", "--save", "no/where.json"), 2, "folder"),
    ],
)
def test_what_cannot_be_done_is_refused(words: tuple[str, ...], code: int, text: str) -> None:
    result = run("induce", *words)
    assert result.exit_code == code
    assert text in result.stderr
