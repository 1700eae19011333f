"""Shell completion: commands, games, players, methods, codes and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from commands import call

from fogspiel.cli.app import main


def completions(*words: str) -> list[str]:
    """The names that the last word may be continued to; `FILES` where files may stand."""
    *before, last = words
    shell = ShellComplete(main, {}, "fogspiel", "_FOGSPIEL_COMPLETE")
    found = shell.get_completions(list(before), last)
    return ["FILES" if item.type == "file" else item.value for item in found]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["inf"], ["info", "infoset"]),
        (["bench", "pl"], ["playouts"]),
        (["info", "kuhn"], ["FILES", "kuhn_poker", "kuhn_poker_pogddl"]),
        (["solve", "kuhn_poker", "--method", "mccfr"], ["mccfr-external", "mccfr-outcome"]),
        (["solve", "kuhn_poker", "--meth"], ["--method", "--methods"]),
        (["infoset", "meier", "--method", "c"], ["csp"]),
        (["infoset", "meier", "--model", "p"], ["paranoid"]),
        (["match", "kuhn_poker", "ismcts", "so"], ["FILES", "so-ismcts", "solved"]),
        (["match", "kuhn_poker", "uct:mo"], ["FILES", "uct:mobility"]),
        (["play", "kuhn_poker", "--against", "hyper"], ["FILES", "hyperplay", "hyperplay2"]),
        (["players", "norns"], ["norns", "norns-belief"]),
        (["games", "liar"], ["liars_dice"]),
        (["compare", "nim", "oth"], ["FILES", "othello"]),
        (["check", "chess", "mon"], ["FILES", "monty_hall"]),
        (["explain", "gdl00"], [f"GDL00{number}" for number in range(1, 10)]),
        (["simulate", "nim", "--engine", "c"], ["compiled"]),
        (["bridge", "play", "--declarer", "alpha"], ["alpha-mu"]),
    ],
)
def test_words_are_completed(words: list[str], expected: list[str]) -> None:
    assert completions(*words) == expected


def test_files_of_rules_and_players_stand_beside_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("nim_of_mine.gdl", "nim.txt", "bots.py", "random_bot.py"):
        Path(name).touch()
    assert completions("info", "nim") == ["FILES", "nim", "nim_of_mine.gdl"]
    assert completions("match", "nim", "rand") == ["FILES", "random", "random_bot.py"]
    # No name begins so: the shell looks for files itself.
    assert completions("info", "./nim") == ["FILES"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script_and_answers(shell: str) -> None:
    script = call(environment={"_FOGSPIEL_COMPLETE": f"{shell}_source"})
    if shell == "bash" and script.returncode:
        pytest.skip("this bash is too old for completion")
    assert script.returncode == 0
    assert "_complete" in script.stdout


def test_bash_is_answered_as_its_script_asks() -> None:
    asked = {
        "_FOGSPIEL_COMPLETE": "bash_complete",
        "COMP_WORDS": "fogspiel info prisoners",
        "COMP_CWORD": "2",
    }
    answer = call(environment=asked)
    assert answer.stdout == "file,\nplain,prisoners_dilemma\n"
