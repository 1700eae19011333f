"""`fogspiel new` writes players and games that run at once and pass their tests."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from commands import document, run

REPOSITORY = Path(__file__).parents[2]
FILES = {
    "my_player.py", "test_my_player.py", "pebble.gdl", "test_pebble.py", "coin.py", "test_coin.py",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a player, a game as rules and a game as a class."""
    where = tmp_path_factory.mktemp("new")
    for words in (("player", "my_player"), ("game", "pebble"), ("game", "coin", "--python")):
        done = run("new", *words, "--out", str(where))
        assert done.exit_code == 0, done.output
    return where


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as the current folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return folder


def program(name: str, *words: str, folder: Path) -> str:
    """What a tool prints that is run in a folder; it must succeed."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed; the extra `dev` brings it")
    done = subprocess.run(
        [sys.executable, "-m", name, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tests_that_are_written_pass(folder: Path) -> None:
    assert {path.name for path in folder.iterdir() if path.is_file()} == FILES
    printed = program("pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", folder=folder)
    assert "13 passed" in printed


def test_what_is_written_has_types_and_form(folder: Path) -> None:
    words = ("--strict", "--cache-dir", str(folder / "cache"))
    program("mypy", *words, *sorted(name for name in FILES if name.endswith(".py")), folder=folder)
    for length in ("88", "100"):
        for command in (("format", "--check"), ("check", "--select", "E,F,W,I,N,UP,B,RET,RUF")):
            program("ruff", *command, "--line-length", length, "--isolated", ".", folder=folder)


def test_the_player_gets_more_than_random_play_does(here: Path) -> None:
    words = ("--games", "20", "--swap", "--simulations", "1", "--seed", "1")
    for game in ("tic_tac_toe", "leduc_poker", "goofspiel_4"):
        mine, other = document("match", game, "my_player.py:MyPlayer", "random", *words)["totals"]
        assert mine["mean_goal"] > other["mean_goal"]


def test_the_player_takes_settings_and_keeps_to_a_clock(here: Path) -> None:
    found = document(
        "match", "tic_tac_toe", "my_player.py:MyPlayer,samples=1000000", "first", "--games", "1",
        "--seconds", "0.1",
    )  # fmt: skip
    # Without a look at the clock a single choice would take many minutes.
    assert found["results"][0]["most_late_seconds"] < 30


@pytest.mark.parametrize("game", ["pebble.gdl", "coin.py:Coin"])
def test_games_have_no_findings_and_a_known_value(here: Path, game: str) -> None:
    checked = run("check", game, "--strict", "--play", "100")
    assert checked.exit_code == 0
    assert checked.output.endswith(f"{game}: no findings\n")
    # A glimpse every other time; without one, the guess is right every other time.
    assert document("solve", game)["values"]["seeker"] == pytest.approx(75, abs=0.1)
    played = document("match", game, "ismcts", "random", "--games", "2", "--simulations", "20")
    assert played["players"] == ["ismcts", "random"]


def test_rules_and_class_are_the_same_game(here: Path) -> None:
    assert run("compare", "pebble.gdl", "coin.py:Coin", "--labels").output == "the same game\n"


def test_one_plays_what_was_written(here: Path) -> None:
    words = ("--as", "hider", "--against", "my_player.py:MyPlayer", "--simulations", "1")
    done = run("play", "pebble.gdl", *words, text="1\n")
    assert done.exit_code == 0
    assert "The match is over after 2 steps." in done.output


def test_commands_to_try_are_said_and_succeed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert run("new", "player", "bot").output.splitlines() == [
        "wrote bot.py and test_bot.py",
        "Try it:",
        "  fogspiel match kuhn_poker bot.py:Bot random --games 20 --swap --simulations 1",
        "  fogspiel play tic_tac_toe --against bot.py:Bot",
        "  fogspiel induce bot.py:Bot kuhn_poker --simulations 1",
        "  pytest test_bot.py",
    ]
    told = document("new", "game", "shells", "--python", "--out", "my games")
    assert told["name"] == "my games/shells.py:Shells"
    assert told["files"] == ["my games/shells.py", "my games/test_shells.py"]
    assert "fogspiel play 'my games/shells.py:Shells'" in told["next"]
    for line in run("new", "game", "shells").output.splitlines()[2:]:
        first, *words = line.split()
        if first == "fogspiel" and words[0] != "play":
            assert run(*words).exit_code == 0


@pytest.mark.parametrize(
    ("kind", "name", "said", "better"),
    [
        ("player", "my-bot", "is no name of Python", "my_bot"),
        ("player", "bots/bot.py", "is no name of Python", "bot"),
        ("player", "3", "is no name of Python", "my_player"),
        ("player", "__", "is no name of Python", "my_player"),
        ("player", "_1", "is no name of Python", "my_player"),
        ("player", "", "is no name of Python", "my_player"),
        ("game", "cups.gdl", "is no name of Python", "cups"),
        ("game", "3 hands", "is no name of Python", "my_3_hands"),
        ("player", "lambda", "is a word of Python itself", "my_lambda"),
        ("player", "test_me", "begins with test_", "me"),
        ("player", "random", "is a module that programs import", "my_random"),
        ("player", "fogspiel", "is a module that programs import", "my_fogspiel"),
        ("player", "numpy", "is a module that programs import", "my_numpy"),
    ],
)
def test_names_that_will_not_do_are_refused(
    here: Path, kind: str, name: str, said: str, better: str
) -> None:
    done = run("new", kind, name)
    assert done.exit_code == 2
    assert done.output.splitlines() == [
        done.output.splitlines()[0],
        f"  fix: give another name, such as `fogspiel new {kind} {better}`",
    ]
    assert done.output.startswith(f"CLI007 error: {name!r} {said}")
    assert {path.name for path in here.iterdir() if path.is_file()} == FILES


def test_a_game_as_rules_may_have_the_name_of_a_module(tmp_path: Path) -> None:
    assert run("new", "game", "chess", "--out", str(tmp_path)).exit_code == 0
    assert run("new", "game", "random", "--out", str(tmp_path)).exit_code == 0
    assert run("new", "game", "json", "--python", "--out", str(tmp_path)).exit_code == 2


@pytest.mark.parametrize(("name", "own"), [("true", "TruePlayer"), ("sequence", "SequencePlayer")])
def test_classes_get_names_that_are_free(tmp_path: Path, name: str, own: str) -> None:
    found = document("new", "player", name, "--out", str(tmp_path))
    assert found["name"].endswith(f"{name}.py:{own}")
    played = ("match", "tic_tac_toe", found["name"], "first", "--games", "1", "--simulations", "1")
    assert run(*played).exit_code == 0


@pytest.mark.parametrize("there", ["bot.py", "test_bot.py"])
def test_files_that_are_there_stay_as_they_are(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine")
    done = run("new", "player", "bot", "--out", str(tmp_path))
    assert done.exit_code == 2
    assert done.output == (
        f"CLI006 error: {tmp_path / there} exists already\n"
        "  fix: give another name, or another folder with --out\n"
    )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {there: "mine"}


def test_a_link_that_leads_nowhere_is_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "bot.py").symlink_to(tmp_path / "elsewhere.py")
    assert run("new", "player", "bot", "--out", str(tmp_path)).exit_code == 2
    assert not (tmp_path / "elsewhere.py").exists()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("new", "player", "bot", "--out", str(tmp_path / "file" / "below"))
    assert done.exit_code == 1
    assert done.output.startswith("CLI005 error: ")


def test_templates_have_no_names_left_to_replace(folder: Path) -> None:
    text = (folder / "coin.py").read_text() + (folder / "test_coin.py").read_text()
    assert "MyGame" not in text
    assert "my_game" not in text
    assert (folder / "pebble.gdl").read_text().startswith("; pebble: a game in GDL-II")
    assert not list(REPOSITORY.glob("src/fogspiel/cli/commands/new/starts/*.py"))
