"""Faults of a game class that show in play: it is played at random, and asked everything twice.

The same state must get the same answers, however it was reached, and stay what it was. A game must
end, and somebody must have a move until then.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from random import Random
from typing import Any

from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, FogspielError, PlayError, Severity
from fogspiel.core.terms import RoleId, format_term
from fogspiel.machine.python.answers import shown
from fogspiel.machine.python.class_rules import OVERDUE, ClassRules, Turn, copied, place_of

IMPURE, ENDLESS, STUCK, NEARLY_NAMED = "GAM012", "DYN001", "DYN002", "GAM017"
MAX_STEPS = 10_000  #: Steps after which a playout is given up, as audits of rules do
MAX_SECONDS = 10.0  #: Time for all playouts
MOST_REMEMBERED = 20_000  #: States whose answers are kept, to compare them when they come again
MOST_FAULTS = 20  #: Faulty playouts after which it is clear that the class needs work
OPTIONAL = ("chance", "percepts", "terminal", "fluents")
"""Methods that a class may leave out."""
CLOSE = 0.75  #: Similarity of names that suggests a slip


class _ImpureError(Exception):
    """A method that gave different answers."""

    def __init__(self, method: str, first: object, second: object) -> None:
        super().__init__(method)
        self.method, self.first, self.second = method, first, second


def play_faults(rules: ClassRules, *, playouts: int, seed: int) -> list[Finding]:
    """The faults that show in some random playouts, each once; none says that it found none."""
    found: dict[tuple[str, str, int], Finding] = {}
    for warning in _nearly_named(rules):
        found[warning.code, warning.message, 0] = warning
    budget = Budget.of(seconds=MAX_SECONDS)
    tester, faults = _Tester(rules, Random(seed)), 0
    for _ in range(playouts):
        if budget.is_over or faults == MOST_FAULTS:
            break
        finding = tester.play(budget)
        if finding is not None:
            faults += 1
            place = finding.span.start if finding.span is not None else -1
            found.setdefault((finding.code, "", place), finding)
            if finding.code in {ENDLESS, OVERDUE}:
                break  # what takes long would do so again and again
    return list(found.values())


def _nearly_named(rules: ClassRules) -> Iterator[Finding]:
    """A warning for each method whose name is nearly that of one which may be left out."""
    own = type(rules.game)
    names = {name for base in own.__mro__[:-1] for name in vars(base) if callable(vars(base)[name])}
    known = set(dir(type(rules.game).__mro__[-1])) | set(OPTIONAL)
    for method in OPTIONAL:
        if rules.asks[method]:
            continue
        for name in get_close_matches(method, sorted(names - known), n=1, cutoff=CLOSE):
            source, span = place_of(own, name)
            yield Finding(
                NEARLY_NAMED,
                f"{rules.name} has a method `{name}` and no method `{method}`",
                fix=f"rename it, if `{method}` is meant: nobody asks for `{name}`",
                severity=Severity.WARNING,
                source=source,
                span=span,
            )


class _Tester:
    """Plays a game, and asks everything twice."""

    def __init__(self, rules: ClassRules, random: Random) -> None:
        self.rules, self._random = rules, random
        self._known: dict[Hashable, dict[Any, object]] = {}
        """What was answered about each state, by the question."""

    def play(self, budget: Budget) -> Finding | None:
        """Play once, to the first fault or to the end."""
        rules = self.rules
        try:
            first, value = rules.initial(), rules.initial()
            rules.key_of("initial", value)
            if rules.guarded("initial", lambda: first != value):
                raise _ImpureError("initial", first, value)
            for _ in range(MAX_STEPS):
                after = self._step(value)
                if after is None or budget.is_over:
                    return None
                value = after[0]
        except _ImpureError as error:
            return self._impure(error)
        except FogspielError as error:
            return error.findings[0]
        return self._finding(
            ENDLESS,
            "next",
            f"a random match of {rules.name} did not end within {MAX_STEPS:,} steps",
            "count the steps in the state, and let the game end after so many",
            Severity.WARNING,
        )

    def _step(self, value: Hashable) -> tuple[Hashable] | None:
        """The state after a random joint move; None if the game is over."""
        rules = self.rules
        key, before = rules.key_of("next", value), copied(value)
        if rules.asks["fluents"]:
            facts = partial(_facts, rules, value)
            self._same("fluents", value, facts)
            rules.refuse_change("fluents", value, key, before)
        over = self._same("terminal", value, lambda: rules.terminal(value))
        if over:
            self._same("payoffs", value, lambda: rules.goals(value))
            rules.refuse_change("payoffs", value, key, before)
            return None
        turn = rules.moves(value)
        if turn.is_stuck:
            source, span = place_of(type(rules.game), "legal")
            raise PlayError.of(
                STUCK,
                f"nobody has a move, and the game is not over: {shown(value)}",
                fix="give somebody a move, or let `terminal` say that the game is over",
                source=source,
                span=span,
            )
        self._compare(value, turn, rules.moves(value))
        rules.refuse_change("legal", value, key, before)
        joint = {
            role: own[self._random.randrange(len(own))]
            for role, own in zip(rules.roles, turn.moves, strict=True)
        }
        return (self._made(value, joint, key, before),)

    def _made(
        self, value: Hashable, joint: Mapping[str, Any], key: int, before: Hashable
    ) -> Hashable:
        """The state after a joint move, with what everybody sees of it."""
        rules = self.rules
        asked = tuple(rules.terms.text(move) for move in joint.values())

        def seen(role: RoleId) -> list[str]:
            return sorted(map(format_term, rules.percepts(value, dict(joint), role)))

        for role in map(RoleId, range(len(rules.roles))):
            self._same("percepts", value, partial(seen, role), (role, *asked))
        rules.refuse_change("percepts", value, key, before)
        after = rules.next(value, dict(joint))
        rules.refuse_change("next", value, key, before)
        self._same("next", value, lambda: rules.next(value, dict(joint)), asked, after)
        rules.key_of("next", after)
        return after

    def _compare(self, value: Hashable, first: Turn, second: Turn) -> None:
        """Compare what can be done in a state, by the texts of moves."""
        rules = self.rules
        for number, role in enumerate(rules.roles):
            is_chance = role == rules.chance_role
            told = []
            for turn in (first, second):
                terms = rules.distinct_terms(RoleId(number), turn.moves[number])
                told.append(_told(list(map(format_term, terms)), turn.shares if is_chance else ()))
            # Both were asked for already: the second is given as the answer to the same question.
            self._same("chance" if is_chance else "legal", value, told[1:].pop, role, told[0])

    def _same(
        self, method: str, value: Hashable, ask: Any, asked: object = None, first: object = None
    ) -> Any:
        """An answer that is the same when it is asked for again, now and before."""
        answer = ask() if first is None else first
        again = ask()
        if self.rules.guarded(method, lambda: answer != again):
            raise _ImpureError(method, answer, again)
        known = self._known.get(value)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                return answer
            known = self._known[value] = {}
        before = known.setdefault((method, asked), answer)
        if self.rules.guarded(method, lambda: before != answer):
            raise _ImpureError(method, before, answer)
        return answer

    def _impure(self, error: _ImpureError) -> Finding:
        return self._finding(
            IMPURE,
            error.method,
            f"{self.rules.name}.{error.method} was asked twice about the same state, and answered "
            f"{shown(error.first)}, then {shown(error.second)}",
            "let answers depend on the state alone; random moves are for `chance` to list",
        )

    def _finding(
        self, code: str, method: str, text: str, fix: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        source, span = place_of(type(self.rules.game), method)
        return replace(Finding(code, text, fix, severity=severity), source=source, span=span)


def _facts(rules: ClassRules, value: Hashable) -> list[str]:
    """The facts that a class tells about a state, in one order."""
    return sorted(map(format_term, rules.fluents(value)))


def _told(texts: list[str], shares: tuple[float, ...]) -> object:
    """Moves in order, those of chance with their probabilities."""
    return dict(zip(texts, shares, strict=True)) if shares else sorted(texts)
