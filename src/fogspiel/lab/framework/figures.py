"""Figures whose bytes depend on nothing but what is drawn: ids have a fixed salt, no date."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.solve.progress import Point

FORMATS = (".png", ".svg")
LEAST = 1e-16  #: Below this a logarithm says nothing: rounding
COLOUR = "#1b6ca8"


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


def plot_convergence(points: Sequence[Point], path: Path, *, title: str, unit: str) -> None:
    """Draw exploitability, in the unit, over seconds, both on logarithmic scales."""
    refuse_plot(path)
    with figure(path, (6, 4), font_size=10.0) as panels:
        panels[0].loglog(
            [max(point.seconds, 1e-6) for point in points],
            [max(point.exploitability, LEAST) for point in points],
            marker=".",
            color=COLOUR,
        )
        panels[0].set_title(title, loc="left")
        panels[0].set_xlabel("seconds")
        panels[0].set_ylabel(f"exploitability, {unit}")
        panels[0].grid(which="both", linewidth=0.3)
