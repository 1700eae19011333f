"""Parts of kernels: steps whose body is chosen by the type of a record.

A search kernel calls `choose(rule, …)`; which body runs is decided when the kernel is compiled, by
the class of `rule`, so that choosing costs nothing while simulations run. A new rule is a
`NamedTuple` of its settings and a body for each part:

    class Greedy(NamedTuple):
        constant: float

    @choose.of(Greedy)
    def _(rule, rows, …):
        return …

A body may serve several classes: `@choose.of(Greedy, Boltzmann)`. What a part answers outside
kernels, `answer_of` says.
Bodies are inlined and have no loops; a loop belongs into a kernel that the body calls. Machine code
of rules that are defined outside Fogspiel is not kept on disk, where a later change of them would
go unnoticed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import overload

from fogspiel.core.native import INNER, OPTIONS, known, without_literals

_Function = TypeVar("_Function", bound=Callable[..., Any])


def bare(function: _Function) -> _Function:
    """Compile a kernel that creates no arrays, without counting references to those it is given."""
    return cast(
        _Function, without_literals(numba.njit(**OPTIONS, **known({"_nrt": False}))(function))
    )


def step(function: _Function) -> _Function:
    """Compile a small kernel into every kernel that calls it."""
    compiled = numba.njit(**OPTIONS, **INNER, **known({"forceinline": True}))(function)
    return cast(_Function, without_literals(compiled))


class KernelPart:
    """A step of a kernel with one body for each class of its first argument."""

    def __init__(self, stub: Callable[..., Any]) -> None:
        self.stub = stub
        self.bodies: dict[type, Callable[..., Any]] = {}

    def of(self, *kinds: type) -> Callable[[_Function], _Function]:
        """Register the body for classes of records."""

        def register(body: _Function) -> _Function:
            self.bodies.update(dict.fromkeys(kinds, body))
            return body

        return register


def part(stub: Callable[..., Any]) -> Any:
    """A step of kernels; the function says what its bodies take and return."""
    made = KernelPart(stub)

    def chosen(*arguments: Any) -> Callable[..., Any] | None:
        return made.bodies.get(getattr(arguments[0], "instance_class", object))

    # Numba looks at the names of parameters.
    chosen.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
    overload(stub, inline="always")(chosen)
    stub.of, stub.bodies = made.of, made.bodies  # type: ignore[attr-defined]
    return stub


def answer_of(stub: Any, record: object) -> Any:
    """The answer of a part that asks for nothing but the record."""
    return stub.bodies[type(record)](record)


def is_ours(record: object) -> bool:
    """Whether machine code for a record may be kept on disk."""
    return type(record).__module__.startswith("fogspiel.")


def recompiled(kernel: Any) -> Any:
    """The same kernel without machine code on disk, for records that are not ours."""
    return numba.njit(**OPTIONS | {"cache": False}, **known({"_nrt": False}))(kernel.py_func)
