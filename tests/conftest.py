"""What all tests share: the corpus of public rule sheets, hypothesis' settings, Numba's cache.

Tests of bridge skip where its solver is not installed.
"""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Importing this chooses one writable cache directory and puts it into the environment, which the
# workers of pytest-xdist and every process started by a test inherit: kernels are compiled once.
from fogspiel.core.native import CACHE

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
def corpus() -> Path:
    """The folder of public rule sheets: FOGSPIEL_CORPUS, or `shared/corpus` beside the clone."""
    beside = REPOSITORY.parent / "shared" / "corpus"
    folder = Path(os.environ.get("FOGSPIEL_CORPUS", beside))
    if not folder.is_dir():
        pytest.skip("no corpus of public rule sheets; set FOGSPIEL_CORPUS to its folder")
    return folder
