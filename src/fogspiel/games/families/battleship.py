"""Battleship in POGDDL: two fleets are laid out in secret, then the players shoot in turn.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 4.4.2: up to five ships of 2, 3, 3, 4 and 5 cells on up to 10x10 cells, laid out from
the smallest to the largest; the owner of a ship tells that it was hit, which one, and whether it
sank. OpenSpiel's battleship has the same board and ships, and ends after 50 shots of each player.
Departures from appendix B.1: a hit that sinks is told by the shot itself, without a step of chance,
which there had but one move; the game ends when a fleet has sunk; and on boards so small that a
player may leave no room for its next ship, that player gives up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from fogspiel.games.families._layout import comment, object_names, require, start_facts

SHIPS = {"destroyer": 2, "cruiser": 3, "submarine": 3, "battleship": 4, "carrier": 5}
"""The cells that each ship covers, in the order in which ships are laid out."""
COLUMNS = "abcdefghij"
PLAYERS = ("first", "second")
DIRECTIONS = {"across": (1, 0), "down": (0, 1)}

SHEET = """\
{title}
; The players lay out their ships in turn, the smallest first, unseen by the other. Then they shoot
; in turn at a cell of the other's sea that they have not shot at. Both are told what was hit and
; what sank. Who sinks the whole fleet of the other first wins.

(define (domain battleship)
  (:requirements :typing :fluents :conditional-effects :derived-predicates :pogddl)
  (:types role ship cell direction part)
  (:constants first second - role)
  (:predicates (whoseturn ?r - role)
               (opponent ?p ?q - role)
               ; How ships lie: the bow on a cell and heading somewhere, each part is on some cell.
               (has ?s - ship ?n - part)
               (lies ?c - cell ?d - direction ?n - part ?x - cell)
               (overboard ?c - cell ?d - direction ?n - part)
{follows}               (laying ?p - role ?s - ship)      ; the ship that is to be laid out next
               (laying-part ?p - role ?n - part)
               (blocked ?p - role ?c - cell ?d - direction)
               (busy ?p - role)
               (at ?p - role ?s - ship ?x - cell)
               (occupied ?p - role ?x - cell)
               (shot ?p - role ?x - cell)
{stranded}               (lost ?p - role))
  (:functions
    (afloat ?p - role ?s - ship) - (number 0 {longest}))  ; cells of a ship that were not hit

  (:derived (busy ?p - role)
    (exists (?s - ship)
            (laying ?p ?s)))
  (:derived (laying-part ?p - role ?n - part)
    (exists (?s - ship)
            (and (laying ?p ?s)
                 (has ?s ?n))))
  (:derived (occupied ?p - role ?x - cell)
    (exists (?s - ship)
            (at ?p ?s ?x)))
  (:derived (blocked ?p - role ?c - cell ?d - direction)
    (exists (?n - part ?x - cell)
            (and (laying-part ?p ?n)
                 (lies ?c ?d ?n ?x)
                 (occupied ?p ?x))))
  (:derived (blocked ?p - role ?c - cell ?d - direction)
    (exists (?n - part)
            (and (laying-part ?p ?n)
                 (overboard ?c ?d ?n))))

  (:action place
    :parameters (?p - role ?c - cell ?d - direction)
    :precondition (and (whoseturn ?p)
                       (busy ?p)
                       (not (blocked ?p ?c ?d)))
    :effect (and (not (whoseturn ?p))
                 (forall (?q - role)
                         (when (opponent ?p ?q)
                               (whoseturn ?q)))
                 (forall (?s - ship)
                         (when (laying ?p ?s)
                               (and (not (laying ?p ?s))
                                    (observe (all (placed ?p ?s))))))
{next_ship}                 (forall (?s - ship ?n - part ?x - cell)
                         (when (and (laying ?p ?s) (has ?s ?n) (lies ?c ?d ?n ?x))
                               (at ?p ?s ?x)))))

  (:action shoot
    :parameters (?p - role ?x - cell)
    :precondition (and (whoseturn ?p)
                       (not (busy ?p))
                       (not (shot ?p ?x)))
    :effect (and (shot ?p ?x)
                 (not (whoseturn ?p))
                 (observe (all (shot-at ?p ?x)))
                 (forall (?q - role)
                         (when (opponent ?p ?q)
                               (whoseturn ?q)))
                 (forall (?q - role)
                         (when (and (opponent ?p ?q) (not (occupied ?q ?x)))
                               (observe (all (missed)))))
                 (forall (?q - role ?s - ship)
                         (when (and (opponent ?p ?q) (at ?q ?s ?x))
                               (and (decrease (afloat ?q ?s) 1)
                                    (when (> (afloat ?q ?s) 1)
                                          (observe (all (hit ?s))))
                                    (when (= (afloat ?q ?s) 1)
                                          (observe (all (sunk ?s)))))))))

{narrow}  (:derived (lost ?p - role)
    (forall (?s - ship)
            (= (afloat ?p ?s) 0)))
  (:terminal (or (lost first) (lost second)))
  (:gain ?p - role -1 (lost ?p))
  (:gain ?p - role 1
    (exists (?q - role)
            (and (opponent ?p ?q)
                 (lost ?q)))))

(define (problem battleship-{size}-{fleet})
  (:domain battleship)
  (:objects {names} - ship
{cells} - cell
            across down - direction
            {parts} - part)
  (:init (whoseturn first)
         (opponent first second)
         (opponent second first)
         (laying first destroyer)
         (laying second destroyer)
{start}))
"""

FOLLOWS = """\
               (follows ?s ?t - ship)
"""
NEXT_SHIP = """\
                 (forall (?s ?t - ship)
                         (when (and (laying ?p ?s) (follows ?s ?t))
                               (laying ?p ?t)))
"""
STRANDED = """\
               (stranded ?p - role)
"""
NARROW = """\
  ; So many ships on so few cells may leave no room for the next one.
  (:action give-up
    :parameters (?p - role)
    :precondition (and (whoseturn ?p)
                       (busy ?p)
                       (forall (?c - cell ?d - direction)
                               (blocked ?p ?c ?d)))
    :effect (and (stranded ?p)
                 (observe (all (gave-up ?p)))))
  (:derived (lost ?p - role)
    (stranded ?p))
"""


def rules(size: int, ships: int) -> str:
    """Battleship on `size` x `size` cells with the first `ships` of the five ships."""
    require("ships", ships, 1, len(SHIPS))
    fleet = dict(list(SHIPS.items())[:ships])
    longest = max(fleet.values())
    require("size", size, longest, len(COLUMNS))
    parts = [f"part{number}" for number in range(1, longest + 1)]
    order = list(fleet)
    is_narrow = any(_may_be_blocked(size, list(fleet.values())[:n]) for n in range(2, ships + 1))
    start = [
        start_facts("has", ((ship, part) for ship in fleet for part in parts[: fleet[ship]])),
        start_facts("follows", pairwise(order)),
        start_facts("=", ((f"(afloat {p} {s})", fleet[s]) for p in PLAYERS for s in fleet)),
        start_facts("lies", _lies(size, longest)),
        start_facts("overboard", _overboard(size, longest)),
    ]
    return SHEET.format(
        size=size,
        title=comment(_title(size, fleet)),
        fleet=ships,
        longest=longest,
        follows=FOLLOWS if ships > 1 else "",
        next_ship=NEXT_SHIP if ships > 1 else "",
        stranded=STRANDED if is_narrow else "",
        narrow=NARROW if is_narrow else "",
        names=" ".join(order),
        cells=object_names(_cells(size)),
        parts=" ".join(parts),
        start="\n".join(filter(None, start)),
    )


def _title(size: int, fleet: Mapping[str, int]) -> str:
    ships = ", ".join(f"a {ship} of {cells} cells" for ship, cells in fleet.items())
    return f"Battleship on {size}x{size} cells. Each player has {ships}."


def _may_be_blocked(size: int, lengths: Sequence[int]) -> bool:
    """Whether the ships before the last can leave no room for it.

    A row in which a ship does not fit has at least size // length cells that are taken.
    """
    *before, last = lengths
    return sum(before) >= size * (size // last)


def _cells(size: int) -> list[str]:
    return [_cell(x, y) for y in range(size) for x in range(size)]


def _cell(x: int, y: int) -> str:
    return f"{COLUMNS[x]}{y + 1}"


def _lies(size: int, longest: int) -> Iterator[tuple[str, ...]]:
    """The cells of a ship's parts, for every cell of the bow and direction."""
    for direction, (across, down) in DIRECTIONS.items():
        for y in range(size):
            for x in range(size):
                for part in range(longest):
                    u, v = x + part * across, y + part * down
                    if max(u, v) < size:
                        yield _cell(x, y), direction, f"part{part + 1}", _cell(u, v)


def _overboard(size: int, longest: int) -> Iterator[tuple[str, ...]]:
    """The first part that is off the board: whatever has further parts has this one as well."""
    for direction in DIRECTIONS:
        for y in range(size):
            for x in range(size):
                left = size - (x if direction == "across" else y)
                if left < longest:
                    yield _cell(x, y), direction, f"part{left + 1}"
