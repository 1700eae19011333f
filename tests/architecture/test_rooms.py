"""Rooms are easy to find one's way in: few modules a folder, a name for one thing, short files.

The limits are data in `limits.py`.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

from docstring_lint import leans
from limits import (
    MAX_FILES_OF_ONE_NAME,
    MAX_LINES,
    MAX_MODULES,
    MAX_MODULES_IN_A_FOLDER,
    MIN_LINES,
    NAMED_BY_GAME,
    REPEATED_NAMES,
    SHORT_MODULES,
    SHORT_NAMES,
    SYNTAX_OF_LANGUAGES,
)
from sources import REPOSITORY, modules, tracked_files, tree_of


def files() -> dict[str, Path]:
    """Every module that is a file of its own, packages aside, by its dotted name."""
    return {name: path for name, path in modules().items() if path.name != "__init__.py"}


def length(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_there_are_not_too_many_modules() -> None:
    assert len(files()) <= MAX_MODULES


def test_no_folder_is_crowded() -> None:
    counts = Counter(path.parent for path in files().values())
    assert {str(p): n for p, n in counts.items() if n > MAX_MODULES_IN_A_FOLDER} == {}


def test_a_long_file_says_why() -> None:
    silent = {
        path.relative_to(REPOSITORY).as_posix()
        for path in tracked_files(".py")
        if length(path) > MAX_LINES and "Length:" not in (ast.get_docstring(tree_of(path)) or "")
    }
    assert silent == set()


def test_a_short_module_joins_its_neighbour() -> None:
    short = {
        name
        for name, path in files().items()
        if length(path) < MIN_LINES
        and path.stem not in SHORT_MODULES
        and not name.startswith(NAMED_BY_GAME)
    }
    assert short == set()


def test_a_file_name_stands_for_one_thing() -> None:
    counts = Counter(
        p.stem for n, p in files().items() if not n.startswith((NAMED_BY_GAME, SHORT_NAMES))
    )
    often = {stem for stem, count in counts.items() if count > MAX_FILES_OF_ONE_NAME}
    assert often - REPEATED_NAMES == set()


def test_a_public_class_name_stands_for_one_thing() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for module, path in modules().items():
        if module.startswith(SHORT_NAMES):
            continue
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(module)
    twice = {
        name: found
        for name, found in places.items()
        if len(found) > 1 and not all(module.startswith(SYNTAX_OF_LANGUAGES) for module in found)
    }
    assert twice == {}


def test_the_lint_of_docstrings_tells_phrases_that_lean() -> None:
    assert leans("Of the tree: an estimate.")
    assert leans("(nodes,) of each node, the parent")
    assert not leans("(nodes,) parent of each node")
    assert not leans("The size of the tree, estimated.")
