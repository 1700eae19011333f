"""Runnable parts of the documentation.

In README and docs, fenced blocks are run in order, each document in a folder of its own:

- `python` is a script; a `text` block after `<!-- output -->` is what it prints, exactly.
- `pycon` is a session: lines that begin with `>>>` and what Python prints for each; `...` stands
  for anything. All sessions of a document share their names.
- `console` holds lines `$ fogspiel …`, each followed by lines of its output. No such lines: any
  output will do. A line `...` stands for any number of lines. A command must succeed, unless
  `$ echo $?` follows it and shows another exit code.
- A block after `<!-- needs: PACKAGE -->` runs where that package is installed.
- A block after `<!-- file: NAME -->` is the file of that name; after `<!-- append: NAME -->` it is
  added to the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sources import REPOSITORY

BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>file|append|output|needs)(?:: (?P<name>[\w./-]+))? -->\n)?"
    r"^```(?P<language>[^\n`]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a document."""

    language: str
    text: str
    line: int
    mark: str | None
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a console block with what it is said to do."""

    words: str
    output: list[str]
    exit_code: int


def documents() -> list[Path]:
    """README, the guide for contributors, and every page."""
    pages = sorted((REPOSITORY / "docs").glob("*.md"))
    return [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *pages]


def blocks_of(document: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    text = document.read_text(encoding="utf-8")
    return [
        Block(
            language=match["language"].strip(),
            text=match["text"],
            line=text.count("\n", 0, match.start("text")),
            mark=match["mark"],
            name=match["name"],
        )
        for match in BLOCK.finditer(text)
    ]


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        words, *output = part.rstrip("\n").split("\n")
        if words == "echo $?":
            last = found.pop()
            found.append(Command(words=last.words, output=last.output, exit_code=int(output[0])))
        else:
            found.append(Command(words=words, output=output, exit_code=0))
    return found


def output_matches(expected: list[str], actual: list[str]) -> bool:
    """Whether lines are as expected, `...` standing for any number of them."""
    if not expected:
        return True
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"\n"
        for line in expected
    )
    text = "".join(line.rstrip() + "\n" for line in actual)
    return re.fullmatch(pattern, text) is not None
