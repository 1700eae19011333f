"""Docstrings and types taken apart: texts, arguments, results, errors, examples, attributes.

A docstring opens with a sentence. Lines `name: meaning` then say what arguments mean, a line that
begins with `Returns:` what comes back and one with `Raises` which errors, each to the end of its
paragraph or to the next such line. Lines with `>>>` are an example. Attributes have their meaning
in a comment `#:` or in a docstring below them.
"""

from __future__ import annotations

import ast
import inspect
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path

ITEM = re.compile(r"^(?P<names>\*{0,2}\w+(?:(?:, | or | and )\*{0,2}\w+)*): (?P<text>.*)$")
SEPARATOR = re.compile(r", | or | and ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Docs:
    """The parts of a docstring."""

    text: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: str = ""
    example: str = ""


def docs_of(docstring: str | None, names: list[str]) -> Docs:
    """The parts of a docstring.

    names: arguments, or attributes of a class; other words before a colon are text.
    """
    texts: list[str] = []
    examples: list[str] = []
    items: dict[tuple[str, ...], list[str]] = {}
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        if paragraph.startswith(">>> "):
            examples.append(paragraph)
            continue
        text: list[str] = []
        into = text
        for line in paragraph.splitlines():
            opened = _opened(line, names)
            if opened is not None:
                into = items.setdefault(opened[0], [])
            into.append(line if opened is None else opened[1])
        if text:
            texts.append("\n".join(text))
    joined = {name: " ".join(lines) for told, lines in items.items() for name in told}
    return Docs(
        returns=joined.pop("Returns", ""),
        raises=joined.pop("Raises", ""),
        text="\n\n".join(texts),
        arguments=joined,
        example="\n\n".join(examples),
    )


def _opened(line: str, names: list[str]) -> tuple[tuple[str, ...], str] | None:
    """The names that a line begins to explain, with the rest of it; None if it is text."""
    if line.startswith("Raises "):
        return ("Raises",), line.removeprefix("Raises ")
    found = ITEM.match(line)
    if found is None:
        return None
    told = tuple(name.lstrip("*") for name in SEPARATOR.split(found["names"]))
    return (told, found["text"]) if told == ("Returns",) or set(told) <= set(names) else None


def readable(annotation: object) -> str:
    """A type as a reader wants it: no modules, arrays and choices in words."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = text.strip("\"'").replace("NDArray[Any]", "array")
    text = re.sub(r"NDArray\[np\.(\w+?)_?\]", r"\1 array", text)
    text = re.sub(r"\bReals\b", "float64 array", text)
    text = re.sub(r"\bRow\b", "uint64 array", text)
    text = re.sub(r"\bBudget\b", "Clock", text)
    text = re.sub(r"Literal\[([^\]]*)\]", lambda choice: " | ".join(choice[1].split(", ")), text)
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", text)


@cache
def attributes_of(found: type) -> list[tuple[str, str, str, Docs]]:
    """Name, kind, type and meaning of every public attribute that a class assigns.

    Those of the class body come first, then those of `__init__`.
    """
    try:
        path = Path(inspect.getsourcefile(found) or "")
        text = path.read_text(encoding="utf-8")
    except (TypeError, OSError):
        return []
    tree = ast.parse(text)
    own = next(
        (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == found.__name__),
        None,
    )
    if own is None:
        return []
    comments = {
        token.start[0]: token.string.removeprefix("#:").strip()
        for token in tokenize.generate_tokens(StringIO(text).readline)
        if token.type == tokenize.COMMENT and token.string.startswith("#:")
    }
    class_docs = docs_of(found.__doc__, list(found.__annotations__)).arguments
    rows = list(_assigned(own.body, {}, in_class=True))
    for method in own.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            types = {
                a.arg: ast.unparse(a.annotation)
                for a in (*method.args.args, *method.args.kwonlyargs)
                if a.annotation is not None
            }
            rows += _assigned(method.body, types, in_class=False)
    return [
        (name, "attribute", readable(type_), Docs(text=meaning))
        for name, type_, line, below in rows
        if not name.startswith("_")
        for meaning in [below or comments.get(line, "") or class_docs.get(name, "")]
    ]


def _assigned(
    body: list[ast.stmt], types: Mapping[str, str], *, in_class: bool
) -> Iterator[tuple[str, str, int, str]]:
    """Name, type, last line and docstring below of the attributes that statements assign."""
    for statement, after in zip(body, [*body[1:], None], strict=True):
        below = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            below = inspect.cleandoc(str(after.value.value))
        line = statement.end_lineno or 0
        if isinstance(statement, ast.AnnAssign):
            name = _attribute(statement.target, in_class=in_class)
            if name:
                yield name, ast.unparse(statement.annotation), line, below
        elif isinstance(statement, ast.Assign) and not in_class:
            for target, value in _pairs(statement):
                name = _attribute(target, in_class=False)
                if name:
                    known = types.get(value.id, "") if isinstance(value, ast.Name) else ""
                    yield name, known, line, below


def _pairs(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets with their values, those of tuples one by one."""
    for target in statement.targets:
        value = statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=True)
        else:
            yield target, value


def _attribute(target: ast.expr, *, in_class: bool) -> str:
    """The name of an attribute that is assigned; empty for anything else."""
    if in_class:
        return target.id if isinstance(target, ast.Name) else ""
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case _:
            return ""
