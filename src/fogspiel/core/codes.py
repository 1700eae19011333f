"""The catalogue of codes: what each finding means and what to do about it.

The texts are data (`codes.toml`), so that the command line and the documentation print the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEntry:
    """What is said about one code."""

    code: str
    title: str
    meaning: str
    example: str
    remedy: str
    framed: bool = True
    """Whether the example is part of a game, rather than all of its text."""
    language: str = "gdl"
    """Language of the example. Examples of codes of a language are in that language."""


def _load() -> dict[str, CodeEntry]:
    text = resources.files("fogspiel.core").joinpath("codes.toml").read_text("utf-8")
    return {code: CodeEntry(code=code, **fields) for code, fields in tomllib.loads(text).items()}


CODES: Mapping[str, CodeEntry] = MappingProxyType(_load())
"""Every code, in the order of the catalogue."""
