"""Breakthrough (Dan Troyka, 2000): pawns race to the far rank, capturing diagonally."""

from __future__ import annotations

from fogspiel.games.families._layout import numbers, require, successors

SHEET = """\
; Breakthrough on {width} files and {height} ranks (Dan Troyka, 2000). White moves up, black down,
; one pawn one step a turn: straight ahead to an empty cell, or diagonally ahead to a cell that
; holds no own pawn, capturing what stands there. The first to reach the far rank wins, and so does
; whoever captures every pawn. There is no draw: the foremost pawn of a player can always move.

(role white)
(role black)

; ---- the start: each side fills its two nearest ranks --------------------------------------------

(init (control white))
(<= (init (cell ?file ?rank white))
    (file ?file)
    (home white ?rank))
(<= (init (cell ?file ?rank black))
    (file ?file)
    (home black ?rank))

{files}
(home white 1) (home white 2)
(home black {black_second}) (home black {height})
(far white {height})
(far black 1)

; ---- the board -----------------------------------------------------------------------------------

{beside}
{above}

(<= (ahead white ?rank ?next) (above ?rank ?next))
(<= (ahead black ?rank ?next) (above ?next ?rank))
(<= (sideways ?file ?next) (beside ?file ?next))
(<= (sideways ?file ?next) (beside ?next ?file))

; ---- moves: (move from-file from-rank to-file to-rank) -------------------------------------------

(<= (legal ?player (move ?file ?rank ?file ?next))
    (true (control ?player))
    (true (cell ?file ?rank ?player))
    (ahead ?player ?rank ?next)
    (not (true (cell ?file ?next white)))
    (not (true (cell ?file ?next black))))
(<= (legal ?player (move ?file ?rank ?aside ?next))
    (true (control ?player))
    (true (cell ?file ?rank ?player))
    (ahead ?player ?rank ?next)
    (sideways ?file ?aside)
    (not (true (cell ?aside ?next ?player))))
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

; A pawn stays where it is unless its cell is left or entered.
(<= (left ?player ?file ?rank)
    (does ?player (move ?file ?rank ?to ?next)))
(<= (entered ?player ?file ?rank)
    (does ?player (move ?from ?before ?file ?rank)))

(<= (next (cell ?file ?rank ?player))
    (entered ?player ?file ?rank))
(<= (next (cell ?file ?rank white))
    (true (cell ?file ?rank white))
    (not (left white ?file ?rank))
    (not (entered black ?file ?rank)))
(<= (next (cell ?file ?rank black))
    (true (cell ?file ?rank black))
    (not (left black ?file ?rank))
    (not (entered white ?file ?rank)))

(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))

; ---- the end -------------------------------------------------------------------------------------

(<= (present ?player)
    (true (cell ?file ?rank ?player)))
(<= (wins ?player)
    (far ?player ?rank)
    (true (cell ?file ?rank ?player)))
(<= (wins white) (not (present black)))
(<= (wins black) (not (present white)))

(<= terminal (wins ?player))

(<= (goal ?player 100) (wins ?player))
(<= (goal ?player 0) (role ?player) (not (wins ?player)))
"""


def rules(width: int, height: int) -> str:
    """The rule sheet for a board of `width` files and `height` ranks."""
    require("width", width, 2, 16)
    require("height", height, 4, 16)
    return SHEET.format(
        width=width,
        height=height,
        black_second=height - 1,
        files=numbers("file", width),
        beside=successors("beside", width),
        above=successors("above", height),
    )
