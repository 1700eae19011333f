"""Pieces of rule text that several families share: facts, objects, and counting in binary.

Counting says how many of a set of things hold, as digits of weight 1, 2, 4, … The things are
numbered from 1 as the nodes of a heap: node n has the children 2n and 2n + 1, and the total below a
node is total(2n) + total(2n + 1) + [n itself holds]. So one chain of full adders joins three
numbers at each node; 63 things take 57 full adders, and no circuit takes fewer. Every level of the
heap has relations of its own, because `digit` depends on `not carry` and GDL asks for rules that
are stratified by their names.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 96
INIT = 9  #: Columns by which the facts of a POGDDL problem are moved to the right
OBJECTS = 12  #: The same for its objects

CARD_GAME = """\
  (:requirements :typing :fluents :conditional-effects :pogddl)
  (:types player - role
          role card)
  (:constants chance - role
              first second - player)
  (:predicates (whoseturn ?r - role)
               (opponent ?p ?q - player)
               (in-deck ?c - card)
               (holds ?p - player ?c - card)"""
"""The opening of a POGDDL domain in which chance deals cards to two players."""
HIGHER_SCORE_WINS = """\
  (:gain ?p - player 1
    (exists (?q - player)
            (and (opponent ?p ?q)
                 (> (score ?p) (score ?q)))))
  (:gain ?p - player -1
    (exists (?q - player)
            (and (opponent ?p ?q)
                 (< (score ?p) (score ?q)))))"""

OPENING = """\
; The cells are the nodes of a heap: below node n hang 2n and 2n + 1. The total of a node is that of
; the one, plus that of the other, plus 1 if n itself is counted: the carry into its lowest digit.
; (digitD p n k): the total of node n at depth D has a 1 at weight 2^k.
{double}
{join}
(depth 1 0)
(<= (depth ?l ?e) (join ?n ?l ?r) (depth ?n ?d) (double ?d ?e))
(<= (depth ?r ?e) (join ?n ?l ?r) (depth ?n ?d) (double ?d ?e))

(<= (digit{lowest} ?p ?n 0)
    (depth ?n {lowest}) (counted ?p ?n))
"""

LEVEL = """\
(<= (half{here} ?p ?n ?k)
    (join ?n ?l ?r) (digit{below} ?p ?l ?k) (not (digit{below} ?p ?r ?k)))
(<= (half{here} ?p ?n ?k)
    (join ?n ?l ?r) (digit{below} ?p ?r ?k) (not (digit{below} ?p ?l ?k)))
(<= (carry{here} ?p ?n 0)
    (depth ?n {here}) (counted ?p ?n))
(<= (carry{here} ?p ?n ?j)
    (double ?k ?j) (join ?n ?l ?r) (digit{below} ?p ?l ?k) (digit{below} ?p ?r ?k))
(<= (carry{here} ?p ?n ?j)
    (double ?k ?j) (half{here} ?p ?n ?k) (carry{here} ?p ?n ?k))
(<= (digit{here} ?p ?n ?k)
    (half{here} ?p ?n ?k) (not (carry{here} ?p ?n ?k)))
(<= (digit{here} ?p ?n ?k)
    (carry{here} ?p ?n ?k) (not (half{here} ?p ?n ?k)))
"""


def facts(relation: str, rows: Iterable[Iterable[object]], width: int = WIDTH) -> str:
    """Ground facts of one relation, several to a line: `(succ 1 2) (succ 2 3)`."""
    lines = [""]
    for row in rows:
        fact = f"({relation} {' '.join(map(str, row))})"
        if lines[-1] and len(lines[-1]) + 1 + len(fact) > width:
            lines.append("")
        lines[-1] += f" {fact}" if lines[-1] else fact
    return "\n".join(lines)


def successors(relation: str, last: int, first: int = 1) -> str:
    """`(relation 1 2) (relation 2 3) …` up to `last`."""
    return facts(relation, ((n, n + 1) for n in range(first, last)))


def numbers(relation: str, last: int) -> str:
    """`(relation 1) (relation 2) …` up to `last`."""
    return facts(relation, ((n,) for n in range(1, last + 1)))


def require(name: str, value: int, least: int, most: int) -> None:
    """Raise `ValueError` unless a parameter lies in its range."""
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}; got {value}")


def start_facts(relation: str, rows: Iterable[Iterable[object]]) -> str:
    """Facts as lines of the `:init` of a POGDDL problem."""
    return textwrap.indent(facts(relation, rows, WIDTH - INIT), " " * INIT)


def object_names(names: Iterable[str]) -> str:
    """Names as lines of the `:objects` of a POGDDL problem, with room for their type."""
    margin = " " * OBJECTS
    return textwrap.fill(
        " ".join(names), WIDTH - OBJECTS, initial_indent=margin, subsequent_indent=margin
    )


def card_names(cards: int) -> list[str]:
    """The names of cards in POGDDL: `c1`, `c2`, …"""
    return [f"c{card}" for card in range(1, cards + 1)]


def card_values(function: str, cards: int) -> str:
    """Facts of a POGDDL problem that give each card its number."""
    return start_facts("=", ((f"({function} c{card})", card) for card in range(1, cards + 1)))


def comment(text: str) -> str:
    """A comment, as many words to a line as fit."""
    return textwrap.fill(text, WIDTH, initial_indent="; ", subsequent_indent="; ")


def counting_rules(count: int) -> str:
    """Rules that define `(digit0 ?p 1 ?k)`: digit k of the number of n with `(counted ?p ?n)`.

    The numbers n run from 1 to `count`; digits from 0 to `count.bit_length() - 1`.
    """
    lowest = count.bit_length() - 1
    opening = OPENING.format(
        lowest=lowest,
        double=facts("double", ((k, k + 1) for k in range(lowest))),
        join=facts("join", ((n, 2 * n, 2 * n + 1) for n in range(1, count // 2 + 1))),
    )
    levels = [LEVEL.format(here=depth, below=depth + 1) for depth in reversed(range(lowest))]
    return "\n".join([opening, *levels])


def comparison_rules(first: str, second: str, count: int) -> str:
    """Rules that define `(more ?p)` and `even` from the digits of two players' totals."""
    highest = count.bit_length() - 1
    return f"""\
; The highest digit in which the two totals differ decides.
(rivals {first} {second}) (rivals {second} {first})
(<= (differ ?k) (rivals ?p ?q) (digit0 ?p 1 ?k) (not (digit0 ?q 1 ?k)))
(<= (same_above {highest}) (not (differ {highest})))
(<= (same_above ?k) (double ?k ?j) (same_above ?j) (not (differ ?k)))
(<= (more ?p) (rivals ?p ?q) (digit0 ?p 1 {highest}) (not (digit0 ?q 1 {highest})))
(<= (more ?p) (rivals ?p ?q) (double ?k ?j) (same_above ?j) (digit0 ?p 1 ?k) (differ ?k))
(<= even (same_above 0))
"""
