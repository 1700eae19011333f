"""Families: games with parameters, whose rule text a small generator writes.

A family is a module of this package with one function `rules(…) -> str`. Its parameters are whole
numbers; it raises `ValueError` for values that make no game. What it writes is meant to be read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from fogspiel.core.findings import UsageError


@cache
def family_names() -> tuple[str, ...]:
    """Every family, sorted."""
    files = Path(__file__).parent.glob("*.py")
    return tuple(sorted(file.stem for file in files if not file.stem.startswith("_")))


def family_call(family: str, arguments: str) -> str:
    """The rules for parameters as written by a user: `7,7`. Raises `UsageError` GAM003."""
    try:
        parameters = [int(part) for part in arguments.split(",") if part]
    except ValueError:
        raise _bad_parameters(family, f"({arguments}) are not whole numbers") from None
    return write_rules(family, parameters)


def write_rules(family: str, parameters: Sequence[int]) -> str:
    """The rule text of one member of a family. Raises `UsageError` GAM003."""
    generator = _generator(family)
    try:
        inspect.signature(generator).bind(*parameters)
        return generator(*parameters)
    except (TypeError, ValueError) as error:
        raise _bad_parameters(family, str(error)) from None


def family_module(family: str) -> ModuleType:
    """The module of a family, with its function `rules` and a docstring that says what it is."""
    return import_module(f"{__name__}.{family}")


def _generator(family: str) -> Callable[..., str]:
    generator: Callable[..., str] = family_module(family).rules
    return generator


def _bad_parameters(family: str, reason: str) -> UsageError:
    names = ",".join(inspect.signature(_generator(family)).parameters)
    return UsageError.of(
        "GAM003",
        f"the family {family} cannot be made with these parameters: {reason}",
        fix=f"write {family}({names}) with whole numbers in range",
    )
