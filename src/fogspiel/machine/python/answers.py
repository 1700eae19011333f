"""Answers of a game class, checked and translated: moves and percepts, weights and payoffs.

A move or a percept is a text or a tuple of such, written as a term: `("deal", "queen")` and
`"(deal queen)"` are both `(deal queen)`; whole numbers stand for their digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import isfinite
from numbers import Rational, Real
from typing import Any, NamedTuple

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.rules.sexpr import PLAIN_NAME, read_term

MOST_ANSWERS = 100_000  #: Moves or percepts in one answer: an endless generator has more
MOST_SHOWN = 60  #: Characters of a wrong answer that an error shows
MAX_GOAL = 2**53  #: Goals are added up in 64 bits, and their means are floats
ROUNDING = 1e-6  #: A float that stands for a whole number is at most so far from it
HOW_TO_WRITE = "write a word without spaces, a whole number, or a tuple such as ('deal', 'queen')"


class BadAnswerError(Exception):
    """An answer that means nothing: what is wrong, and the fix. The caller knows the method."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix


class ChanceMoves(NamedTuple):
    """Moves of chance as the class wrote them, and their probabilities."""

    moves: Sequence[Any]
    shares: tuple[float, ...]


class TermsOfValues:
    """Terms of what a class calls its moves and percepts, each translated once."""

    def __init__(self) -> None:
        self._terms: dict[Any, GroundTerm] = {}

    def term(self, value: object) -> GroundTerm:
        """The term of a move or percept. Raises `BadAnswerError` for anything else."""
        try:
            known = self._terms.get(value)
        except TypeError:
            known = None
        if known is None:
            known = _term(value)
            if len(self._terms) < MOST_ANSWERS:
                self._terms[value] = known
        return known

    def text(self, value: object) -> str:
        """The text of a move or percept."""
        return format_term(self.term(value))


def _term(value: object) -> GroundTerm:
    if isinstance(value, str):
        # A text that knows more than its letters, such as a member of an enumeration.
        text = str.__str__(value)
        found = read_term(text) if text.startswith("(") else text
        if found is not None and _is_plain(found):
            return found
    elif isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    elif isinstance(value, tuple) and value and isinstance(value[0], str):
        return tuple(map(_term, value))
    raise BadAnswerError(f"{shown(value)} is no move or percept", HOW_TO_WRITE)


def _is_plain(term: GroundTerm) -> bool:
    """Whether a term reads back as it is written."""
    if isinstance(term, str):
        return PLAIN_NAME.fullmatch(term) is not None
    return bool(term) and isinstance(term[0], str) and all(map(_is_plain, term))


def listed(answer: object, what: str) -> Sequence[Any]:
    """What an answer lists; sets have no order of their own and are sorted by text.

    what: the noun for its items. Raises `BadAnswerError` for what is no list.
    """
    if answer is None:
        return ()
    if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
        raise BadAnswerError(
            f"it gives {shown(answer)}, no list of {what}", f"give {what} in a list"
        )
    if isinstance(answer, tuple | list):
        return answer
    if isinstance(answer, Set):
        return tuple(sorted(answer, key=repr))
    found = tuple(islice(answer, MOST_ANSWERS + 1))
    if len(found) > MOST_ANSWERS:
        raise BadAnswerError(
            f"it gives more than {MOST_ANSWERS:,} {what}", "give only what there is"
        )
    return found


class Lotteries:
    """Moves of chance with their probabilities; the same weights are looked at once."""

    def __init__(self) -> None:
        self._shares: dict[tuple[Any, ...], tuple[float, ...]] = {}

    def of(self, answer: object) -> ChanceMoves:
        """The lottery of an answer: weights by move, or a list of moves.

        Raises `BadAnswerError` for weights that are no positive numbers.
        """
        if not isinstance(answer, Mapping):
            moves = listed(answer, "moves")
            return ChanceMoves(moves, (1.0 / len(moves),) * len(moves) if moves else ())
        moves, weights = tuple(answer), tuple(answer.values())
        try:
            shares = self._shares.get(weights)
        except TypeError:  # a weight that is no number
            shares = None
        if shares is None:
            shares = _shares(moves, weights)
            if len(self._shares) < MOST_ANSWERS:
                self._shares[weights] = shares
        return ChanceMoves(moves, shares)


def _shares(moves: Sequence[Any], weights: Sequence[Any]) -> tuple[float, ...]:
    numbers: list[Fraction | float] = []
    for move, weight in zip(moves, weights, strict=True):
        number = _number(weight)
        if number is None or number <= 0:
            raise BadAnswerError(
                f"the weight of {shown(move)} is {shown(weight)}",
                "give a number above 0 for each move, and leave out what cannot happen",
            )
        numbers.append(number)
    shares = _parts(numbers)
    if not all(shares):  # sums and quotients of floats can leave their range
        shares = _parts([Fraction(number) for number in numbers])
    if not all(shares):
        move, weight = moves[shares.index(0.0)], weights[shares.index(0.0)]
        raise BadAnswerError(
            f"the weight of {shown(move)} is {shown(weight)}, too little beside the others to be "
            "told from 0",
            "leave out what cannot happen, or give it more",
        )
    return shares


def _parts(numbers: Sequence[Fraction | float]) -> tuple[float, ...]:
    """Each number as a part of their sum; 0 where that is beyond what floats can hold."""
    try:
        total = sum(numbers)
        return tuple(float(number / total) for number in numbers)
    except OverflowError:
        return (0.0,) * len(numbers)


def goals_of(answer: object, players: Sequence[str], denominator: int) -> tuple[int, ...]:
    """The payoff of each player, times the denominator.

    answer: payoffs by player, or in the order of the players.
    Raises `BadAnswerError` where one is missing, is no number, or is not whole.
    """
    names = ", ".join(players)
    if isinstance(answer, Mapping):
        if set(answer) != set(players):
            given = ", ".join(map(str, answer)) or "nobody"
            raise BadAnswerError(
                f"it pays {given}; the players are {names}", f"pay each of {names}"
            )
        payoffs = [answer[player] for player in players]
    else:
        payoffs = list(listed(answer, "payoffs"))
        if len(payoffs) != len(players):
            raise BadAnswerError(
                f"it gives {len(payoffs)} payoffs for {len(players)} players",
                f"give a mapping, or one number for each of {names}, in this order",
            )
    return tuple(map(_goal, players, payoffs, [denominator] * len(players)))


def _goal(player: str, payoff: object, denominator: int) -> int:
    if type(payoff) is int and abs(payoff) < MAX_GOAL // denominator:
        return payoff * denominator
    number = _number(payoff)
    if number is None:
        raise BadAnswerError(f"the payoff of {player} is {shown(payoff)}", "pay a finite number")
    scaled = number * denominator
    goal = round(scaled)
    if abs(goal - scaled) > (0 if isinstance(number, Fraction) else ROUNDING):
        needed = Fraction(number).limit_denominator(10_000).denominator
        raise BadAnswerError(
            f"the payoff of {player} is {shown(payoff)}, which is no whole multiple of "
            f"1 / {denominator}",
            f"write `denominator = {needed}` in the class, or a common denominator of all payoffs",
        )
    if abs(goal) >= MAX_GOAL:
        raise BadAnswerError(
            f"the payoff of {player} is {shown(payoff)}, which is too large",
            "pay less, or in a larger unit",
        )
    return goal


def fluent_terms_of(state: object) -> list[GroundTerm]:
    """Facts about a state, from the fields of a record: `(field value)` for each.

    A set gives a fact for each of its members, a list one with all of them. A state without fields
    is a single fact.
    """
    names = getattr(state, "__dataclass_fields__", None) or getattr(state, "_fields", None)
    if names is None or isinstance(state, type):
        return [("state", *_words(state))]
    terms: list[GroundTerm] = []
    for name in names:
        value = getattr(state, name)
        if isinstance(value, Set):
            terms.extend((name, *_words(member)) for member in sorted(value, key=repr))
        else:
            terms.append((name, *_words(value)))
    return terms


def _words(value: object) -> tuple[GroundTerm, ...]:
    """A value as arguments of a fact."""
    return tuple(map(_one, value)) if isinstance(value, tuple) else (_one(value),)


def _one(value: object) -> GroundTerm:
    if isinstance(value, tuple | Set):
        parts = sorted(value, key=repr) if isinstance(value, Set) else value
        return ("of", *map(_one, parts)) if parts else "none"
    text = str(value) if isinstance(value, str) else "none" if value is None else str(value)
    return text if PLAIN_NAME.fullmatch(text) else "".join(map(_letter, text)) or "empty"


def _letter(letter: str) -> str:
    return letter if PLAIN_NAME.fullmatch(letter) else "_"


def shown(value: object) -> str:
    """A wrong answer as an error shows it; what cannot even be shown is told by its type."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _number(value: object) -> Fraction | float | None:
    """A finite number, exactly where it is a fraction; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational) or (isinstance(value, Decimal) and value.is_finite()):
        return Fraction(value)
    return float(value) if isinstance(value, Real) and isfinite(value) else None
