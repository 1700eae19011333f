"""Every snippet of README and documentation runs, and prints what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documents import Block, blocks_of, commands_of, documents, output_matches
from sources import REPOSITORY

SECONDS = 120
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")


def runnable(document: Path) -> bool:
    return any(block.language in {"python", "console"} for block in blocks_of(document))


@pytest.mark.parametrize(
    "document",
    [document for document in documents() if document.exists() and runnable(document)],
    ids=lambda path: path.name,
)
def test_snippets_run(document: Path, tmp_path: Path) -> None:
    printed: str | None = None
    for block in blocks_of(document):
        place = f"{document.name}:{block.line}"
        if block.mark in {"file", "append"}:
            assert block.name is not None
            with (tmp_path / block.name).open("w" if block.mark == "file" else "a") as stream:
                stream.write(block.text)
        elif block.mark == "output":
            assert printed == block.text, place
        elif block.language == "python":
            printed = run([sys.executable, "-c", block.text], tmp_path, place)
        elif block.language == "console":
            run_console(block, tmp_path, place)


def run_console(block: Block, folder: Path, place: str) -> None:
    commands = commands_of(block)
    assert commands, f"{place}: a console block without a command"
    for command in commands:
        program, *arguments = shlex.split(command.words)
        assert program == "fogspiel", f"{place}: only fogspiel can be run here"
        words = [sys.executable, "-m", "fogspiel.cli", *arguments]
        said = run(words, folder, f"{place}: {command.words}", command.exit_code)
        assert output_matches(command.output, said.splitlines()), f"{place}: it printed\n{said}"


def run(words: list[str], folder: Path, place: str, exit_code: int = 0) -> str:
    """What a process prints. It must end with the exit code, without a traceback."""
    done = subprocess.run(
        words,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == exit_code, f"{place}: exit code {done.returncode}\n{done.stdout}"
    assert "Traceback" not in done.stdout, place
    return done.stdout


def test_the_readme_is_among_the_documents_that_run() -> None:
    languages = [block.language for block in blocks_of(REPOSITORY / "README.md")]
    assert {"python", "console", "lisp"} <= set(languages)


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
