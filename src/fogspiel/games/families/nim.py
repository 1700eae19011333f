"""Nim (Bouton 1902): take counters from one heap; who takes the last one wins."""

from __future__ import annotations

from fogspiel.games.families._layout import require, successors

SHEET = """\
; Nim with heaps of {sizes} counters (Bouton 1902, normal play). Players take turns; each takes
; one or more counters from one heap, by saying how many are to be left. Who takes the last wins.

(role first)
(role second)

(init (control first))
{start}

; ---- numbers ------------------------------------------------------------------------------------

{succ}
(<= (less ?n ?m) (succ ?n ?m))
(<= (less ?n ?m) (succ ?n ?k) (less ?k ?m))

; ---- moves --------------------------------------------------------------------------------------

(<= (legal ?player (leave ?heap ?n))
    (true (control ?player))
    (true (heap ?heap ?m))
    (less ?n ?m))
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

(<= (changed ?heap)
    (does ?player (leave ?heap ?n)))
(<= (next (heap ?heap ?n))
    (does ?player (leave ?heap ?n)))
(<= (next (heap ?heap ?n))
    (true (heap ?heap ?n))
    (not (changed ?heap)))

(<= (next (control first)) (true (control second)))
(<= (next (control second)) (true (control first)))

; ---- the end: who is to move and finds nothing has lost ------------------------------------------

(<= left
    (true (heap ?heap ?m))
    (distinct ?m 0))
(<= terminal (not left))

(<= (goal ?player 0) (role ?player) (true (control ?player)))
(<= (goal ?player 100) (role ?player) (not (true (control ?player))))
"""


def rules(*sizes: int) -> str:
    """The rule sheet for heaps of the given sizes: `rules(1, 3, 5, 7)`."""
    require("the number of heaps", len(sizes), 1, 16)
    for size in sizes:
        require("a heap", size, 1, 64)
    return SHEET.format(
        sizes=", ".join(map(str, sizes)),
        start="\n".join(f"(init (heap {n} {size}))" for n, size in enumerate(sizes, 1)),
        succ=successors("succ", max(sizes), first=0),
    )
