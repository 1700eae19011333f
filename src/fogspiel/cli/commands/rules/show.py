"""`fogspiel show`: the rules of a game as text, and what is known of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import GameChoice, domain_option, game_argument
from fogspiel.cli.output import LIST_WIDTH, json_option, print_json, say, wrapped

if TYPE_CHECKING:
    from fogspiel import GameEntry, Rules

LABELS = {
    "perft": "move sequences of length 1, 2, 3, …",
    "perft_by_turns": "move sequences of 1, 2, 3, … turns",
    "infosets": "information sets",
    "mean_goals": "mean goals of random play",
    "mean_payoffs": "mean payoffs of random play",
    "value_for_first": "value for the first player",
    "value_first_player": "value for the first player",
    "same_as": "same game in OpenSpiel or among the bundled games",
}
"""Names of facts in words, where their own do not say enough."""
FRACTIONS = frozenset({"value_first_player", "switch_wins", "stay_wins", "bluff", "call"})
"""Facts whose two numbers are a numerator and a denominator."""
COMMENT = "; "  #: Opens a comment in GDL and POGDDL
EFG = "efg"  #: The language without comments


@click.command()
@game_argument
@domain_option
@json_option
def show(*, game: str, domain: str | None, as_json: bool) -> None:
    """Print the rules of GAME, and what is known about it.

    The rules are printed with their comments. For a bundled game, a comment at the end gives its
    description, the source of its rules, and known facts such as its value. What is printed can be
    saved as a rule file.
    """
    rules = GameChoice(game, domain).rules()
    if as_json:
        print_json(_document(rules))
        return
    for source in rules.sources:
        for line in source.text.splitlines():
            _print_line(line, may_have_comments=rules.language != EFG)
    if rules.entry is not None:
        click.echo()
        for text in _entry_lines(rules.entry):
            filled = wrapped(text, 2, columns=LIST_WIDTH - len(COMMENT))
            for line in filled.splitlines():
                _print_line(f"{COMMENT}{line}", may_have_comments=True)


def _print_line(line: str, *, may_have_comments: bool) -> None:
    """Print a line of rules; on a terminal, comments are dim."""
    if may_have_comments and line.lstrip().startswith(COMMENT.strip()):
        click.secho(line, dim=True)
    else:
        click.echo(line)


def _document(rules: Rules) -> dict[str, Any]:
    """The JSON document."""
    return {
        "name": rules.name,
        "language": rules.language,
        "texts": [{"name": source.name, "text": source.text} for source in rules.sources],
        "game": None if rules.entry is None else entry_record(rules.entry),
    }


def print_entry(entry: GameEntry) -> None:
    """Everything that the index says about a bundled game."""
    title, *rest = _entry_lines(entry)
    click.secho(title, bold=True)
    for line in rest:
        say(line, indent=2)


def _entry_lines(entry: GameEntry) -> list[str]:
    """Title, description, kind, sources and known facts of a game, each as a line."""
    lines = [f"{entry.name}: {entry.title}", entry.description]
    lines += [f"tags: {', '.join(entry.tags)}", f"source of the rules: {entry.rules_source}"]
    if entry.family is not None:
        member = f"{entry.family}({','.join(map(str, entry.parameters))})"
        lines.append(f"member of a family: {member}")
    if entry.unit is not None:
        offset = f"(goal - {entry.unit.offset:g})" if entry.unit.offset else "goal"
        scale = f" / {entry.unit.scale:g}" if entry.unit.scale != 1 else ""
        lines.append(f"payoff: {offset}{scale}, in {entry.unit.name}")
    for name, fact in entry.facts.items():
        label = LABELS.get(name, name.replace("_", " "))
        is_fraction = name in FRACTIONS and isinstance(fact.value, list)
        value = "/".join(map(str, fact.value)) if is_fraction else fact.text
        lines.append(f"{label}: {value} ({fact.source})")
    return lines


def entry_record(entry: GameEntry) -> dict[str, Any]:
    """Everything that the index says about a game, as documents hold it."""
    unit = entry.unit
    return {
        "name": entry.name,
        "title": entry.title,
        "rules_source": entry.rules_source,
        "description": entry.description,
        "tags": list(entry.tags),
        "family": entry.family,
        "parameters": list(entry.parameters),
        "language": entry.language,
        "payoff": unit and {"offset": unit.offset, "scale": unit.scale, "unit": unit.name},
        "facts": {
            name: {"value": fact.value, "source": fact.source} for name, fact in entry.facts.items()
        },
    }
