"""Numbers for terms, given in the order in which the terms are met."""

from __future__ import annotations

from collections.abc import Iterable

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MAX_TERM_DEPTH, GroundTerm, format_term, term_depth


class TermIds:
    """Terms of one sort and their numbers."""

    def __init__(self) -> None:
        self.terms: list[GroundTerm] = []
        self.texts: list[str] = []
        """Each term as written, to sort by."""
        self._numbers: dict[GroundTerm, int] = {}

    def __len__(self) -> int:
        return len(self.terms)

    def get(self, term: GroundTerm) -> int | None:
        """The number of a term, if it was met before."""
        return self._numbers.get(term)

    def numbers(self, terms: Iterable[GroundTerm]) -> list[int]:
        """The numbers of some terms, ascending. New ones are numbered in the order of their text.

        So numbers never depend on the order in which the reasoner finds its answers.
        """
        numbers = []
        fresh = []
        for term in terms:
            number = self._numbers.get(term)
            if number is None:
                fresh.append((_text(term), term))
            else:
                numbers.append(number)
        numbers.sort()
        if fresh:
            fresh.sort(key=lambda pair: pair[0])
            for text, term in fresh:
                if term not in self._numbers:
                    numbers.append(len(self.terms))
                    self._numbers[term] = len(self.terms)
                    self.terms.append(term)
                    self.texts.append(text)
        return numbers


def _text(term: GroundTerm) -> str:
    """The term as written. A game may nest its terms deeper with every step: that has an end."""
    if term_depth(term) > MAX_TERM_DEPTH:
        raise LimitError.of(
            "MCH007",
            f"the rules build terms more than {MAX_TERM_DEPTH} deep",
            fix="bound what the rules nest",
        )
    return format_term(term)
