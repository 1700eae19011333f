"""Connect-k: discs fall in the columns of an upright board; `length` in a line win."""

from __future__ import annotations

from fogspiel.games.families._layout import numbers, require, successors

SHEET = """\
; Connect {length}: x and o take turns to drop a disc in one of {columns} columns of {rows} cells;
; {length} in a line, along a row, a column or a diagonal, win.
;
; A cell without a disc is empty: there is no fluent for it.

(role x)
(role o)

(init (control x))

; ---- the board: columns from the left, rows from the bottom --------------------------------------

{column_facts}
{right}
{up}

(<= (filled ?column ?row)
    (true (cell ?column ?row ?player)))

; A disc dropped in a column comes to rest in its lowest empty cell.
(<= (rests ?column 1)
    (column ?column)
    (not (filled ?column 1)))
(<= (rests ?column ?row)
    (up ?below ?row)
    (filled ?column ?below)
    (not (filled ?column ?row)))

; ---- moves ---------------------------------------------------------------------------------------

(<= (legal ?player (drop ?column))
    (true (control ?player))
    (column ?column)
    (not (filled ?column {rows})))
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

(<= (next (cell ?column ?row ?player))
    (true (cell ?column ?row ?player)))
(<= (next (cell ?column ?row ?player))
    (does ?player (drop ?column))
    (rests ?column ?row))

(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))

; ---- the end -------------------------------------------------------------------------------------

{lines}
(<= open
    (column ?column)
    (not (filled ?column {rows})))

(<= terminal (wins ?player))
(<= terminal (not open))

(<= (goal ?player 100) (wins ?player))
(<= (goal ?player 0) (role ?player) (wins ?other) (distinct ?player ?other))
(<= (goal ?player 50) (role ?player) (not (wins x)) (not (wins o)))
"""


def rules(columns: int, rows: int, length: int) -> str:
    """The rule sheet; connect four is `rules(7, 6, 4)`."""
    require("columns", columns, 1, 16)
    require("rows", rows, 1, 16)
    require("length", length, 2, max(columns, rows))
    return SHEET.format(
        columns=columns,
        rows=rows,
        length=length,
        column_facts=numbers("column", columns),
        right=successors("right", columns),
        up=successors("up", rows),
        lines="\n".join(
            _line_rule(title, length, across, upward)
            for title, across, upward, fits in (
                ("along a row", True, 0, columns >= length),
                ("along a column", False, 1, rows >= length),
                ("up a diagonal", True, 1, min(columns, rows) >= length),
                ("down a diagonal", True, -1, min(columns, rows) >= length),
            )
            if fits
        ),
    )


def _line_rule(title: str, length: int, across: bool, upward: int) -> str:
    """One rule for all lines of a direction: `?c1 ?c2 …` by `right`, `?r1 ?r2 …` by `up`."""
    conditions: list[str] = []
    for at in range(1, length + 1):
        if at > 1 and across:
            conditions.append(f"(right ?c{at - 1} ?c{at})")
        if at > 1 and upward:
            low, high = (at - 1, at) if upward > 0 else (at, at - 1)
            conditions.append(f"(up ?r{low} ?r{high})")
        column = f"?c{at if across else 1}"
        row = f"?r{at if upward else 1}"
        conditions.append(f"(true (cell {column} {row} ?player))")
    body = "\n    ".join(conditions)
    return f"; {length} {title}\n(<= (wins ?player)\n    {body})"
