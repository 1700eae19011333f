"""Slips of the keyboard in rule sheets: one token of a text is misspelt or lost, by a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.rules.gdl.syntax import KEYWORDS
from fogspiel.rules.sexpr import Group, Node, Word, head_of, read_nodes

LETTERS = "abcdefghijklmnopqrstuvwxyz"
POGDDL_WORDS = frozenset({
    "define", "domain", "problem", "and", "or", "not", "when", "forall", "exists", "observe",
    "assign", "increase", "decrease", "imply", "either", "whoseturn", "all", "others",
})  # fmt: skip
NO_ATOMS = frozenset({"<=", "and", "or", "not", "define", "domain", "problem", "when", "forall",
                      "exists", "observe", "either", "imply"})  # fmt: skip
"""Words whose operands are no arguments."""
KINDS = ("keyword", "sees", "argument", "parenthesis")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text with one slip, and the line that it is in."""

    text: str
    line: int


def places(text: str, kind: str) -> list[Span]:
    """Everything in a sheet to which a slip of this kind may happen."""
    nodes, _ = read_nodes(Source("sheet", text), ReadLimits())
    find = {"keyword": _keywords, "sees": _sees, "argument": _arguments, "parenthesis": _brackets}
    return [span for node in nodes for span in find[kind](node)]


def mutated(text: str, kind: str, place: Span, rng: random.Random) -> Mutant:
    """The text with a slip at a place."""
    new = misspelt(text[place.start : place.end], rng) if kind == "keyword" else ""
    line = text.count("\n", 0, place.start) + 1
    return Mutant(text[: place.start] + new + text[place.end :], line)


def misspelt(word: str, rng: random.Random) -> str:
    """A word with a letter lost, doubled or wrong, or with two letters swapped."""
    mark = ":" if word.startswith(":") else ""
    letters = word.removeprefix(":")
    found = letters
    while found == letters:
        at = rng.randrange(len(letters))
        before, letter, after = letters[:at], letters[at], letters[at + 1 :]
        found = rng.choice([
            before + after if len(letters) > 2 else letters,
            before + letter + letter + after,
            before + rng.choice(LETTERS) + after,
            before + after[:1] + letter + after[1:],
        ])  # fmt: skip
    return mark + found


def _groups(node: Node) -> Iterator[Group]:
    if isinstance(node, Group):
        yield node
        for item in node.items:
            yield from _groups(item)


def _keywords(node: Node) -> Iterator[Span]:
    known = POGDDL_WORDS if head_of(node) == "define" else KEYWORDS - {"<="}
    words = [item for group in _groups(node) for item in group.items if isinstance(item, Word)]
    for word in words or ([node] if isinstance(node, Word) else []):
        if word.text.lower() in known or word.text.startswith(":"):
            yield word.span


def _sees(node: Node) -> Iterator[Span]:
    for group in _groups(node):
        if head_of(group) in {"sees", "observe"}:
            yield group.items[0].span


def _arguments(node: Node) -> Iterator[Span]:
    for group in _groups(node):
        head = head_of(group)
        if head is not None and head not in NO_ATOMS and head[0].isalpha():
            yield from (item.span for item in group.items[1:])


def _brackets(node: Node) -> Iterator[Span]:
    for group in _groups(node):
        yield Span(group.span.start, group.span.start + 1)
        yield Span(group.span.end - 1, group.span.end)
