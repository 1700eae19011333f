"""What users install, and what pyproject.toml says of it.

`make wheel` installs the wheel as well and tries it, which takes a minute.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from configparser import ConfigParser
from email.message import Message
from email.parser import Parser
from importlib import import_module
from pathlib import Path

import pytest
from constraints import oldest_python, project
from sources import PACKAGE, REPOSITORY, modules

from fogspiel import __version__

ARCHIVED = (".ci", "benchmarks", "docs", "src", "studies", "tests")
"""Folders without which the targets of the Makefile do not run."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and a source archive, made by the build backend that is installed."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("the build backend hatchling is not installed; the extra `dev` brings it")
    folder = tmp_path_factory.mktemp("built")
    program = (
        "import hatchling.build as b, sys; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def text_of(wheel: Path, name: str) -> str:
    """A file of those that describe the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (path for path in archive.namelist() if path.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


def metadata_of(wheel: Path) -> Message:
    return Parser().parsestr(text_of(wheel, "METADATA"))


def files_below(folder: Path) -> set[str]:
    """Files of a folder of the repository, leaving out what is generated."""
    made = {"__pycache__", "_build"}
    return {
        path.relative_to(REPOSITORY).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and made.isdisjoint(path.parts)
    }


def test_the_wheel_holds_every_source_file(wheel: Path) -> None:
    ours = {path.removeprefix("src/") for path in files_below(PACKAGE)}
    assert ours <= names_in(wheel)


def test_the_source_archive_holds_all_that_make_needs(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    for folder in ARCHIVED:
        assert files_below(REPOSITORY / folder) - names == set()
    assert {"Makefile", "constraints.txt", "pyproject.toml", "README.md"} <= names


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


def test_the_command_leads_to_a_function(wheel: Path) -> None:
    entries = ConfigParser()
    entries.read_string(text_of(wheel, "entry_points.txt"))
    commands = dict(entries["console_scripts"])
    assert set(commands) == {"fogspiel"}
    module, function = commands["fogspiel"].split(":")
    assert callable(getattr(import_module(module), function))


def test_the_oldest_python_that_is_named_is_the_one_that_is_asked_for(wheel: Path) -> None:
    prefix = "Programming Language :: Python :: "
    classifiers: list[str] = metadata_of(wheel).get_all("Classifier", [])
    named = [name.removeprefix(prefix) for name in classifiers if name.startswith(prefix)]
    assert named[0] == oldest_python()
    assert metadata_of(wheel)["Requires-Python"] == f">={oldest_python()}"


def test_modules_that_have_rules_of_their_own_for_types_exist_and_have_them_once() -> None:
    named = [
        module
        for override in project()["tool"]["mypy"]["overrides"]
        for module in override["module"]
        if module.startswith("fogspiel.")
    ]
    assert named
    assert len(named) == len(set(named))
    assert set(named) <= modules().keys()


def test_paths_in_pyproject_lead_somewhere() -> None:
    described = project()
    tool = described["tool"]
    named = [
        described["project"]["readme"],
        *described["project"]["license-files"],
        tool["hatch"]["version"]["path"],
        *tool["hatch"]["build"]["targets"]["wheel"]["packages"],
        *tool["hatch"]["build"]["targets"]["sdist"]["include"],
        *tool["ruff"]["src"],
        *tool["mypy"]["files"],
        *tool["mypy"]["mypy_path"],
        *tool["pytest"]["ini_options"]["testpaths"],
    ]
    patterns = tool["ruff"]["lint"]["per-file-ignores"]
    assert [path for path in named if not (REPOSITORY / path).exists()] == []
    assert [pattern for pattern in patterns if not list(REPOSITORY.glob(pattern))] == []
