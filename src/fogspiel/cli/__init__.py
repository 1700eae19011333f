"""The command line. `main` is what `fogspiel` runs."""

from fogspiel.cli.app import main

__all__ = ["main"]
