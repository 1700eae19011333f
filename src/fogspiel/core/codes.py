"""The catalogue of codes: what each finding means and what to do about it.

The texts are data (`codes.toml`), so that the command line and the documentation print the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

FRAME = """\
(role white)
(init (step 1))
(legal white wait)
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(goal white 100)
"""
"""A small sound game: what the examples of rules are added to."""

POGDDL_FRAME = """\
(define (domain relay)
  (:types role thing)
  (:constants ann ben - role ball - thing)
  (:predicates (whoseturn ?r - role) (has ?r - role ?t - thing))
  (:functions (score ?r - role))
  (:action throw
    :parameters (?r ?s - role ?t - thing)
    :precondition (and (whoseturn ?r) (has ?r ?t) (not (= ?r ?s)) (< (score ?r) 2))
    :effect (and (not (whoseturn ?r)) (whoseturn ?s) (not (has ?r ?t)) (has ?s ?t)
                 (increase (score ?r) 1) (observe (all (threw ?r ?s ?t)))))
  (:gain ?r - role (score ?r) ())
  ; example
)
(define (problem start)
  (:domain relay)
  (:init (whoseturn ann) (has ann ball) (= (score ann) 0) (= (score ben) 0)))
"""
"""The same in POGDDL: examples are added to the domain."""


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

    @property
    def example_text(self) -> str:
        """The example as a whole text, for the codes of a language."""
        if not self.framed:
            return self.example
        if self.code.startswith("POG") or self.language == "pogddl":
            return POGDDL_FRAME.replace("; example", self.example)
        return FRAME + self.example


def _load() -> dict[str, CodeEntry]:
    text = resources.files("fogspiel.core").joinpath("codes.toml").read_text("utf-8")
    return {code: CodeEntry(code=code, **fields) for code, fields in tomllib.loads(text).items()}


CODES: Mapping[str, CodeEntry] = MappingProxyType(_load())
"""Every code, in the order of the catalogue."""
