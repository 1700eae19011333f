"""Kernels that also run as plain Python, for work that is not worth compiling anything.

In plain Python a kernel calls copies of the kernels it uses that are not compiled either: the
same source, and the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

from fogspiel.core.native import native

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_PLAIN = ContextVar("_PLAIN", default=False)
_PLAIN_NAMES: dict[str, dict[str, Any]] = {}
"""The names of each module, with plain functions in place of kernels."""


class Kernel(Generic[_Arguments, _Result]):
    """A kernel that runs as machine code or as plain Python. Kernels call it like any other."""

    def __init__(self, function: Callable[_Arguments, _Result]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._compiled: Any = native(function)

    def __call__(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        """Run in the way that `plain_kernels` says."""
        if not _PLAIN.get():
            return cast(_Result, self._compiled(*arguments, **named))
        with np.errstate(over="ignore"):  # hashes pass 64 bits
            return self._plain(*arguments, **named)

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code, of this process or in the cache."""
        if getattr(self._compiled, "signatures", None):
            return True
        folder = getattr(getattr(self._compiled, "stats", None), "cache_path", None)
        stem = f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"
        return folder is not None and any(Path(folder).glob(f"{stem}-*.nbi"))

    @cached_property
    def _plain(self) -> Callable[_Arguments, _Result]:
        return cast(Callable[_Arguments, _Result], _without_machine_code(self._function))

    @property
    def _numba_type_(self) -> Any:
        return self._compiled._numba_type_


@contextmanager
def plain_kernels(plain: bool) -> Iterator[None]:
    """Run kernels of the class `Kernel` as plain Python in a block, or as machine code."""
    before = _PLAIN.set(plain)
    try:
        yield
    finally:
        _PLAIN.reset(before)


def _without_machine_code(function: Any) -> Any:
    """A copy of a function that calls copies of kernels which are not compiled either."""
    names = function.__globals__
    module = function.__module__
    if module not in _PLAIN_NAMES:
        plain = _PLAIN_NAMES[module] = dict(names)
        for name, value in names.items():
            inner = (
                value._function if isinstance(value, Kernel) else getattr(value, "py_func", None)
            )
            if isinstance(inner, FunctionType):
                plain[name] = _without_machine_code(inner)
    return FunctionType(
        function.__code__, _PLAIN_NAMES[module], function.__name__, function.__defaults__
    )
