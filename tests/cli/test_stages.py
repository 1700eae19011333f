"""What an analysis is at: one stage in the place of the other on a terminal, nothing elsewhere."""

from __future__ import annotations

from contextlib import suppress
from io import StringIO

import pytest
from commands import run
from rich.console import Console

from fogspiel.api.solution import Point
from fogspiel.api.solving import Stage
from fogspiel.cli import output, progress
from fogspiel.cli.progress import Stages

POINT = Point(iteration=40, seconds=0.5, exploitability=0.25)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What is shown on standard error, as if a person watched."""
    shown = StringIO()
    for module in (output, progress):
        monkeypatch.setattr(module, "on_terminal", lambda *, stderr=False: True)
        monkeypatch.setattr(
            module, "console", lambda *, stderr=False: Console(file=shown, force_terminal=True)
        )
    return shown


def test_stages_take_the_place_of_one_another(terminal: StringIO) -> None:
    with Stages() as stages:
        stages.begin(Stage("building the tree"))
        stages.begin(Stage("solving", iterates=True, target=0.001, seconds=60.0))
        assert stages.point(POINT) is False
        stages.begin(Stage("decisions", steps=2))
        stages.step()
        stages.step()
    text = terminal.getvalue()
    assert text.index("building the tree …") < text.index("solving") < text.index("decisions")
    assert "exploitability 0.25 after 40 iterations, 0.5 s" in text
    assert "100%" in text


def test_a_bar_is_taken_away_where_the_work_fails(terminal: StringIO) -> None:
    with suppress(RuntimeError), Stages() as stages:
        stages.begin(Stage("solving", iterates=True))
        raise RuntimeError
    with Stages() as again:  # rich allows a single one at a time
        again.begin(Stage("solving", iterates=True))


def test_nothing_is_shown_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with Stages() as stages:
        stages.begin(Stage("building the tree"))
        stages.begin(Stage("solving", iterates=True, target=0.001))
        assert stages.point(POINT) is False
        stages.step()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        (("solve", "kuhn_poker", "--method", "cfr+"), "solving"),
        (("analyze", "kuhn_poker"), "looking for independent parts …"),
        (("induce", "random", "kuhn_poker", "--simulations", "1"), "decisions"),
        (("simulate", "kuhn_poker", "--playouts", "100"), "playouts"),
        (
            ("infoset", "kuhn_poker", "--role", "first", "--random-steps", "2"),
            "computing the information set …",
        ),
        (("compare", "kuhn_poker", "kuhn_poker"), "building both game trees …"),
    ],
)
def test_commands_show_what_they_are_at(
    terminal: StringIO, words: tuple[str, ...], stage: str
) -> None:
    assert run(*words).exit_code == 0
    assert stage in terminal.getvalue()
