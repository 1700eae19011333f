"""The library: names, families, files, and what is said when none of them fits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.core.values import Unit
from fogspiel.games import library
from fogspiel.games.families import family_names
from fogspiel.games.library import bundled_games, game_source, resolve


def test_the_whole_index_is_read_in_a_moment() -> None:
    seconds = []
    for _ in range(5):
        bundled_games.cache_clear()
        # Time of this process alone: other work may share the processor.
        started = time.process_time()
        bundled_games()
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.040


def test_every_index_file_is_there() -> None:
    for stem in library.INDEX_FILES:
        assert (library.HERE / "index" / f"{stem}.toml").is_file()


def test_every_rule_file_belongs_to_a_game() -> None:
    files = {path.name for path in (library.HERE / "rules").iterdir()}
    sheets = [entry for entry in bundled_games().values() if entry.family is None]
    assert files == {f"{entry.name}.{entry.language}" for entry in sheets}


def test_every_family_is_used_by_a_bundled_game_or_takes_parameters() -> None:
    used = {entry.family for entry in bundled_games().values()} - {None}
    assert used <= set(family_names())


def test_an_unknown_name_gets_suggestions() -> None:
    with pytest.raises(UsageError) as caught:
        game_source("conect-four")
    finding = caught.value.findings[0]
    assert finding.code == "GAM001"
    assert "connect_four" in finding.fix


def test_a_word_without_its_ending_gets_the_file_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("coin.gdl", "coin.txt", "coin.py"):
        Path(name).write_text("class Coin(PythonGame):\n    pass\n")
    with pytest.raises(UsageError) as caught:
        resolve("coin")
    fix = caught.value.findings[0].fix
    assert fix.startswith("did you mean coin.gdl or coin.py:Coin or ")
    with pytest.raises(UsageError, match=r"did you mean othello\?$"):
        resolve("othelo")


def test_a_name_like_no_other_gets_told_where_to_look() -> None:
    with pytest.raises(UsageError) as caught:
        game_source("zzz")
    assert "fogspiel games" in caught.value.findings[0].fix


def test_a_family_takes_parameters_by_name() -> None:
    assert "on 7 files and 5 ranks" in game_source("breakthrough(7,5)").text
    assert game_source("breakthrough(8, 8)").text == game_source("breakthrough_8").text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hex(1)", "size must be from 2 to 19; got 1"),
        ("hex(2,3)", "too many positional arguments"),
        ("hex()", "missing a required argument"),
        ("hex(big)", "not whole numbers"),
        ("othello(7)", "size must be even; got 7"),
        ("nim()", "the number of heaps"),
        ("connect(4,4,5)", "length must be from 2 to 4; got 5"),
    ],
)
def test_parameters_that_make_no_game_are_refused(name: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        game_source(name)
    finding = caught.value.findings[0]
    assert finding.code == "GAM003"
    assert reason in finding.message


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.gdl"
    sheet.write_text("(role me)\n", encoding="utf-8")
    assert resolve(str(sheet)).text == "(role me)\n"


def test_a_bundled_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim").write_text("(role me)\n", encoding="utf-8")
    assert "Bouton" in resolve("nim").text
    assert resolve("./nim").text == "(role me)\n"


def test_a_missing_file_is_not_taken_for_a_game() -> None:
    with pytest.raises(UsageError) as caught:
        resolve("no/such/sheet.gdl")
    assert caught.value.findings[0].code == "GAM002"


def test_a_payoff_is_a_goal_in_another_unit() -> None:
    assert Unit("chips", 50, 25).value(75) == 1.0
