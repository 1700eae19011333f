"""Fogspiel: general game playing under hidden information."""

from fogspiel._version import __version__

__all__ = ["__version__"]
