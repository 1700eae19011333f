"""Othello on a square board of even size: discs between two of the other colour turn over."""

from __future__ import annotations

from fogspiel.games.families import _layout as layout

SHEET = """\
; Othello on {size}x{size} cells (rules of the World Othello Federation). Black moves first. A move
; puts a disc on an empty cell so that it traps at least one straight run of the other's discs
; between itself and another own disc; all runs trapped turn over. A player who traps nothing must
; pass. Play ends when the board is full, or when a player cannot move right after the other passed;
; the side with more discs wins.
;
; Runs are followed for the player on turn only, along rays of the 8 directions.

(role black)
(role white)

; ---- the start -----------------------------------------------------------------------------------

(init (control black))
{start}

; ---- the board: columns from the left, rows from the top -----------------------------------------

{indices}
{succ}

(<= (step east  ?c ?r ?d ?r) (succ ?c ?d) (index ?r))
(<= (step west  ?d ?r ?c ?r) (succ ?c ?d) (index ?r))
(<= (step south ?c ?r ?c ?s) (succ ?r ?s) (index ?c))
(<= (step north ?c ?s ?c ?r) (succ ?r ?s) (index ?c))
(<= (step south_east ?c ?r ?d ?s) (succ ?c ?d) (succ ?r ?s))
(<= (step north_west ?d ?s ?c ?r) (succ ?c ?d) (succ ?r ?s))
(<= (step south_west ?d ?r ?c ?s) (succ ?c ?d) (succ ?r ?s))
(<= (step north_east ?c ?s ?d ?r) (succ ?c ?d) (succ ?r ?s))

(<= (mine ?c ?r)
    (true (control ?p))
    (true (cell ?c ?r ?p)))
(<= (theirs ?c ?r)
    (true (control ?p))
    (true (cell ?c ?r ?q))
    (distinct ?p ?q))
(<= (empty ?c ?r)
    (index ?c)
    (index ?r)
    (not (true (cell ?c ?r black)))
    (not (true (cell ?c ?r white))))

; From this cell on in this direction stand the other's discs, and then an own one.
(<= (trapped ?dir ?c ?r)
    (theirs ?c ?r)
    (step ?dir ?c ?r ?d ?s)
    (mine ?d ?s))
(<= (trapped ?dir ?c ?r)
    (theirs ?c ?r)
    (step ?dir ?c ?r ?d ?s)
    (trapped ?dir ?d ?s))

; ---- moves ---------------------------------------------------------------------------------------

(<= (traps ?c ?r)
    (empty ?c ?r)
    (step ?dir ?c ?r ?d ?s)
    (trapped ?dir ?d ?s))
(<= can_move
    (traps ?c ?r))

(<= (legal ?p (place ?c ?r))
    (true (control ?p))
    (traps ?c ?r))
(<= (legal ?p pass)
    (true (control ?p))
    (not can_move))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (placed ?c ?r)
    (does ?p (place ?c ?r)))

; A trapped run turns over when it begins beside the new disc.
(<= (turns_along ?dir ?d ?s)
    (trapped ?dir ?d ?s)
    (step ?dir ?c ?r ?d ?s)
    (placed ?c ?r))
(<= (turns_along ?dir ?d ?s)
    (trapped ?dir ?d ?s)
    (step ?dir ?c ?r ?d ?s)
    (turns_along ?dir ?c ?r))
(<= (turns ?c ?r)
    (turns_along ?dir ?c ?r))

(<= (next (cell ?c ?r ?p))
    (does ?p (place ?c ?r)))
(<= (next (cell ?c ?r ?p))
    (true (control ?p))
    (turns ?c ?r))
(<= (next (cell ?c ?r ?p))
    (true (cell ?c ?r ?p))
    (not (turns ?c ?r)))

(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next passed) (not can_move))

; ---- the end -------------------------------------------------------------------------------------

(<= open
    (empty ?c ?r))
(<= terminal
    (not open))
(<= terminal
    (true passed)
    (not can_move))

(<= (goal ?p 100) (more ?p))
(<= (goal ?p 0) (rivals ?p ?q) (more ?q))
(<= (goal ?p 50) (role ?p) even)

; ---- counting the discs: binary adders over a heap of numbered cells -----------------------------

{numbers}
(<= (counted ?p ?n)
    (number ?n ?c ?r)
    (true (cell ?c ?r ?p)))

{counting}
{comparison}"""


def rules(size: int) -> str:
    """The rule sheet for a board of `size` columns and rows; even, at least 4."""
    layout.require("size", size, 4, 10)
    if size % 2:
        raise ValueError(f"size must be even; got {size}")
    low, high = size // 2, size // 2 + 1
    start = ((low, low, "white"), (high, high, "white"), (low, high, "black"), (high, low, "black"))
    cells = size * size
    places = ((n + 1, n % size + 1, n // size + 1) for n in range(cells))
    return SHEET.format(
        size=size,
        start="\n".join(f"(init (cell {c} {r} {colour}))" for c, r, colour in start),
        indices=layout.numbers("index", size),
        succ=layout.successors("succ", size),
        numbers=layout.facts("number", places),
        counting=layout.counting_rules(cells),
        comparison=layout.comparison_rules("black", "white", cells),
    )
