"""Views of states for the evaluation of conditions: tables of facts, and values of functions.

The view of the next state shares all tables that the step did not change, with their indexes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol, TypeAlias

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.machine.interpreter.variables import Arguments, picker

ZERO = Fraction(0)
DELTA = "new "
"""Prefix of a predicate's name for its facts found in the last round; names have no blanks."""
TICKS = 20_000  #: Number of inferences between two checks of the clock

FunctionKey: TypeAlias = tuple[str, Arguments]
GroundAtom: TypeAlias = tuple[str, Arguments]


class QueryClock:
    """Counts the work of one query, and checks its budget from time to time."""

    def __init__(self, seconds_per_query: float) -> None:
        self._seconds = seconds_per_query
        self.start()

    def start(self) -> None:
        """Start the clock of a query."""
        self._budget = Budget.of(seconds=self._seconds)
        self._left = TICKS

    def spend(self, inferences: int) -> None:
        """Count some work. Raises `LimitError` when the time of the query is over."""
        self._left -= inferences + 1
        if self._left < 0:
            self._left = TICKS
            if self._budget.is_over:
                raise LimitError.of(
                    "MCH006",
                    f"a question to the rules took more than {self._seconds:g} seconds",
                    fix="simplify the conditions, or allow more time",
                )


class FactTable:
    """The facts of one predicate, indexed by the arguments that queries give."""

    __slots__ = ("_indexes", "rows")

    def __init__(self, rows: Iterable[Arguments] = ()) -> None:
        # A dictionary instead of a set, since its order does not depend on hashes of strings.
        self.rows: dict[Arguments, None] = dict.fromkeys(rows)
        self._indexes: dict[tuple[int, ...], dict[Arguments, list[Arguments]]] = {}

    def matching(self, places: tuple[int, ...], key: Arguments) -> list[Arguments]:
        """The rows with the values of the key in some places."""
        index = self._indexes.get(places)
        if index is None:
            index = self._indexes[places] = {}
            _enter(index, places, self.rows)
        return index.get(key, _NOTHING)

    def grow(self, rows: Mapping[Arguments, None]) -> None:
        """Add new rows to a derived predicate on the way to its fixpoint."""
        self.rows.update(rows)
        for places, index in self._indexes.items():
            _enter(index, places, rows)


_NOTHING: list[Arguments] = []


def _enter(
    index: dict[Arguments, list[Arguments]], places: tuple[int, ...], rows: Iterable[Arguments]
) -> None:
    key_of = picker(places)
    for row in rows:
        index.setdefault(key_of(list(row)), []).append(row)


class Derivation(Protocol):
    """Evaluates derived predicates."""

    def work_out(self, view: StateView, predicate: str) -> FactTable:
        """The table of a predicate in a state."""

    def proves(self, view: StateView, predicate: str, arguments: Arguments) -> bool:
        """Whether a single fact follows in a state."""


class StateView:
    """One state, with the derived facts that were computed so far."""

    __slots__ = ("_derivation", "_derived", "_proved", "numbers", "tables")

    def __init__(
        self,
        tables: Mapping[str, FactTable],
        numbers: Mapping[FunctionKey, Fraction],
        derivation: Derivation,
    ) -> None:
        self.tables = tables
        """Facts of every basic predicate."""
        self.numbers = numbers
        """Values of functions that effects change; 0 if there is none."""
        self._proved: dict[GroundAtom, bool] = {}
        self._derivation = derivation
        self._derived: dict[str, FactTable] = {}

    def table(self, predicate: str) -> FactTable:
        """The facts of a predicate, computed on the first call if it is derived."""
        table = self.tables.get(predicate) or self._derived.get(predicate)
        return self._derivation.work_out(self, predicate) if table is None else table

    def derives(self, predicate: str, arguments: Arguments) -> bool:
        """Whether a fact of a derived predicate follows."""
        table = self._derived.get(predicate)
        if table is not None:
            return arguments in table.rows
        atom = predicate, arguments
        known = self._proved.get(atom)
        if known is None:
            known = self._derivation.proves(self, predicate, arguments)
            self._proved[atom] = known
        return known

    def derived_table(self, predicate: str) -> FactTable | None:
        """The facts of a derived predicate, if they were computed."""
        return self._derived.get(predicate)

    def set_derived(self, predicate: str, table: FactTable) -> None:
        """Keep the facts of a derived predicate."""
        self._derived[predicate] = table

    def forget_derived(self, predicates: Iterable[str]) -> None:
        """Drop the facts of derived predicates, after a round or after an error."""
        for predicate in predicates:
            self._derived.pop(predicate, None)

    def after(
        self,
        deleted: Iterable[GroundAtom],
        added: Iterable[GroundAtom],
        numbers: Mapping[FunctionKey, Fraction],
    ) -> StateView:
        """The view after a step, which first deletes facts and then adds some."""
        changed: dict[str, dict[Arguments, None]] = {}
        for predicate, arguments in deleted:
            if predicate not in changed:
                changed[predicate] = dict(self.tables[predicate].rows)
            changed[predicate].pop(arguments, None)
        for predicate, arguments in added:
            if predicate not in changed:
                changed[predicate] = dict(self.tables[predicate].rows)
            changed[predicate][arguments] = None
        fresh = {predicate: FactTable(rows) for predicate, rows in changed.items()}
        values = {**self.numbers, **numbers} if numbers else self.numbers
        return StateView({**self.tables, **fresh}, values, self._derivation)
