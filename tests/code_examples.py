"""Small sound games that the examples of codes are added to."""

from __future__ import annotations

from fogspiel.core.findings import codes

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


def example_text(code: str) -> str:
    """The example of a code as a whole text, for the codes of a language."""
    entry = codes()[code]
    if not entry.framed:
        return entry.example
    if code.startswith("POG") or entry.language == "pogddl":
        return POGDDL_FRAME.replace("; example", entry.example)
    return FRAME + entry.example
