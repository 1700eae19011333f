"""Small games of our own that are allowed, or at least happen, and that nobody would think of."""

from __future__ import annotations

from functools import cache

from endless_game import ENDLESS
from fogspiel.core.source import Source
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine

STEPS = """
(init (step 1)) (after 1 2) (after 2 3) (after 3 4)
(<= (next (step ?b)) (true (step ?a)) (after ?a ?b))
(<= terminal (true (step 4)))
"""

PUZZLE = (
    STEPS
    + """
(role robot) (lamp a) (lamp b) (lamp c)
(<= (legal robot (turn ?l)) (lamp ?l))
(<= (next (lit ?l)) (does robot (turn ?l)) (not (true (lit ?l))))
(<= (next (lit ?l)) (true (lit ?l)) (not (does robot (turn ?l))))
(<= dark (lamp ?l) (not (true (lit ?l))))
(<= (goal robot 100) (not dark))
(<= (goal robot 0) dark)
"""
)
"""One role, no chance, nothing hidden: three lamps, three steps."""

PIT = (
    STEPS
    + """
(role walker) (role ghost)
(<= (legal walker ahead) (not (true fallen)))
(<= (legal walker down) (not (true fallen)))
(<= (legal ghost left) (true (step ?n)))
(<= (legal ghost right) (true (step ?n)))
(<= (next fallen) (does walker down))
(<= (next (high)) (does ghost left))
(<= (sees walker nothing) (true never))
(<= (goal walker 100) (true (high)))
(<= (goal walker 0) (not (true (high))))
(<= (goal ghost 50) (true (step ?n)))
"""
)
"""Faulty: whoever has gone down has no move any more, and the game goes on."""

OVER = """
(role a) (role b) (init done)
(<= (legal a wait) (true done))
(<= (legal b wait) (true done))
(<= terminal (true done))
(goal a 50) (goal b 50)
"""
"""It is over before it begins."""

CROWD = (
    STEPS
    + """
(role p1) (role p2) (role p3) (role p4) (role p5)
(<= (legal ?r (say ?w)) (role ?r) (word ?w))
(word yes) (word no)
(<= (next (said ?n ?r ?w)) (true (step ?n)) (does ?r (say ?w)))
(<= (next (said ?n ?r ?w)) (true (said ?n ?r ?w)))
(<= (sees p1 (heard ?w)) (does p2 (say ?w)))
(<= (sees p2 (heard ?w)) (does p1 (say ?w)))
(<= (same ?r) (role ?r) (true (said 1 ?r ?w)) (true (said 3 ?r ?w)))
(<= (goal ?r 90) (same ?r) (true (said 2 p1 yes)))
(<= (goal ?r 70) (same ?r) (true (said 2 p1 no)))
(<= (goal ?r 10) (role ?r) (not (same ?r)))
"""
)
"""Five roles that choose at once, some of them unheard."""

ONE_WAY = (
    STEPS
    + """
(role a) (role b)
(<= (legal ?r go) (role ?r))
(<= (next (gone ?r)) (does ?r go))
(<= (goal ?r 0) (role ?r))
"""
)
"""Nobody has a choice, and nobody gets anything."""

PRISON = """
(role a) (role b) (init free)
(<= (legal ?r stay) (role ?r))
(<= (legal a leave) (true free)) (<= (legal a hide) (true free))
(<= (next free) (true free) (does a stay))
(<= (next caught) (does a leave))
(<= (next lost) (does a hide))
(<= (next caught) (true caught)) (<= (next lost) (true lost))
(<= terminal (true free) (true caught))
(<= (goal a 100) (true lost)) (<= (goal a 0) (not (true lost)))
(<= (goal b 0) (true lost)) (<= (goal b 100) (not (true lost)))
"""
"""Nobody has a choice after the first move, and the game never ends."""

GROWING = (
    STEPS
    + """
(role a) (role b) (digit 1) (digit 2) (digit 3) (digit 4)
(<= (legal ?r (write ?d ?e)) (role ?r) (digit ?d) (digit ?e))
(<= (next (wrote ?n ?r ?d ?e)) (true (step ?n)) (does ?r (write ?d ?e)))
(<= (next (wrote ?n ?r ?d ?e)) (true (wrote ?n ?r ?d ?e)))
(<= (sees a (digit ?d)) (does b (write ?d ?e)))
(<= (sees b (digit ?d)) (does a (write ?d ?e)))
(<= (other a b)) (<= (other b a))
(<= (goal ?r 100) (other ?r ?q) (true (wrote 2 ?r ?d ?e)) (true (wrote 1 ?q ?d ?f)))
(<= (goal ?r 0) (other ?r ?q) (not (followed ?r)))
(<= (followed ?r) (other ?r ?q) (true (wrote 2 ?r ?d ?e)) (true (wrote 1 ?q ?d ?f)))
"""
)
"""A hundred fluents, which a machine that meets them as it goes finds room for on the way."""

STRANGE = {
    "puzzle": PUZZLE,
    "pit": PIT,
    "over": OVER,
    "crowd": CROWD,
    "one_way": ONE_WAY,
    "endless": ENDLESS,
    "prison": PRISON,
    "growing": GROWING,
}


@cache
def strange(name: str) -> Machine:
    """The machine of one of the games, the same every time."""
    return new_strange(name)


def new_strange(name: str, engine: EngineChoice = "auto") -> Machine:
    """Another one."""
    return load_source(Source(f"{name}.gdl", STRANGE[name]), engine=engine).machine
