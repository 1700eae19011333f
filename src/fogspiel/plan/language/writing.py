"""A network as text, laid out for reading. What is written reads back equal."""

from __future__ import annotations

import re

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.language.method_terms import NOT
from fogspiel.plan.language.vocabulary import head
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork
from fogspiel.rules.sexpr import escape

WIDTH = 100
PLAIN = re.compile(r"[^\s();|\\]+")


def write_network(network: TaskNetwork) -> str:
    """The network as a methods file."""
    heading = f"(network {_word(network.name)}"
    if network.note:
        heading += "\n" + _block("note", _texts(network.note, 10))
    if network.draws_others:
        heading += "\n  (others drawn)"
    facts = [f"(facts\n{_lines(network.facts)})"] if network.facts else []
    return "\n\n".join([heading + ")", *facts, *map(write_method, network.methods)]) + "\n"


def write_method(method: Method) -> str:
    """One method, a part to a line."""
    parts = [f"(method {_word(method.name)}", f"  (task {_task(method.task)})"]
    if method.title:
        parts.append(_block("title", _texts(method.title, 10)))
    if method.note:
        parts.append(_block("note", _texts(method.note, 10)))
    if method.when:
        parts.append(_block("when", [_literal(literal) for literal in method.when]))
    if method.operator is not None:
        parts.append(f"  (do {_term(method.operator)})")
    else:
        parts.append(_block("expand", [_term(task) for task in method.expansion]))
    return "\n".join(parts) + ")"


def _lines(facts: tuple[GroundTerm, ...]) -> str:
    """Facts, as many to a line as fit."""
    lines = ["  " + _term(facts[0])]
    for fact in map(_term, facts[1:]):
        if len(lines[-1]) + len(fact) < WIDTH:
            lines[-1] += " " + fact
        else:
            lines.append("  " + fact)
    return "\n".join(lines)


def _block(word: str, items: list[str]) -> str:
    """A part of a method, over several lines where one is too short."""
    line = f"  ({' '.join([word, *items])})"
    if len(line) <= WIDTH:
        return line
    return f"  ({word} " + ("\n" + " " * (len(word) + 4)).join(items) + ")"


def _texts(text: str, indent: int) -> list[str]:
    """A text as quoted words, none longer than a line; joined by blanks they are the text."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + len(word) < WIDTH - indent:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return [escape(line, "|") for line in lines]


def _task(task: Pattern | None) -> str:
    return "nil" if task is None else _term(task)


def _literal(literal: MethodLiteral) -> str:
    atom = _term(literal.atom)
    name, _ = head(literal.atom)
    if name.lower() == NOT:
        # A relation of that name is told from the negation by its quotes.
        atom = atom.replace(name, escape(name, "|"), 1)
    return atom if literal.positive else f"({NOT} {atom})"


def _term(term: Pattern) -> str:
    if isinstance(term, str):
        return _word(term)
    return f"({' '.join(map(_term, term))})"


def _word(word: str) -> str:
    return word if PLAIN.fullmatch(word) else escape(word, "|")
