"""The plots of a report, in SVG that is as wide as the page.

Places along an axis are in percent, and text is beside the drawing, not in it: so a narrow page
makes plots narrow and leaves letters their size. Nothing here needs a script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.draw.report.markup import Markup, element, joined, text
from fogspiel.play.ratings.bradley_terry import Rating, RatingHistory

MOST_TICKS = 6
COLOURS, DASHES = 7, 3
MOST_LINES = COLOURS * DASHES
"""Lines that can be told apart: seven colours (Okabe & Ito 2008), whole, dashed and dotted."""
BOX = 1000  #: Units of a drawing that is stretched to its place


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: the numbers at its ends and at its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def part(self, value: float) -> float:
        """The place of a number, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def percent(self, value: float) -> str:
        """The place of a number, as SVG says it."""
        return f"{100 * self.part(value):.2f}%"


def scale_over(values: Sequence[float] | NDArray[np.float64]) -> Scale:
    """An axis with round numbers that holds all values."""
    low, high = float(np.min(values)), float(np.max(values))
    if high - low < 1.0:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / (MOST_TICKS - 1)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(step * number for number in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def ratings_plot(ratings: Sequence[Rating]) -> Markup:
    """A row for each player: its rating as a point, its interval as a line."""
    ends = [end for own in ratings for end in own.interval or (own.elo,)]
    scale = scale_over(ends)
    rows = [part for own in ratings for part in _rating_row(own, scale)]
    empty = element("span")
    return element("div", *rows, empty, _labels_across(scale), empty, class_="ratings")


def _rating_row(own: Rating, scale: Scale) -> tuple[Markup, Markup, Markup]:
    low, high = own.interval or (own.elo, own.elo)
    told = f"{own.player}: {own.elo:.0f}, 95 % between {low:.0f} and {high:.0f}"
    marks = [_upright(scale.percent(tick), zero=tick == 0) for tick in scale.ticks]
    spread = {"x1": scale.percent(low), "x2": scale.percent(high), "y1": "50%", "y2": "50%"}
    drawn = (
        element("line", class_="spread", **spread),
        element("circle", cx=scale.percent(own.elo), cy="50%", r="4.5"),
    )
    svg = element("svg", *marks, *drawn, role="img", aria_label=told)
    name = element("span", text(own.player), class_="name", title=own.player)
    return name, svg, element("span", text(f"{own.elo:+.0f}"), class_="value")


def settling_plot(settling: RatingHistory) -> Markup:
    """Ratings from the first matches to the last, of the highest players if there are many."""
    last = settling.elo[-1]
    ranked = sorted(
        (player for player in range(len(last)) if not np.isnan(last[player])),
        key=lambda player: (-round(float(last[player]), 6), settling.players[player]),
    )[:MOST_LINES]
    up, across = _scale_up(settling.elo[:, ranked]), _scale_across(settling.matches[-1])
    lines = [_line(settling, player, rank, across, up) for rank, player in enumerate(ranked)]
    grid = [_level(up, tick) for tick in up.ticks]
    told = f"Ratings of {len(ranked)} players after up to {settling.matches[-1]:,} matches"
    box = f"0 0 {BOX} {BOX}"
    drawing = element(
        "svg", joined([*grid, *lines]), viewBox=box, preserveAspectRatio="none", role="img",
        aria_label=told,
    )  # fmt: skip
    inside = _labels_up(up), drawing, element("span"), _labels_across(across)
    return joined(
        [
            element("div", *inside, class_="settling"),
            element("p", text("matches"), class_="axis"),
            _legend([settling.players[player] for player in ranked]),
        ]
    )


def _scale_up(elo: NDArray[np.float64]) -> Scale:
    """Holds all but the very beginning, when a match or two make ratings leap."""
    later = elo[len(elo) // 10 :]
    return scale_over(later[~np.isnan(later)])


def _scale_across(matches: int) -> Scale:
    """An axis from no match to all of them."""
    whole = scale_over([0.0, float(matches)])
    return Scale(0.0, float(matches), tuple(tick for tick in whole.ticks if tick <= matches))


def _line(settling: RatingHistory, player: int, rank: int, across: Scale, up: Scale) -> Markup:
    points = [
        f"{BOX * across.part(moment):.1f},{BOX * (1 - up.part(elo)):.1f}"
        for moment, elo in zip(settling.matches, settling.elo[:, player], strict=True)
        if not math.isnan(elo)
    ]
    # A single point would not be seen.
    points += points if len(points) == 1 else []
    title = element("title", text(settling.players[player]))
    return element("polyline", title, points=" ".join(points), class_=_look(rank))


def _legend(players: Sequence[str]) -> Markup:
    sample = {"x1": "0", "x2": "28", "y1": "6", "y2": "6"}
    items = [
        element(
            "li",
            element(
                "svg", element("line", class_=_look(rank), **sample), width="28", height="12",
                aria_hidden="true",
            ),
            text(player),
        )
        for rank, player in enumerate(players)
    ]  # fmt: skip
    return element("ul", joined(items), class_="legend")


def _look(rank: int) -> str:
    return f"line colour-{rank % COLOURS} dash-{rank // COLOURS % DASHES}"


def _upright(place: str, *, zero: bool) -> Markup:
    return element(
        "line", x1=place, x2=place, y1="0", y2="100%", class_="grid zero" if zero else "grid"
    )


def _level(scale: Scale, tick: float) -> Markup:
    height = f"{BOX * (1 - scale.part(tick)):.1f}"
    kind = "grid zero" if tick == 0 else "grid"
    return element("line", x1="0", x2=str(BOX), y1=height, y2=height, class_=kind)


def _labels_across(scale: Scale) -> Markup:
    # A narrow page shows every second of them, so that they do not run into each other.
    labels = [
        element(
            "text", text(f"{tick:,.6g}"), x=scale.percent(tick), y="14", text_anchor="middle",
            class_="between" if round(tick / (scale.ticks[1] - scale.ticks[0])) % 2 else None,
        )
        for tick in scale.ticks
    ]  # fmt: skip
    return element("svg", *labels, class_="across", aria_hidden="true")


def _labels_up(scale: Scale) -> Markup:
    labels = [
        element(
            "text", text(f"{tick:,.6g}"), x="100%", y=f"{100 * (1 - scale.part(tick)):.2f}%",
            dy="0.32em", dx="-6", text_anchor="end",
        )
        for tick in scale.ticks
    ]  # fmt: skip
    return element("svg", *labels, aria_hidden="true")
