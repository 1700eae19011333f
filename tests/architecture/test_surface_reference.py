"""Every public name is described, and the examples of the reference run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from descriptions import Described, Member, alias_meanings, described
from sources import REPOSITORY
from surface import PAGES

import fogspiel
from transcripts import failures_of

ENTRIES = {entry.name: entry for page in PAGES for entry in described(page)}
CALLED = ("function", "method", "constructor")
NO_EXAMPLE = {
    "Player": "methods that users write; the class has an example",
    "PythonGame": "methods that users write; the class has an example",
}
"""Classes whose methods need no examples of their own, and why."""


def members_of(entry: Described) -> Iterator[Member]:
    """A function itself, or the members of a class."""
    if entry.call is not None:
        yield entry.call
    yield from entry.members


def test_the_reference_has_every_public_name_once() -> None:
    """A name that is missing belongs into `PAGES` of tests/architecture/surface.py."""
    named = [name for page in PAGES.values() for name in page if ":" not in name]
    public = set(fogspiel.__all__) - {"__version__"}
    spaces = {name for name in public if inspect.ismodule(getattr(fogspiel, name))}
    public |= {f"{space}.{name}" for space in spaces for name in getattr(fogspiel, space).__all__}
    assert sorted(named) == sorted(public - spaces)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_name_says_what_it_is_and_what_its_arguments_mean(name: str) -> None:
    entry = ENTRIES[name]
    silent = [] if entry.docs.text else [name]
    for member in members_of(entry):
        if not member.docs.text:
            silent.append(f"{member.kind} {member.name}")
        silent += [
            f"argument {argument.name} of {member.name}"
            for argument in member.arguments
            if not argument.meaning and member.kind in CALLED
        ]
    assert silent == []


@pytest.mark.parametrize("name", ENTRIES)
def test_types_are_told_and_readable(name: str) -> None:
    for member in members_of(ENTRIES[name]):
        types = [argument.type for argument in member.arguments if member.kind in CALLED]
        if member.kind in {"attribute", "property"}:
            types.append(member.type)
        assert all(types), f"{member.name} has no type"
        assert not re.search(r"\b(np|fogspiel|typing)\.", " ".join([*types, member.type]))


@pytest.mark.parametrize("name", [n for n in ENTRIES if n in fogspiel.__all__])
def test_every_class_and_its_methods_have_an_example(name: str) -> None:
    entry = ENTRIES[name]
    assert entry.docs.example
    if name not in NO_EXAMPLE:
        called = [m for m in members_of(entry) if m.kind in {"function", "method"}]
        assert [member.name for member in called if not member.docs.example] == []


@pytest.mark.parametrize("name", [n for n, entry in ENTRIES.items() if entry.docs.example])
def test_examples_print_what_they_say(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = ENTRIES[name]
    names = {"fs": fogspiel}
    failed = failures_of(entry.docs.example, names, name)
    for member in entry.members:
        if member.docs.example:
            failed += failures_of(member.docs.example, dict(names), f"{name}.{member.name}")
    assert failed == ""


def test_names_for_several_types_have_a_meaning() -> None:
    assert [name for name, _, meaning in alias_meanings() if not meaning] == []


def test_every_page_of_the_reference_is_written() -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in (REPOSITORY / "docs").glob("reference*.md")
    )
    for page in PAGES:
        assert f"<!-- generate: reference {page} -->" in text
