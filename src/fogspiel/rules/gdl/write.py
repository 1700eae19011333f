"""Descriptions as text, in either dialect, laid out for reading.

What is written reads back equal. In infix, variables are renamed where they do not start with a
capital, and names that infix cannot spell stand between single quotes.
"""

from __future__ import annotations

import re

from fogspiel.rules.clauses import unused_name
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.syntax import all_terms
from fogspiel.rules.sexpr import escape

WIDTH = 100
# Narrower than what is read: a text must not start like one of the other dialect.
PREFIX_NAME = re.compile(r"""(?!\?)(?:[^\s();|%/'":.\\]|\.(?=\w))+""")
INFIX_NAME = re.compile(r"[+-]?\w+|[+-]?[0-9]+\.[0-9]+")
INFIX_WORDS = frozenset({"not", "or"})


def write(description: syntax.Description, dialect: syntax.Notation | None = None) -> str:
    """The description as text; in the dialect it was read from unless another is asked for."""
    dialect = dialect or description.dialect
    write_rule = write_prefix_rule if dialect is syntax.Notation.PREFIX else write_infix_rule
    parts: list[str] = []
    previous: syntax.Rule | None = None
    for rule in description.rules:
        # Facts of one relation stay together; rules and new relations get a blank line.
        is_same = previous is not None and previous.head.predicate == rule.head.predicate
        if previous is not None and not (is_same and not rule.body and not previous.body):
            parts.append("")
        parts.append(write_rule(rule))
        previous = rule
    return "\n".join(parts) + "\n" if parts else ""


def write_prefix_rule(rule: syntax.Rule) -> str:
    """`(<= head body…)`, over several lines where one is too short."""
    head = _prefix_atom(rule.head)
    if not rule.body:
        return head
    body = [_prefix_formula(formula) for formula in rule.body]
    line = f"(<= {head} {' '.join(body)})"
    if len(body) == 1 and len(line) <= WIDTH:
        return line
    return "\n    ".join([f"(<= {head}", *body]) + ")"


def _prefix_formula(formula: syntax.Formula) -> str:
    match formula:
        case syntax.Atom():
            return _prefix_atom(formula)
        case syntax.Distinct(left, right):
            return f"(distinct {_prefix_term(left)} {_prefix_term(right)})"
        case syntax.Not(inner):
            return f"(not {_prefix_formula(inner)})"
        case syntax.And(formulas) | syntax.Or(formulas):
            word = "and" if isinstance(formula, syntax.And) else "or"
            return f"({' '.join([word, *map(_prefix_formula, formulas)])})"


def _prefix_atom(atom: syntax.Atom) -> str:
    return _prefix_term(syntax.Compound(atom.predicate, atom.arguments))


def _prefix_term(term: syntax.Term) -> str:
    if isinstance(term, syntax.Variable):
        return f"?{term.name}"
    name = term.functor
    if not PREFIX_NAME.fullmatch(name):
        name = escape(name, "|")
    if not term.arguments:
        return name
    return f"({' '.join([name, *map(_prefix_term, term.arguments)])})"


def write_infix_rule(rule: syntax.Rule) -> str:
    """`head :- body.`, over several lines where one is too short."""
    writer = _InfixWriter(rule)
    head = writer.atom(rule.head)
    if not rule.body:
        return f"{head}."
    body = [writer.formula(formula) for formula in rule.body]
    line = f"{head} :- {', '.join(body)}."
    if len(body) <= 2 and len(line) <= WIDTH:
        return line
    return f"{head} :-\n    " + ",\n    ".join(body) + "."


class _InfixWriter:
    """Writes one rule; knows what its variables are called."""

    def __init__(self, rule: syntax.Rule) -> None:
        self._names: dict[str, str] = {}
        taken: set[str] = set()
        names = {term.name for term in all_terms(rule) if isinstance(term, syntax.Variable)}
        for name in sorted(names, key=lambda n: (_infix_variable(n) != n, n)):
            self._names[name] = unused_name(_infix_variable(name), taken, "_")

    def formula(self, formula: syntax.Formula) -> str:
        """A condition; compound ones stand in parentheses or calls, so no precedence matters."""
        match formula:
            case syntax.Atom():
                return self.atom(formula)
            case syntax.Distinct(left, right):
                return f"distinct({self.term(left)}, {self.term(right)})"
            case syntax.Not(inner):
                return f"not {self.formula(inner)}"
            case syntax.And(formulas) | syntax.Or(formulas):
                word, sign = ("and", " & ") if isinstance(formula, syntax.And) else ("or", " | ")
                parts = [self.formula(part) for part in formulas]
                if len(parts) > 1:
                    return f"({sign.join(parts)})"
                return f"{word}({', '.join(parts)})"

    def atom(self, atom: syntax.Atom) -> str:
        """A relation with its arguments."""
        return self.term(syntax.Compound(atom.predicate, atom.arguments))

    def term(self, term: syntax.Term) -> str:
        """A variable, a name, or a function with its arguments."""
        if isinstance(term, syntax.Variable):
            return self._names[term.name]
        name = _infix_name(term.functor)
        if not term.arguments:
            return name
        return f"{name}({', '.join(self.term(argument) for argument in term.arguments)})"


def _infix_name(name: str) -> str:
    is_plain = INFIX_NAME.fullmatch(name) and not name[0].isupper() and name[0] != "_"
    return name if is_plain and name not in INFIX_WORDS else escape(name, "'")


def _infix_variable(name: str) -> str:
    """The name with a capital, or `_`, in front; all that is no letter, digit or `_` replaced."""
    spelled = re.sub(r"\W", "_", name)
    if spelled and (spelled[0].isupper() or (spelled[0] == "_" and len(spelled) > 1)):
        return spelled
    capital = spelled[:1].upper()
    return capital + spelled[1:] if len(capital) == 1 and capital.isupper() else f"V{spelled}"
