"""Hex (Piet Hein 1942, John Nash 1948) on a rhombus of `size` x `size` cells."""

from __future__ import annotations

from fogspiel.games.families._layout import numbers, require, successors

SHEET = """\
; Hex on {size}x{size} cells (Piet Hein 1942, John Nash 1948). x and o take turns to put a stone on
; an empty cell. x wins by a chain of stones from the first row to the last, o by one from the first
; column to the last. Stones stay where they are, there is no swap, and no draw is possible.

(role x)
(role o)

(init (control x))

; ---- the board: every cell has up to six neighbours ----------------------------------------------

{indices}
{succ}

(<= (beside ?r ?c ?r ?d) (index ?r) (succ ?c ?d))
(<= (beside ?r ?c ?s ?c) (succ ?r ?s) (index ?c))
(<= (beside ?r ?d ?s ?c) (succ ?r ?s) (succ ?c ?d))
(<= (neighbours ?r ?c ?s ?d) (beside ?r ?c ?s ?d))
(<= (neighbours ?r ?c ?s ?d) (beside ?s ?d ?r ?c))

(<= (taken ?r ?c)
    (true (cell ?r ?c ?player)))

; ---- moves ---------------------------------------------------------------------------------------

(<= (legal ?player (place ?r ?c))
    (true (control ?player))
    (index ?r)
    (index ?c)
    (not (taken ?r ?c)))
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

(<= (next (cell ?r ?c ?player))
    (true (cell ?r ?c ?player)))
(<= (next (cell ?r ?c ?player))
    (does ?player (place ?r ?c)))

(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))

; ---- the end -------------------------------------------------------------------------------------
; Only the player who has just moved can have closed a chain, so one search does for both: it runs
; over the stones of that player, with rows and columns exchanged when it is o.

(<= (stone ?r ?c)
    (true (control o))
    (true (cell ?r ?c x)))
(<= (stone ?r ?c)
    (true (control x))
    (true (cell ?c ?r o)))

; A stone is linked if a chain joins it to the first row. The first row begins every chain and the
; last row ends it, so neither takes part in the recursion.
(<= (linked 1 ?c)
    (stone 1 ?c))
(<= (linked ?r ?c)
    (stone ?r ?c)
    (distinct ?r 1)
    (distinct ?r {size})
    (neighbours ?r ?c ?s ?d)
    (linked ?s ?d))
(<= across
    (stone {size} ?c)
    (neighbours {size} ?c {before} ?d)
    (linked {before} ?d))

(<= (wins x) across (true (control o)))
(<= (wins o) across (true (control x)))

(<= terminal across)

(<= (goal ?player 100) (wins ?player))
(<= (goal ?player 0) (role ?player) (not (wins ?player)))
"""


def rules(size: int) -> str:
    """The rule sheet for a board of `size` rows and columns."""
    require("size", size, 2, 19)
    return SHEET.format(
        size=size,
        before=size - 1,
        indices=numbers("index", size),
        succ=successors("succ", size),
    )
