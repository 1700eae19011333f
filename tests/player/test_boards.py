"""Which fluents make a board, found out from the rules alone."""

from __future__ import annotations

import pytest

from fogspiel.cli.board_text import board_text
from fogspiel.games.loading import load
from fogspiel.player.boards import Layout, layouts_of
from fogspiel.player.human import Known

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


def test_cells_are_certain_open_or_empty() -> None:
    layout = Layout(
        name="at",
        order=(1, 2, 0),
        columns=("a", "b", "c"),
        rows=("9", "10"),
        contents=("rook", "roof", "king"),
    )
    assert layout.cell(("at", "rook", "b", "10")) == (("b", "10"), "rook")
    assert layout.cell(("at", "rook", "b")) is None
    assert layout.cell(("on", "rook", "b", "10")) is None
    known = Known(
        states=2,
        certain=(("at", "rook", "b", "10"), ("turn", "x")),
        open=(("at", "king", "a", "9"), ("at", "roof", "a", "9")),
    )
    assert board_text(layout, known).splitlines() == [
        "The board (at):",
        "  10  .    rook .",
        "   9  ?    .    .",
        "      a    b    c",
        "  ? not known",
    ]
