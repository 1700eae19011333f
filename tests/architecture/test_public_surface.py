"""The command line, the examples and the documentation use the public surface alone.

`fogspiel` and its rooms `api` and `draw` are the public surface; `cases` and `lab` are for those
who ask for them. Everything else is the inside of the house, which may change.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

from documents import Block, blocks_of, documents
from limits import BACK_DOORS, PUBLIC_ROOMS
from sources import PACKAGE, REPOSITORY, imports_in


def is_deep(module: str, rooms: tuple[str, ...] = PUBLIC_ROOMS) -> bool:
    """Whether a module of Fogspiel is none that users import."""
    room = module.removeprefix("fogspiel").removeprefix(".").partition(".")[0]
    return room not in {"", *rooms}


def name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def programs() -> list[Path]:
    """The files of Python that use Fogspiel as users do."""
    examples = REPOSITORY / "examples"
    return sorted([*(PACKAGE / "cli").rglob("*.py"), *examples.rglob("*.py")])


def parsed() -> Iterator[tuple[Path, int, ast.Module]]:
    """Every program and every snippet: its file, the line before it, and its syntax tree."""
    for path in programs():
        yield path, 0, ast.parse(path.read_text(encoding="utf-8"), str(path))
    for path in documents():
        for block in blocks_of(path):
            if block.language in {"python", "pycon"}:
                yield path, block.line, ast.parse(program_of(block))


def deep_imports() -> Iterator[tuple[str, int, str]]:
    """Every import of what is not public: the file, the line and the module."""
    for path, before, tree in parsed():
        package = ".".join(path.relative_to(PACKAGE.parent).parent.parts) if _in(path) else ""
        rooms = (*PUBLIC_ROOMS, "cli") if _in(path) else PUBLIC_ROOMS
        for module, line in imports_in(tree, package):
            if is_deep(module, rooms):
                yield name(path), before + line, module


def program_of(block: Block) -> str:
    """The program of a block, each line where it stands there: a session without what it prints."""
    if block.language == "python":
        return block.text
    shown = [""] * block.text.count("\n")
    for example in doctest.DocTestParser().get_examples(block.text):
        for at, line in enumerate(example.source.splitlines()):
            shown[example.lineno + at] = line
    return "\n".join(shown)


def _in(path: Path) -> bool:
    return path.is_relative_to(PACKAGE)


def test_only_public_names_are_imported() -> None:
    assert [f"{file}:{line}: {module}" for file, line, module in deep_imports()] == []


def test_nobody_takes_a_back_door() -> None:
    found = [
        f"{name(path)}:{before + node.lineno}: .{node.attr}"
        for path, before, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in BACK_DOORS
    ]
    assert found == []


def test_imports_are_told_apart() -> None:
    inside = ["fogspiel.core.terms", "fogspiel.cli", "fogspiel.apiary"]
    public = ["fogspiel", "fogspiel.api.game", "fogspiel.draw", "fogspiel.lab.studies"]
    assert [module for module in [*inside, *public] if is_deep(module)] == inside


def test_imports_are_found_wherever_they_stand() -> None:
    text = """
from typing import TYPE_CHECKING
from fogspiel import core
import fogspiel.play.loop as loop
if TYPE_CHECKING:
    from fogspiel.tree import game_tree
def work():
    from fogspiel.solve.result import Solution
"""
    found = [module for module, _ in imports_in(ast.parse(text)) if is_deep(module)]
    assert found == [
        "fogspiel.core",
        "fogspiel.play.loop",
        "fogspiel.tree.game_tree",
        "fogspiel.solve.result",
    ]


def test_sessions_are_read_without_what_they_print() -> None:
    text = ">>> import fogspiel.tree\n>>> print('import fogspiel.core')\nimport fogspiel.core\n"
    block = Block(language="pycon", text=text, line=1, mark=None, name=None)
    assert list(imports_in(ast.parse(program_of(block)))) == [("fogspiel.tree", 1)]
