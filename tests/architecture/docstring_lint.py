"""Lint of docstrings: the first line stands alone, as a sentence or a noun phrase.

    python tests/architecture/docstring_lint.py [FOLDER …]

A line that opens with a preposition or a relative word ("Of the tree.", "Where it ends.") leans on
the name above it, and means nothing in an index or in a search result. The shape of an array may
come first: "(nodes,) parent of each node". Comments that open with `#:` document the name before
them and are read likewise. Exits with 1 if there is such a line.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

LEANING = frozenset(
    re.findall(
        r"\w+",
        "after as at before by for from how if in into of on once out than that then those to "
        "unless until up when where which who whom whose with within without",
    )
)
"""Words that no docstring opens with."""

SHAPE = re.compile(r"^\([\w ,+*·…()-]*\)[,:]?\s*")
"""The shape of an array, which may come before the text."""

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tests", "docs")

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def main(folders: list[str]) -> int:
    """Print every docstring that leans on its name; the exit code says whether there is one."""
    roots = [Path(folder) for folder in folders] or [REPOSITORY / name for name in FOLDERS]
    found = [line for root in roots for line in leaning_docstrings(root)]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


def leaning_docstrings(root: Path) -> list[str]:
    """`file:line: text` for every docstring of a folder or file that leans on its name."""
    paths = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    return [
        f"{path}:{line}: {text}"
        for path in paths
        if "_build" not in path.parts
        for line, text in first_lines(path.read_text(encoding="utf-8"), str(path))
        if leans(text)
    ]


def leans(text: str) -> bool:
    """Whether the first word, behind the shape of an array, is one that leans on another."""
    words = SHAPE.sub("", text).split()
    return bool(words) and words[0].strip(",.:;").lower() in LEANING


def first_lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """The first line of every docstring, and every comment that documents a name."""
    yield from docstrings(ast.parse(text, name))
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.string.startswith("#:"):
            yield token.start[0], token.string.removeprefix("#:").strip()


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The first line of every docstring with its place, those below constants and fields too."""
    for node in ast.walk(tree):
        if not isinstance(node, Documented):
            continue
        for before, statement in zip([None, *node.body], node.body, strict=False):
            is_first = before is None
            is_below = isinstance(before, ast.Assign | ast.AnnAssign)
            if (
                (is_first or is_below)
                and isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                yield statement.lineno, statement.value.value.strip().split("\n")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
