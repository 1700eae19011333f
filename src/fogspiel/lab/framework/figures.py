"""Figures for studies: SVG whose bytes depend on nothing but what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


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
