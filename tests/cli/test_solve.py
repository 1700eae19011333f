"""`fogspiel solve`: values in the unit of the game, files, exit codes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import document, run, written

import fogspiel
from fogspiel.api import solving
from fogspiel.cli.progress import ConvergenceBar
from fogspiel.solve.methods import solve as solve_tree
from fogspiel.solve.result import Point

IMPERFECT_RECALL = """\
EFG 2 R "forgetful" { "ann" "bob" }
p "" 1 1 "first" { "l" "r" } 0
p "" 2 1 "bob" { "l" "r" } 0
p "" 1 2 "again" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
t "" 3 "" { 0, 0 }
p "" 2 1 "bob" { "l" "r" } 0
p "" 1 2 "again" { "l" "r" } 0
t "" 4 "" { 2, -2 }
t "" 5 "" { -2, 2 }
t "" 6 "" { 0, 0 }
"""
THREE_PLAYERS = """\
(role a) (role b) (role c)
(legal a x) (legal a y) (legal b x) (legal b y) (legal c x) (legal c y)
(init start) (<= (next over) (true start)) (<= terminal (true over))
(<= (next (won a)) (does a x) (does b x)) (<= (next (won b)) (does a y) (does c x))
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""


def finding(*arguments: str, code: int) -> dict[str, Any]:
    (found,) = document("solve", *arguments, code=code)["findings"]
    assert isinstance(found, dict)
    return found


def test_kuhn_poker_has_the_published_value_in_chips() -> None:
    answer = document("solve", "kuhn_poker")
    # Kuhn (1950), A simplified two-person poker: the first player loses 1/18.
    assert answer["value"] == pytest.approx(-1 / 18, abs=1e-9)
    assert answer["values"] == pytest.approx({"first": -1 / 18, "second": 1 / 18}, abs=1e-9)
    assert answer["goals"]["first"] == pytest.approx(50 - 25 / 18)
    assert answer["unit"] == "chips"
    assert answer["nash_conv"] == pytest.approx(2 * answer["exploitability"])
    assert (answer["nodes"], answer["infosets"], answer["method"]) == (58, 12, "lp")
    assert answer["reached"]


def test_simple_poker_is_solved_in_fractions() -> None:
    # The games' index gives the source of these: value 1/6, bluff 1/3, call 2/3.
    answer = document("solve", "simple_poker", "--method", "lp-exact")
    assert answer["exact_values"] == {"first": "1/6", "second": "-1/6"}
    text = run("solve", "simple_poker", "--method", "lp-exact").output
    assert "bet 1/3, fold 2/3" in text
    assert "bet 2/3, fold 1/3" in text


@pytest.mark.parametrize("method", ["cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "sapcfr+"])
def test_a_target_is_reached_and_told(method: str) -> None:
    answer = document("solve", "kuhn_poker", "--method", method, "--target", "0.01")
    assert answer["exploitability"] <= answer["target"] == 0.01
    assert answer["value"] == pytest.approx(-1 / 18, abs=0.02)


def test_without_a_unit_the_target_goes_by_the_range_of_payoffs(tmp_path: Path) -> None:
    path = str(tmp_path / "kuhn.efg")
    run("convert", "kuhn_poker", "--to", "efg", "--out", path)
    answer = document("solve", path)
    # Kuhn poker is about two chips at most, goals are about a hundred.
    assert (answer["unit"], answer["target"]) == ("as the rules count", 0.002)
    assert document("solve", "nim(1,2,2)")["target"] == 0.05


def test_a_target_that_is_missed_is_exit_code_one() -> None:
    arguments = ("kuhn_poker", "--method", "cfr", "--target", "1e-9", "--iterations", "3")
    answer = document("solve", *arguments, code=1)
    assert (answer["iterations"], answer["reached"]) == (3, False)
    assert "NOT reached" in run("solve", *arguments).output


def test_sampling_repeats_by_its_seed() -> None:
    arguments = ("solve", "kuhn_poker", "--method", "mccfr-external", "--iterations", "200")
    values = [document(*arguments, "--seed", seed)["value"] for seed in ("1", "1", "2")]
    assert values[0] == values[1] != values[2]


def test_a_saved_strategy_is_measured_anew(tmp_path: Path) -> None:
    path = str(tmp_path / "kuhn.json.gz")
    solved = document("solve", "kuhn_poker", "--method", "dcfr", "--target", "0.01", "--save", path)
    assert solved["files"] == [path]
    again = document("solve", "kuhn_poker", "--evaluate", path)
    assert again["exploitability"] == pytest.approx(solved["exploitability"], abs=1e-12)
    assert again["method"] == "dcfr"
    shown = run("solve", "kuhn_poker", "--evaluate", path).output
    assert "a strategy by dcfr, evaluated in" in shown
    assert "iteration" not in shown
    assert finding("leduc_poker", "--evaluate", path, code=2)["code"] == "SOL022"


def test_a_strategy_that_does_not_add_up_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.json"
    document("solve", "kuhn_poker", "--save", str(path))
    saved = json.loads(path.read_text(encoding="utf-8"))
    saved["strategies"]["first"]["choices"][0][2:] = [0.4, 0.5]
    path.write_text(json.dumps(saved), encoding="utf-8")
    assert finding("kuhn_poker", "--evaluate", str(path), code=2)["code"] == "SOL001"


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_convergence_is_drawn(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{suffix}"
    document("solve", "kuhn_poker", "--method", "cfr+", "--plot", str(path))
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
    assert (b"exploitability, chips" in data) == (suffix == "svg")


def test_several_methods_are_drawn_together(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    words = ("solve", "kuhn_poker", "--method", "cfr,cfr+", "--iterations", "500", "--target", "0")
    answer = document(*words, "--plot", str(path), code=1)
    assert [own["method"] for own in answer["solutions"]] == ["cfr", "cfr+"]
    drawn = path.read_text(encoding="utf-8")
    assert ">cfr</text>" in drawn
    assert ">cfr+</text>" in drawn
    output = run(*words, "--plot", str(path)).output
    assert "exploitability, chips" in output
    assert run(*words).exit_code == 2  # without a picture there is nothing to compare them in
    assert run(*words, "--plot", str(path), "--save", str(tmp_path / "s.json")).exit_code == 2


@pytest.mark.parametrize("method", ["lp", "auto"])
def test_a_single_point_is_not_drawn(method: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.png"
    words = ("kuhn_poker", "--method", method, "--plot", str(path))
    assert finding(*words, code=2)["code"] == "SOL026"
    assert not path.exists()


def test_loading_kernels_is_no_part_of_the_time_to_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method runs once before its time is taken, in each process."""
    began: list[str] = []
    limits: list[int | None] = []

    def watched(*arguments: Any, **named: Any) -> Any:
        limits.append(named["limits"].iterations)
        return solve_tree(*arguments, **named)

    monkeypatch.setattr(solving, "_LOADED", set())
    monkeypatch.setattr(solving, "solve_tree", watched)
    game = fogspiel.load("kuhn_poker")
    for _ in range(2):
        solving.solve(game, "cfr", iterations=10, on_stage=lambda stage: began.append(stage.text))
    assert limits == [1, 10, 10]
    assert began[1:3] == ["loading the kernels", "solving"]


def test_the_table_shows_what_is_reached_most() -> None:
    text = run("solve", "kuhn_poker", "--rows", "2").output
    assert "moves and percepts of first" in text
    assert "(holds first jack)" in text
    assert "and 4 more information sets of second" in text
    assert "moves and percepts" not in run("solve", "kuhn_poker", "--rows", "0").output


def test_games_with_moves_at_once_and_no_secrets_need_no_tree() -> None:
    answer = document("solve", "biased_rps")
    assert (answer["method"], answer["nodes"]) == ("induction-lp", None)
    assert answer["value"] == pytest.approx(50)
    # Shafiei (2010), table 3.4: the equilibrium is 1/16 rock, 10/16 paper, 5/16 scissors.
    assert "paper 0.625, rock 0.06" in run("solve", "biased_rps").output


def test_perfect_information_is_solved_by_induction() -> None:
    answer = document("solve", "nim(1,2,2)")
    # Bouton (1902): the first player wins unless the binary sum of the heaps is 0; here it is 1.
    assert (answer["method"], answer["value"]) == ("induction", 100)


def test_more_players_are_solved_as_far_as_regrets_go(tmp_path: Path) -> None:
    path = written(tmp_path, THREE_PLAYERS)
    answer = document("solve", path)
    assert (answer["method"], len(answer["values"])) == ("cfr", 3)
    assert answer["nash_conv"] == pytest.approx(3 * answer["exploitability"])


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("prisoners_dilemma", "--method", "lp"), "SOL031", 2),
        (("kuhn_poker", "--method", "induction"), "SOL031", 2),
        (("kuhn_poker", "--method", "magic"), "SOL030", 2),
        (("kuhn_poker", "--plot", "plot.bmp"), "SOL026", 2),
        (("kuhn_poker", "--evaluate", "missing.json"), "GAM002", 3),
        (("hidden_goofspiel_4", "--method", "induction-lp"), "TRE005", 1),
        (("leduc_poker", "--max-nodes", "100"), "TRE001", 4),
        (("hidden_goofspiel_5", "--method", "normal-form"), "SOL013", 4),
    ],
)
def test_what_cannot_be_solved_is_a_coded_error(
    arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    assert finding(*arguments, code=exit_code)["code"] == code


def test_imperfect_recall_is_refused_with_a_code(tmp_path: Path) -> None:
    path = written(tmp_path, IMPERFECT_RECALL, "forgetful.efg")
    result = run("solve", path)
    assert result.exit_code == 3
    assert "EFG" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("kuhn_poker", "--target", "-1"),
        ("nothing_such",),
        ("kuhn_poker", "--save", "no/k.json"),
    ],
)
def test_bad_usage_is_exit_code_two(arguments: tuple[str, ...]) -> None:
    assert run("solve", *arguments).exit_code == 2


def test_the_methods_are_listed() -> None:
    names = [method["name"] for method in document("solve", "--methods")["methods"]]
    text = run("solve", "--methods").output
    assert all(name in text for name in ["auto", *names])


def test_the_bar_fills_on_a_logarithmic_scale() -> None:
    bar = ConvergenceBar(target=0.001, seconds=None, gain_scale=50.0)
    shares = [
        bar.share(Point(iteration=1, seconds=0.0, exploitability=50 * reached))
        for reached in (1.0, 0.1, 0.01, 0.001, 0.0)
    ]
    assert shares == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])


def test_the_bar_fills_by_time_where_that_ends_sooner() -> None:
    bar = ConvergenceBar(target=None, seconds=10.0, gain_scale=1.0)
    assert bar.share(Point(iteration=1, seconds=4.0, exploitability=1.0)) == pytest.approx(0.4)
