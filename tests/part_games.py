"""Small games made of independent ones, in our own words: what tests take apart."""

from __future__ import annotations

from fogspiel.core.source import Source
from fogspiel.games.load import load_source
from fogspiel.machine.protocol import Machine

STEPS = """
(init (step 0))
(<= (next (step ?b)) (true (step ?a)) (then ?a ?b))
"""


def counting(last: int) -> str:
    """Steps from 0 on, for rules that end the game by the last one."""
    return STEPS + "".join(f"(then {n} {n + 1})" for n in range(last))


DIALS = """
(role thief) (safe left) (safe right)
(up 0 1) (up 1 2) (up 2 3) (up 3 0)
(init (dial left 0)) (init (dial right 0))
(<= (legal thief (turn ?s)) (safe ?s))
(<= (legal thief (shake ?s)) (safe ?s))
(<= (moved ?s) (does thief (turn ?s)))
(<= (moved ?s) (does thief (shake ?s)))
(<= (next (dial ?s ?n)) (does thief (turn ?s)) (true (dial ?s ?m)) (up ?m ?n))
(<= (next (dial ?s 0)) (does thief (shake ?s)) (safe ?s))
(<= (next (dial ?s ?n)) (true (dial ?s ?n)) (not (moved ?s)))
(<= open_left (true (dial left 3)))
(<= open_right (true (dial right 2)))
(<= terminal open_left open_right)
(<= terminal (true (step 6)))
(<= (goal thief 100) open_left open_right)
(<= (goal thief 60) open_left (not open_right))
(<= (goal thief 30) (not open_left) open_right)
(<= (goal thief 0) (not open_left) (not open_right))
""" + counting(6)
"""Two safes: three turns open the one, two the other; both in at most six steps."""

ONE_DIAL_MATTERS = """
(role thief) (safe 1) (safe 2) (safe 3) (safe 4)
(up 0 1) (up 1 2) (up 2 3)
(<= (init (dial ?s 0)) (safe ?s))
(<= (legal thief (turn ?s)) (safe ?s) (true (dial ?s ?m)) (up ?m ?n))
(<= (legal thief (reset ?s)) (safe ?s))
(<= (moved ?s) (does thief (turn ?s)))
(<= (moved ?s) (does thief (reset ?s)))
(<= (next (dial ?s ?n)) (does thief (turn ?s)) (true (dial ?s ?m)) (up ?m ?n))
(<= (next (dial ?s 0)) (does thief (reset ?s)))
(<= (next (dial ?s ?n)) (true (dial ?s ?n)) (not (moved ?s)))
(<= terminal (true (step 5)))
(<= (goal thief 100) (true (dial 3 3)))
(<= (goal thief 0) (not (true (dial 3 3))))
""" + counting(5)
"""Four dials, of which only the third counts, after just five steps."""

LAMPS = """
(role keeper) (row 1) (row 2) (row 3) (lamp a) (lamp b) (lamp c)
(burns 3 2) (burns 2 1) (burns 1 0)
(<= (init (light ?r ?l 0)) (row ?r) (lamp ?l))
(<= (legal keeper (kindle ?r ?l)) (row ?r) (lamp ?l))
(<= (next (light ?r ?l 3)) (does keeper (kindle ?r ?l)))
(<= (next (light ?r ?l ?n)) (true (light ?r ?l ?m)) (burns ?m ?n)
    (not (does keeper (kindle ?r ?l))))
(<= (next (light ?r ?l 0)) (true (light ?r ?l 0)) (not (does keeper (kindle ?r ?l))))
(<= (dark ?r) (true (light ?r ?l 0)))
(<= bright (row ?r) (not (dark ?r)))
(<= terminal bright)
(<= terminal (true (step 9)))
(<= (goal keeper 100) bright)
(<= (goal keeper 0) (not bright))
""" + counting(9)
"""Lamps that burn down by themselves; one row must be alight at once."""

TWO_BOARDS = """
(role x) (role o) (other x o) (other o x)
(cell used 1) (cell used 2) (cell used 3) (cell idle 1) (cell idle 2) (cell idle 3) (cell idle 4)
(cell idle 5) (cell idle 6) (cell idle 7) (cell idle 8) (cell idle 9)
(init (control x))
(<= (init (free ?b ?c)) (cell ?b ?c))
(<= (legal ?r (mark ?b ?c)) (true (control ?r)) (true (free ?b ?c)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
(<= (next (free ?b ?c)) (true (free ?b ?c)) (not (marked ?b ?c)))
(<= (marked ?b ?c) (does ?r (mark ?b ?c)))
(<= (next (has ?r ?b ?c)) (does ?r (mark ?b ?c)))
(<= (next (has ?r ?b ?c)) (true (has ?r ?b ?c)))
(<= open (true (free used ?c)))
(<= terminal (not open))
(<= (ahead ?r) (true (has ?r used 1)) (true (has ?r used 2)))
(<= (ahead ?r) (true (has ?r used 1)) (true (has ?r used 3)))
(<= (ahead ?r) (true (has ?r used 2)) (true (has ?r used 3)))
(<= (goal ?r 100) (ahead ?r))
(<= (goal ?r 0) (role ?r) (not (ahead ?r)))
"""
"""Two players, a board of three cells and one of nine; who has more of the first one wins."""

ROWS = """
(role first) (role second) (other first second) (other second first)
(pin 1) (pin 2) (pin 3) (pin 4) (pin 5)
(beside 1 2) (beside 2 3) (beside 4 5)
(init (control first))
(<= (init (stands ?p)) (pin ?p))
(<= (legal ?r (hit ?p)) (true (control ?r)) (true (stands ?p)))
(<= (legal ?r (hit_two ?p ?q))
    (true (control ?r)) (true (stands ?p)) (true (stands ?q)) (beside ?p ?q))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (falls ?p) (does ?r (hit ?p)))
(<= (falls ?p) (does ?r (hit_two ?p ?q)))
(<= (falls ?q) (does ?r (hit_two ?p ?q)))
(<= (next (stands ?p)) (true (stands ?p)) (not (falls ?p)))
(<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
(<= some (true (stands ?p)))
(<= terminal (not some))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?r 100) (role ?r) (not (true (control ?r))))
"""
"""Kayles with a row of three and a row of two: a ball fells one pin, or two that stand together."""


def machine_of(text: str) -> Machine:
    """The machine of a rule text."""
    return load_source(Source("parts.gdl", text)).machine
