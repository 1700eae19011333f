"""A change of anything that machine code was made from makes it compile again.

Numba looks for changes in the file of a kernel alone. Whatever a kernel takes from other files of
Fogspiel must therefore lie in `native.KERNEL_SOURCES`, which name the folder of machine code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from sources import modules, tree_of

from fogspiel.core import native

MAKING = {"empty", "zeros", "ones", "full", "arange", "copy", "empty_like", "zeros_like"}
"""Functions whose arrays somebody must count references to."""

COMPILING = {
    "native",
    "inlined",
    "inner",
    "Kernel",
    "intrinsic",
    "njit",
    "jit",
    "vectorize",
    "overload",
}
"""Decorators whose functions become machine code, or write it."""

PLANTED = """
from fogspiel.core.native import native
from fogspiel.core.limits import LIMIT
from fogspiel.core.findings import Finding
from fogspiel.core.kernels.words import draw
from fogspiel.core.kernels.words import FACTOR
from fogspiel.machine.protocol import States
WIDE = 2 * LIMIT
def helper():
    return draw(WIDE) * FACTOR
@native
def outer(states: States, finding: Finding):
    return helper()
def plain():
    return native
"""


@dataclass
class Names:
    """What the top level of a module offers to its functions."""

    imported: dict[str, str] = field(default_factory=dict)
    """The module of Fogspiel that a name comes from."""
    defined: dict[str, list[ast.AST]] = field(default_factory=dict)
    """Functions, classes and assignments that define a name."""


def unnoticed(tree: ast.Module) -> Iterator[str]:
    """Names that kernels of a file take from files whose change nobody would notice."""
    hashed = set(native.kernel_sources())
    names = names_of(tree)
    for kernel in kernels_of(tree):
        for name in sorted(reached(kernel, names)):
            if modules()[names.imported[name]] not in hashed:
                yield f"{kernel.name} takes {name} from {names.imported[name]}"


def kernels_of(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            decorators = {word for mark in node.decorator_list for word in words(mark)}
            if decorators & COMPILING:
                yield node


def reached(kernel: ast.FunctionDef, names: Names) -> set[str]:
    """The imported names that a kernel uses, also by way of others of its file."""
    found: set[str] = set()
    seen = set(COMPILING)
    queue: list[ast.AST] = [kernel]
    while queue:
        for name, annotates in uses(queue.pop()).items():
            source = names.imported.get(name)
            # Numba compares records by name, not by their fields. Other types say nothing new.
            if source and not (annotates and name not in classes_of(modules()[source])):
                found.add(name)
            if name not in seen:
                seen.add(name)
                queue += names.defined.get(name, [])
    return found


def uses(node: ast.AST) -> dict[str, bool]:
    """The names in a definition, and whether they stand in annotations only."""
    local: set[str] = set()
    body: list[ast.AST] = [node]
    notes: list[ast.AST | None] = []
    if isinstance(node, ast.FunctionDef):
        arguments = [part for part in ast.walk(node.args) if isinstance(part, ast.arg)]
        notes = [node.returns, *(argument.annotation for argument in arguments)]
        body = [*node.body, *node.args.defaults, *node.decorator_list]
        local = {argument.arg for argument in arguments} | words(node, ast.Store)
    elif isinstance(node, ast.ClassDef):
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        notes = [part.annotation for part in fields]
        body = [*node.bases, *(part.value for part in fields if part.value)]
    found = {word: True for note in notes if note for word in words(note)}
    return found | {word: False for part in body for word in words(part) - local}


def words(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, context)
    }


@cache
def classes_of(path: Path) -> set[str]:
    return {node.name for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)}


@cache
def names_of(tree: ast.Module) -> Names:
    names = Names()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fogspiel."):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                source = inner if inner in modules() else str(node.module)
                names.imported[alias.asname or alias.name] = source
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.defined.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in {word for target in targets for word in words(target)}:
                names.defined.setdefault(name, []).append(node)
    return names


def test_kernels_take_nothing_from_files_whose_change_would_go_unnoticed() -> None:
    found = {module: list(unnoticed(tree_of(path))) for module, path in modules().items()}
    assert {module: lines for module, lines in found.items() if lines} == {}


def test_all_files_with_kernels_are_looked_at() -> None:
    compiling = [
        path
        for module, path in modules().items()
        if module != "fogspiel.core.plain_kernels"  # defines a decorator
        and not COMPILING.isdisjoint(names_of(tree_of(path)).imported)
    ]
    assert len(compiling) > 40
    assert all(any(kernels_of(tree_of(path))) for path in compiling)


def test_kernels_without_wrappers_and_reference_counts_need_neither() -> None:
    wrong = []
    for name, path in modules().items():
        if "fogspiel.core.native" not in path.read_text() and ".machine." not in name:
            continue  # imports no kernel that others may not call
        for function in vars(import_module(name)).values():
            if getattr(function, "__module__", None) != name:
                continue
            if is_inner(function):
                wrong += [f"{name}.{inner} makes arrays" for inner in makers(function, set())]
            elif isinstance(function, FunctionType):
                wrong += [f"{name} calls {called.__name__}" for called in called_inner(function)]
    assert wrong == []


def is_inner(function: object) -> bool:
    return bool(getattr(function, "targetoptions", {}).get("no_cpython_wrapper"))


def called_inner(function: FunctionType) -> list[Any]:
    called = (function.__globals__.get(word) for word in function.__code__.co_names)
    return [found for found in called if is_inner(found)]


def makers(kernel: Any, seen: set[object]) -> Iterator[str]:
    """The kernels that a kernel calls, itself included, that make arrays."""
    seen.add(kernel)
    names = kernel.py_func.__code__.co_names
    if not MAKING.isdisjoint(names):
        yield kernel.__name__
    for word in names:
        called = kernel.py_func.__globals__.get(word)
        if hasattr(called, "py_func") and called not in seen:
            yield from makers(called, seen)


def test_a_planted_constant_and_a_planted_record_are_found() -> None:
    assert list(unnoticed(ast.parse(PLANTED))) == [
        "outer takes Finding from fogspiel.core.findings",
        "outer takes LIMIT from fogspiel.core.limits",
    ]
