"""Reading of an EFG file as a game in extensive form.

Source: Gambit's documentation of its .efg format. Version 2 with R (numbers are exact) or D
(decimals), payoffs with commas or without, names and descriptions left out where they may be.

All faults are reported as far as possible: after a node that cannot be read, reading goes on at the
next one. The shape of the tree is then unknown, and nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.findings import Finding, FindingCollector, LimitError, errors_in, in_order
from fogspiel.core.limits import MEBIBYTE
from fogspiel.core.source import Source, Span
from fogspiel.rules.efg.descriptions import Descriptions
from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset, Node
from fogspiel.rules.efg.tokens import BrokenError, Cursor, Token, TokenKind, shown

HEADER_FIX = 'begin with EFG 2 R "title" { "player 1" "player 2" }'
NODE_LETTERS = frozenset("cpt")


@dataclass(frozen=True, slots=True, kw_only=True)
class EfgLimits:
    """Limits on the size of a file: trees that solvers of the field still take."""

    bytes: int = 128 * MEBIBYTE
    nodes: int = 1_000_000
    depth: int = 10_000
    players: int = 100


DEFAULT_LIMITS = EfgLimits()


def is_efg(text: str) -> bool:
    """Whether a text is an EFG file, by a look at its beginning."""
    return text.lstrip("\ufeff \t\r\n")[:4].rstrip() == "EFG"


def read_efg(
    source: Source, limits: EfgLimits = DEFAULT_LIMITS
) -> tuple[ExtensiveGame | None, list[Finding]]:
    """The game of a file, None if there are errors, and what could not be read of it.

    The findings are those of reading alone; `checks.check` judges the game. Raises `LimitError` for
    a file beyond the limits.
    """
    reading = read_parts(source, limits)
    return None if errors_in(reading.findings) else reading.game, reading.findings


def read_parts(source: Source, limits: EfgLimits = DEFAULT_LIMITS) -> EfgReading:
    """Everything that can be read of a file, also of one with errors."""
    if len(source.text) > limits.bytes:
        message = f"this file has {len(source.text):,} characters; {limits.bytes:,} are read"
        raise _too_large(source, None, message)
    notes = FindingCollector(source)
    reader = _Reader(source, notes, limits)
    game = reader.game()
    return EfgReading(game, reader.players, reader.infosets, in_order(notes.findings, [source]))


@dataclass(frozen=True, slots=True)
class EfgReading:
    """The parts of a file, whatever is wrong with others."""

    game: ExtensiveGame | None  #: None if nobody can say how nodes hang together, or whose they are
    players: tuple[str, ...]
    infosets: Sequence[Infoset]
    findings: list[Finding]


class _Reader:
    """Reads one file."""

    def __init__(self, source: Source, notes: FindingCollector, limits: EfgLimits) -> None:
        self._source = source
        self._notes = notes
        self._limits = limits
        self._cursor = Cursor(source, notes)
        self._nodes: list[Node] = []
        self._shape = _Shape()
        self.players: tuple[str, ...] = ()
        self.infosets: Sequence[Infoset] = ()

    def game(self) -> ExtensiveGame | None:
        """The whole file; None where even its header cannot be read."""
        try:
            title, players, comment = self._header()
        except BrokenError:
            return None
        descriptions = Descriptions(self._notes, self._cursor, players)
        self.players, self.infosets = players, descriptions.infosets
        self._body(descriptions)
        is_owned = all(own.player <= len(players) for own in descriptions.infosets)
        if not self._shape.is_complete or not is_owned:
            return None
        return ExtensiveGame(
            title=title,
            players=players,
            comment=comment,
            infosets=tuple(descriptions.infosets),
            outcomes=tuple(descriptions.outcomes),
            nodes=tuple(self._nodes),
            source=self._source,
        )

    def _header(self) -> tuple[str, tuple[str, ...], str]:
        """Title, players and comment."""
        cursor = self._cursor
        for word in (("EFG",), ("2",), ("R", "D")):
            token = cursor.take()
            if token.kind is not TokenKind.WORD or token.text.lstrip("\ufeff") not in word:
                message = f"an EFG file of version 2 is expected, not {shown(token)}"
                self._notes.error("EFG001", token.span, message, HEADER_FIX)
                raise BrokenError
        title = cursor.text("the title of the game")
        cursor.brace("{", "the list of players")
        players: list[str] = []
        while cursor.at(TokenKind.TEXT):
            players.append(cursor.take().text)
        if len(players) > self._limits.players:
            message = f"this game has more than {self._limits.players} players"
            raise _too_large(self._source, cursor.last.span, message)
        cursor.brace("}", "the end of the list of players")
        comment = cursor.take().text if cursor.at(TokenKind.TEXT) else ""
        return title, tuple(players), comment

    def _body(self, descriptions: Descriptions) -> None:
        """All nodes. What follows the end of the tree is one fault, however long it is."""
        cursor = self._cursor
        while not cursor.is_over:
            start = cursor.next
            if self._shape.is_complete:
                message = f"the tree is complete here, but {shown(start)} follows"
                fix = "remove what follows, or look for a node above with an action too few"
                self._notes.error("EFG006", start.span, message, fix)
                return
            try:
                node, arity = self._node(descriptions)
            except BrokenError:
                self._shape.is_known = False
                self._skip()
                continue
            self._nodes.append(node)
            self._refuse_size(start)
            self._shape.add(arity)
        if cursor.at(TokenKind.OPEN):
            cursor.report_open_quote()
            self._shape.is_known = False
        elif self._shape.is_known and not self._shape.is_complete:
            self._truncated(cursor.next)

    def _node(self, descriptions: Descriptions) -> tuple[Node, int | None]:
        """A node and how many children follow it; None if nobody said so."""
        cursor = self._cursor
        letter = cursor.take()
        if letter.kind is not TokenKind.WORD or letter.text not in NODE_LETTERS:
            fix = "begin every node with c (chance), p (player) or t (terminal)"
            message = f"a node is expected, not {shown(letter)}"
            self._notes.error("EFG003", letter.span, message, fix)
            raise BrokenError
        name = cursor.text("the name of the node, in quotes,")
        infoset: int | None = None
        arity: int | None = 0
        if letter.text != "t":
            player = CHANCE if letter.text == "c" else descriptions.player()
            infoset, arity = descriptions.infoset(player)
        outcome = descriptions.outcome()
        return Node(name, infoset, outcome, span=Span(letter.start, cursor.last.end)), arity

    def _skip(self) -> None:
        """Go on to what looks like the next node: its letter and a quoted name."""
        cursor = self._cursor
        while not cursor.is_over:
            if cursor.next.text in NODE_LETTERS and cursor.after.kind is TokenKind.TEXT:
                return
            cursor.take()

    def _truncated(self, end: Token) -> None:
        missing = self._shape.missing
        if not self._nodes:
            message = "there is no node: the tree is missing"
        else:
            message = f"the tree is not complete: {missing} more subtree(s) must follow"
        fix = "add the missing nodes, or look for a node with an action too many"
        self._notes.error("EFG005", end.span, message, fix)

    def _refuse_size(self, start: Token) -> None:
        if len(self._nodes) > self._limits.nodes:
            message = f"this tree has more than {self._limits.nodes:,} nodes"
            raise _too_large(self._source, start.span, message)
        if self._shape.depth >= self._limits.depth:
            message = f"this tree is deeper than {self._limits.depth:,} nodes"
            raise _too_large(self._source, start.span, message)


class _Shape:
    """The part of the tree that is still to come, from the number of children of each node."""

    def __init__(self) -> None:
        self.is_known = True
        self._due = [1]
        """Children to come of each node on the path that is being read; first the root."""

    @property
    def is_complete(self) -> bool:
        """Whether the tree has ended."""
        return self.is_known and not self._due

    @property
    def depth(self) -> int:
        """Number of nodes above the next one."""
        return len(self._due) - 1

    @property
    def missing(self) -> int:
        """Subtrees that are still to come."""
        return sum(self._due)

    def add(self, arity: int | None) -> None:
        """A node was read."""
        if arity is None:
            self.is_known = False
        if not self.is_known:
            return
        self._due[-1] -= 1
        if arity:
            self._due.append(arity)
        while self._due and self._due[-1] == 0:
            self._due.pop()


def _too_large(source: Source, span: Span | None, message: str) -> LimitError:
    fix = "give a smaller tree"
    return LimitError.of("EFG007", message, fix=fix, source=source, span=span)
