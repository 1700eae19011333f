"""`fogspiel info`: what the rules came to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import GameChoice, game_options
from fogspiel.cli.output import busy, finding_record, json_option, print_json, print_table

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame
    from fogspiel.machine.analysis.features import GameKind

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
@click.argument("game")
@game_options
@json_option
def info(game: GameChoice, *, as_json: bool) -> None:
    """Show the roles, the size and the kind of GAME.

    Counts of fluents, moves and percepts are of what the grounder finds possible. The reference
    reasoner does not ground: there they are null, as are rules and gates.
    """
    loaded = game.load()
    from fogspiel.machine.analysis.features import explore

    with busy("exploring …"):
        kind = explore(loaded.machine, hides=loaded.hides)
    document = describe(loaded, kind)
    if as_json:
        print_json(document)
    else:
        _print(document, loaded)


def describe(game: LoadedGame, kind: GameKind) -> dict[str, Any]:
    """The JSON document."""
    return {
        "name": game.name,
        "title": game.entry.title if game.entry else None,
        "language": game.language,
        "engine": game.machine.engine,
        "fallback": finding_record(game.fallback) if game.fallback else None,
        "roles": list(game.machine.roles),
        "chance_role": game.chance,
        "simultaneous": kind.simultaneous,
        "chance": kind.chance,
        "hidden_information": kind.hidden_information,
        "explored_steps": kind.explored_steps,
        **_sizes(game),
        "findings": len(game.findings),
        "findings_by_code": dict(sorted(Counter(f.code for f in game.findings).items())),
        "read_seconds": game.read_seconds,
    }


def _sizes(game: LoadedGame) -> dict[str, Any]:
    from fogspiel.machine.compiled.machine import CompiledMachine

    grounded, machine = game.ground, game.machine
    if grounded is None or not isinstance(machine, CompiledMachine):
        return dict.fromkeys(SIZES)
    network = machine.network
    moves = {role: len(network.moves[i]) for i, role in enumerate(machine.roles)}
    percepts = {role: len(network.percepts[i]) for i, role in enumerate(machine.roles)}
    return {
        "fluents": len(network.fluents) + len(network.always),
        "moves": sum(moves.values()),
        "percepts": sum(percepts.values()),
        "moves_by_role": moves,
        "percepts_by_role": percepts,
        "ground_rules": len(grounded.rules.heads),
        "gates": network.gate_count,
        "inputs": network.input_count,
        "loops": len(network.gates.loop_slots),
        "ground_seconds": grounded.seconds,
        "build_seconds": network.seconds,
    }


def _print(document: dict[str, Any], game: LoadedGame) -> None:
    given = {key: value for key, value in document.items() if value is not None}
    rows = [["roles", ", ".join(document["roles"])]]
    rows += [[name, "yes" if document[key] else "no"] for key, name in KINDS.items()]
    rows += [[name, f"{given[key]:,}"] for key, name in COUNTS.items() if key in given]
    rows += [[name, f"{given[key]:.3f} s"] for key, name in TIMES.items() if key in given]
    title = document["title"] or document["name"]
    print_table(f"{title}, on the {document['engine']} machine", ("", ""), rows)
    click.echo(
        f"The kind of game was found by {document['explored_steps']:,} steps of random play: "
        "a yes is certain, a no means that none was met."
    )
    if not game.hides:
        click.echo("The rules have no `sees`: every role sees all moves.")
    if document["fallback"] is not None:
        click.echo(f"It plays on the reference reasoner because {document['fallback']['message']}.")
    if game.findings:
        counts = Counter(str(finding.severity) for finding in game.findings)
        summary = ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in sorted(counts.items()))
        click.echo(f"{summary} (`fogspiel check` shows all of them):")
        for finding in game.findings[:SHOWN_FINDINGS]:
            click.echo(f"  {finding.place}{finding.code} {finding.message}")
