"""Readers for the pieces of a method: names, terms, conditions, tasks.

A piece that cannot be read is None, and was reported; whoever asked for it goes on with the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.core.findings import FindingCollector
from fogspiel.plan.task_network import MethodLiteral, Pattern
from fogspiel.rules.sexpr import Group, Node, Word, head_of

NOT = "not"
DISTINCT = "distinct"
NIL = "nil"
LITERAL_FIX = "write `(relation argument …)`, `(not (relation argument …))` or `(distinct ?x ?y)`"
TERM_FIX = "write a name, a `?variable`, or `(name argument …)`"
TASK_FIX = "write `(task nil)`, or `(task (name ?agent ?x …))`"


def misplaced(notes: FindingCollector, node: Node, expected: str, fix: str) -> None:
    """Report that something else should stand here."""
    found = f"`{node.text}`" if isinstance(node, Word) else "a form in parentheses"
    if isinstance(node, Group) and not node.items:
        found = "`()`"
    notes.error("PLN007", node.span, f"{expected} is expected here, not {found}", fix)


def read_name(notes: FindingCollector, node: Node, what: str) -> str | None:
    """A plain name: of a network, a method, a task."""
    if isinstance(node, Word) and node.text and not node.text.startswith("?"):
        return node.text
    misplaced(notes, node, what, "write its name, which starts with no `?`")
    return None


def read_text(nodes: Sequence[Node]) -> str | None:
    """A text for people: plain words, and any text between `|` and `|`; None if a group is there.

    Straight quotes around plain words are taken off: many will write them by habit.
    """
    words = [node for node in nodes if isinstance(node, Word)]
    if not words or len(words) < len(nodes):
        return None
    text = " ".join(word.text for word in words)
    is_plain = not (words[0].quoted or words[-1].quoted)
    if is_plain and len(text) > 1 and text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    return text


def read_term(notes: FindingCollector, node: Node) -> Pattern | None:
    """A name, a variable, or a name with arguments. Depth is bounded by `ReadLimits`."""
    if isinstance(node, Word):
        if node.text.startswith("?") and (node.quoted or len(node.text) == 1):
            misplaced(notes, node, "a term", "a `?` starts a variable, which has a name: `?x`")
            return None
        return node.text
    if not node.items:
        misplaced(notes, node, "a term", TERM_FIX)
        return None
    name = read_name(notes, node.items[0], "the name of a relation, a function or a move")
    arguments = [read_term(notes, item) for item in node.items[1:]]
    found = tuple(argument for argument in arguments if argument is not None)
    if name is None or len(found) < len(arguments):
        return None
    return (name, *found) if found else name


def read_literal(notes: FindingCollector, node: Node) -> MethodLiteral | None:
    """An atom, its negation, or a demand that two terms differ."""
    inner, positive = node, True
    if head_of(node) == NOT:
        assert isinstance(node, Group)
        if len(node.items) != 2:
            message = f"`not` takes one condition, not {len(node.items) - 1}"
            notes.error("PLN007", node.span, message, LITERAL_FIX)
            return None
        inner, positive = node.items[1], False
    if head_of(inner) == NOT or (isinstance(inner, Word) and inner.is_variable):
        misplaced(notes, inner, "a relation", LITERAL_FIX)
        return None
    atom = read_term(notes, inner)
    if atom is None:
        return None
    if head_of(inner) == DISTINCT:
        if isinstance(atom, str) or len(atom) != 3:
            message = (
                f"`distinct` takes two terms, not {0 if isinstance(atom, str) else len(atom) - 1}"
            )
            notes.error("PLN007", inner.span, message, LITERAL_FIX)
            return None
        atom = (DISTINCT, *atom[1:])
    return MethodLiteral(atom, positive, node.span)


def read_task(notes: FindingCollector, node: Node) -> Pattern | None:
    """A task with its agent and what else it is about."""
    if not isinstance(node, Group):
        misplaced(notes, node, "a task", "write `(name ?agent ?x …)`")
        return None
    term = read_term(notes, node)
    if term is not None and isinstance(term, str):
        message = f"the task `{term}` has no agent"
        notes.error("PLN008", node.span, message, f"name who is to do it: `({term} ?agent …)`")
        return None
    return term


def variables_of(term: Pattern) -> list[str]:
    """The variables of a term, in the order in which they are written; one may come twice."""
    if isinstance(term, str):
        return [term] if term.startswith("?") else []
    return [variable for part in term for variable in variables_of(part)]
