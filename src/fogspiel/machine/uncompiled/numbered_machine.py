"""Base of machines that number fluents, moves and percepts in the order in which they are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.terms import (
    MAX_TERM_DEPTH,
    GroundTerm,
    MoveId,
    PerceptId,
    RoleId,
    format_term,
    term_depth,
)
from fogspiel.machine.protocol import Engine, State
from fogspiel.machine.uncompiled.batches import Batches


class TermIds:
    """Numbers of the terms of one sort."""

    def __init__(self) -> None:
        self.terms: list[GroundTerm] = []
        self.texts: list[str] = []
        """The text of each term, by which terms are sorted."""
        self._numbers: dict[GroundTerm, int] = {}

    def __len__(self) -> int:
        return len(self.terms)

    def get(self, term: GroundTerm) -> int | None:
        """The number of a term, if it was met before."""
        return self._numbers.get(term)

    def numbers(self, terms: Iterable[GroundTerm]) -> list[int]:
        """The numbers of some terms, ascending. New ones are numbered in the order of their text.

        Numbers therefore do not depend on the order in which the reasoner finds its answers.
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
    """The text of a term. Raises an error for terms that are nested too deep."""
    if term_depth(term) > MAX_TERM_DEPTH:
        raise LimitError.of(
            "MCH007",
            f"the rules build terms more than {MAX_TERM_DEPTH} deep",
            fix="bound what the rules nest",
        )
    return format_term(term)


WORD_BITS = 64


class NumberedMachine(Batches):
    """Roles, and numbers of fluents and of the moves and percepts of each role."""

    def __init__(self, roles: Sequence[str], chance: str | None, goal_scale: int) -> None:
        """chance: the role that is chance. goal_scale: factor by which goals are multiplied."""
        self._roles, self._goal_scale = tuple(roles), goal_scale
        self._chance_role = None if chance is None else RoleId(self._roles.index(chance))
        self._fluents = TermIds()
        self._moves = [TermIds() for _ in roles]
        self._percepts = [TermIds() for _ in roles]

    @property
    def engine(self) -> Engine:
        """The implementation of the game."""
        return "reference"

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, chance included, in the order of the rules."""
        return self._roles

    @property
    def chance_role(self) -> RoleId | None:
        """The role whose moves are drawn by chance."""
        return self._chance_role

    @property
    def goal_scale(self) -> int:
        """The common denominator of payoffs: goals are payoffs multiplied by it."""
        return self._goal_scale

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold, values of functions among them, in the order of their ids."""
        bits = int.from_bytes(self.key(state), "little")
        return tuple(self._fluents.terms[number] for number in bit_numbers(bits))

    def key(self, state: State) -> bytes:
        """The words without trailing zeros, as rows of different length may be the same state."""
        return np.ascontiguousarray(state, dtype="<u8").tobytes().rstrip(b"\0")

    def move_count(self, role: RoleId) -> int:
        """Number of a role's moves met so far."""
        return len(self._moves[role])

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as the rules write it."""
        return self._moves[role].terms[self._checked(role, move)]

    def move_text(self, role: RoleId, move: MoveId) -> str:
        """A move as text, which is the same for every machine, whatever its numbers are."""
        return self._moves[role].texts[move]

    def percept_count(self, role: RoleId) -> int:
        """Number of a role's percepts met so far."""
        return len(self._percepts[role])

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as the rules write it."""
        return self._percepts[role].terms[percept]

    def percept_id(self, role: RoleId, percept: GroundTerm) -> PerceptId:
        """The id of a percept, which need not have been met yet."""
        return PerceptId(self._percepts[role].numbers([percept])[0])

    def _packed(self, bits: int) -> State:
        """A row of words, long enough for all fluents met so far."""
        words = max(1, -(-len(self._fluents) // WORD_BITS))
        row = np.frombuffer(bits.to_bytes(words * 8, "little"), dtype="<u8")
        return row.astype(np.uint64)

    def _checked(self, role: RoleId, move: MoveId) -> MoveId:
        if not 0 <= move < len(self._moves[role]):
            raise PlayError.of(
                "MCH002",
                f"{self.roles[role]} has no move number {move}",
                fix=f"moves met so far are 0 to {len(self._moves[role]) - 1}",
            )
        return move

    def _check_legal(self, state: State, joint: Sequence[MoveId]) -> None:
        if len(joint) != len(self.roles):
            raise ValueError(f"a joint move has {len(self.roles)} moves; got {len(joint)}")
        for index, name in enumerate(self.roles):
            role = RoleId(index)
            if joint[index] not in self.legal(state, role):
                text = format_term(self.move_term(role, joint[index]))
                raise PlayError.of(
                    "MCH001",
                    f"{text} is not a legal move of {name} here",
                    fix="choose one of the moves that `legal` gives",
                )


def bit_numbers(bits: int) -> list[int]:
    """The numbers of the bits that are set, ascending, such as those of the fluents that hold."""
    numbers = []
    while bits:
        lowest = bits & -bits
        numbers.append(lowest.bit_length() - 1)
        bits ^= lowest
    return numbers


def unknown_term(code: str, sort: str, term: GroundTerm) -> PlayError:
    """Error for a term that does not occur in the rules."""
    return PlayError.of(
        code,
        f"{format_term(term)} is no {sort} that was met so far",
        fix="use terms as the machine gives them",
    )
