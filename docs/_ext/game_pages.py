"""The index of bundled games as Markdown."""

from __future__ import annotations

import inspect
from importlib import import_module

from fogspiel.core.values import Unit
from fogspiel.games.families import family_names
from fogspiel.games.library import GameEntry, bundled_games


def game_table() -> str:
    """All games in one table."""
    lines = ["| name | title | kind |", "|---|---|---|"]
    for entry in bundled_games().values():
        name = f"[`{entry.name}`](#{_anchor(entry)})"
        lines.append(f"| {name} | {entry.title} | {', '.join(entry.tags)} |")
    return "\n".join(lines) + "\n"


def game_sections() -> str:
    """Every game with its source, its payoff unit and what is known about it."""
    return "\n".join(_section(entry) for entry in bundled_games().values())


def family_list() -> str:
    """The families with their parameters."""
    lines = ["| family | what it is |", "|---|---|"]
    for family in family_names():
        module = import_module(f"fogspiel.games.families.{family}")
        parameters = ",".join(inspect.signature(module.rules).parameters)
        lines.append(f"| `{family}({parameters})` | {_first_line(module)} |")
    return "\n".join(lines) + "\n"


def _section(entry: GameEntry) -> str:
    lines = [f"({_anchor(entry)})=", f"### {entry.title}", "", f"`{entry.name}`"]
    if entry.family is not None:
        call = f"{entry.family}({','.join(map(str, entry.parameters))})"
        lines[-1] += f", the member `{call}` of its family"
    lines[-1] += f". {entry.description}"
    lines += ["", f"Rules: {_sentence(entry.rules_source)}", ""]
    if entry.unit is not None:
        lines += [f"Payoff: {_payoff(entry.unit)}", ""]
    if entry.facts:
        lines += ["| known fact | value | source |", "|---|---|---|"]
        for name, fact in entry.facts.items():
            source = fact.source.replace("|", "\\|")
            lines.append(f"| {name.replace('_', ' ')} | {fact.text} | {source} |")
        lines.append("")
    return "\n".join(lines)


def _anchor(entry: GameEntry) -> str:
    return f"game-{entry.name.replace('_', '-')}"


def _payoff(unit: Unit) -> str:
    offset = f"(goal - {unit.offset:g})" if unit.offset else "goal"
    scale = f" / {unit.scale:g}" if unit.scale != 1 else ""
    return f"{offset}{scale}, in {unit.name}."


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _first_line(module: object) -> str:
    return (inspect.getdoc(module) or "").partition("\n")[0]
