"""The rooms of the package as a picture: how large each is, and which imports which.

Rows are rooms, from the command line at the top to `core` at the bottom; a dot in a column says
that the room of the row imports the room of the column, the larger the more often. Imports point
down, so every dot lies on one side of the diagonal.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt

from limits import LAYERS
from sources import imports_of, modules

ROW = 30
LEFT = 260
"""Width of the part with names and numbers."""
TOP = 96
DOT = 11.0
"""Radius of the largest dot."""


def package_diagram() -> str:
    """The picture as inline SVG, which takes its colours from the page."""
    rooms = LAYERS[::-1]
    imports = room_imports()
    most = max(imports.values())
    width, height = LEFT + ROW * len(rooms) + 12, TOP + ROW * len(rooms) + 12
    parts = [
        f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="Rooms of the package and their imports, which point down only">'
    ]
    for row, room in enumerate(rooms):
        y = TOP + ROW * row + ROW // 2
        parts += _row(room, y, row)
        x = LEFT + ROW * row + ROW // 2
        parts.append(
            f'<text class="what" transform="translate({x + 4} {TOP - 8}) rotate(-60)">{room}</text>'
        )
        parts.append(
            f'<path class="grid" d="M{LEFT} {y} H{width - 12} M{x} {TOP} V{height - 12}"/>'
        )
    for (user, used), count in sorted(imports.items()):
        x = LEFT + ROW * rooms.index(used) + ROW // 2
        y = TOP + ROW * rooms.index(user) + ROW // 2
        radius = max(2.0, DOT * sqrt(count / most))
        parts.append(
            f'<circle class="dot" cx="{x}" cy="{y}" r="{radius:.1f}">'
            f"<title>{user} imports {used} in {count} places</title></circle>"
        )
    return "\n".join([*parts, "</svg>"])


def _row(room: str, y: int, row: int) -> list[str]:
    files = [path for name, path in modules().items() if name.split(".")[1:2] == [room]]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    count = sum(path.name != "__init__.py" for path in files)
    size = f"{count} modules, {lines:,} lines"
    shade = '<rect class="stripe" x="0" y="{}" width="{}" height="{}"/>'
    return [
        *([shade.format(y - ROW // 2, LEFT, ROW)] if row % 2 else []),
        f'<text class="name" x="8" y="{y + 5}">{room}</text>',
        f'<text class="what end" x="{LEFT - 12}" y="{y + 4}">{size}</text>',
    ]


def room_imports() -> Counter[tuple[str, str]]:
    """Imports of one room by another, counted by module."""
    found: Counter[tuple[str, str]] = Counter()
    for module in modules():
        user = module.split(".")[1:2]
        for used in {name for name, _ in imports_of(module)}:
            room = used.split(".")[1:2]
            if user and room and user != room and {*user, *room} <= set(LAYERS):
                found[user[0], room[0]] += 1
    return found
