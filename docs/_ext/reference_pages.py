"""The reference of the Python library as Markdown, from the docstrings of the public names."""

from __future__ import annotations

import re
from functools import cache

from descriptions import Described, Member, alias_meanings, described
from docstrings import Docs
from surface import OPERATIONS, PAGES

CODE = re.compile(r"`([A-Za-z_][\w.]*)`")
CALLED = ("function", "method")


def reference_index() -> str:
    """A table of all names with the first sentence of each."""
    lines = ["| name | what it is |", "|---|---|"]
    lines += [
        f"| [`{entry.name}`](#{_anchor(entry.name)}) | {_first(entry.docs)} |"
        for page in PAGES
        for entry in described(page)
    ]
    return "\n".join(lines) + "\n"


def reference_page(page: str) -> str:
    """The section of every name on a page."""
    return "\n".join(_section(entry) for entry in described(page))


def alias_table() -> str:
    """The names that stand for several types in signatures."""
    lines = ["| type | stands for | meaning |", "|---|---|---|"]
    lines += [
        f"| `{name}` | {_type(types)} | {_cell(meaning)} |"
        for name, types, meaning in alias_meanings()
    ]
    return "\n".join(lines) + "\n"


def _section(entry: Described) -> str:
    lines = [f"({_anchor(entry.name)})=", f"## {entry.name}", ""]
    told: set[str] = set()
    if entry.call is not None:
        lines += _called(entry.call, entry.name)
        told = {argument.name for argument in entry.call.arguments}
    else:
        lines += [_linked(entry.docs.text), ""]
    if entry.call is None or entry.call.kind == "constructor":
        lines += _example(entry.docs)
    values = [m for m in entry.of_kind("attribute", "property") if m.name not in told]
    if values:
        lines += ["| attribute | type | meaning |", "|---|---|---|"]
        lines += [f"| `{m.name}` | {_type(m.type)} | {_meaning(m.docs)} |" for m in values]
        lines.append("")
    operators = entry.of_kind("operator")
    if operators:
        lines += ["| operation | gives | meaning |", "|---|---|---|"]
        for member in operators:
            shown = OPERATIONS[member.name].format(entry.name.lower())
            lines.append(f"| `{shown}` | {_type(member.type)} | {_meaning(member.docs)} |")
        lines.append("")
    for member in entry.of_kind("method"):
        name = f"{entry.name}.{member.name}"
        lines += [f"({_anchor(name)})=", f"### {name}", "", *_called(member, member.name)]
    return "\n".join(lines)


def _called(member: Member, name: str) -> list[str]:
    """Signature, text, arguments, result, errors and example of a function."""
    result = f" -> {member.type}" if member.type else ""
    lines = ["```python", f"{name}({member.signature}){result}", "```", ""]
    lines += [_linked(member.docs.text), ""]
    if member.arguments:
        lines += ["| argument | type | default | meaning |", "|---|---|---|---|"]
        for own in member.arguments:
            default = "" if own.default is None else f"`{own.default}`"
            lines.append(
                f"| `{own.name}` | {_type(own.type)} | {default} | {_cell(_linked(own.meaning))} |"
            )
        lines.append("")
    if member.docs.returns:
        lines += [f"**Returns** {_linked(member.docs.returns)}", ""]
    if member.docs.raises:
        lines += [f"**Raises** {_linked(member.docs.raises)}", ""]
    return [*lines, *_example(member.docs)]


def _example(docs: Docs) -> list[str]:
    return ["```pycon", docs.example, "```", ""] if docs.example else []


def _meaning(docs: Docs) -> str:
    """The text of an attribute in one cell, with the errors that asking for it raises."""
    raises = f" Raises {docs.raises}" if docs.raises else ""
    return _cell(_linked(docs.text) + _linked(raises))


def _first(docs: Docs) -> str:
    """The first sentence of a text."""
    return _cell(_linked(re.split(r"(?<=[.:])\s", docs.text.replace("\n", " "))[0]))


def _type(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    """Text that may stand in a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(name: str) -> str:
    return "api-" + name.replace(".", "-").replace("_", "-").lower()


@cache
def _anchors() -> dict[str, str]:
    """The anchor of every name and method."""
    found: dict[str, str] = {}
    for page in PAGES:
        for entry in described(page):
            found[entry.name] = _anchor(entry.name)
            for member in entry.of_kind("method"):
                found[f"{entry.name}.{member.name}"] = _anchor(f"{entry.name}.{member.name}")
    return found


def _linked(text: str) -> str:
    """Text in which names of the reference are links to their sections."""

    def link(code: re.Match[str]) -> str:
        anchor = _anchors().get(code[1].removeprefix("fogspiel."))
        return code[0] if anchor is None else f"[{code[0]}](#{anchor})"

    return CODE.sub(link, text)
