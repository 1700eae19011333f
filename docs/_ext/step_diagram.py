"""One step of a match as a picture: which room hands what to which, in the order it happens.

Nothing here is drawn by hand: a short match is played with Python's profiling hook set, calls
between rooms are noted, and the step in which the searching player has a choice is drawn. Labels
show what is handed over and what comes back, as the functions' annotations name it.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from xml.sax.saxutils import escape

import fogspiel
from fogspiel.cli.app import main

COMMAND = "match kuhn_poker ismcts random --games 1 --simulations 64 --seed 7"
STEP = 3
"""The cards are dealt in the first two steps; in this one the searching player bets or passes."""
STEP_ENDS = "Referee.play"
ROOMS = ("play", "players", "search", "belief", "machine")
PACKAGE = Path(fogspiel.__file__).parent

COLUMN = 176
ROW = 38
TOP = 44
LETTER = 6.0
"""Width of a letter, to keep labels within the picture."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A call from one room into another."""

    caller: str
    """Path of the calling file below the package."""
    called: str
    function: str
    handed: str
    returned: str


def step_diagram() -> str:
    """The picture as inline SVG, which takes its colours from the page."""
    hops = list(distinct(step_hops()))
    width, height = COLUMN * len(ROOMS), TOP + ROW * len(hops) + 20
    parts = [
        f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="Calls between rooms in one step of a match">',
        '<defs><marker id="into" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="currentColor"/>'
        "</marker></defs>",
    ]
    for column, room in enumerate(ROOMS):
        x = COLUMN * column + COLUMN // 2
        parts.append(f'<text class="name middle" x="{x}" y="24">{room}</text>')
        parts.append(f'<path class="grid" d="M{x} 34 V{height - 8}"/>')
    for row, hop in enumerate(hops):
        parts += _arrow(hop, TOP + ROW * row + ROW // 2)
    return "\n".join([*parts, "</svg>"])


def _arrow(hop: Hop, y: int) -> list[str]:
    start, end = (COLUMN * ROOMS.index(room_of(f)) + COLUMN // 2 for f in (hop.caller, hop.called))
    result = f" → {hop.returned}" if hop.returned not in {"", "None"} else ""
    text = f"{hop.function.rpartition('.')[2]}({hop.handed}){result}"
    half = LETTER * len(text) / 2
    middle = min(max((start + end) / 2, half), COLUMN * len(ROOMS) - half)
    return [
        f'<path class="call" d="M{start} {y} H{end - 4 if end > start else end + 4}"/>',
        f'<text class="label" x="{middle:.0f}" y="{y - 5}">{escape(text)}</text>',
        f'<text class="file" x="{middle:.0f}" y="{y + 12}">{escape(hop.called)}</text>',
    ]


def step_hops() -> list[Hop]:
    """Calls between the rooms in the chosen step."""
    steps: list[list[Hop]] = [[]]

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "return" and frame.f_code.co_qualname == STEP_ENDS:
            steps.append([])
        caller = _inside(frame.f_back)
        called = _path(frame)
        if event != "call" or called is None or caller is None:
            return
        rooms = room_of(caller), room_of(called)
        if rooms[0] != rooms[1] and {*rooms} <= set(ROOMS) and _is_telling(frame):
            steps[-1].append(Hop(caller, called, frame.f_code.co_qualname, *_signature(frame)))

    _run(None)  # modules are imported and kernels loaded before anything is noted
    _run(note)
    return steps[STEP - 1]


def _run(note: Any) -> None:
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main(COMMAND.split(), standalone_mode=False)
    finally:
        sys.setprofile(None)


def distinct(hops: list[Hop]) -> Iterator[Hop]:
    """Each call once, where it happens first."""
    yield from dict.fromkeys(hops)


def room_of(path: str) -> str:
    """The room that a file lies in."""
    return path.partition("/")[0]


def _is_telling(frame: FrameType) -> bool:
    return not frame.f_code.co_name.startswith(("_", "<"))


def _inside(frame: FrameType | None) -> str | None:
    """The nearest file of ours on the stack."""
    while frame is not None and _path(frame) is None:
        frame = frame.f_back
    return frame and _path(frame)


def _path(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else None


def _signature(frame: FrameType) -> tuple[str, str]:
    """Types of the arguments and of the result, as the function names them."""
    code = frame.f_code
    named: Any = sys.modules.get(frame.f_globals["__name__"])
    for part in code.co_qualname.split("."):
        named = getattr(named, part, None)
    function = named.fget if isinstance(named, property) else named
    hints = dict(getattr(function, "__annotations__", {}))
    returned = _short(hints.pop("return", ""))
    return ", ".join(map(_short, hints.values())), returned


def _short(annotation: object) -> str:
    """An annotation without optional parts and module names."""
    text = str(annotation).removesuffix(" | None")
    text = re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)
    return re.sub(r"\b(?:Sequence|Iterable|tuple|NDArray)\[(\w+)(?:, \.\.\.)?\]", r"\1…", text)
