"""Results as tables and figures: Markdown whose cells are filled from records, and plots.

The bytes of figures depend on nothing but what is drawn: ids have a fixed salt, no date.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.lab.framework.study import Document
from fogspiel.solve.result import Point

Filling = str | Callable[[Document], str]
"""The text of a cell: a format string over the fields of a record, or a function of the record."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [_line(head), f"|{'---|' * len(head)}", *map(_line, rows)]
    return "\n".join(lines)


def columns(*named: tuple[str, Filling]) -> Callable[[Sequence[Document]], str]:
    """The function from records to a table with one row for each of them.

    named: the heading of each column, and the text of its cells.
    """

    def table(records: Sequence[Document]) -> str:
        rows = ([_filled(filling, record) for _, filling in named] for record in records)
        return markdown([heading for heading, _ in named], rows)

    return table


def given(field: str, pattern: str) -> Filling:
    """Fill a cell from one field, the `0` of a format string; empty where the field is None."""
    return lambda record: "" if record[field] is None else pattern.format(record[field])


def mean(*path: str | int, digits: int = 1) -> Filling:
    """Fill a cell with a mean goal and half of its interval.

    path: keys that lead from the record to the tally of the matches.
    """

    def filling(record: Document) -> str:
        tally = record
        for key in path:
            tally = tally[key]  # type: ignore[index]  # of a list of tallies
        return shown_mean(tally, digits)

    return filling


def shown_mean(tally: Document, digits: int = 1) -> str:
    """The mean goal of a tally, and half of its interval."""
    return with_interval(tally["mean_goal"], tally["ci95"], digits)


def with_interval(value: float, interval: Sequence[float] | None, digits: int) -> str:
    """A mean and half of its interval, if there is one, with so many digits after the point."""
    if interval is None:
        return f"{value:.{digits}f}"
    low, high = interval
    return f"{value:.{digits}f} ± {(high - low) / 2:.{digits}f}"


def half_interval(tally: Document) -> float:
    """Half of the interval of a mean; 0 where one match gives none."""
    low, high = tally["ci95"] or (0.0, 0.0)
    return float(high - low) / 2


def _filled(filling: Filling, record: Document) -> str:
    return filling.format_map(record) if isinstance(filling, str) else filling(record)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


FORMATS = (".png", ".svg")
LEAST = 1e-16  #: Below this a logarithm says nothing: rounding
COLOURS = ("#1b6ca8", "#c1442d", "#2e8540", "#8a5fa8", "#b8860b", "#444444")
LINES = ("-", "--", ":")


@contextmanager
def figure(
    path: Path, size: tuple[float, float], columns: int = 1, rows: int = 1, font_size: float = 8.0
) -> Iterator[Any]:
    """Draw on the panels that are given; written as PNG or SVG, by the file's name, at the end."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    is_svg = path.suffix == ".svg"
    settings = {"svg.hashsalt": "fogspiel", "font.size": font_size, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        drawn = Figure(figsize=size, layout="constrained")
        (FigureCanvasSVG if is_svg else FigureCanvasAgg)(drawn)
        yield drawn.subplots(rows, columns, squeeze=False).ravel()
        metadata = {"Date": None} if is_svg else {"Software": None}
        drawn.savefig(path, format=path.suffix[1:], metadata=metadata)


def refuse_plot(path: Path) -> None:
    """Raise `UsageError` SOL026 for a plot that could not be drawn, before work is spent on it."""
    if path.suffix not in FORMATS:
        message = f"a plot is a {' or '.join(FORMATS)} file; got {path.name!r}"
        raise UsageError.of("SOL026", message, fix="name it plot.png")
    if importlib.util.find_spec("matplotlib") is None:
        message = "plots need matplotlib, which is not installed"
        raise UsageError.of("SOL026", message, fix="pip install 'fogspiel[lab]'")


def refuse_point(method: str, points: Sequence[Point]) -> None:
    """Raise `UsageError` SOL026 for a method that has a single point, which is no course."""
    if len(points) < 2:
        message = f"{method} has a single point, which is no course over time"
        fix = "draw a method that goes on until a limit, such as cfr+, and let it iterate longer"
        raise UsageError.of("SOL026", message, fix=fix)


def plot_convergence(
    curves: Mapping[str, Sequence[Point]], path: Path, *, title: str, unit: str
) -> None:
    """Draw exploitability, in the unit, over seconds, both on logarithmic scales.

    curves: the points of each method. Raises as `refuse_plot` and `refuse_point`.
    """
    refuse_plot(path)
    for method, points in curves.items():
        refuse_point(method, points)
    with figure(path, (6, 4), font_size=10.0) as panels:
        for number, (method, points) in enumerate(curves.items()):
            panels[0].loglog(
                [max(point.seconds, 1e-6) for point in points],
                [max(point.exploitability, LEAST) for point in points],
                marker=".",
                color=COLOURS[number % len(COLOURS)],
                linestyle=LINES[number // len(COLOURS) % len(LINES)],
                label=method,
            )
        if len(curves) > 1:
            panels[0].legend()
        panels[0].set_title(title, loc="left")
        panels[0].set_xlabel("seconds")
        panels[0].set_ylabel(f"exploitability, {unit}")
        panels[0].grid(which="both", linewidth=0.3)
