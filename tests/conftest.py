"""What all tests share: caches, hypothesis' settings, Kuhn poker, the corpus of public rule sheets.

Tests of bridge skip where its solver is not installed.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import fogspiel

# Importing this chooses one writable cache directory and puts it into the environment, which the
# workers of pytest-xdist and every process started by a test inherit: kernels are compiled once.
from fogspiel.core.native import CACHE
from fogspiel.games.cache import VARIABLE

# One cache of compiled games for each run of the tests, which all of its processes share: games
# are grounded once, and neither the user's cache nor that of an earlier run has a say.
if "PYTEST_XDIST_WORKER" not in os.environ:
    GAMES = tempfile.TemporaryDirectory(prefix="fogspiel-tests-")
    os.environ[VARIABLE] = GAMES.name

REPOSITORY = Path(__file__).resolve().parents[1]
BRIDGE = REPOSITORY / "tests" / "cases" / "bridge"

# The same examples in every run: a failure that comes and goes helps nobody. No deadlines, since
# the first example of a test may have to compile a kernel.
settings.register_profile("fogspiel", derandomize=True, deadline=None)
settings.load_profile("fogspiel")

# Whoever starts the tests in the background may have told them to ignore control-C, and processes
# inherit that: those that a test interrupts would go on.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """Say where kernels are kept: a first run that compiles them all takes a minute longer."""
    return f"numba cache: {CACHE or 'none can be written'}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bridge is an extra: without endplay its tests skip, and say so."""
    if importlib.util.find_spec("endplay") is not None:
        return
    skip = pytest.mark.skip(reason="endplay is not installed; the extra `bridge` brings it")
    for item in items:
        if BRIDGE in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def kuhn() -> fogspiel.Game:
    return fogspiel.load("kuhn_poker")


@pytest.fixture(scope="session")
def solution(kuhn: fogspiel.Game) -> fogspiel.Solution:
    return kuhn.solve("lp")


@pytest.fixture
def game_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of compiled games with nothing in it."""
    folder = tmp_path / "games"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture
def grounded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the rules that are grounded during the test."""
    from fogspiel.ground import program

    names: list[str] = []
    ground = program.ground

    def noted(rules: Any, limits: Any = None) -> program.GroundProgram:
        names.append(rules.source.name)
        return ground(rules, limits)

    monkeypatch.setattr(program, "ground", noted)
    return names


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public rule sheets: FOGSPIEL_CORPUS, or `shared/corpus` beside the clone."""
    beside = REPOSITORY.parent / "shared" / "corpus"
    folder = Path(os.environ.get("FOGSPIEL_CORPUS", beside))
    if not folder.is_dir():
        pytest.skip("no corpus of public rule sheets; set FOGSPIEL_CORPUS to its folder")
    return folder
