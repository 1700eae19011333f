"""Numbers of arguments: keywords that take others, and names whose number of arguments varies.

Two relations of one name with different numbers of arguments are two relations to Fogspiel, and so
are two functions. Mostly one was meant, and an argument was dropped or added in one place: the
finding points at the number that fits the rest of the sheet less well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from fogspiel.core.findings import Finding
from fogspiel.core.source import Span
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.syntax import KEYWORD_ARITIES, KEYWORDS, Variable, all_terms

HINTS = frozenset({"base", "input", "percept"})
"""Keywords that tell what may occur. Play does not need them, so a fault in them does no harm."""
MAX_RULES = 20  #: Rules of one name that are looked through for variables that occur once


def counted(number: int, noun: str = "argument") -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {noun}{'s' * (number != 1)}"


def arity_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Keywords with a wrong number of arguments, and names whose number of arguments varies."""
    heads = [(rule.head, rule) for rule in sheet.rules]
    atoms = heads + [(use.atom, use.rule) for use in sheet.uses]
    relations: dict[str, dict[int, _Occurrences]] = defaultdict(dict)
    reported: set[tuple[str, int]] = set()
    for atom, rule in sorted(atoms, key=lambda pair: pair[0].span):
        name, arity = atom.signature
        expected = KEYWORD_ARITIES.get(name)
        if expected is None:
            relations[name].setdefault(arity, _Occurrences()).add(atom.span, rule)
        elif arity != expected and (name, arity) not in reported:
            reported.add((name, arity))
            yield _keyword_arity(sheet, atom, expected)
    whole_relations = sheet.heads.keys() & {use.atom.signature for use in sheet.uses}
    for name, by_arity in relations.items():
        whole = {arity for arity in by_arity if (name, arity) in whole_relations}
        for arity, usual in _odd_ones(by_arity, whole):
            never = "" if (name, arity) in sheet.heads else ", and this one never holds"
            place = by_arity[arity].spans[0]
            yield sheet.warning(
                "GDL025",
                place,
                f"the relation `{name}` has {counted(arity)} here and {usual} in line "
                f"{_line(sheet, by_arity[usual])}: these are two relations{never}",
                f"give it {counted(usual)} here too, or another name",
            )
    yield from _function_arities(sheet)


@dataclass(slots=True)
class _Occurrences:
    """The places at which a name has a certain number of arguments."""

    spans: list[Span] = field(default_factory=list)
    rules: list[syntax.Rule] = field(default_factory=list)

    def add(self, span: Span, rule: syntax.Rule) -> None:
        self.spans.append(span)
        self.rules.append(rule)


def _odd_ones(by_arity: dict[int, _Occurrences], whole: set[int]) -> list[tuple[int, int]]:
    """All numbers of arguments but the one that was probably meant, each with that one.

    whole: arities of which a relation is both stated and asked for.
    """
    if len(by_arity) < 2:
        return []
    fitness = {arity: (arity in whole, len(own.spans)) for arity, own in by_arity.items()}
    best = [arity for arity in by_arity if fitness[arity] == max(fitness.values())]
    if len(best) > 1:
        # A dropped argument often leaves a variable behind that nothing else in its rule names.
        best.sort(key=lambda arity: sum(map(_has_lone_variable, by_arity[arity].rules[:MAX_RULES])))
    return [(arity, best[0]) for arity in by_arity if arity != best[0]]


def _has_lone_variable(rule: syntax.Rule) -> bool:
    """Whether some variable of a rule occurs only once. A name that opens with `_` says so."""
    counts = Counter(
        variable.name for variable in all_terms(rule) if isinstance(variable, Variable)
    )
    return any(count == 1 and not name.startswith("_") for name, count in counts.items())


def _line(sheet: CrossReference, occurrences: _Occurrences) -> int:
    return sheet.description.source.position(occurrences.spans[0].start).line


def _keyword_arity(sheet: CrossReference, atom: syntax.Atom, expected: int) -> Finding:
    """Stated and not asked for, the statement would be lost; else it is a relation of that name."""
    name, arity = atom.signature
    is_asked = any(use.atom.signature == (name, arity) for use in sheet.uses)
    is_lost = (name, arity) in sheet.heads and not is_asked and name not in HINTS
    return (sheet.error if is_lost else sheet.warning)(
        "GDL024",
        atom.span,
        f"`{name}` takes {counted(expected)}, not {arity}"
        + ("" if is_lost else ": this is another relation of that name"),
        f"give `{name}` exactly {expected}",
    )


def _function_arities(sheet: CrossReference) -> Iterator[Finding]:
    functions: dict[str, dict[int, _Occurrences]] = defaultdict(dict)
    keywords: set[str] = set()
    for rule in sheet.rules:
        for term in all_terms(rule):
            if not isinstance(term, syntax.Compound):
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
            if arity:
                functions[name].setdefault(arity, _Occurrences()).add(term.span, rule)
    for name, by_arity in functions.items():
        for arity, usual in _odd_ones(by_arity, set(by_arity)):
            yield sheet.warning(
                "GDL026",
                by_arity[arity].spans[0],
                f"the function `{name}` has {counted(arity)} here and {usual} in line "
                f"{_line(sheet, by_arity[usual])}: these are two functions",
                f"give it {counted(usual)} here too, or another name",
            )
