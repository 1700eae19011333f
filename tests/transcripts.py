"""Transcripts of Python sessions, run line by line: `>>>` and what is printed below it."""

from __future__ import annotations

import doctest
from typing import Any

OPTIONS = doctest.ELLIPSIS
"""`...` in an output stands for anything, as for figures that differ from run to run."""


def failures_of(text: str, names: dict[str, Any], place: str, line: int = 0) -> str:
    """The lines of a transcript that print something else, as doctest reports them.

    names: the names that it may use; those that it binds are added.
    """
    transcript = doctest.DocTestParser().get_doctest(text, names, place, place, line)
    assert transcript.examples, f"{place}: no line begins with >>>"
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(transcript, out=said.append, clear_globs=False)
    names.update(transcript.globs)
    return "".join(said)
