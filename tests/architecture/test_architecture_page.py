"""The page about the architecture names files that exist, and every room."""

from __future__ import annotations

import re

from limits import LAYERS
from sources import PACKAGE, REPOSITORY

PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
FILE = re.compile(r"`([a-z_]+(?:/[a-z_]+)+\.(?:py|toml))`")


def test_every_file_of_the_walk_exists() -> None:
    named = FILE.findall(PAGE)
    assert len(named) > 20
    assert [path for path in named if not (PACKAGE / path).is_file()] == []


def test_every_room_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE)
    assert rows == list(LAYERS)
