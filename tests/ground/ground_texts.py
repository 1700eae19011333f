"""What tests of grounding share: programs from texts, and the processes that are ours."""

from __future__ import annotations

import os
from pathlib import Path

import clingo

from fogspiel.core.source import Source
from fogspiel.ground.program import REACHABILITY, SHOWN
from fogspiel.rules.clauses import Program
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description


def program_of(text: str) -> Program:
    """The clauses of a rule text that reads without a finding."""
    description, findings = read_description(Source("test.gdl", text))
    assert not findings
    return normalise(description)


def child_processes() -> set[int]:
    """Processes that this one started and that are still there, ended or not."""
    found: set[int] = set()
    for task in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        found.update(map(int, task.read_text().split()))
    return found


def answer_atoms(text: str) -> list[str]:
    """The atoms of play in the one answer set of a program without choices, by clingo's solver."""
    control = clingo.Control(["--warn=none"])
    shows = "".join(f"#show {signature}." for signature in SHOWN)
    control.add("base", [], text.removeprefix(REACHABILITY) + shows)
    control.ground([("base", [])])
    found: list[str] = []
    control.solve(on_model=lambda model: found.extend(map(str, model.symbols(shown=True))))
    return found
