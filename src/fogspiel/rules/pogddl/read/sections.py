"""The sections of a domain or problem: each is read on its own, so one fault hides no other."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.read.formulas import (
    ConditionReader,
    T,
    expected,
    made,
    operands,
    read_atom,
    read_declaration,
    read_each,
    read_name,
    read_names,
    read_number,
)
from fogspiel.rules.pogddl.read.structures import EffectReader, StructureReader
from fogspiel.rules.pogddl.syntax import NUMBER_TYPE
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

COMMON = (":requirements", ":gain", ":terminal")
DOMAIN_SECTIONS = (
    *COMMON, ":types", ":constants", ":predicates", ":functions", ":derived", ":action", ":choose",
)  # fmt: skip
PROBLEM_SECTIONS = (*COMMON, ":domain", ":objects", ":init")
IDLE = frozenset({":goal", ":metric", ":constraints", ":length"})
"""Sections of PDDL for planners, without a meaning in a game."""
REFUSED = frozenset({":durative-action", ":process", ":event"})
"""Sections of PDDL that would change the meaning of a game, and have none here."""
_SECTION = "|".join(sorted({*DOMAIN_SECTIONS, *PROBLEM_SECTIONS, *IDLE, *REFUSED}))
STARTS_SECTION = re.compile(rf"\(\s*(?:{_SECTION})(?=[\s()])", re.IGNORECASE)
"""The start of a section. One that stands inside a section shows that this was left open."""
SPELLINGS = {"choose": ":choose"}  #: Section 3.6 of the thesis writes this one without its colon


@dataclass(slots=True)
class Sections:
    """What the sections of one `define` say, as far as they could be read."""

    requirements: list[syntax.Name] = field(default_factory=list)
    types: list[syntax.Typed] = field(default_factory=list)
    objects: list[syntax.Typed] = field(default_factory=list)
    """The objects of a problem, or the constants of a domain."""
    predicates: list[syntax.Declaration] = field(default_factory=list)
    functions: list[syntax.Declaration] = field(default_factory=list)
    derived: list[syntax.Derived] = field(default_factory=list)
    actions: list[syntax.Action] = field(default_factory=list)
    choices: list[syntax.Choice] = field(default_factory=list)
    gains: list[syntax.Gain] = field(default_factory=list)
    terminals: list[syntax.Condition] = field(default_factory=list)
    domain: syntax.Name | None = None
    facts: list[syntax.Atom] = field(default_factory=list)
    values: list[syntax.Assignment] = field(default_factory=list)


def read_sections(
    notes: FindingCollector, group: Group, known: tuple[str, ...], functions: frozenset[str]
) -> Sections:
    """Everything after `(define (domain name)` or `(define (problem name)`.

    functions: those declared elsewhere, by the domain of a problem.
    """
    reader = SectionReader(notes, functions)
    # Whether `(= a b)` compares numbers depends on the functions, wherever they are declared.
    for section in group.items[2:]:
        if head_of(section) == ":functions" and isinstance(section, Group):
            reader.read_functions(section)
    previous: Node | None = None
    for section in group.items[2:]:
        # Of words that stand astray, such as a comment without its mark, the first is enough.
        if not (isinstance(section, Word) and isinstance(previous, Word)):
            reader.read(section, known)
        previous = section
    return reader.sections


class SectionReader:
    """Reads the sections of one `define`."""

    def __init__(self, notes: FindingCollector, functions: frozenset[str]) -> None:
        self.notes = notes
        self.sections = Sections()
        self._use(functions)

    def _use(self, functions: frozenset[str]) -> None:
        self._conditions = ConditionReader(self.notes, functions)
        effects = EffectReader(self.notes, self._conditions)
        self._structures = StructureReader(self.notes, self._conditions, effects)

    def read(self, node: Node, known: tuple[str, ...]) -> None:
        """One section, into what was read before."""
        if not isinstance(node, Group) or not node.items or keyword(node.items[0]) is None:
            expected(self.notes, node, "a section", f"write one of {', '.join(known)}")
            return
        word = keyword(node.items[0]) or ""
        word = SPELLINGS.get(word, word)
        if word not in known:
            self._unknown(node, word, known)
            return
        self._readers()[word](node)

    def _readers(self) -> dict[str, Callable[[Group], None]]:
        found, structures = self.sections, self._structures
        return {
            ":requirements": self._requirements,
            ":types": self._types,
            ":constants": self._objects,
            ":objects": self._objects,
            ":predicates": self._predicates,
            ":functions": lambda _: None,  # read before all others
            ":derived": lambda group: _add(found.derived, structures.derived(group)),
            ":action": lambda group: _add(found.actions, structures.action(group)),
            ":choose": lambda group: _add(found.choices, structures.choice(group)),
            ":gain": lambda group: _add(found.gains, structures.gain(group)),
            ":terminal": self._terminal,
            ":domain": self._domain,
            ":init": self._init,
        }

    def _unknown(self, group: Group, word: str, known: tuple[str, ...]) -> None:
        first = group.items[0]
        if word in IDLE:
            fix = "remove it; `:gain` says what roles play for"
            self.notes.warning("POG011", first.span, f"`{word}` has no meaning in a game", fix)
        elif word in REFUSED:
            fix = "write it as actions of the role `chance`"
            self.notes.error("POG011", first.span, f"`{word}` is no part of POGDDL", fix)
        elif word in DOMAIN_SECTIONS or word in PROBLEM_SECTIONS:
            place = "domain" if word in DOMAIN_SECTIONS else "problem"
            fix = f"move it to the {place}"
            self.notes.error("POG002", first.span, f"`{word}` is no section of this part", fix)
        else:
            self._structures.unknown(first, known)

    def _requirements(self, group: Group) -> None:
        self.sections.requirements += read_each(
            lambda node: read_name(self.notes, node, "a requirement"), group.items[1:]
        )

    def _types(self, group: Group) -> None:
        self.sections.types += read_names(self.notes, group.items[1:])

    def _objects(self, group: Group) -> None:
        self.sections.objects += read_names(self.notes, group.items[1:])

    def _predicates(self, group: Group) -> None:
        self.sections.predicates += read_each(
            lambda node: read_declaration(self.notes, node, "a predicate"), group.items[1:]
        )

    def read_functions(self, group: Group) -> None:
        """`(f ?x - type) - number (g) (h) - (number 0 9) …`; every function gives a number."""
        items = deque(group.items[1:])
        waiting: list[syntax.Declaration] = []
        while items:
            node = items.popleft()
            if keyword(node) == "-" and items and (waiting or self.sections.functions):
                bounds = self._bounds(items.popleft())
                self.sections.functions += [replace(item, bounds=bounds) for item in waiting]
                waiting.clear()
            elif (found := read_declaration(self.notes, node, "a function")) is not None:
                waiting.append(found)
        self.sections.functions += waiting
        names = frozenset(function.name.text for function in self.sections.functions)
        self._use(self._conditions.functions | names)

    def _bounds(self, node: Node) -> syntax.Bounds | None:
        """`number` says nothing more; `(number low high)` bounds the values."""
        if keyword(node) == NUMBER_TYPE:
            return None
        if head_of(node) != NUMBER_TYPE or not isinstance(node, Group) or len(node.items) != 3:
            fix = "functions give numbers: write - number, or - (number 0 100) with their bounds"
            expected(self.notes, node, "`number`", fix)
            return None
        low, high = (read_number(self.notes, item) for item in node.items[1:])
        return (
            None
            if low is None or high is None
            else syntax.Bounds(low.value, high.value, span=node.span)
        )

    def _terminal(self, group: Group) -> None:
        given = operands(self.notes, group, 1, 1)
        if given is not None:
            _add(self.sections.terminals, self._conditions.condition(given[0]))

    def _domain(self, group: Group) -> None:
        given = operands(self.notes, group, 1, 1)
        if self.sections.domain is not None:
            fix = "keep one of them"
            self.notes.error("POG007", group.span, "`:domain` is given twice", fix)
        elif given is not None:
            self.sections.domain = read_name(self.notes, given[0], "the name of a domain")

    def _init(self, group: Group) -> None:
        for node in group.items[1:]:
            word = head_of(node)
            if word == "=" and isinstance(node, Group):
                self._value(node)
            elif word == "not":
                fix = "remove it: what is not stated is false at the start"
                self.notes.warning("POG012", node.span, "this says nothing", fix)
            elif word == "and" and isinstance(node, Group):
                self._init(node)
            else:
                _add(self.sections.facts, read_atom(self.notes, node))

    def _value(self, group: Group) -> None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return
        fluent, value = self._conditions.fluent(given[0]), read_number(self.notes, given[1])
        _add(self.sections.values, made(syntax.Assignment, fluent, value, span=group.span))


def _add(items: list[T], found: T | None) -> None:
    """Keep what could be read."""
    if found is not None:
        items.append(found)


def name_of_define(group: Group) -> Word | None:
    """The name in `(define (domain NAME) …)`."""
    title = group.items[1]
    if isinstance(title, Group) and len(title.items) == 2:
        name = title.items[1]
        return name if isinstance(name, Word) else None
    return None
