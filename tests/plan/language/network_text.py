"""Networks of methods as text, to read them back."""

from __future__ import annotations

import re

from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork
from fogspiel.rules.sexpr import escape

PLAIN = re.compile(r"[^\s();|\\]+")


def network_text(network: TaskNetwork) -> str:
    """The network as a methods file."""
    note = f" (note {escape(network.note, '|')})" if network.note else ""
    drawn = " (others drawn)" if network.draws_others else ""
    facts = f"(facts {' '.join(map(_term, network.facts))})\n" if network.facts else ""
    methods = "\n".join(map(_method, network.methods))
    return f"(network {_term(network.name)}{note}{drawn})\n{facts}{methods}\n"


def _method(method: Method) -> str:
    parts = [f"(method {_term(method.name)}"]
    parts.append(f"(task {'nil' if method.task is None else _term(method.task)})")
    parts += [f"(title {escape(method.title, '|')})"] if method.title else []
    parts += [f"(note {escape(method.note, '|')})"] if method.note else []
    parts.append(f"(when {' '.join(map(_literal, method.when))})")
    if method.operator is not None:
        parts.append(f"(do {_term(method.operator)}))")
    else:
        parts.append(f"(expand {' '.join(map(_term, method.expansion))}))")
    return " ".join(parts)


def _literal(literal: MethodLiteral) -> str:
    atom = _term(literal.atom)
    name = literal.atom if isinstance(literal.atom, str) else literal.atom[0]
    if isinstance(name, str) and name.lower() == "not":
        # A relation of that name is told from the negation by its quotes.
        atom = atom.replace(name, escape(name, "|"), 1)
    return atom if literal.positive else f"(not {atom})"


def _term(term: Pattern) -> str:
    if isinstance(term, str):
        return term if PLAIN.fullmatch(term) else escape(term, "|")
    return f"({' '.join(map(_term, term))})"
