"""Boards are recognised in the rules: the fluents that make one."""

from __future__ import annotations

import pytest

from fogspiel.api.known import Known
from fogspiel.core.source import Source
from fogspiel.draw.board import Layout, board_text, layouts_of
from fogspiel.games.load import load, load_sources

DIGITS = tuple("12345678")


@pytest.mark.parametrize(
    ("game", "name", "columns", "rows", "contents"),
    [
        ("tic_tac_toe", "cell", DIGITS[:3], DIGITS[:3], ("o", "x")),
        ("connect_four", "cell", DIGITS[:7], DIGITS[:6], ("o", "x")),
        ("chess", "colour", tuple("abcdefgh"), DIGITS, ("black", "white")),
        # (pawn white 2 5): what comes before where.
        ("simultaneous_breakthrough", "pawn", DIGITS[:3], DIGITS[:5], ("black", "white")),
    ],
)
def test_boards_are_found(
    game: str, name: str, columns: tuple[str, ...], rows: tuple[str, ...], contents: tuple[str, ...]
) -> None:
    (layout,) = layouts_of(load(game).machine)
    assert (layout.name, layout.columns, layout.rows) == (name, columns, rows)
    assert layout.contents == contents


@pytest.mark.parametrize("game", ["kuhn_poker", "nim", "monty_hall", "goofspiel_4", "meier"])
def test_games_without_a_board_have_none(game: str) -> None:
    assert layouts_of(load(game).machine) == ()


def test_rules_that_leave_a_role_without_a_move_are_looked_at_as_far_as_they_go() -> None:
    stuck = """
    (role white) (init (cell 1 1 b)) (init (cell 1 2 w)) (init (cell 2 1 w)) (init (cell 2 2 b))
    (<= (legal white wait) (true (cell 2 2 b))) (<= (next (cell 1 1 b)) (does white wait))
    (<= terminal (true (cell 2 2 w))) (goal white 100)
    """
    machine = load_sources([Source("stuck.gdl", stuck)], engine="reference").machine
    (layout,) = layouts_of(machine)
    assert layout.columns == layout.rows == ("1", "2")


def test_cells_are_certain_open_or_empty() -> None:
    layout = Layout(
        name="at",
        order=(1, 2, 0),
        columns=("a", "b", "c"),
        rows=("9", "10"),
        contents=("rook", "roof", "king"),
    )
    assert layout.cell("(at rook b 10)") == (("b", "10"), "rook")
    assert layout.cell("(at rook b)") is None
    assert layout.cell("(on rook b 10)") is None
    known = Known(
        states=2,
        certain=("(at rook b 10)", "(turn x)"),
        open=("(at king a 9)", "(at roof a 9)"),
    )
    assert board_text(layout, known).splitlines() == [
        "The board (at):",
        "  10  .    rook .",
        "   9  ?    .    .",
        "      a    b    c",
        "  ? not known",
    ]
