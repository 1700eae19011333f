"""Files of histories and views: what is written is read again, and other files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fogspiel as fs
from fogspiel.api.position_files import open_position


def test_a_saved_history_opens_again(kuhn: fs.Game, tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    history = kuhn.begin().play_out(seed=5, steps=3)
    history.save(path)
    assert fs.History.open(path, kuhn) == history
    assert fs.View.open(path, kuhn, "second") == history.view("second")
    position = open_position(path, kuhn, "first")
    assert (position.view, position.history) == (history.view("first"), history)


def test_the_empty_history_is_saved_too(kuhn: fs.Game, tmp_path: Path) -> None:
    kuhn.begin().save(tmp_path / "empty.json")
    assert fs.History.open(tmp_path / "empty.json", kuhn) == kuhn.begin()


def test_a_saved_view_opens_again_and_tells_no_more(kuhn: fs.Game, tmp_path: Path) -> None:
    path = tmp_path / "view.json"
    view = kuhn.begin().play(random="(deal queen)").play(random="(deal king)").view("first")
    view.save(path)
    assert json.loads(path.read_text()) == {
        "sightings": [
            {"move": "noop", "percepts": ["(holds first queen)"]},
            {"move": "noop", "percepts": []},
        ]
    }
    assert fs.View.open(path, kuhn, "first") == view
    assert open_position(path, kuhn, "first").history is None
    with pytest.raises(fs.UsageError, match="this holds no joint moves"):
        fs.History.open(path, kuhn)


def test_names_that_need_bars_are_read_again(tmp_path: Path) -> None:
    game = fs.read(
        'EFG 2 R "odd" { "The Fool" }\n'
        'p "" 1 1 "" { "go to (sea)" "stay" } 0\n'
        't "" 1 "" { 1 }\n'
        't "" 2 "" { 0 }\n'
    )
    (role,) = game.players
    history = game.begin().play(game.begin().legal[role][0])
    history.save(tmp_path / "odd.json")
    assert fs.History.open(tmp_path / "odd.json", game) == history


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("nonsense", "BEL003"),
        ("[]", "BEL003"),
        ('{"joints": [["noop"]]}', "BEL003"),
        ('{"joints": [[1, 2, 3]]}', "BEL003"),
        ('{"joints": [["(deal queen)", "noop", "(deal"]]}', "BEL003"),
        ('{"sightings": [{"move": "noop"}]}', "BEL003"),
        ('{"joints": [["(deal queen)", "bet", "noop"]]}', "MCH"),
        ('{"sightings": [{"move": "noop", "percepts": ["(holds joker)"]}]}', "BEL001"),
        (None, "GAM002"),
    ],
)
def test_other_files_are_refused_with_a_code(
    kuhn: fs.Game, tmp_path: Path, content: str | None, code: str
) -> None:
    path = tmp_path / "position.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(fs.FogspielError, match=code):
        fs.View.open(path, kuhn, "first")


def test_only_players_have_views(kuhn: fs.Game, tmp_path: Path) -> None:
    kuhn.begin().save(tmp_path / "empty.json")
    with pytest.raises(fs.UsageError, match="API001"):
        fs.View.open(tmp_path / "empty.json", kuhn, "random")
