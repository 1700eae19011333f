"""The messages between a game manager and its players, read from text and written as text.

There are three dialects, by how a player is told of a step. Which dialect a message is in shows in
its shape, but for one case: `(PLAY id (a b))` tells the joint move in GDL-I, and the percepts in
the older dialect of GDL-II. The terms are kept as they came, and whoever knows the rules can tell.
Keywords are read in any case, and so is NIL. Ids are any word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.limits import ReadLimits
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.term_text import nodes_of, shown, term_of, unreadable, write_term
from fogspiel.rules.sexpr import Group, Node, Word

READY, BUSY, DONE, ABORTED = "ready", "busy", "done", "aborted"
"""What players answer to START and PREVIEW, when they are taken, to STOP, and to ABORT."""
AVAILABLE = "available"  #: The status of a player that is not
NIL = "NIL"
MESSAGE_LIMITS = ReadLimits(bytes=16 << 20)
MOST_ID_CHARACTERS = 1_000  #: Ids are kept and written down with everything that happens in a match
MOST_CLOCK_SECONDS = 1e7  #: A third of a year: more than that is a mistake


class ProtocolDialect(StrEnum):
    """The way in which PLAY and STOP tell of the last step."""

    GDL1 = "gdl1"  #: `(PLAY id (m1 m2))`: the joint move, which all may see
    GDL2 = "gdl2"  #: `(PLAY id TURN LASTMOVE PERCEPTS)`: the player's own move, and what it saw
    GDL2_OLD = "gdl2_old"
    """`(PLAY id (p1 p2))`: what the player saw. It must remember what it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A match begins: get ready within the start clock."""

    match: str
    role: str
    rules: str = field(repr=False)
    """The text between the parentheses, as it came. One to be sent has no comments."""
    start_seconds: float
    play_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a player is told of the last step."""

    terms: tuple[GroundTerm, ...] | None = None
    """The joint move in the order of roles, or the percepts; None for NIL."""
    turn: int | None = None  #: Steps so far. In the newer dialect of GDL-II alone, as is the move.
    move: GroundTerm | None = None  #: The move that counted as the player's own; None for NIL


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """The player's turn."""

    match: str
    told: Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The match is over."""

    match: str
    told: Told


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is given up."""

    match: str


@dataclass(frozen=True, slots=True)
class Info:
    """Are you there, and free? Some send `ping` instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A match by these rules may come."""

    rules: str = field(repr=False)
    seconds: float


Message: TypeAlias = Start | Play | Stop | Abort | Info | Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class InfoReply:
    """What a player says about itself."""

    name: str | None
    status: str  #: `available` or `busy`, in lower case


def read_message(text: str, limits: ReadLimits = MESSAGE_LIMITS) -> Message:
    """The message that a text holds. Raises `MessageError` GGP001 for what is none."""
    nodes = nodes_of(text, limits)
    if len(nodes) != 1:
        raise unreadable(f"it has {len(nodes)} outermost terms: {shown(text)}")
    items = nodes[0].items if isinstance(nodes[0], Group) else (nodes[0],)
    keyword = items[0].text.upper() if items and isinstance(items[0], Word) else ""
    parts = items[1:]
    match keyword:
        case "START":
            # Five parts are agreed on, and others may follow one day: players are to ignore them.
            _expect(keyword, parts[:5], 5)
            return Start(
                match=_id(parts[0]),
                role=_name(parts[1]),
                rules=_rules(parts[2], text),
                start_seconds=_seconds(parts[3]),
                play_seconds=_seconds(parts[4]),
            )
        case "PLAY":
            _expect(keyword, parts, 2, 4)
            return Play(match=_id(parts[0]), told=_told(parts[1:]))
        case "STOP":
            _expect(keyword, parts, 1, 2, 4)
            return Stop(match=_id(parts[0]), told=_told(parts[1:]))
        case "ABORT":
            _expect(keyword, parts, 1)
            return Abort(_id(parts[0]))
        case "INFO" | "PING":
            _expect(keyword, parts, 0)
            return Info()
        case "PREVIEW":
            _expect(keyword, parts, 2)
            return Preview(rules=_rules(parts[0], text), seconds=_seconds(parts[1]))
    raise unreadable(f"it starts with no keyword: {shown(text)}")


def write_message(message: Message) -> str:
    """The message as it is sent."""
    match message:
        case Start():
            words = f"{write_term(message.match)} {write_term(message.role)}"
            clocks = [_clock_text(s) for s in (message.start_seconds, message.play_seconds)]
            return f"(START {words} ({message.rules}) {' '.join(clocks)})"
        case Play(match=name, told=told):
            return f"(PLAY {write_term(name)} {_told_text(told)})"
        case Stop(match=name, told=told):
            return f"(STOP {write_term(name)} {_told_text(told)})"
        case Abort(name):
            return f"(ABORT {write_term(name)})"
        case Info():
            return "(INFO)"
        case Preview():
            return f"(PREVIEW ({message.rules}) {_clock_text(message.seconds)})"


def read_info_reply(text: str, limits: ReadLimits) -> InfoReply:
    """What a player answered to INFO: pairs, or its status alone. Raises `MessageError` GGP001."""
    nodes = nodes_of(text, limits)
    if len(nodes) == 1 and isinstance(nodes[0], Word):
        return InfoReply(name=None, status=nodes[0].text.lower())
    items = nodes[0].items if len(nodes) == 1 and isinstance(nodes[0], Group) else nodes
    told = dict[str, str]()
    for item in items:
        words = (
            [n.text for n in item.items if isinstance(n, Word)] if isinstance(item, Group) else []
        )
        if len(words) > 1:
            told.setdefault(words[0].lower(), " ".join(words[1:]))
    if not told:
        raise unreadable(f"{shown(text)} does not answer INFO")
    return InfoReply(name=told.get("name"), status=told.get("status", AVAILABLE).lower())


def write_info_reply(reply: InfoReply) -> str:
    """What a player answers to INFO."""
    name = "" if reply.name is None else f"( name {write_term(reply.name)} ) "
    return f"( {name}( status {write_term(reply.status)} ) )"


def nothing_told(dialect: ProtocolDialect) -> Told:
    """What a player is told before the first step."""
    return Told(turn=0) if dialect is ProtocolDialect.GDL2 else Told()


def told_of_step(
    dialect: ProtocolDialect,
    *,
    turn: int,
    joint: Sequence[GroundTerm],
    own: GroundTerm,
    percepts: Sequence[GroundTerm],
) -> Told:
    """What a player is told of a step. In GDL-II nothing of it comes from the joint move.

    turn: steps so far, this one included.
    joint: in the order of roles. own: the move that counted as the player's.
    """
    if dialect is ProtocolDialect.GDL1:
        return Told(terms=tuple(joint))
    if dialect is ProtocolDialect.GDL2:
        return Told(turn=turn, move=own, terms=tuple(percepts))
    return Told(terms=tuple(percepts))


def _told(parts: Sequence[Node]) -> Told:
    """One part in GDL-I and the older dialect of GDL-II, three in the newer one, none in a STOP."""
    if not parts:
        return Told()
    terms = _terms(parts[-1])
    if len(parts) == 1:
        return Told(terms=terms)
    move = None if _is_nil(parts[1]) else term_of(parts[1])
    return Told(turn=_turn(parts[0]), move=move, terms=terms)


def _terms(node: Node) -> tuple[GroundTerm, ...] | None:
    if isinstance(node, Group):
        return tuple(term_of(item) for item in node.items)
    if _is_nil(node):
        return None
    raise unreadable(f"moves or percepts stand in parentheses; got {shown(node.text)}")


def _turn(node: Node) -> int:
    # No game lasts longer than nine digits say, and long numbers cost time to convert.
    if isinstance(node, Word) and re.fullmatch(r"[0-9]{1,9}", node.text):
        return int(node.text)
    raise unreadable("the number of the turn is no whole number")


def _seconds(node: Node) -> float:
    try:
        seconds = float(_name(node))
    except ValueError:
        raise unreadable(f"a clock is no number: {shown(_name(node))}") from None
    if not 0.0 <= seconds <= MOST_CLOCK_SECONDS:
        raise unreadable(f"a clock of {seconds:g} seconds")
    return seconds


def _rules(node: Node, text: str) -> str:
    if not isinstance(node, Group):
        raise unreadable("the rules are not in parentheses")
    return text[node.span.start + 1 : node.span.end - 1]


def _id(node: Node) -> str:
    name = _name(node)
    if len(name) > MOST_ID_CHARACTERS:
        raise unreadable(f"an id has more than {MOST_ID_CHARACTERS:,} characters")
    return name


def _name(node: Node) -> str:
    if isinstance(node, Word):
        return node.text
    raise unreadable("a list stands where a word belongs")


def _expect(keyword: str, parts: Sequence[Node], *counts: int) -> None:
    if len(parts) not in counts:
        wanted = " or ".join(map(str, counts))
        raise unreadable(f"{keyword} takes {wanted} parts; got {len(parts)}")


def _is_nil(node: Node) -> bool:
    return isinstance(node, Word) and not node.quoted and node.text.upper() == NIL


def _told_text(told: Told) -> str:
    terms = NIL if told.terms is None else f"({' '.join(map(write_term, told.terms))})"
    if told.turn is None:
        return terms
    return f"{told.turn} {NIL if told.move is None else write_term(told.move)} {terms}"


def _clock_text(seconds: float) -> str:
    return str(int(seconds)) if seconds == int(seconds) else repr(seconds)
