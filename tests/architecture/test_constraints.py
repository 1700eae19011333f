"""A fresh machine gets what was tested: versions of all that make installs stand in one file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any

import constraints
import pytest
from packaging.requirements import Requirement

NOT_BY_MAKE = {"gambit"}
"""Extras that no recipe installs: large, or without binary packages."""


@pytest.fixture(scope="module")
def pinned() -> dict[str, str]:
    """Versions of the file, by name."""
    return constraints.pins(constraints.FILE.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def by_make() -> None:
    """Skip where the environment of this test holds other versions on purpose."""
    in_force = Path(sys.prefix) / ".fogspiel-constraints"
    if not in_force.exists():
        pytest.skip("make did not set this environment up")
    if in_force.read_text(encoding="utf-8") != constraints.FILE.read_text(encoding="utf-8"):
        pytest.skip("this environment was set up with other constraints, or none")


def direct_requirements() -> Iterator[Requirement]:
    """Requirements of the build, of the package, and of the extras that make installs."""
    described = constraints.project()
    yield from map(Requirement, described["build-system"]["requires"])
    yield from map(Requirement, described["project"]["dependencies"])
    for extra in constraints.extras():
        yield from map(Requirement, described["project"]["optional-dependencies"][extra])


def test_make_installs_every_extra_but_those_named_here() -> None:
    known = set(constraints.project()["project"]["optional-dependencies"])
    assert set(constraints.extras()) == known - NOT_BY_MAKE


def test_every_requirement_has_a_version_that_satisfies_it(pinned: dict[str, str]) -> None:
    wrong = [
        f"{requirement}: {version}"
        for requirement in direct_requirements()
        for version in [pinned.get(constraints.canonical(requirement.name))]
        if version is None or version not in requirement.specifier
    ]
    assert wrong == []


def test_names_are_sorted_and_spelt_in_one_way(pinned: dict[str, str]) -> None:
    assert list(pinned) == sorted(pinned)
    assert [constraints.canonical(name) for name in pinned] == list(pinned)


def test_the_file_says_how_it_is_made() -> None:
    head = constraints.HEADER.format(python=constraints.oldest_python())
    assert constraints.FILE.read_text(encoding="utf-8").startswith(head)
    assert "\nconstraints:" in (constraints.REPOSITORY / "Makefile").read_text(encoding="utf-8")


@pytest.mark.usefixtures("by_make")
def test_the_versions_that_run_these_tests_are_those_of_the_file(pinned: dict[str, str]) -> None:
    running = {constraints.canonical(found.name): found.version for found in distributions()}
    # Every environment has pip of its own, and some have setuptools.
    held = running.keys() & pinned.keys() - {"pip", "setuptools"}
    assert {name: running[name] for name in held} == {name: pinned[name] for name in held}
    assert {"numba", "numpy", "pytest"} <= held


@pytest.mark.usefixtures("by_make")
def test_all_that_is_needed_has_its_version_in_the_file(pinned: dict[str, str]) -> None:
    if ".".join(map(str, sys.version_info[:2])) != constraints.oldest_python():
        pytest.skip("later versions of Python may need packages that the oldest one does not")
    assert needed_packages(list(direct_requirements())) - pinned.keys() == set()


def needed_packages(wanted: list[Requirement]) -> set[str]:
    """Names of the installed packages that requirements lead to, directly or not."""
    found: dict[str, set[str]] = {}
    while wanted:
        requirement = wanted.pop()
        name = constraints.canonical(requirement.name)
        extras = {"", *requirement.extras} - found.get(name, set())
        try:
            package = distribution(name)
        except PackageNotFoundError:
            # An extra that could not be installed here.
            continue
        found.setdefault(name, set()).update(extras)
        for inner in map(Requirement, package.requires or []):
            marker = inner.marker
            if any(marker is None or marker.evaluate({"extra": extra}) for extra in extras):
                wanted.append(inner)
    return set(found)


def test_a_report_of_pip_becomes_a_sorted_file_without_the_project_itself() -> None:
    found = [("sphinx_basic.ng", "1.0.0b2"), ("Jinja2", "3.1"), ("fogspiel", "0")]
    report: dict[str, Any] = {
        "install": [{"metadata": {"name": name, "version": version}} for name, version in found]
    }
    lines = constraints.document(report, python="3.11").splitlines()
    assert lines[-2:] == ["jinja2==3.1", "sphinx-basic-ng==1.0.0b2"]
    assert constraints.pins(lines) == {"jinja2": "3.1", "sphinx-basic-ng": "1.0.0b2"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["numpy>=2"], "must be NAME==VERSION; got 'numpy>=2'"),
        (["numpy @ file:///somewhere"], "must be NAME==VERSION"),
        (["numpy==1", "numpy==2"], "numpy is pinned twice"),
    ],
)
def test_lines_that_do_not_pin_one_version_are_refused(lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        constraints.pins(lines)


def test_constraints_are_only_made_with_the_oldest_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(constraints, "oldest_python", lambda: "3.0")
    monkeypatch.setattr(constraints, "extras", lambda: pytest.fail("it went on"))
    assert constraints.main() == 1
    assert "make constraints PYTHON=/path/to/python3.0" in capsys.readouterr().err
