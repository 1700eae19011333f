"""Configuration of Sphinx for the documentation. `make docs` treats every warning as an error."""

from __future__ import annotations

import sys
from pathlib import Path

from fogspiel import __version__

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
# Diagrams of the package read its sources as the tests of the architecture do.
sys.path.insert(0, str(HERE.parent / "tests" / "architecture"))

project = "Fogspiel"
author = "The Fogspiel developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "generated_pages"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"Fogspiel {__version__}"
html_static_path = ["_static"]
html_css_files = ["fogspiel.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "default"
pygments_dark_style = "monokai"
