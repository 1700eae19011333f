"""Lint of docstrings and of texts that users read: each sentence stands alone.

    python tests/architecture/docstring_lint.py [FOLDER …]

The first line of a docstring that opens with a preposition or a relative word ("Of the tree.",
"Where it ends.") leans on the name above it, and means nothing in an index or in a search result.
The shape of an array may come first: "(nodes,) parent of each node". Comments that open with `#:`
document the name before them and are read likewise, and so are the help texts of options and the
descriptions of players, games and methods.

No sentence that users read is a fragment that opens with Of, That or By: neither in help texts, nor
in findings and what `fogspiel explain` says of them, nor on a page of the documentation. "That is
why" is a sentence; "That a line is right" is not. Exits with 1 if there is such a text.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
import tomllib
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

FRAGMENT = re.compile(
    r"(?:Of|By)\s|That\s+(?:an?|the|no|each|every|it|they|he|she|we|you|some|any|what|who)\b|"
    r"That\s+(?:somebody|everybody|nobody|nothing|everything|there)\b"
)
"""The beginning of a text that leans on the one before it."""
SENTENCES = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z])|\s*\n\s*(?:\n|[-*#>]|\d+\.)\s*|\s*\|\s*|\*\*\s+")
"""The place where a sentence of a text ends, or a cell of a table, or an entry of a list."""
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

DESCRIPTIONS = frozenset({"help", "what", "fits", "finds", "title", "description"})
"""Arguments by name that are texts for users, and stand in lists."""
ADVICE = frozenset({"details", "fix", "message", "epilog", "reason"})
"""Arguments by name that are texts for users, and follow others."""
INDEX = ("src/fogspiel/core/codes.toml", "src/fogspiel/games/index")
"""Data with texts for users: about codes, and about games."""
TEXT_KEYS = ("title", "meaning", "remedy", "description")

SHAPE = re.compile(r"^\([\w ,+*·…()-]*\)[,:]?\s*")
"""The shape of an array, which may come before the text."""

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tests", "docs")

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def main(folders: list[str]) -> int:
    """Print every docstring that leans on its name; the exit code says whether there is one."""
    roots = [Path(folder) for folder in folders] or [REPOSITORY / name for name in FOLDERS]
    found = [line for root in roots for line in leaning_docstrings(root)]
    if not folders:
        found += fragments_of_texts()
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


def fragments_of_texts(repository: Path = REPOSITORY) -> list[str]:
    """`file:line: text` for every fragment that users read, in sources, data and documentation."""
    found = []
    for path in sorted((repository / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        found += [f"{path}:{line}: {text}" for line, text in leaning_arguments(tree)]
    tables = [file for name in INDEX for file in files_in(repository / name, "*.toml")]
    for path in tables:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, entry in entries.items():
            texts = [entry[key] for key in TEXT_KEYS if key in entry]
            found += [f"{path}: {name}: {bad}" for text in texts for _, bad in fragments(text)]
    pages = [*files_in(repository / "docs", "*.md"), *repository.glob("*.md")]
    for path in pages:
        if "_build" not in path.parts:
            text = prose(path.read_text(encoding="utf-8"))
            found += [f"{path}:{line}: {bad}" for line, bad in fragments(text)]
    return found


def files_in(place: Path, pattern: str) -> list[Path]:
    """The files of a folder by their names; or the one file that the place is."""
    return sorted(place.rglob(pattern)) if place.is_dir() else [place]


def leaning_arguments(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts for users among the arguments of calls that lean on what stands before them."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        for keyword in call.keywords:
            text = beginning(keyword.value)
            if keyword.arg in DESCRIPTIONS and leans(text):
                yield keyword.value.lineno, text
            if keyword.arg in DESCRIPTIONS | ADVICE:
                yield from ((keyword.value.lineno, bad) for _, bad in fragments(text))
        # Findings and errors: a code, a message, and perhaps a fix.
        if call.args and re.fullmatch(r"[A-Z]{3}\d{3}", beginning(call.args[0])):
            for value in call.args[1:3]:
                yield from ((value.lineno, bad) for _, bad in fragments(beginning(value)))


def beginning(value: ast.expr) -> str:
    """A text as it is written, with `{}` for what is filled in; empty for anything else."""
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(beginning(part) or "{}" for part in parts)
        case _:
            return ""


def fragments(text: str) -> Iterator[tuple[int, str]]:
    """The fragments in a text, each with its line."""
    start = 0
    for end in [*SENTENCES.finditer(text), None]:
        sentence = text[start : len(text) if end is None else end.start()]
        if FRAGMENT.match(sentence.lstrip("-*#> ")):
            line = text.count("\n", 0, start) + 1
            yield line, " ".join(sentence.split())[:80]
        start = len(text) if end is None else end.end()


def prose(page: str) -> str:
    """A page of Markdown with empty lines in place of its blocks of code and its comments."""
    for pattern in (FENCE, COMMENT):
        page = pattern.sub(lambda found: "\n" * found[0].count("\n"), page)
    return page


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
