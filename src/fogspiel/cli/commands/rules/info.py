"""`fogspiel info`: what the rules came to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import GameChoice, game_argument, game_options
from fogspiel.cli.output import busy, finding_record, json_option, print_json, print_table, say

if TYPE_CHECKING:
    from fogspiel import GameInfo

SHOWN_FINDINGS = 3
SIZES = (
    "fluents", "moves", "percepts", "moves_by_role", "percepts_by_role", "ground_rules", "gates",
    "inputs", "loops", "ground_seconds", "build_seconds",
)  # fmt: skip
"""Fields that only a ground program has."""
KINDS = {
    "simultaneous": "simultaneous moves",
    "chance": "chance",
    "hidden_information": "hidden information",
}
COUNTS = {
    "fluents": "fluents",
    "moves": "moves",
    "percepts": "percepts",
    "ground_rules": "ground rules",
    "gates": "gates",
    "inputs": "inputs of gates",
    "loops": "loop variables",
}
TIMES = {"read_seconds": "reading", "ground_seconds": "grounding", "build_seconds": "building"}


@click.command()
@game_argument
@game_options
@json_option
def info(game: GameChoice, *, as_json: bool) -> None:
    """Show the roles, the size and the class of GAME.

    The numbers of fluents, moves and percepts come from the grounded rules. They are not known
    for a game that is played by the reference reasoner, which does not ground the rules.
    """
    loaded = game.load()
    with busy("exploring the game …"):
        known = loaded.info()
    if as_json:
        print_json(describe(known))
    else:
        _print(known)


def describe(game: GameInfo) -> dict[str, Any]:
    """The JSON document."""
    return {
        "name": game.name,
        "title": game.title,
        "language": game.language,
        "engine": game.engine,
        "fallback": finding_record(game.fallback) if game.fallback else None,
        "roles": list(game.roles),
        "chance_role": game.chance,
        "simultaneous": game.simultaneous,
        "chance": game.has_chance,
        "hidden_information": game.hidden_information,
        "explored_steps": game.explored_steps,
        **{name: getattr(game.sizes, name, None) for name in SIZES},
        "findings": len(game.findings),
        "findings_by_code": dict(sorted(Counter(f.code for f in game.findings).items())),
        "read_seconds": game.read_seconds,
    }


def _print(game: GameInfo) -> None:
    given = {key: value for key, value in describe(game).items() if value is not None}
    rows = [["roles", ", ".join(game.roles)]]
    rows += [[name, "yes" if given[key] else "no"] for key, name in KINDS.items()]
    rows += [[name, f"{given[key]:,}"] for key, name in COUNTS.items() if key in given]
    rows += [[name, f"{given[key]:.3f} s"] for key, name in TIMES.items() if key in given]
    print_table(f"{game.title or game.name}, on the {game.engine} machine", ("", ""), rows)
    say(
        f"The class of the game is from {game.explored_steps:,} steps of random play: a yes is "
        "certain, a no means that no such step was met."
    )
    if not game.has_percepts:
        say("The rules have no `sees`, so every role sees all moves.")
    if game.fallback is not None:
        say(f"The reference reasoner plays it because {game.fallback.message}.")
    if game.findings:
        counts = Counter(str(finding.severity) for finding in game.findings)
        summary = ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in sorted(counts.items()))
        say(f"{summary} (`fogspiel check` shows all of them):")
        for finding in game.findings[:SHOWN_FINDINGS]:
            say(f"  {finding.place}{finding.code} {finding.message}", indent=4)
