"""The source files of the project as the architecture tests look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "fogspiel"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports_of(module: str) -> Iterator[tuple[str, int]]:
    """Every module of Fogspiel that a module imports, with the line, wherever the import stands.

    Imports inside functions and those for type checkers alone count: they are dependencies too.
    """
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imports_in(tree_of(path), package)


def imports_in(tree: ast.Module, package: str = "") -> Iterator[tuple[str, int]]:
    """Every module of Fogspiel that a syntax tree imports, with the line.

    package: where the code stands, for relative imports.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "fogspiel":
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            yield from _from_import(node, package)


def _from_import(node: ast.ImportFrom, package: str) -> Iterator[tuple[str, int]]:
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([base] if base else [])])
    if base.split(".")[0] != "fogspiel":
        return
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        yield (inner if inner in modules() else base), node.lineno


def tracked_files(*suffixes: str) -> list[Path]:
    """The files of the project with these endings, leaving out what is generated."""
    roots = ("src", "tests", "docs", ".ci")
    found = [p for root in roots for p in (REPOSITORY / root).rglob("*") if p.is_file()]
    # In a second working tree `.git` is a file that says where the first one is.
    found += [p for p in REPOSITORY.iterdir() if p.is_file() and p.name != ".git"]
    made = {"__pycache__", "_build"}
    return sorted(p for p in found if p.suffix in suffixes and made.isdisjoint(p.parts))
