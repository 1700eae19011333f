"""Reader of methods files: a network of methods, with all faults of the text.

The form is our own; what it states is Smith and Nau (1993), section 3:

    (network NAME (note TEXT) (others drawn))
    (facts FACT …)
    (method NAME
      (task nil) | (task (NAME ?agent ?x …))
      (title TEXT) (note TEXT)
      (when CONDITION …)
      (do MOVE) | (expand TASK …))

The parts of a method may stand in any order, each once. A text is plain words, or anything between
`|` and `|`; a condition is `(relation …)`, `(not (relation …))` or `(distinct ?x ?y)`. Facts hold
everywhere. `(others drawn)` says that the file has no methods for other agents, who are then
assumed to move at random.
Reading goes on after each fault, so that a file tells all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fogspiel.core.findings import Finding, FindingCollector, RulesError, errors_in, in_order
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.language.checking import Written, check_network
from fogspiel.plan.language.method_terms import (
    NIL,
    TASK_FIX,
    GameVocabulary,
    misplaced,
    read_literal,
    read_name,
    read_task,
    read_term,
    read_text,
    variables_of,
)
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork, is_variable
from fogspiel.rules.gdl.read import DEFAULT_LIMITS, refuse_bytes
from fogspiel.rules.sexpr import Group, Node, head_of, keyword, read_nodes

OPENING = re.compile(r"(?:\s|;[^\n]*(?:\n|\Z))*+\(\s*(?:network|method)(?=[\s()])", re.IGNORECASE)
FORMS = ("network", "facts", "method")
PARTS = ("task", "title", "note", "when", "do", "expand")
METHOD_FIX = "write `(method name (task …) (when …) (do …))`, or `(expand …)` in place of `(do …)`"
NETWORK_FIX = "write `(network name)` once, before the methods"


@dataclass(frozen=True, slots=True)
class _Heading:
    """The content of `(network …)`."""

    name: str = ""
    note: str = ""
    draws_others: bool = False


@dataclass(slots=True)
class _Parts:
    """The parts of one method, as far as they could be read."""

    task: Pattern | None = None
    title: str = ""
    note: str = ""
    when: list[MethodLiteral] = field(default_factory=list)
    operator: Pattern | None = None
    expansion: list[Pattern] = field(default_factory=list)
    expansion_spans: list[Span] = field(default_factory=list)
    is_whole: bool = True  #: Whether nothing of it was lost


def is_methods(text: str) -> bool:
    """Whether a text is a methods file, by how it begins."""
    return OPENING.match(text) is not None


def read_network(
    source: Source, limits: ReadLimits = DEFAULT_LIMITS, vocabulary: GameVocabulary | None = None
) -> tuple[TaskNetwork, list[Finding]]:
    """The network that a text states, and all of its faults.

    Methods with faults of form are left out of the network. Raises `LimitError` for a text beyond
    the limits.
    """
    refuse_bytes(source.name, len(source.text), limits)
    nodes, findings = read_nodes(source, limits, starts_form="method")
    notes = FindingCollector(source)
    heading = _read_heading(notes, nodes)
    facts = _read_facts(notes, nodes)
    methods = [node for node in nodes if head_of(node) == "method"]
    written = [one for node in methods if (one := _read_method(notes, node)) is not None]
    words = None if vocabulary is None else vocabulary.with_relations(facts)
    check_network(notes, written, words, is_complete=len(written) == len(methods) and not findings)
    network = TaskNetwork(
        name=heading.name,
        methods=tuple(one.method for one in written if one.is_sound),
        source=source,
        note=heading.note,
        facts=tuple(facts),
        draws_others=heading.draws_others,
    )
    return network, in_order([*findings, *notes.findings], [source])


def sound_network(
    source: Source, limits: ReadLimits = DEFAULT_LIMITS, vocabulary: GameVocabulary | None = None
) -> TaskNetwork:
    """The network that a text states. Raises `RulesError` with all errors if there are any."""
    network, findings = read_network(source, limits, vocabulary)
    errors = errors_in(findings)
    if errors:
        raise RulesError(errors)
    return network


def _read_heading(notes: FindingCollector, nodes: Sequence[Node]) -> _Heading:
    """Read `(network …)`; report what is neither this nor a method nor facts."""
    headings: list[Group] = []
    for node in nodes:
        word = head_of(node)
        if word == "network" and isinstance(node, Group):
            headings.append(node)
        elif word not in FORMS:
            close = notes.close_name(word, FORMS) if word else None
            fix = f"did you mean `({close} …`?" if close else METHOD_FIX
            notes.error("PLN001", node.span, "this is neither a network nor a method", fix)
    if not headings:
        notes.error("PLN002", None, "no `(network name)` says what this file is", NETWORK_FIX)
        return _Heading()
    for extra in headings[1:]:
        notes.error("PLN002", extra.span, "this file names its network twice", NETWORK_FIX)
    items = headings[0].items[1:]
    if not items:
        notes.error("PLN002", headings[0].span, "this network has no name", NETWORK_FIX)
        return _Heading()
    heading = _Heading(name=read_name(notes, items[0], "the name of the network") or "")
    for part in items[1:]:
        heading = _with_part(notes, heading, part)
    return heading


def _with_part(notes: FindingCollector, heading: _Heading, part: Node) -> _Heading:
    text = read_text(part.items[1:]) if isinstance(part, Group) else None
    if head_of(part) == "note" and text is not None and not heading.note:
        return replace(heading, note=text)
    if head_of(part) == "others" and text == "drawn":
        return replace(heading, draws_others=True)
    fix = "write `(network name (note |text|))`; `(others drawn)` may follow"
    misplaced(notes, part, "one `(note text)` or `(others drawn)`", fix)
    return heading


def _read_facts(notes: FindingCollector, nodes: Sequence[Node]) -> list[GroundTerm]:
    """The facts of a file, each once, in their order."""
    facts: dict[GroundTerm, None] = {}
    for group in nodes:
        for node in (
            group.items[1:] if isinstance(group, Group) and head_of(group) == "facts" else ()
        ):
            fact = read_term(notes, node)
            if fact is None:
                continue
            if isinstance(fact, str) or variables_of(fact):
                found = "no argument" if isinstance(fact, str) else "a variable"
                fix = "write facts like `(next 1 2)`, without variables"
                notes.error("PLN017", node.span, f"this fact has {found}", fix)
            else:
                facts[fact] = None
    return list(facts)


def _read_method(notes: FindingCollector, node: Node) -> Written | None:
    """Read one method; None where a fault of form leaves no method."""
    assert isinstance(node, Group)
    title = node.items[1] if len(node.items) > 1 else None
    if title is None or isinstance(title, Group):
        notes.error("PLN005", node.items[0].span, "this method has no name", METHOD_FIX)
        return None
    name = read_name(notes, title, "the name of the method")
    given = _given_parts(notes, node.items[2:])
    parts = _Parts(is_whole=name is not None)
    for word, part in given.items():
        _READERS[word](notes, part, parts)
    if "task" not in given:
        message = f"the method `{title.text}` does not say which task it answers"
        notes.error("PLN005", title.span, message, TASK_FIX)
    if ("do" in given) == ("expand" in given):
        how = "both `do` and `expand`" if "do" in given else "neither `do` nor `expand`"
        message = f"the method `{title.text}` has {how}"
        fix = "say by one of them how it is carried out: `(do move)` or `(expand task …)`"
        notes.error("PLN006", title.span, message, fix)
    if name is None or not parts.is_whole or "task" not in given:
        return None
    if ("do" in given) == ("expand" in given):
        return None
    method = Method(
        name=name,
        task=parts.task,
        when=tuple(parts.when),
        operator=parts.operator,
        expansion=tuple(parts.expansion),
        title=parts.title,
        note=parts.note,
        span=title.span,
    )
    do = given.get("do")
    return Written(
        method=method,
        task_span=given["task"].span,
        operator_span=do.items[1].span if do is not None else None,
        expansion_spans=tuple(parts.expansion_spans),
    )


def _given_parts(notes: FindingCollector, nodes: Sequence[Node]) -> dict[str, Group]:
    """The parts of a method by their first word; those that have no meaning are reported."""
    given: dict[str, Group] = {}
    for node in nodes:
        word = head_of(node)
        if not isinstance(node, Group) or word is None:
            misplaced(notes, node, "a part of the method", METHOD_FIX)
        elif word not in PARTS:
            fix = notes.meant(word, PARTS, f"the parts of a method are {', '.join(PARTS)}")
            message = f"a method has no part `{word}`"
            notes.error("PLN003", node.items[0].span, message, fix)
        elif word in given:
            message = f"the part `{word}` is given twice"
            fix = "write both into one" if word == "when" else "remove one of them"
            notes.error("PLN004", node.items[0].span, message, fix)
        else:
            given[word] = node
    return given


def _task(notes: FindingCollector, group: Group, parts: _Parts) -> None:
    content = group.items[1] if len(group.items) == 2 else group
    if content is group:
        notes.error("PLN007", group.span, "a method answers one task", TASK_FIX)
        parts.is_whole = False
        return
    if keyword(content) == NIL:
        return
    task = read_task(notes, content)
    if task is not None and not is_variable(task[1]):
        message = f"the first argument of the task `{task[0]}` is not a variable"
        fix = "put the agent first: who answers the task is told by whoever sets it"
        notes.error("PLN008", content.span, message, fix)
        task = None
    parts.task = task
    parts.is_whole &= task is not None


def _text(notes: FindingCollector, group: Group, parts: _Parts) -> None:
    word, text = head_of(group), read_text(group.items[1:])
    if text is None:
        fix = f"write `({word} |any text|)`; text with parentheses or `;` must stand between |"
        notes.error("PLN007", group.span, f"`{word}` takes words", fix)
    elif word == "title":
        parts.title = text
    else:
        parts.note = text


def _when(notes: FindingCollector, group: Group, parts: _Parts) -> None:
    literals = [read_literal(notes, node) for node in group.items[1:]]
    parts.when = [literal for literal in literals if literal is not None]
    parts.is_whole &= None not in literals


def _do(notes: FindingCollector, group: Group, parts: _Parts) -> None:
    if len(group.items) == 2:
        parts.operator = read_term(notes, group.items[1])
    else:
        message = f"`do` takes one move, not {len(group.items) - 1}"
        notes.error("PLN007", group.span, message, "write `(do move)` or `(do (move argument …))`")
    parts.is_whole &= parts.operator is not None


def _expand(notes: FindingCollector, group: Group, parts: _Parts) -> None:
    for node in group.items[1:]:
        task = read_task(notes, node)
        if task is None:
            parts.is_whole = False
        else:
            parts.expansion.append(task)
            parts.expansion_spans.append(node.span)


_READERS: dict[str, Callable[[FindingCollector, Group, _Parts], None]] = {
    "task": _task,
    "title": _text,
    "note": _text,
    "when": _when,
    "do": _do,
    "expand": _expand,
}
