"""Figures for studies: SVG whose bytes depend on nothing but what is drawn.

How a solver came closer, as a plot: exploitability over seconds, both on logarithmic scales.

The same points give the same bytes: ids are salted with a fixed word, and no date is written.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.solve.progress import Point


def draw(path: Path, size: tuple[float, float], columns: int, fill: Callable[[Any], None]) -> None:
    """Write a figure with panels side by side. fill: gets the panels."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {"svg.hashsalt": "fogspiel", "font.size": 8, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        fill(figure.subplots(1, columns, squeeze=False)[0])
        figure.savefig(path, format="svg", metadata={"Date": None})


FORMATS = (".png", ".svg")
LEAST = 1e-16
"""Below this a logarithm says nothing: rounding."""
COLOUR = "#1b6ca8"


def refuse_plot(path: Path) -> None:
    """Raise `UsageError` SOL026 for a plot that could not be drawn, before work is spent on it."""
    if path.suffix not in FORMATS:
        message = f"a plot is a {' or '.join(FORMATS)} file; got {path.name!r}"
        raise UsageError.of("SOL026", message, fix="name it plot.png")
    if importlib.util.find_spec("matplotlib") is None:
        message = "plots need matplotlib, which is not installed"
        raise UsageError.of("SOL026", message, fix="pip install 'fogspiel[lab]'")


def plot(points: Sequence[Point], path: Path, *, title: str, unit: str) -> None:
    """Draw the points, whose exploitability is in the unit, as PNG or SVG by the file's name."""
    refuse_plot(path)
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "fogspiel", "svg.fonttype": "none"}):
        figure = Figure(figsize=(6, 4), layout="constrained")
        is_svg = path.suffix == ".svg"
        (FigureCanvasSVG if is_svg else FigureCanvasAgg)(figure)
        panel = figure.subplots()
        panel.loglog(
            [max(point.seconds, 1e-6) for point in points],
            [max(point.exploitability, LEAST) for point in points],
            marker=".",
            color=COLOUR,
        )
        panel.set_title(title, loc="left")
        panel.set_xlabel("seconds")
        panel.set_ylabel(f"exploitability, {unit}")
        panel.grid(which="both", linewidth=0.3)
        metadata = {"Date": None} if is_svg else {"Software": None}
        figure.savefig(path, format=path.suffix[1:], metadata=metadata)
