"""The rules of a game as its class answers them: asked under guard, checked, and translated.

Whatever the class does, the caller gets a good answer or an error that names the method and shows
its line: an exception, a call that takes too long, an answer that means nothing, and a state that
cannot be told from others or was changed after it was returned.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from fogspiel.core.code_faults import FOGSPIEL, fault_of
from fogspiel.core.findings import FogspielError, LimitError, PlayError
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm, RoleId, format_term
from fogspiel.machine.python.answers import (
    BadAnswerError,
    ChanceMoves,
    Lotteries,
    TermsOfValues,
    fluent_terms_of,
    goals_of,
    listed,
    shown,
)
from fogspiel.machine.python.protocol import PythonRules
from fogspiel.machine.python.watch import CallWatch, OverdueError


class Turn(NamedTuple):
    """What can be done in a state."""

    moves: tuple[Sequence[Any], ...]
    """(roles,) moves as the class wrote them; none for anybody where nobody has one."""
    shares: tuple[float, ...]
    """Probabilities of the moves of chance; none if there is no chance."""

    @property
    def is_stuck(self) -> bool:
        """Whether nobody has a move."""
        return not self.moves[0]


RAISED, NONSENSE, UNKEPT, CHANGED = "GAM008", "GAM009", "GAM010", "GAM011"
WEIGHT, PAYOFF, OVERDUE = "GAM013", "GAM014", "GAM016"
NO_CHANCE = ChanceMoves((), ())
CHECKED_STEPS = 256
FIXES = {
    UNKEPT: "use values that are compared by what they hold: tuples, frozensets, or a class with "
    "@dataclass(frozen=True)",
    CHANGED: "make a new state instead, such as by dataclasses.replace",
}


class ClassRules:
    """The methods of a game class, asked under guard."""

    def __init__(self, game: PythonRules, *, asks: Mapping[str, bool]) -> None:
        """asks: whether the class itself has a method that may be left out, by its name."""
        self.game, self.asks = game, asks
        self.name = type(game).__name__
        self.terms = TermsOfValues()
        self._lotteries = Lotteries()
        self.watch = CallWatch(game.max_seconds)
        self.hides = asks["percepts"]
        """Whether the class says what players see. Otherwise they see all moves."""
        self.asks_end = asks["terminal"]
        """Whether the class says where the game ends; otherwise it does where nobody has a move."""
        self._asks_fluents = asks["fluents"]
        self.players = tuple(role for role in map(str, game.roles) if role != game.chance_role)
        has_chance = asks["chance"] or game.chance_role in game.roles
        self.chance_role = game.chance_role if has_chance else None
        in_order = tuple(map(str, game.roles))
        is_added = has_chance and game.chance_role not in in_order
        self.roles = (game.chance_role, *in_order) if is_added else in_order
        self.noop = game.noop
        self.steps_to_check = CHECKED_STEPS
        """Steps of playouts in which it will be looked whether states are changed."""

    def initial(self) -> Hashable:
        """The state in which play begins."""
        return self.checked_state("initial", self.ask("initial"))

    def turn(self, state: Hashable) -> Turn | None:
        """What can be done in a state; None where the game is over."""
        if self.asks_end and self.terminal(state):
            return None
        turn = self.moves(state)
        return None if turn.is_stuck and not self.asks_end else turn

    def moves(self, state: Hashable) -> Turn:
        """The moves of every role; who has nothing to decide makes the idle move."""
        lottery = NO_CHANCE if self.chance_role is None else self.chance(state)
        moves = [
            lottery.moves
            if role == self.chance_role
            else self._listed("legal", self.ask("legal", state, role), "moves")
            for role in self.roles
        ]
        if not any(moves):
            return Turn(((),) * len(moves), ())
        shares = lottery.shares or (() if self.chance_role is None else (1.0,))
        return Turn(tuple(own or (self.noop,) for own in moves), shares)

    def chance(self, state: Hashable) -> ChanceMoves:
        """The moves of chance with their probabilities; none where it has nothing to decide."""
        answer = self.ask("chance", state)
        try:
            return self._lotteries.of(() if answer is None else answer)
        except BadAnswerError as error:
            self.refuse("chance", error, WEIGHT)

    def terminal(self, state: Hashable) -> bool:
        """Whether the game is over: by default, where nobody has a move."""
        if not self.asks_end:
            return self.moves(state).is_stuck
        # Whatever is true will do, so that `return state.winner` says what it says.
        over: bool = self.guarded("terminal", lambda: bool(self.game.terminal(state)))
        return over

    def next(self, state: Hashable, joint: Mapping[str, Any]) -> Hashable:
        """The state after a joint move."""
        return self.checked_state("next", self.ask("next", state, joint))

    def percepts(self, state: Hashable, joint: Mapping[str, Any], role: RoleId) -> list[GroundTerm]:
        """What a role sees of a joint move; chance sees nothing."""
        if not self.hides:
            return [("does", by, self.terms.term(move)) for by, move in joint.items()]
        name = self.roles[role]
        if name == self.chance_role:
            return []
        seen = self._listed("percepts", self.ask("percepts", state, joint, name), "percepts")
        return self.terms_of("percepts", seen)

    def goals(self, state: Hashable) -> tuple[int, ...]:
        """The payoff of every role, times the denominator; chance gets nothing."""
        answer = self.ask("payoffs", state)
        try:
            goals = goals_of(answer, self.players, self.game.denominator)
        except BadAnswerError as error:
            self.refuse("payoffs", error, PAYOFF)
        own = dict(zip(self.players, goals, strict=True))
        return tuple(own.get(role, 0) for role in self.roles)

    def fluents(self, state: Hashable) -> list[GroundTerm]:
        """Facts about a state, for people."""
        if not self._asks_fluents:
            return fluent_terms_of(state)
        return self.terms_of(
            "fluents", self._listed("fluents", self.ask("fluents", state), "facts")
        )

    def distinct_terms(self, role: RoleId, moves: Sequence[object]) -> list[GroundTerm]:
        """The terms of a role's moves. Raises `PlayError` GAM009 for two that are written alike."""
        method = "chance" if self.roles[role] == self.chance_role else "legal"
        terms = self.terms_of(method, moves)
        if len(set(terms)) < len(terms):
            twice = next(term for term in terms if terms.count(term) > 1)
            message = f"it gives the move {format_term(twice)} twice"
            fix = "give each move once, under a name of its own"
            self.refuse(method, BadAnswerError(message, fix))
        return terms

    def terms_of(self, method: str, values: Sequence[object]) -> list[GroundTerm]:
        """The terms of some moves, percepts or facts."""
        try:
            return [self.terms.term(value) for value in values]
        except BadAnswerError as error:
            self.refuse(method, error)

    def key_of(self, method: str, state: Hashable) -> int:
        """The hash of a state. Raises `PlayError` GAM010 for one without."""
        try:
            return hash(state)
        except Exception as error:
            why = str(error) if isinstance(error, TypeError) else fault_of(error).text
            self._refuse_state(method, f"a state without a hash ({why}): {shown(state)}", UNKEPT)

    def refuse_change(
        self, method: str, state: Hashable, key: int, before: Hashable = None
    ) -> None:
        """Raise `PlayError` GAM011 if a state is not any more what it was.

        key: its hash. before: a copy, if there is one, for states whose hash leaves something out.
        """
        is_changed = self.key_of(method, state) != key
        if not is_changed and before is not None:
            is_changed = self.guarded(method, lambda: state != before)
        if is_changed:
            self._refuse_state(method, f"the state that it was given: {shown(state)}", CHANGED)

    def ask(self, method: str, *given: Any) -> Any:
        """The answer of a method. Raises `PlayError` GAM008 and `LimitError` GAM016."""
        return self.guarded(method, getattr(self.game, method), *given)

    def guarded(self, method: str, work: Callable[..., Any], *given: Any) -> Any:
        """What some work with methods of the class gives; faults are those of the method."""
        watch = self.watch
        try:
            watch.start()
            try:
                return work(*given)
            finally:
                watch.stop()
        except OverdueError as error:
            self.overdue(method, error)
        except FogspielError:
            raise
        except (Exception, SystemExit) as error:
            self.fail(method, error)

    def refuse(self, method: str, error: BadAnswerError, code: str = NONSENSE) -> NoReturn:
        """Raise the error about an answer that means nothing."""
        source, span = place_of(type(self.game), method)
        raise PlayError.of(
            code,
            f"in {self.name}.{method}: {error.message}",
            fix=error.fix,
            source=source,
            span=span,
        ) from None

    def _listed(self, method: str, answer: object, what: str) -> Sequence[Any]:
        if isinstance(answer, tuple | list):
            return answer
        # A generator runs only now, and may fail like any method.
        found: Sequence[Any] = self.guarded(method, listed, answer, what)
        return found

    def checked_state(self, method: str, state: Hashable) -> Hashable:
        """A state that can be told from others. Raises `PlayError` GAM010 for one that cannot."""
        is_single = state is None or isinstance(state, Enum | type)
        if type(state).__eq__ is object.__eq__ and not is_single:
            what = f"a state that equals nothing but itself, of type {type(state).__name__}"
            self._refuse_state(method, what, UNKEPT)
        return state

    def _refuse_state(self, method: str, what: str, code: str) -> NoReturn:
        """Raise the error about a state that a method returned or changed."""
        source, span = place_of(type(self.game), method)
        verb = "returned" if code == UNKEPT else "changed"
        raise PlayError.of(
            code,
            f"{self.name}.{method} {verb} {what}",
            fix=FIXES[code],
            source=source,
            span=span,
        ) from None

    def fail(self, method: str, error: Exception | SystemExit) -> NoReturn:
        """Raise the error about an exception of a method."""
        if isinstance(error, BadAnswerError):
            self.refuse(method, error)
        fault = fault_of(error)
        source, span = fault.source, fault.span
        if source is None:
            source, span = place_of(type(self.game), method)
        raise PlayError.of(
            RAISED,
            f"{self.name}.{method} failed: {fault.text}",
            fix="correct the method",
            source=source,
            span=span,
        ) from error

    def overdue(self, method: str, error: OverdueError) -> NoReturn:
        """Raise the error about a call that took too long."""
        fault = fault_of(error)
        source, span = fault.source, fault.span
        if source is None:
            source, span = place_of(type(self.game), method)
        raise LimitError.of(
            OVERDUE,
            f"{self.name}.{method} took more than {self.watch.seconds:g} seconds",
            fix="look for a loop that does not end, or raise `max_seconds` in the class",
            source=source,
            span=span,
        ) from None


def copied(state: Hashable) -> Hashable:
    """A copy of a state that nobody else can change; None where there is no equal copy."""
    try:
        copy = deepcopy(state)
        return copy if copy == state else None
    except Exception:
        return None


def place_of(owner: type, method: str) -> tuple[Source | None, Span | None]:
    """The file of a class, and the line where it defines a method; else that where it begins."""
    code = getattr(inspect.unwrap(getattr(owner, method, owner)), "__code__", None)
    is_own = code is not None and not code.co_filename.startswith(FOGSPIEL)
    try:
        path = Path(code.co_filename if code is not None and is_own else inspect.getfile(owner))
        text = path.read_text("utf-8")
    except (OSError, TypeError, UnicodeDecodeError):
        return None, None
    rows = text.splitlines(keepends=True)
    opening = "def " if is_own else f"class {owner.__name__}"
    # Decorators stand before the line that is wanted.
    first = code.co_firstlineno - 1 if code is not None and is_own else 0
    at = next((n for n in range(first, len(rows)) if rows[n].lstrip().startswith(opening)), None)
    if at is None:
        return None, None
    before, line = sum(map(len, rows[:at])), rows[at]
    here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    span = Span(before + len(line) - len(line.lstrip()), before + len(line.rstrip()))
    return Source(str(here), text), span
