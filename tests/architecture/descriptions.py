"""Descriptions of the public names, from their docstrings: what the reference shows, and tests ask.

The examples of methods go on from that of their class: names that it binds are known there.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any

from docstrings import Docs, attributes_of, docs_of, readable
from surface import ALIASES, INSIDE, OPERATIONS, PAGES, SHOWN

import fogspiel


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a function."""

    name: str  #: The name, with its stars
    type: str
    default: str | None  #: None if the argument has to be given
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A function, or a method, property, attribute or operator of a class."""

    kind: str  #: `function`, `method`, `property`, `attribute` or `operator`
    name: str
    docs: Docs
    type: str = ""  #: The type of its value, or of what it returns
    signature: str = ""  #: The arguments as they stand between parentheses
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A name of the reference with all that its docstrings say."""

    name: str
    found: Any
    docs: Docs
    call: Member | None = None
    """Itself, if it is a function; the constructor of a class that users make objects of."""
    members: tuple[Member, ...] = ()

    def of_kind(self, *kinds: str) -> list[Member]:
        """The members of some kinds, in the order of the source."""
        return [member for member in self.members if member.kind in kinds]


def described(page: str) -> Iterator[Described]:
    """Everything that a page of the reference describes."""
    for spec in PAGES[page]:
        yield describe(spec)


def describe(spec: str) -> Described:
    """A name of `fogspiel` or of a namespace in it, or `module:name` below it."""
    module, _, name = spec.rpartition(":")
    space, _, member = name.rpartition(".")
    if module:
        found = getattr(import_module(f"fogspiel.{module}"), name)
    else:
        found = getattr(getattr(fogspiel, space) if space else fogspiel, member)
    if isinstance(found, type):
        members = tuple(own for own in _members(found) if _is_shown(member, own.name))
        fields = [own.name for own in members if own.kind == "attribute"]
        return Described(
            name=name,
            found=found,
            docs=docs_of(found.__doc__, fields),
            members=members,
            call=_constructor(name, found, members) if space else None,
        )
    if not callable(found):
        home = import_module(getattr(fogspiel, space).__name__)
        return Described(name=name, found=found, docs=Docs(text=constant_meaning(home, member)))
    call = _function("function", name, found)
    return Described(name=name, found=found, docs=call.docs, call=call)


def _is_shown(name: str, member: str) -> bool:
    """Whether a member of a class, or an argument of its constructor, is for users."""
    return member in SHOWN.get(name, (member,)) and member not in INSIDE.get(name, ())


def _constructor(name: str, found: type, members: Iterable[Member]) -> Member:
    """The constructor of a class; fields of records have their meaning as attributes."""
    parameters = inspect.signature(found).parameters.values()
    given = [p for p in parameters if _is_shown(found.__name__, p.name)]
    made = vars(found).get("__init__")
    docs = docs_of(made.__doc__ if made is not None else "", [p.name for p in given])
    fields = {member.name: member for member in members if member.kind == "attribute"}
    arguments = [
        replace(own, type=fields[own.name].type, meaning=fields[own.name].docs.text)
        if own.name in fields and not own.meaning
        else own
        for own in (_argument(p, docs) for p in given)
    ]
    return Member(
        kind="constructor",
        name=name,
        docs=Docs(text=docs_of(found.__doc__, []).text, raises=docs.raises),
        type=found.__name__,
        signature=_shown(given),
        arguments=tuple(arguments),
    )


def _function(kind: str, name: str, function: Callable[..., Any], owner: str = "") -> Member:
    """A function or a method, without the argument that stands for its object."""
    signature = inspect.signature(function)
    given = [p for p in signature.parameters.values() if p.name not in {"self", "cls"}]
    docs = docs_of(function.__doc__, [p.name for p in given])
    result = readable(signature.return_annotation)
    return Member(
        kind=kind,
        name=name,
        docs=docs,
        type="" if result == "None" else result.replace("Self", owner),
        signature=_shown(given),
        arguments=tuple(_argument(p, docs) for p in given),
    )


def _shown(given: list[inspect.Parameter]) -> str:
    """Arguments as they stand between parentheses, without their types."""
    bare = [
        p.replace(annotation=inspect.Parameter.empty, default=_Shown.of(p.default)) for p in given
    ]
    return str(inspect.Signature(bare))[1:-1]


class _Shown:
    """A default value as it is shown."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, value: object) -> object:
        """The same, or nothing where there is no default."""
        return value if value is inspect.Parameter.empty else cls(default_text(value))

    def __repr__(self) -> str:
        return self.text


def default_text(value: object) -> str:
    """A default value as it is written: large numbers with their digits in groups."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:_}"
    return repr(value)


def _argument(given: inspect.Parameter, docs: Docs) -> Argument:
    stars = {given.VAR_POSITIONAL.value: "*", given.VAR_KEYWORD.value: "**"}
    has_default = given.default is not given.empty
    return Argument(
        name=stars.get(given.kind.value, "") + given.name,
        type=readable(given.annotation),
        default=default_text(given.default) if has_default else None,
        meaning=docs.arguments.get(given.name, ""),
    )


def _members(found: type) -> Iterator[Member]:
    """The members of a class in the order of the source, with those of bases that no page has."""
    seen: set[str] = set()
    for own in found.__mro__:
        is_described = own is not found and own.__name__ in fogspiel.__all__
        if is_described or not own.__module__.startswith("fogspiel"):
            continue
        for name, kind, type_, docs in attributes_of(own):
            if name not in seen:
                seen.add(name)
                yield Member(kind=kind, name=name, type=type_, docs=docs)
        for name, member in vars(own).items():
            made = None if name in seen else _member(name, member, found.__name__)
            if made is not None:
                seen.add(name)
                yield made


def _member(name: str, member: object, owner: str) -> Member | None:
    """A property, method or operator of a class; None for anything else."""
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function is not None and not name.startswith("_"):
        return _function("property", name, function, owner)
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    if not inspect.isfunction(member):
        return None
    if name in OPERATIONS and member.__doc__:
        return _function("operator", name, member, owner)
    return None if name.startswith("_") else _function("method", name, member, owner)


def alias_meanings() -> Iterator[tuple[str, str, str]]:
    """Name, types and meaning of every type that stands for several."""
    for spec in ALIASES:
        module, _, name = spec.rpartition(":")
        found = import_module(f"fogspiel.{module}")
        statement, meaning = _assignment(found, name)
        value = statement.value
        text = value.value if isinstance(value, ast.Constant) else ast.unparse(value or statement)
        yield name, readable(str(text)), meaning


def constant_meaning(module: ModuleType, name: str) -> str:
    """The docstring below a constant, where it is assigned or in the module it comes from."""
    try:
        return _assignment(module, name)[1]
    except KeyError:
        tree = ast.parse(inspect.getsource(module))
        homes = [
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}
        ]
        return _assignment(import_module(str(homes[0])), name)[1]


def _assignment(module: ModuleType, name: str) -> tuple[ast.Assign | ast.AnnAssign, str]:
    """The statement that assigns a name in a module, and the docstring below it."""
    tree = ast.parse(inspect.getsource(module))
    for statement, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        if name in {target.id for target in targets if isinstance(target, ast.Name)}:
            match after:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    return statement, inspect.cleandoc(text)
                case _:
                    return statement, ""
    raise KeyError(name)
