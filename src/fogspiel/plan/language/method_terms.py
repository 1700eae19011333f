"""The vocabulary of a game for its methods, and readers for names, terms, conditions and tasks.

Relations that methods may use name for each of their arguments a kind of thing: `(true FLUENT)`
takes one of kind `fluent`, and a kind lists the names that it has. So a slip such as
`(true (cel ?x ?y))` is found when the file is read, and not when a method never applies.

A piece that cannot be read is None, and was reported; whoever asked for it goes on with the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fogspiel.core.findings import FindingCollector
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import MethodLiteral, Pattern
from fogspiel.rules.sexpr import Group, Node, Word, head_of

OPERATOR = "operator"  #: The kind of the argument of `(do …)`
ANY = ""  #: The kind of arguments that are not checked
ANYTHING = "_"  #: The word that matches anything, where a game has one

Names = Mapping[str, frozenset[int]]
"""Names with their possible numbers of arguments; 0 for a word alone."""


@dataclass(frozen=True, slots=True)
class GameVocabulary:
    """The words of one game."""

    relations: Mapping[tuple[str, int], tuple[str, ...]]
    """The kinds of arguments of each relation, by its name and how many there are."""
    kinds: Mapping[str, Names] = field(default_factory=dict)
    """The names of each kind; a kind that is not listed may be anything."""

    def with_relations(self, stated: Iterable[Pattern]) -> GameVocabulary:
        """The same and the relations of some facts, with arguments of any kind."""
        more = {head(fact): (ANY,) * head(fact)[1] for fact in stated}
        return GameVocabulary(relations={**more, **self.relations}, kinds=self.kinds)

    def arities(self, relation: str) -> list[int]:
        """The numbers of arguments that a relation may have, ascending."""
        return sorted(arity for name, arity in self.relations if name == relation)


@dataclass(frozen=True, slots=True)
class Stranger:
    """A word that the game does not know, or not with so many arguments."""

    name: str
    arity: int
    kind: str  #: The kind that is expected there; `relation` for the first word of a condition
    known: tuple[str, ...]  #: Names that could stand there
    arities: tuple[int, ...]
    """The numbers of arguments that the name may have; none if it is not known at all."""


def names_of(terms: Iterable[GroundTerm]) -> Names:
    """The names that terms start with."""
    found: dict[str, set[int]] = {}
    for term in terms:
        name, arity = head(term)
        found.setdefault(name, set()).add(arity)
    return {name: frozenset(found[name]) for name in sorted(found)}


def head(term: Pattern) -> tuple[str, int]:
    """The name of a term, and its number of arguments."""
    if isinstance(term, str):
        return term, 0
    assert isinstance(term[0], str)
    return term[0], len(term) - 1


def stranger_in_atom(atom: Pattern, vocabulary: GameVocabulary) -> Stranger | None:
    """The first word of a condition that the game does not know; None if all are known."""
    name, arity = head(atom)
    kinds = vocabulary.relations.get((name, arity))
    if kinds is None:
        known = tuple(sorted({relation for relation, _ in vocabulary.relations}))
        return Stranger(name, arity, "relation", known, tuple(vocabulary.arities(name)))
    arguments = () if isinstance(atom, str) else atom[1:]
    for kind, argument in zip(kinds, arguments, strict=True):
        stranger = stranger_in_term(argument, kind, vocabulary)
        if stranger is not None:
            return stranger
    return None


def stranger_in_term(term: Pattern, kind: str, vocabulary: GameVocabulary) -> Stranger | None:
    """The word of a term that its kind does not have, if any; a variable may be anything."""
    names = vocabulary.kinds.get(kind)
    name, arity = head(term)
    if names is None or name[:1] == "?" or name == ANYTHING or arity in names.get(name, ()):
        return None
    return Stranger(name, arity, kind, tuple(names), tuple(sorted(names.get(name, ()))))


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
