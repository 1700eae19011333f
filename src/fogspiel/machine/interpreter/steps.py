"""The steps of a join: each binds some variables, or tests, and goes on with what follows.

A search is a function that calls `then` for every solution. Steps are put together from the last
to the first, so that a solution costs one call for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from fogspiel.machine.interpreter.frames import Arguments, Environment, Picker, picker
from fogspiel.machine.interpreter.numbers import Test
from fogspiel.machine.interpreter.objects import ObjectRange
from fogspiel.machine.interpreter.views import QueryClock, StateView

Then: TypeAlias = Callable[[], bool]
"""Called for every solution, which it finds in the environment; True ends the search."""
Each: TypeAlias = Callable[[Environment, StateView, Then], bool]
"""Calls `then` for every solution; whether the search was ended."""
Step: TypeAlias = Callable[[Each], Each]
"""Puts a step before what follows."""


def found(_environment: Environment, _view: StateView, then: Then) -> bool:
    """The end of a search: all is bound and holds."""
    return then()


def tested(tests: Sequence[Test]) -> Step:
    """Go on where all conditions hold."""

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            for test in tests:
                if not test(environment, view):
                    return False
            return following(environment, view, then)

        return each

    return step


def ranged(slot: int, values: ObjectRange, clock: QueryClock) -> Step:
    """Bind a variable to all objects of its type."""
    objects, spend = values.objects, clock.spend

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            spend(len(objects))
            for value in objects:
                environment[slot] = value
                if following(environment, view, then):
                    return True
            return False

        return each

    return step


def equated(target: int, known: int, values: ObjectRange) -> Step:
    """Bind a variable to the value of another one, or to an object."""
    members = values.members

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            value = environment[known]
            if value not in members:
                return False
            environment[target] = value
            return following(environment, view, then)

        return each

    return step


class Pattern(NamedTuple):
    """How the arguments of an atom are matched with a row."""

    places: tuple[int, ...]
    """Arguments that are known before."""
    key: Picker
    """Their values."""
    binds: tuple[tuple[int, int, frozenset[str]], ...]
    """Place, slot and range of the variables that the row binds."""
    repeats: tuple[tuple[int, int], ...]
    """Pairs of places with the same variable."""


def pattern(slots: Sequence[int], fresh: dict[int, ObjectRange]) -> Pattern:
    """The pattern of an atom with arguments in these slots, of which some have no value yet."""
    places = tuple(place for place, slot in enumerate(slots) if slot not in fresh)
    first: dict[int, int] = {}
    repeats = []
    for place, slot in enumerate(slots):
        if slot in fresh:
            if slot in first:
                repeats.append((first[slot], place))
            first.setdefault(slot, place)
    binds = tuple((place, slot, fresh[slot].members) for slot, place in first.items())
    return Pattern(places, picker([slots[place] for place in places]), binds, tuple(repeats))


def matched(predicate: str, atom: Pattern, clock: QueryClock) -> Step:
    """Bind variables by the facts of a predicate."""
    places, key, binds, repeats = atom
    spend = clock.spend

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            table = view.table(predicate)
            rows = table.matching(places, key(environment)) if places else table.rows
            spend(len(rows))
            for row in rows:
                for place, slot, members in binds:
                    value = row[place]
                    if value not in members:
                        break
                    environment[slot] = value
                else:
                    if repeats and any(row[a] != row[b] for a, b in repeats):
                        continue
                    if following(environment, view, then):
                        return True
            return False

        return each

    return step


def solved(branches: Sequence[Each], targets: Sequence[int]) -> Step:
    """Bind variables by inner searches; a solution that several of them find counts once."""
    pick = picker(targets)

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            seen: set[Arguments] = set()

            def once() -> bool:
                solution = pick(environment)
                if solution in seen:
                    return False
                seen.add(solution)
                return following(environment, view, then)

            return any(branch(environment, view, once) for branch in branches)

        return each

    return step
