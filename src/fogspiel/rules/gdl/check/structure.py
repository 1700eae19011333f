"""What a sheet must have, how many arguments its names take, and the shape of its conditions.

Source: GDL specification (2008), section 2. Two relations of one name with different numbers of
arguments are two relations to Fogspiel, so an arity that varies is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from fogspiel.core.findings import Finding
from fogspiel.rules.gdl.cross_reference import CrossReference, all_terms, signature
from fogspiel.rules.gdl.normalise.dnf import too_large_findings
from fogspiel.rules.gdl.syntax import (
    KEYWORD_ARITIES,
    KEYWORDS,
    And,
    Atom,
    Compound,
    Formula,
    Not,
    Notation,
    Or,
)

HINTS = frozenset({"base", "input", "percept"})
"""Keywords that tell what may occur. Play does not need them, so a fault in them does no harm."""

DEPTH_WORDS = {And: "and", Or: "or", Not: "not"}


def missing_findings(sheet: CrossReference) -> Iterator[Finding]:
    """The relations without which there is no game."""
    if not sheet.rules:
        yield sheet.error(
            "GDL018",
            None,
            "the text holds no rules",
            "write at least `role`, `init`, `legal`, `next`, `terminal` and `goal`",
        )
        return
    if ("role", 1) not in sheet.heads:
        yield sheet.error("GDL020", None, "no `role` is stated", "name the players: (role white)")
    if ("legal", 2) not in sheet.heads:
        yield sheet.error(
            "GDL021",
            None,
            "no `legal` move is stated",
            "say what each role may do: (<= (legal ?r noop) (role ?r))",
        )
    if ("terminal", 0) not in sheet.heads:
        yield sheet.error(
            "GDL022",
            None,
            "`terminal` is never stated: no match would ever end",
            "say when play is over: (<= terminal (true (step 9)))",
        )
    if ("goal", 2) not in sheet.heads:
        yield sheet.warning(
            "GDL023",
            None,
            "no `goal` is stated: every role gets 0",
            "say what each role gets: (<= (goal white 100) (line x))",
        )


def arity_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Keywords with a wrong number of arguments, and names whose number of arguments varies."""
    relations: dict[str, int] = {}
    reported: set[tuple[str, int]] = set()
    atoms = [rule.head for rule in sheet.rules] + [use.atom for use in sheet.uses]
    for atom in sorted(atoms, key=lambda atom: atom.span):
        name, arity = atom.predicate, len(atom.arguments)
        expected = KEYWORD_ARITIES.get(name)
        if expected is not None:
            if arity != expected and (name, arity) not in reported:
                reported.add((name, arity))
                yield _keyword_arity(sheet, atom, expected)
        elif relations.setdefault(name, arity) != arity and (name, arity) not in reported:
            reported.add((name, arity))
            yield sheet.warning(
                "GDL025",
                atom.span,
                f"the relation `{name}` has {arity} arguments here and {relations[name]} "
                "elsewhere: these are two relations",
                "give both the same number of arguments, or two names",
            )
    yield from _function_arities(sheet)


def _keyword_arity(sheet: CrossReference, atom: Atom, expected: int) -> Finding:
    """Stated and not asked for, the statement would be lost; else it is a relation of that name."""
    name, arity = signature(atom)
    is_asked = any(signature(use.atom) == (name, arity) for use in sheet.uses)
    is_lost = (name, arity) in sheet.heads and not is_asked and name not in HINTS
    return (sheet.error if is_lost else sheet.warning)(
        "GDL024",
        atom.span,
        f"`{name}` takes {expected} argument{'s' * (expected != 1)}, not {arity}"
        + ("" if is_lost else ": this is another relation of that name"),
        f"give `{name}` exactly {expected}",
    )


def _function_arities(sheet: CrossReference) -> Iterator[Finding]:
    functions: dict[str, int] = {}
    reported: set[tuple[str, int]] = set()
    keywords: set[str] = set()
    for rule in sheet.rules:
        for term in all_terms(rule):
            if not isinstance(term, Compound):
                continue
            name, arity = term.functor, len(term.arguments)
            if name.lower() in KEYWORDS and name not in keywords:
                keywords.add(name)
                yield sheet.warning(
                    "GDL027",
                    term.span,
                    f"the keyword `{name}` is used as the name of a "
                    f"{'function' if arity else 'constant'}",
                    "choose another name",
                )
            if not arity or functions.setdefault(name, arity) == arity or (name, arity) in reported:
                continue
            reported.add((name, arity))
            yield sheet.warning(
                "GDL026",
                term.span,
                f"the function `{name}` has {arity} arguments here and {functions[name]} "
                "elsewhere: these are two functions",
                "give both the same number of arguments, or two names",
            )


def shape_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Negations of more than an atom, and `and`."""
    is_prefix = sheet.description.dialect is Notation.PREFIX
    for rule in sheet.rules:
        work: list[Formula] = list(reversed(rule.body))
        while work:
            formula = work.pop()
            if isinstance(formula, Not):
                if not isinstance(formula.formula, Atom):
                    yield _negated_formula(sheet, formula)
                work.append(formula.formula)
            elif isinstance(formula, And | Or):
                if isinstance(formula, And) and is_prefix:
                    yield sheet.warning(
                        "GDL029",
                        formula.span,
                        "`and` is no part of GDL; it is read as the conjunction that it means",
                        "write the conditions side by side, or give them a relation of their own",
                    )
                work.extend(reversed(formula.formulas))


def size_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Rules whose alternatives or equations would fill the memory."""
    for rule in sheet.rules:
        if rule.body:
            yield from too_large_findings(rule, sheet.description, sheet.limits)


def _negated_formula(sheet: CrossReference, formula: Not) -> Finding:
    inner = DEPTH_WORDS.get(type(formula.formula), "distinct")
    return sheet.warning(
        "GDL028",
        formula.span,
        f"`not` is applied to `{inner}`; GDL allows it on a relation only",
        "give what is negated a relation of its own, and negate that",
    )
