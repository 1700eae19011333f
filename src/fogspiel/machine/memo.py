"""Caches of results for each machine, kept for as long as the machine exists.

A value may refer to its machine only weakly, since it would otherwise keep the machine alive.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from fogspiel.machine.protocol import Machine

_Value = TypeVar("_Value")
_Arguments = ParamSpec("_Arguments")


class MachineMemo(Generic[_Value]):
    """Cache with one value for each machine."""

    def __init__(self) -> None:
        self._values: WeakKeyDictionary[Machine, _Value] = WeakKeyDictionary()

    def get(self, machine: Machine) -> _Value | None:
        """The value of a machine, if it has one."""
        return self._values.get(machine)

    def keep(self, machine: Machine, value: _Value) -> _Value:
        """Replace the value of a machine; returns the new one."""
        self._values[machine] = value
        return value

    def once(self, machine: Machine, make: Callable[[], _Value]) -> _Value:
        """The value of a machine, made on the first call."""
        return self._values[machine] if machine in self._values else self.keep(machine, make())


def once_per_machine(
    function: Callable[Concatenate[Machine, _Arguments], _Value],
) -> Callable[Concatenate[Machine, _Arguments], _Value]:
    """Call a function once for each machine, and for each choice of its other arguments."""
    memo: MachineMemo[dict[object, _Value]] = MachineMemo()

    @wraps(function)
    def remembered(
        machine: Machine, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Value:
        values = memo.once(machine, dict)
        key = args, tuple(sorted(kwargs.items()))
        if key not in values:
            values[key] = function(machine, *args, **kwargs)
        return values[key]

    return remembered


class Attempts(Generic[_Value]):
    """Values whose computation may fail, in which case it is repeated only with more effort.

    Effort is a bound such as a number of gates. It decides whether the computation succeeds;
    nothing else may."""

    def __init__(self) -> None:
        self._found: MachineMemo[dict[object, _Value]] = MachineMemo()
        self._failed: MachineMemo[dict[object, float]] = MachineMemo()

    def find(
        self,
        machine: Machine,
        effort: float,
        attempt: Callable[[], _Value | None],
        key: object = None,
    ) -> _Value | None:
        """The value under a key; None if the effort is too small (`attempt` returns None)."""
        found, failed = self._found.once(machine, dict), self._failed.once(machine, dict)
        if key not in found and failed.get(key, 0.0) < effort:
            value = attempt()
            if value is None:
                failed[key] = effort
            else:
                found[key] = value
        return found.get(key)
