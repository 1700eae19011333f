"""What users install: the wheel holds the rule sheets, the index and the marker for types."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from sources import PACKAGE, REPOSITORY

from fogspiel import __version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the working tree, by the build backend that is installed."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("the build backend hatchling is not installed; the extra `dev` brings it")
    folder = tmp_path_factory.mktemp("wheel")
    program = "import hatchling.build as b, sys; b.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(path).decode())


def test_the_wheel_holds_every_source_file(wheel: Path) -> None:
    made = {"__pycache__"}
    ours = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and made.isdisjoint(path.parts)
    }
    assert ours <= names_in(wheel)


def test_the_wheel_holds_rules_index_and_type_marker(wheel: Path) -> None:
    names = names_in(wheel)
    assert "fogspiel/py.typed" in names
    assert "fogspiel/games/index/hidden.toml" in names
    assert "fogspiel/games/rules/kuhn_poker.gdl" in names


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    strange = {name for name in names_in(wheel) if not name.startswith("fogspiel")}
    assert not strange


def test_the_version_is_told_once(wheel: Path) -> None:
    assert metadata_of(wheel)["Version"] == __version__


def test_citation_and_changelog_name_this_version() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f"version {__version__}" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_licence_is_in_the_wheel(wheel: Path) -> None:
    assert any(name.endswith("/licenses/LICENSE") for name in names_in(wheel))
