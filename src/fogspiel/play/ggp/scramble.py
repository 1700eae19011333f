"""Rules told under other names, so that a player cannot know a game by its words.

All names are replaced but those that have a meaning: the keywords of GDL, the role of chance, and
goal values, which must stay numbers. Names that differ only by case do so afterwards too. Moves and
percepts are translated both ways. A second form writes everything in upper case, as some managers
send it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fogspiel.core.limits import ReadLimits
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.term_text import (
    MessageError,
    by_lower_case,
    joined,
    nodes_of,
    shown,
    write_term,
)
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, KEYWORDS
from fogspiel.rules.sexpr import TOKEN, Group, Node, Word, unescape

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
