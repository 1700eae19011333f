"""The lint of texts: fragments are found where users read them, and sentences are left alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from docstring_lint import FOLDERS, fragments, fragments_of_texts, leaning_arguments, main, prose
from sources import REPOSITORY

OPTION = 'option("--seed", help="Of the playouts.")'
FINDING = 'UsageError.of("GAM001", "of what", fix="see it. By name it is known")'
ENTRY = 'Entry(name="x", what="where nothing is hidden", details="That a game is one is proved.")'
GOOD = 'option("--seed", help="Random seed of the playouts. That is all.", fix=f"use {name}")'


def test_no_text_of_this_project_is_a_fragment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0, capsys.readouterr().out
    assert all((REPOSITORY / folder).is_dir() for folder in FOLDERS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Of 500 positions 257 had more.", 1),
        ("It ends. By then, it is late.", 1),
        ("That a line is right is known.", 1),
        ("That is why. That makes two. Offers end. Bytes count.", 0),
        ("| option | Of the playouts |", 1),
        ("- By name\n- Of nobody\n- Nothing", 2),
        ("a line\nthat goes on of itself", 0),
    ],
)
def test_sentences_that_lean_on_others_are_fragments(text: str, found: int) -> None:
    assert len(list(fragments(text))) == found


@pytest.mark.parametrize(
    ("source", "found"), [(OPTION, 2), (FINDING, 1), (ENTRY, 2), (GOOD, 0), ("x = 'Of y'", 0)]
)
def test_arguments_that_users_read_are_looked_at(source: str, found: int) -> None:
    assert len(list(leaning_arguments(ast.parse(source)))) == found


def test_code_and_comments_of_a_page_are_no_prose() -> None:
    page = "Text.\n\n```text\nOf code.\n```\n\n<!-- By nobody. -->\nOf all.\n"
    assert list(fragments(prose(page))) == [(8, "Of all.")]


def test_fragments_are_found_with_their_places(tmp_path: Path) -> None:
    for folder in ("src/fogspiel/core", "src/fogspiel/games/index", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/fogspiel/core/codes.toml").write_text('[X]\nmeaning = "By the rules."\n')
    (tmp_path / "src/fogspiel/options.py").write_text(OPTION)
    (tmp_path / "docs/page.md").write_text("One.\n\nOf two.\n")
    found = [line.removeprefix(str(tmp_path)) for line in fragments_of_texts(tmp_path)]
    assert set(found) == {
        "/src/fogspiel/options.py:1: Of the playouts.",
        "/src/fogspiel/core/codes.toml: X: By the rules.",
        "/docs/page.md:3: Of two.",
    }
