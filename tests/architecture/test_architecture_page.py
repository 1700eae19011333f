"""Pages about the architecture name files that exist, and every room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from limits import LAYERS
from sources import PACKAGE, REPOSITORY

PAGE = REPOSITORY / "docs" / "architecture.md"
GUIDE = REPOSITORY / "CONTRIBUTING.md"
FILE = re.compile(r"`(?!tests/|docs/)([a-z_]+(?:/[a-z_]+)+\.(?:py|toml))`")


@pytest.mark.parametrize("page", [PAGE, GUIDE], ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    named = FILE.findall(page.read_text(encoding="utf-8"))
    assert len(named) > 15
    assert [path for path in named if not (PACKAGE / path).is_file()] == []


def test_every_room_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == list(LAYERS)
