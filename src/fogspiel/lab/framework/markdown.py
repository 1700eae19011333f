"""Results as Markdown: tables whose cells are filled from records, and means with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fogspiel.lab.framework.study import Document

Filling = str | Callable[[Document], str]
"""The text of a cell: a format string over the fields of a record, or a function of the record."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [_line(head), f"|{'---|' * len(head)}", *map(_line, rows)]
    return "\n".join(lines)


def columns(*named: tuple[str, Filling]) -> Callable[[Sequence[Document]], str]:
    """The function from records to a table with one row for each of them.

    named: the heading of each column, and the text of its cells.
    """

    def table(records: Sequence[Document]) -> str:
        rows = ([_filled(filling, record) for _, filling in named] for record in records)
        return markdown([heading for heading, _ in named], rows)

    return table


def given(field: str, pattern: str) -> Filling:
    """Fill a cell from one field, the `0` of a format string; empty where the field is None."""
    return lambda record: "" if record[field] is None else pattern.format(record[field])


def mean(*path: str | int, digits: int = 1) -> Filling:
    """Fill a cell with a mean goal and half of its interval.

    path: keys that lead from the record to the tally of the matches.
    """

    def filling(record: Document) -> str:
        tally = record
        for key in path:
            tally = tally[key]  # type: ignore[index]  # of a list of tallies
        return shown_mean(tally, digits)

    return filling


def shown_mean(tally: Document, digits: int = 1) -> str:
    """The mean goal of a tally, and half of its interval."""
    return with_interval(tally["mean_goal"], tally["ci95"], digits)


def with_interval(value: float, interval: Sequence[float] | None, digits: int) -> str:
    """A mean and half of its interval, if there is one, with so many digits after the point."""
    if interval is None:
        return f"{value:.{digits}f}"
    low, high = interval
    return f"{value:.{digits}f} ± {(high - low) / 2:.{digits}f}"


def half_interval(tally: Document) -> float:
    """Half of the interval of a mean; 0 where one match gives none."""
    low, high = tally["ci95"] or (0.0, 0.0)
    return float(high - low) / 2


def _filled(filling: Filling, record: Document) -> str:
    return filling.format_map(record) if isinstance(filling, str) else filling(record)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
