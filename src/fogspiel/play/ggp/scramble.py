"""Rules told under other names, so that a player cannot know a game by its words.

All names are replaced but those that have a meaning: the keywords of GDL, the role of chance, and
goal values, which must stay numbers. Names that differ only by case do so afterwards too. Moves and
percepts are translated both ways. A second form writes everything in upper case, as some managers
send it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fogspiel.core.limits import ReadLimits
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.term_text import MessageError, joined, nodes_of, shown, write_term
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, KEYWORDS
from fogspiel.rules.sexpr import TOKEN, Group, Node, Word, unescape

CONSONANTS, VOWELS = "bdfghklmnprstvwz", "aeiou"
FEWEST_SYLLABLES = 3
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


class Scrambling:
    """One way of telling some rules."""

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
        names = sorted({word.text for word in _words(nodes) if not word.is_variable})
        if seed is None:
            told = {name: name for name in names}
        else:
            told = _renamed(names, _meaningful(nodes), seed)
        if upper:
            told = _raised(told)
        self.names: Mapping[str, str] = told
        """What each name of the rules is told as."""
        self._back = {new: old for old, new in told.items()}
        self._any_case = _by_lower_case(self._back)
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
    kept = {CHANCE_ROLE}
    numbers = set[str]()
    keeps_numbers = False
    for word in _words(nodes):
        if word.text.lower() in KEYWORDS or word.text.lower() == CHANCE_ROLE:
            kept.add(word.text)
        elif WHOLE_NUMBER.fullmatch(word.text):
            numbers.add(word.text)
    for group in _groups(nodes):
        if len(group.items) == 3 and isinstance(group.items[0], Word):
            value = group.items[2]
            if group.items[0].text.lower() == "goal" and isinstance(value, Word):
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
    upper: dict[str, list[str]] = {}
    for new in told.values():
        upper.setdefault(new.upper(), []).append(new)
    return {old: new.upper() if len(upper[new.upper()]) == 1 else new for old, new in told.items()}


def _by_lower_case(back: Mapping[str, str]) -> dict[str, str]:
    """Names by what was told in lower case, where only one was told so."""
    found: dict[str, list[str]] = {}
    for new, old in back.items():
        found.setdefault(new.lower(), []).append(old)
    return {new: old[0] for new, old in found.items() if len(old) == 1}


def _groups(nodes: Iterable[Node]) -> Iterator[Group]:
    work = list(nodes)
    while work:
        node = work.pop()
        if isinstance(node, Group):
            yield node
            work.extend(node.items)


def _words(nodes: Iterable[Node]) -> Iterator[Word]:
    work = list(nodes)
    while work:
        node = work.pop()
        if isinstance(node, Group):
            work.extend(node.items)
        else:
            yield node
