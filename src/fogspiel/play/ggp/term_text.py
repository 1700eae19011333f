"""Terms as they stand in messages: read with limits, and written so that they read back equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fogspiel.core.findings import FogspielError, LimitError, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.rules.sexpr import Group, Node, Word, read_nodes
from fogspiel.tree.game_tree import exact_text

MESSAGE = "message"  #: What texts from the network are called in findings
MOVE_LIMITS = ReadLimits(bytes=65_536, depth=100, forms=1_000, tokens=10_000)
"""Limits of one move: the longest that we know of has a few hundred characters."""
MOST_SHOWN = 60  #: Characters of a text that cannot be read, in what is said about it


class MessageError(FogspielError):
    """A text from the network that is not what the protocol wants in its place."""


def read_move(text: str, limits: ReadLimits = MOVE_LIMITS) -> GroundTerm:
    """The move that a player answered. Raises `MessageError` GGP002 for what is none."""
    try:
        (node,) = nodes_of(text, limits)
        return term_of(node)
    except (MessageError, ValueError):
        raise MessageError.of(
            "GGP002",
            f"{shown(text)} is no move",
            fix="answer with one term, such as noop or (mark 1 1)",
        ) from None


def write_term(term: GroundTerm) -> str:
    """The term in prefix form, names between bars where they could not be read otherwise."""
    return exact_text(term)


def joined(tokens: Iterable[str]) -> str:
    """Tokens on one line, with as much space between them as is needed, without comments."""
    parts: list[str] = []
    for token in tokens:
        if token.startswith(";"):
            continue
        if parts and parts[-1] != "(" and token != ")":
            parts.append(" ")
        parts.append(token)
    return "".join(parts)


def by_lower_case(names: Mapping[str, str]) -> dict[str, str]:
    """Names by their keys in lower case, where only one key is written so."""
    found: dict[str, list[str]] = {}
    for key, name in names.items():
        found.setdefault(key.lower(), []).append(name)
    return {key: own[0] for key, own in found.items() if len(own) == 1}


def nodes_of(text: str, limits: ReadLimits) -> list[Node]:
    """All outermost words and groups. Raises `MessageError` GGP001 where parentheses are wrong."""
    if len(text) > limits.bytes:
        raise unreadable(f"it is longer than {limits.bytes:,} characters")
    try:
        nodes, findings = read_nodes(Source(MESSAGE, text), limits)
    except LimitError as error:
        raise unreadable(error.findings[0].message) from None
    # A warning is one `)` too many at the very end, which real players and managers send.
    for finding in findings:
        if finding.severity is Severity.ERROR:
            raise unreadable(finding.message)
    return nodes


def term_of(node: Node) -> GroundTerm:
    """The term of a node. Raises `MessageError` GGP001 for variables and groups without a name.

    `(noop)` is `noop`, as in rules, and some write `((mark 1 1))`. Recursion is as deep as the
    limits on reading allow.
    """
    while isinstance(node, Group) and len(node.items) == 1:
        node = node.items[0]
    if isinstance(node, Word):
        if node.is_variable:
            raise unreadable(f"a term holds the variable {shown(node.text)}")
        return node.text
    if not node.items or not isinstance(node.items[0], Word):
        raise unreadable("a term does not start with a name")
    return tuple(term_of(item) for item in node.items)


def unreadable(why: str) -> MessageError:
    """What is said of a message that is none."""
    return MessageError.of(
        "GGP001",
        f"this is no message of the protocol: {why}",
        fix="send START, PLAY, STOP, ABORT, INFO or PREVIEW, with what belongs to each",
    )


def shown(text: str) -> str:
    """The beginning of a text, safe to print."""
    line = "".join(c if c.isprintable() else " " for c in text[:MOST_SHOWN])
    return repr(line if len(text) <= MOST_SHOWN else line[: MOST_SHOWN - 1] + "…")
