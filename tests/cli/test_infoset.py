"""`fogspiel infoset`: what it finds in known positions, what it prints, and how it fails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import document, run

import fogspiel
from fogspiel.belief.methods import METHODS

# The first player holds the queen, the second the king; the first bets, the second calls.
DEALS = [["(deal queen)", "noop", "noop"], ["(deal king)", "noop", "noop"]]
BETS = [["noop", "bet", "noop"], ["noop", "noop", "bet"]]
KUHN = ("infoset", "kuhn_poker", "--role", "first")
FIELDS = {"method", "found", "distinct", "size", "seconds"}
"""What other programs are promised."""


def kept(folder: Path, content: Any) -> str:
    path = folder / "course.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return str(path)


def of_history(folder: Path, content: Any, *more: str, code: int = 0) -> dict[str, Any]:
    return document(*KUHN, "--history", kept(folder, content), *more, code=code)


def untimed(*arguments: str) -> dict[str, Any]:
    answer = document("infoset", *arguments)
    return {key: value for key, value in answer.items() if key != "seconds"}


def test_two_histories_fit_what_the_first_player_saw_of_the_deal(tmp_path: Path) -> None:
    answer = of_history(tmp_path, {"joints": DEALS})
    assert answer["seconds"] >= 0.0
    assert set(answer) >= FIELDS
    del answer["seconds"]
    assert answer == {
        "game": "kuhn_poker",
        "role": "first",
        "steps": 2,
        "method": "auto",
        "answered_by": "exact",
        "found": 2,
        "distinct": 2,
        "complete": True,
        "unbiased": True,
        "size": 2,
        "true_history_inside": True,
    }


def test_sightings_alone_do_not_tell_the_truth(tmp_path: Path) -> None:
    seen = [
        {"move": "noop", "percepts": ["(holds first queen)"]},
        {"move": "noop", "percepts": []},
    ]
    answer = of_history(tmp_path, {"sightings": seen})
    assert (answer["found"], answer["size"]) == (2, 2)
    assert answer["true_history_inside"] is None


def test_after_the_showdown_one_history_is_left(tmp_path: Path) -> None:
    assert of_history(tmp_path, {"joints": DEALS + BETS[:1]})["size"] == 2
    assert of_history(tmp_path, {"joints": DEALS + BETS})["size"] == 1


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_draws_both_histories(tmp_path: Path, method: str) -> None:
    answer = of_history(tmp_path, {"joints": DEALS}, "--method", method, "--count", "100")
    assert answer["method"] == method
    assert answer["found"] == 100
    assert answer["distinct"] == 2


def test_the_view_tells_cards_and_what_the_other_player_knows(tmp_path: Path) -> None:
    result = run(*KUHN, "--history", kept(tmp_path, {"joints": DEALS}))
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0].startswith(
        "kuhn_poker: after 2 steps, 2 of 2 histories are possible for first (method exact, "
    )
    assert "Certain: (holds first queen), (turn open)." in lines
    assert "(holds second jack) 0.5000" in lines
    assert "(holds second king) 0.5000" in lines
    assert "1 0.5000 (holds second jack)" in lines
    for number, card in enumerate(("jack", "king"), start=1):
        knows = f"2 histories are possible for second, who knows (holds second {card})."
        assert f"In state {number}, {knows}" in lines


def test_the_view_of_monty_hall_is_two_to_one() -> None:
    """Whatever the seed: the candidate has picked, and another door was opened."""
    for seed in ("0", "1"):
        arguments = ("monty_hall", "--role", "candidate", "--random-steps", "3", "--seed", seed)
        output = run("infoset", *arguments).stdout
        assert "0.6667" in output
        assert "0.3333" in output


def test_at_the_beginning_one_history_without_steps_is_possible() -> None:
    answer = document(*KUHN, "--random-steps", "0")
    assert (answer["steps"], answer["size"], answer["true_history_inside"]) == (0, 1, True)


@pytest.mark.parametrize("method", ["exact", "dfs", "particles", "hyperplay", "tree"])
def test_same_seed_same_document(method: str) -> None:
    arguments = ("battleship_4_2", "--role", "first", "--random-steps", "9", "--method", method)
    drawn = (*arguments, "--count", "50")
    assert untimed(*drawn, "--seed", "3") == untimed(*drawn, "--seed", "3")


def test_the_seed_decides_the_random_course() -> None:
    arguments = ("leduc_poker", "--role", "first", "--random-steps", "100")
    answers = {json.dumps(untimed(*arguments, "--seed", str(seed))) for seed in range(8)}
    assert len(answers) > 1


def test_the_reference_reasoner_answers_alike(tmp_path: Path) -> None:
    seen = [{"move": "noop", "percepts": ["(holds first king)"]}]
    content = {"sightings": [*seen, {"move": "noop", "percepts": []}]}
    assert of_history(tmp_path, content, "--engine", "reference")["size"] == 2


def test_the_page_on_beliefs_has_a_row_for_every_method() -> None:
    page = Path(__file__).parents[2] / "docs" / "beliefs.md"
    rows = re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == list(METHODS)


def failed(answer: dict[str, Any]) -> tuple[str, str]:
    assert answer["ok"] is False
    (finding,) = answer["findings"]
    return finding["code"], finding["message"]


@pytest.mark.parametrize("method", ["auto", "exact", "dfs", "csp", "sat", "tree"])
def test_what_contradicts_the_rules_names_the_step(tmp_path: Path, method: str) -> None:
    card = {"move": "noop", "percepts": ["(holds first queen)"]}
    content = {"sightings": [card, card]}
    code, message = failed(of_history(tmp_path, content, "--method", method, code=1))
    assert code == "BEL001"
    assert "step 2 is impossible" in message


def test_an_illegal_course_of_play_is_no_position(tmp_path: Path) -> None:
    answer = of_history(tmp_path, {"joints": [DEALS[0], DEALS[0]]}, code=1)
    assert answer["findings"][0]["code"].startswith("MCH")


def test_a_file_of_another_form_is_wrong_usage(tmp_path: Path) -> None:
    code, message = failed(of_history(tmp_path, {"moves": []}, code=2))
    assert (code, message) == ("BEL003", "this holds neither joint moves nor sightings")
    assert failed(of_history(tmp_path, "not JSON", code=2))[0] == "BEL003"


def test_a_file_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    arguments = (*KUHN, "--history", str(tmp_path / "missing.json"))
    assert failed(document(*arguments, code=3))[0] == "GAM002"


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("third", "kuhn_poker has no role 'third'"),
        ("random", "random is the chance role of kuhn_poker and has no information sets"),
    ],
)
def test_only_players_hold_beliefs(role: str, message: str) -> None:
    arguments = ("infoset", "kuhn_poker", "--role", role, "--random-steps", "2")
    answer = document(*arguments, code=2)
    assert failed(answer) == ("BEL004", message)
    assert answer["findings"][0]["fix"] == "its players are first, second"


def test_an_unknown_method_is_told_with_the_known_ones() -> None:
    answer = document(*KUHN, "--random-steps", "2", "--method", "magic", code=2)
    assert failed(answer) == ("BEL004", "there is no method 'magic'")
    assert answer["findings"][0]["fix"] == f"use one of {', '.join(METHODS)}"


@pytest.mark.parametrize("more", [(), ("--random-steps", "1", "--history", "x.json")])
def test_a_position_is_given_in_just_one_way(more: tuple[str, ...]) -> None:
    assert failed(document(*KUHN, *more, code=2))[0] == "CLI001"


def test_a_limit_that_is_too_low_ends_with_4() -> None:
    arguments = ("infoset", "battleship_4_2", "--role", "first", "--random-steps", "5")
    answer = document(*arguments, "--method", "exact", "--max-histories", "3", code=4)
    assert failed(answer)[0] == "BEL002"


def test_auto_hands_over_where_exact_gives_up() -> None:
    arguments = ("infoset", "battleship_4_2", "--role", "first", "--random-steps", "5")
    answer = document(*arguments, "--max-histories", "40", "--count", "5")
    assert answer["method"] == "auto"
    assert answer["answered_by"] != "exact"
    assert answer["found"] == 5


def test_a_method_on_gates_says_that_the_reference_reasoner_has_none() -> None:
    arguments = (*KUHN, "--random-steps", "2", "--engine", "reference", "--method", "csp")
    assert failed(document(*arguments, code=2))[0] == "BEL006"


def recorded(folder: Path) -> str:
    """The record of a match in which the first player bets with the king at once."""
    game = fogspiel.load("kuhn_poker")
    bold = game.strategy(lambda view: {view.legal[0]: 1.0})
    path = folder / "match.jsonl"
    game.match(bold, bold, seed=3).save(path)
    return str(path)


def test_a_record_of_a_match_is_a_position_at_each_of_its_steps(tmp_path: Path) -> None:
    record = recorded(tmp_path)
    match = fogspiel.Match.open(record)
    for step in range(len(match) + 1):
        answer = document(*KUHN, "--history", record, "--step", str(step))
        assert answer["steps"] == step
        assert answer["size"] == match.histories[step].view("first").belief().size
        assert answer["true_history_inside"] is True
    assert document(*KUHN, "--history", record)["steps"] == len(match)
    beyond = run(*KUHN, "--history", record, "--step", "77")
    assert beyond.exit_code == 2
    assert f"its steps are 1 to {len(match)}" in beyond.stderr


def test_steps_of_a_history_and_of_sightings_are_counted_alike(tmp_path: Path) -> None:
    answer = of_history(tmp_path, {"joints": DEALS + BETS}, "--step", "2")
    assert (answer["steps"], answer["size"]) == (2, 2)
    seen = [{"move": "noop", "percepts": ["(holds first queen)"]}]
    assert of_history(tmp_path, {"sightings": seen}, "--step", "0")["size"] == 1
    assert run(*KUHN, "--random-steps", "2", "--step", "1").exit_code == 2


def king_of_second(folder: Path, *more: str) -> float:
    """The probability of the king after a bet: the first player holds the queen and passed."""
    passes = [["noop", "pass", "noop"], ["noop", "noop", "bet"]]
    output = run(*KUHN, "--history", kept(folder, {"joints": DEALS + passes}), *more).output
    (line,) = [line for line in output.splitlines() if "holds second king" in line][:1]
    return float(re.findall(r"[0-9.]+", line)[-1])


def test_opponent_models_are_reached_by_name(tmp_path: Path) -> None:
    game = fogspiel.load("kuhn_poker")
    policy = tmp_path / "equilibrium.json"
    solution = game.solve("lp")
    solution.save(policy)
    bluffs = solution.strategy[
        game.begin().play("(deal queen)").play("(deal jack)").play(first="pass").view("second")
    ]["bet"]
    assert king_of_second(tmp_path) == 0.5
    assert king_of_second(tmp_path, "--model", "uniform") == 0.5
    # Bayes: the king always bets, the jack as often as the strategy bluffs with it.
    by_policy = king_of_second(tmp_path, "--model", f"policy:{policy}")
    assert by_policy == pytest.approx(1.0 / (1.0 + bluffs), abs=1e-4)
    by_visits = king_of_second(tmp_path, "--model", "visits", "--simulations", "20000")
    # All players learn: the king bets far more often than the jack does.
    assert 0.55 < by_visits < 0.95
    said = run(*KUHN, "--random-steps", "2", "--model", "paranoid").output
    assert "opponent model: paranoid" in said


def test_a_model_that_is_unknown_or_needs_another_method_is_refused(tmp_path: Path) -> None:
    unknown = run(*KUHN, "--random-steps", "2", "--model", "evil")
    assert (unknown.exit_code, "policy:FILE" in unknown.stderr) == (2, True)
    no_file = run(*KUHN, "--random-steps", "2", "--model", "policy:none.json")
    assert "cannot read none.json" in no_file.stderr
    assert run(*KUHN, "--random-steps", "2", "--simulations", "9").exit_code == 2
    searching = ("--random-steps", "2", "--model", "visits", "--method", "csp")
    assert "takes no opponent model" in run(*KUHN, *searching).stderr
