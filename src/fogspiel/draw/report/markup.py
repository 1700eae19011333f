"""HTML that cannot be broken by what it shows: names and messages come from strangers.

Text becomes `Markup` by `text` alone, which escapes it, and elements take nothing but `Markup`
inside: a type checker finds text that was forgotten.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

Markup = NewType("Markup", str)  #: Well-formed HTML

VOID = frozenset({"meta"})  #: Elements that have no end
NOTHING = Markup("")
TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Classes of characters that set the direction of those after them (Unicode annex 9)."""


def text(shown: str) -> Markup:
    """Escaped text. Characters that no page may hold are replaced."""
    return Markup(escape("".join(map(_allowed, shown))))


def element(tag: str, *inside: Markup, **attributes: str | None) -> Markup:
    """An element. In names of attributes `_` stands for `-`, and for nothing at the end.

    An attribute of None is left out, so that it can be asked for by a condition.
    """
    given = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{''.join(inside)}</{tag}>")


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts one after another, each on a line of its own."""
    return Markup("\n".join(parts))


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Markup]], *, numbers_from: int = 1
) -> Markup:
    """A table that scrolls within its frame; the first cell of a row is its heading.

    numbers_from: the column from which cells are set flush right.
    """

    def side(column: int) -> str | None:
        return "number" if column >= numbers_from else None

    head = [
        element("th", text(name), scope="col", class_=side(column))
        for column, name in enumerate(columns)
    ]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", cell, class_=side(n)) for n, cell in enumerate(row[1:], 1)),
        )
        for row in rows
    ]
    inside = element("thead", element("tr", *head)), element("tbody", joined(body))
    return element("div", element("table", *inside), class_="scroll", tabindex="0")


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Facts by name, as a list."""
    inside = [
        element("div", element("dt", text(name)), element("dd", text(value)))
        for name, value in pairs
    ]
    return element("dl", joined(inside))


def _allowed(character: str) -> str:
    """A character, or a mark in its place.

    Left out are controls, halves of surrogates, and what turns the direction of writing: it would
    also turn what stands beside a name.
    """
    kind = unicodedata.category(character)
    turning = unicodedata.bidirectional(character) in TURNING
    refused = kind == "Cs" or (kind == "Cc" and character not in "\t\n") or turning
    return "\N{REPLACEMENT CHARACTER}" if refused else character
