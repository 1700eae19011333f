"""Table 4.1 of Richards (2012) as a plot: a panel for each game, the published figures and ours.

The same records give the same bytes: ids are salted with a fixed word, and no date is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fogspiel.lab.framework.study import Document

TITLES: Mapping[str, str] = {
    "racko": "Racko (cards, slots)",
    "battleship": "Battleship (cells a side, ships)",
    "gops": "GOPS (rounds, extra cards)",
}
COLOURS: Mapping[str, str] = {
    "csp": "#1b6ca8",
    "dfs": "#b5651d",
    "exact": "#2e7d32",
    "sat": "#7b3fa0",
}
OTHER_COLOUR = "#555555"
SPREAD = 0.16
"""How far the marks of two methods stand apart; cells are 1 apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a method came to in one cell."""

    place: float
    """On the axis of the cells."""
    least: int
    """Over positions with histories left to find; where there are none, over all positions."""
    whole: bool
    """Whether every position's information set was found as a whole."""


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw the records as SVG."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    games = [game for game in TITLES if any(record["game"] == game for record in records)]
    with matplotlib.rc_context(
        {"svg.hashsalt": "fogspiel", "font.size": 8, "svg.fonttype": "none"}
    ):
        figure = Figure(figsize=(9, 3.2 * len(games)), layout="constrained")
        FigureCanvasSVG(figure)
        panels = figure.subplots(len(games), 1, squeeze=False)[:, 0]
        for panel, game in zip(panels, games, strict=True):
            _draw(panel, TITLES[game], [r for r in records if r["game"] == game])
        figure.savefig(path, format="svg", metadata={"Date": None})


def marks(records: Sequence[Document], method: str, shift: float = 0.0) -> list[Mark]:
    """The marks of a method, cell by cell, in the order of the records."""
    found = []
    for place, member in enumerate(members(records)):
        own = [r for r in records if r["member"] == member and r["method"] == method]
        if own:
            open_ones = [record for record in own if not record["complete"]]
            least = min(record["found"] for record in open_ones or own)
            found.append(Mark(place + shift, least, not open_ones))
    return found


def members(records: Sequence[Document]) -> list[str]:
    """The cells that there are records of, in their order."""
    return list(dict.fromkeys(record["member"] for record in records))


def _draw(panel: Any, title: str, records: Sequence[Document]) -> None:
    names = members(records)
    published = {record["member"]: record["published_csp"] for record in records}
    panel.set_title(title, loc="left")
    panel.plot(
        range(len(names)),
        [published[name] for name in names],
        linestyle="none",
        marker="_",
        markersize=16,
        markeredgewidth=2,
        color="black",
        label="CSP, published",
    )
    methods = list(dict.fromkeys(record["method"] for record in records))
    for number, method in enumerate(methods):
        shift = SPREAD * (number - (len(methods) - 1) / 2)
        _draw_method(panel, method, marks(records, method, shift))
    # Logarithmic from 1 up, with a place for 0: some methods find nothing.
    panel.set_yscale("symlog", linthresh=1)
    panel.set_ylim(bottom=0)
    panel.set_ylabel("histories, least of all positions")
    panel.set_xticks(range(len(names)), [_short(name) for name in names], rotation=60)
    panel.grid(axis="y", linewidth=0.3)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _draw_method(panel: Any, method: str, found: Sequence[Mark]) -> None:
    """Filled where histories were left to find, hollow squares where all were found."""
    colour = COLOURS.get(method, OTHER_COLOUR)
    for whole, marker, label in ((False, "o", method), (True, "s", f"{method}, whole sets")):
        chosen = [mark for mark in found if mark.whole is whole]
        if chosen:
            panel.plot(
                [mark.place for mark in chosen],
                [mark.least for mark in chosen],
                linestyle="none",
                marker=marker,
                markersize=4,
                color=colour,
                markerfacecolor="none" if whole else colour,
                label=label,
            )


def _short(member: str) -> str:
    """The parameters alone: the title names the game."""
    return member[member.index("(") + 1 : -1]
