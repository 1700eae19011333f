"""Bridge is an extra: without endplay its tests skip, and say so."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if importlib.util.find_spec("endplay") is not None:
        return
    skip = pytest.mark.skip(reason="endplay is not installed; the extra `bridge` brings it")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)
