"""Every snippet of README and documentation runs, and prints what it says.

They run in this process: forty starts of Python would take longer than all they do.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from documents import Block, blocks_of, commands_of, documents, output_matches
from sources import REPOSITORY

from bench_tasks import without_children
from fogspiel.cli.app import main
from transcripts import failures_of

NEEDS = {"bridge.md": "endplay", "bridge-problems.md": "endplay"}
"""Pages about an extra, with the package it brings: without it their snippets cannot run."""
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")


def runnable(document: Path) -> bool:
    return any(block.language in {"python", "pycon", "console"} for block in blocks_of(document))


@pytest.mark.parametrize(
    "document",
    [document for document in documents() if document.exists() and runnable(document)],
    ids=lambda path: path.name,
)
def test_snippets_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = NEEDS.get(document.name)
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    monkeypatch.chdir(tmp_path)
    without_children(monkeypatch)
    printed: str | None = None
    names: dict[str, Any] = {}
    for block in blocks_of(document):
        place = f"{document.name}:{block.line}"
        if block.mark in {"file", "append"}:
            assert block.name is not None
            with Path(block.name).open("w" if block.mark == "file" else "a") as stream:
                stream.write(block.text)
        elif block.mark == "output":
            assert printed == block.text, place
        elif block.mark == "needs" and importlib.util.find_spec(str(block.name)) is None:
            continue
        elif block.language == "python":
            printed = run_script(block, place)
        elif block.language == "pycon":
            failed = failures_of(block.text, names, document.name, block.line)
            assert failed == "", failed
        elif block.language == "console":
            run_console(block, place)


def run_script(block: Block, place: str) -> str:
    """What a script prints."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(block.text, place, "exec"), {"__name__": "__main__"})
    return stream.getvalue()


def run_console(block: Block, place: str) -> None:
    commands = commands_of(block)
    assert commands, f"{place}: a console block without a command"
    for command in commands:
        program, *arguments = shlex.split(command.words)
        assert program == "fogspiel", f"{place}: only fogspiel can be run here"
        done = CliRunner().invoke(main, arguments)
        said = f"{place}: {command.words} ended with {done.exit_code} and printed\n{done.output}"
        assert done.exit_code == command.exit_code, said
        assert output_matches(command.output, done.output.splitlines()), said


def test_the_readme_is_among_the_documents_that_run() -> None:
    languages = [block.language for block in blocks_of(REPOSITORY / "README.md")]
    assert {"pycon", "console", "lisp"} <= set(languages)


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_make_target_that_documents_name_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = {
        target
        for document in documents()
        for target in re.findall(
            r"(?:`|^)make ([a-z]+)", document.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert named
    assert named <= targets


@pytest.mark.parametrize(
    ("expected", "matches"),
    [([], True), (["a", "b"], True), (["a"], False), (["a", "..."], True), (["...", "c"], False)],
)
def test_output_is_compared_line_by_line(expected: list[str], matches: bool) -> None:
    assert output_matches(expected, ["a", "b"]) is matches


def test_the_page_of_tasks_has_thirty_and_each_takes_at_most_eight_lines() -> None:
    page = REPOSITORY / "docs" / "tasks.md"
    headings = [
        number
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if line.startswith("### ")
    ]
    lines = dict.fromkeys(headings, 0)
    for block in blocks_of(page):
        if block.language == "pycon" and block.line > headings[0]:
            task = max(heading for heading in headings if heading < block.line)
            lines[task] += len(re.findall(r"^(?:>>>|\.\.\.) ", block.text, re.MULTILINE))
    assert len(lines) >= 30
    assert {task: count for task, count in lines.items() if not 0 < count <= 8} == {}
