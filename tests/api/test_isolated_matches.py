"""Matches from Python with players of one's own in processes of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import fogspiel

BOTS = """\
import os

import fogspiel


class First(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[0]


class Dies(fogspiel.Player):
    def choose(self, view, legal, clock):
        os._exit(3)
"""


class Here(fogspiel.Player):
    """A player that other processes can find, since it stands in a file."""

    def choose(self, view: fogspiel.View, legal: object, clock: fogspiel.Clock) -> str:
        return view.legal[0]


@pytest.fixture
def kuhn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fogspiel.Game:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "bots.py").write_text(BOTS)
    return fogspiel.load("kuhn_poker")


def test_isolated_players_play_as_they_do_here(kuhn: fogspiel.Game) -> None:
    here = kuhn.match("first", "first", seed=4)
    for player in ("bots.py:First", Here):
        apart = kuhn.match(player, "first", seed=4, isolate=True)
        assert apart.history == here.history
        assert apart.faults == {"first": [], "second": []}


def test_a_player_that_ends_its_process_does_not_end_this_one(kuhn: fogspiel.Game) -> None:
    match = kuhn.match("bots.py:Dies", "first", seed=4, isolate=True, on_fault="replace")
    assert match.over
    assert match.faults["first"][0][1].text == "its process ended with code 3"
    with pytest.raises(fogspiel.PlayError, match=r"PLY036.*in step 3, the player bots.py:Dies"):
        kuhn.match("bots.py:Dies", "first", seed=4, isolate=True)


def test_a_series_counts_the_moves_that_were_replaced(kuhn: fogspiel.Game) -> None:
    series = kuhn.series("bots.py:Dies", "first", games=2, seed=1, isolate=True)
    assert [row.replaced > 0 for row in series.totals] == [True, False]


def test_an_object_of_this_process_cannot_play_in_another(kuhn: fogspiel.Game) -> None:
    with pytest.raises(ValueError, match="an object of Here lives in this process"):
        kuhn.match(Here(), "first", isolate=True)
