"""Scripts are followed move by move, and errors name the place of a move that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.play.loop import Match, play_match
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.simple import read_script

DIAGONAL = "(mark 1 1) (mark 2 2) (mark 3 3)"


def one() -> Budget:
    return Budget.of(simulations=1)


def played(first: str, second: str = "scripted:(mark 1 2) (mark 1 3)") -> Match:
    """A match of tic-tac-toe between players given by name."""
    players = {RoleId(0): make_player(first), RoleId(1): make_player(second)}
    machine = load("tic_tac_toe").machine
    return play_match(machine, players, start_budget=one, turn_budget=one, seed=0)


def test_moves_without_a_choice_may_be_left_out_or_written() -> None:
    assert played(f"scripted:{DIAGONAL}").goals == (100, 0)
    written = "scripted:(mark 1 1) noop (mark 2 2) noop (mark 3 3)"
    other = "scripted:noop (mark 1 2) noop (mark 1 3) noop"
    assert played(written, other).goals == (100, 0)


def test_a_script_may_come_from_a_file_with_comments(tmp_path: Path) -> None:
    path = tmp_path / "moves.txt"
    path.write_text("; the diagonal\n(mark 1 1)\n(mark 2 2) ; the centre\n\n(mark 3 3)\n")
    assert played(f"scripted:{path}").goals == (100, 0)


@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        ("(mark 1 1)\n(mark 1 2)", "PLY001", "moves.txt:2:1: PLY001 error: in step 3, x cannot"),
        ("(mark 1 1)\n (mark 9 9)", "PLY004", "moves.txt:2:2: PLY004 error: x has no move"),
        ("(mark 1 1)", "PLY005", "moves.txt: PLY005 error: in step 3, x has a choice, but the"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(
    tmp_path: Path, script: str, code: str, told: str
) -> None:
    path = tmp_path / "moves.txt"
    path.write_text(script)
    with pytest.raises(PlayError) as error:
        played(f"scripted:{path}")
    assert [finding.code for finding in error.value.findings] == [code]
    assert told in str(error.value)


def test_an_error_names_legal_moves() -> None:
    with pytest.raises(PlayError, match=r"write one of: \(mark 1 3\), \(mark 2 1\)"):
        played("scripted:(mark 1 1) (mark 1 1)")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("scripted", "PLY006"),
        ("scripted:", "PLY006"),
        ("scripted:no/such/file", "PLY006"),
        ("scripted:missing.txt", "PLY006"),
        ("scripted:(mark 1 1", "GDL002"),
    ],
)
def test_what_is_no_script_is_refused(name: str, code: str) -> None:
    with pytest.raises(UsageError, match=code):
        make_player(name)


def test_a_script_is_not_among_the_players_that_play_by_themselves() -> None:
    assert "scripted" not in PLAYERS
    assert [term for term, _ in read_script("noop (mark 1 2)").moves] == [
        "noop",
        ("mark", "1", "2"),
    ]
