"""Terms as they stand in messages: read with limits, written so that they read back equal, and
told under other names.

Rules are scrambled so that a player cannot know a game by its words. All names are replaced but
those that have a meaning: the keywords of GDL, the role of chance, and goal values, which must stay
numbers. Names that differ only by case do so afterwards too. Moves and percepts are translated both
ways. A second form writes everything in upper case, as some managers send it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fogspiel.core.findings import FogspielError, LimitError, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, KEYWORDS
from fogspiel.rules.sexpr import TOKEN, Group, Node, Word, exact_text, read_nodes, unescape

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


CONSONANTS, VOWELS = "bdfghklmnprstvwz", "aeiou"
FEWEST_SYLLABLES = 3
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


class Scrambling:
    """Some rules under other names, or under their own."""

    def __init__(
        self,
        seed: int | None,
        rules: str,
        *,
        upper: bool = False,
        limits: ReadLimits | None = None,
    ) -> None:
        """seed: of the new names; None keeps them. upper: write everything in upper case.

        rules: in prefix form. Raises `MessageError` GGP001 where their parentheses are wrong.
        """
        nodes = nodes_of(rules, limits or ReadLimits())
        words = (node for node in _all_nodes(nodes) if isinstance(node, Word))
        names = sorted({word.text for word in words if not word.is_variable})
        told = {name: name for name in names}
        if seed is not None:
            told = _renamed(names, _meaningful(nodes), seed)
        if upper:
            told = _raised(told)
        self.names: Mapping[str, str] = told
        """What each name of the rules is told as."""
        self._back = {new: old for old, new in told.items()}
        self._any_case = by_lower_case(self._back)
        self.rules = joined(self._tokens(rules, upper))
        """The text as it is told: one line, without comments."""

    def name(self, name: str) -> str:
        """A role or another name of the rules, as it is told."""
        return self.names.get(name, name)

    def term(self, term: GroundTerm) -> GroundTerm:
        """A move or a percept, as it is told."""
        if isinstance(term, str):
            return self.name(term)
        return tuple(self.term(part) for part in term)

    def back(self, term: GroundTerm) -> GroundTerm:
        """A move or a percept in the names of the rules, whatever case it is answered in.

        Raises `MessageError` GGP002 for a name that was not told.
        """
        if not isinstance(term, str):
            return tuple(self.back(part) for part in term)
        known = self._back.get(term)
        if known is None:
            known = self._any_case.get(term.lower())
        if known is None:
            raise MessageError.of(
                "GGP002",
                f"{shown(term)} is no name of the rules that were told",
                fix="answer with a term of the rules, such as noop or (mark 1 1)",
            )
        return known

    def _tokens(self, rules: str, upper: bool) -> Iterator[str]:
        variables = {t for t in TOKEN.findall(rules) if t.startswith("?")}
        # Two variables that differ by case alone must not become one.
        raises = upper and len({v.upper() for v in variables}) == len(variables)
        for token in TOKEN.findall(rules):
            if token in "()" or token.startswith(";"):
                yield token
            elif token.startswith("?"):
                yield token.upper() if raises else token
            else:
                quoted = token.startswith("|")
                yield write_term(self.names[unescape(token[1:-1]) if quoted else token])


def _meaningful(nodes: Iterable[Node]) -> set[str]:
    """Names that keep their spelling."""
    kept, numbers, keeps_numbers = {CHANCE_ROLE}, set[str](), False
    for node in _all_nodes(nodes):
        match node:
            case Word(text=name) if name.lower() in KEYWORDS or name.lower() == CHANCE_ROLE:
                kept.add(name)
            case Word(text=name) if WHOLE_NUMBER.fullmatch(name):
                numbers.add(name)
            case Group(items=(Word(text=keyword), _, Word() as value)) if keyword.lower() == "goal":
                # What a variable stands for may be any number of the rules.
                keeps_numbers |= value.is_variable
                kept.add(value.text)
    return kept | numbers if keeps_numbers else kept


def _renamed(names: Iterable[str], kept: set[str], seed: int) -> dict[str, str]:
    """A new word for every name; spellings of one word become spellings of another."""
    told = {name: name for name in names if name in kept}
    spellings: dict[str, list[str]] = {}
    for name in names:
        if name not in kept:
            spellings.setdefault(name.lower(), []).append(name)
    taken = {name.lower() for name in names} | KEYWORDS
    rng = np.random.default_rng(seed)
    for same in spellings.values():
        word = _new_word(taken, rng)
        taken.add(word)
        for number, name in enumerate(same):
            told[name] = _spelling(word, number)
    return told


def _new_word(taken: set[str], rng: np.random.Generator) -> str:
    syllables = FEWEST_SYLLABLES
    while True:
        letters = zip(
            rng.integers(len(CONSONANTS), size=syllables),
            rng.integers(len(VOWELS), size=syllables),
            strict=True,
        )
        word = "".join(CONSONANTS[c] + VOWELS[v] for c, v in letters)
        if word not in taken:
            return word
        syllables += 1


def _spelling(word: str, number: int) -> str:
    """The word with capitals where the number has ones; longer where it has too many."""
    digits = f"{number:b}"[::-1]
    word = word.ljust(len(digits), "x")
    raised = (c.upper() if digits[i : i + 1] == "1" else c for i, c in enumerate(word))
    return "".join(raised)


def _raised(told: Mapping[str, str]) -> dict[str, str]:
    """The same in upper case, but for words that would become equal."""
    raised = Counter(new.upper() for new in told.values())
    return {old: new.upper() if raised[new.upper()] == 1 else new for old, new in told.items()}


def _all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    """Words and groups, those inside groups too."""
    work = list(nodes)
    while work:
        node = work.pop()
        yield node
        if isinstance(node, Group):
            work.extend(node.items)
