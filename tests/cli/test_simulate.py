"""`fogspiel simulate`: the counts, their units, and same seed, same result."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import GAME, document, run, written

from endless_game import ENDLESS
from fogspiel.machine.analysis import cost

TIMED = {"seconds", "playouts_per_second"}


def untimed(*arguments: str) -> dict[str, object]:
    return {k: v for k, v in document("simulate", *arguments).items() if k not in TIMED}


def test_random_tic_tac_toe_comes_to_the_published_means() -> None:
    answer = document("simulate", "tic_tac_toe", "--playouts", "200000", "--seed", "1")
    # Enumerated: x wins 737/1260, draws 8/63. Four standard errors of 200,000 games are 0.42.
    assert answer["mean_goals"]["x"] == pytest.approx(64.841, abs=0.45)
    assert answer["mean_goals"]["o"] == pytest.approx(35.159, abs=0.45)
    assert answer["playouts"] == 200_000
    assert answer["playouts_per_second"] > 0
    assert 5 <= answer["mean_length"] <= 9
    assert (answer["stuck"], answer["cut"], answer["seed"]) == (0, 0, 1)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_same_seed_same_result(engine: str) -> None:
    arguments = ("kuhn_poker", "--playouts", "30", "--engine", engine)
    assert untimed(*arguments, "--seed", "7") == untimed(*arguments, "--seed", "7")
    assert untimed(*arguments, "--seed", "7") != untimed(*arguments, "--seed", "8")


def test_chunks_are_seeded_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "CHUNK", 100)
    means = {untimed("kuhn_poker", "--playouts", str(n))["mean_length"] for n in (100, 200, 300)}
    assert len(means) == 3


def test_payoffs_are_given_in_their_unit() -> None:
    answer = document("simulate", "kuhn_poker", "--playouts", "1000")
    assert answer["payoff_unit"] == "chips"
    first, second = answer["mean_payoffs"]["first"], answer["mean_payoffs"]["second"]
    assert first + second == pytest.approx(0)
    assert first == pytest.approx((answer["mean_goals"]["first"] - 50) / 25)
    assert "random" not in answer["mean_goals"]
    assert "mean payoff, chips" in run("simulate", "kuhn_poker", "--playouts", "1000").output


def test_the_reference_reasoner_plays_few_games_unless_asked() -> None:
    assert document("simulate", "nim", "--engine", "reference")["playouts"] == 20


def test_playouts_that_end_otherwise_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(role black)\n")
    answer = document("simulate", path, "--playouts", "10")
    assert answer["stuck"] == 10
    assert "no legal move" in run("simulate", path, "--playouts", "10").output


def test_a_game_that_never_ends_is_named_before_the_means(tmp_path: Path) -> None:
    path = written(tmp_path, ENDLESS)
    answer = document("simulate", path, "--playouts", "70")
    assert (answer["cut"], answer["max_steps"], answer["mean_length"]) == (70, 10_000, 10_000)
    printed = run("simulate", path, "--playouts", "70").output
    assert printed.index("No playout ended within 10,000 steps") < printed.index("mean goal")
    assert "not of results" in printed


def test_playouts_that_were_given_up_are_counted_before_the_means(tmp_path: Path) -> None:
    # A game in which most playouts end at once, and the others never.
    rules = """
        (role white) (init start) (legal white stay) (legal white leave)
        (<= (next caught) (true start) (does white stay)) (<= (next caught) (true caught))
        (<= (next out) (true start) (does white leave)) (<= terminal (true out))
        (<= (goal white 100) (true out)) (<= (goal white 0) (not (true out)))
    """
    printed = run("simulate", written(tmp_path, rules), "--playouts", "50", "--seed", "1").output
    before, _, after = printed.partition("of the playouts did not end within 10,000 steps")
    assert 0 < int(before.split()[-1]) < 50
    assert "mean goal" in after
