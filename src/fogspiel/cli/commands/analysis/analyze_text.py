"""What `fogspiel analyze` prints for people."""

from __future__ import annotations

from typing import Any

import click

from fogspiel.cli.output import print_table

SUMS = {
    "zero": "what one gains the others lose",
    "constant": "what one gains the others lose, up to a constant",
    "general": "players may gain or lose together",
    None: "not known",
}
CLASSES = {
    "dominant": "in dominant strategies",
    "pure": "a pure one",
    "mixed": "only mixed ones",
    "unknown": "of a class that was not found out",
}


def print_analysis(document: dict[str, Any]) -> None:
    """Size, kind, value and method."""
    title = document["title"] or document["game"]
    print_table(title, ("", ""), [*_sizes(document), *_kinds(document), *_worth(document)])
    if document["limit"] is not None:
        click.echo(f"{document['limit']['message']}; the kind was found by random walks:")
        click.echo("a yes is certain, a no means that none was met.")
    procedure = document["procedure"]
    if procedure["method"] is not None:
        click.echo(f"Solve it by {procedure['method']}: {procedure['reason']}.")
        others = [name for name in procedure["fitting"] if name != procedure["method"]]
        if others:
            click.echo(f"Also fitting: {', '.join(others)}.")
    else:
        click.echo(f"{procedure['reason'].capitalize()}.")


def _sizes(document: dict[str, Any]) -> list[list[str]]:
    tree, estimate = document["tree"], document["estimate"]
    rows = [["roles", ", ".join(document["roles"])]]
    if tree is not None:
        sequences = ", ".join(f"{role} {count:,}" for role, count in tree["sequences"].items())
        rows += [
            ["nodes", f"{tree['nodes']:,}, of which {tree['leaves']:,} end the game"],
            ["infosets", f"{tree['infosets']:,}"],
            ["sequences", sequences],
            ["depth", f"{tree['depth']:,} moves"],
        ]
    if estimate is not None:
        steps = f"{estimate['mean_steps']:.1f} steps, {estimate['longest']} at most"
        rows += [
            ["nodes, estimated", f"about 10^{estimate['log10_nodes']:.1f}"],
            ["random games", steps],
        ]
    if document["states"] is not None:
        rows.append(["states", f"{document['states']:,}"])
    if document["parts"] is not None:
        rows.append(["independent parts", _parts(document["parts"])])
    return rows


def _parts(parts: dict[str, Any]) -> str:
    """How many, how many of them matter, and what follows."""
    count, idle = parts["count"], parts["count"] - parts["relevant"]
    told = "none" if count < 2 else f"{count}, joined by goals and the end of the game alone"
    if idle:
        told += f"; {idle} of them do not matter" if count > 1 else "; it does not matter"
    if parts["grundy_number"] is not None:
        told += f"; a sum of impartial games, Grundy number {parts['grundy_number']}"
    return told


def _kinds(document: dict[str, Any]) -> list[list[str]]:
    kind = document["kind"]
    keys = ("chance", "simultaneous", "hidden_information", "perfect_recall")
    rows = [[_words(key), "yes" if kind[key] else "no"] for key in keys]
    return [*rows, ["payoffs", SUMS[kind["sum"]]]]


def _worth(document: dict[str, Any]) -> list[list[str]]:
    solution, taxonomy = document["solution"], document["taxonomy"]
    rows = []
    if taxonomy is not None:
        rows.append(["equilibria", CLASSES[taxonomy["class"]]])
        rows.append(["how to decide", taxonomy["procedure"]])
    if solution is not None:
        values = ", ".join(f"{role} {value:+.6f}" for role, value in solution["values"].items())
        rows.append(["value", f"{values} ({solution['unit']})"])
        rows.append(["exploitability", f"{solution['exploitability']:.2g} by {solution['method']}"])
    return rows


def _words(key: str) -> str:
    return {"simultaneous": "moves at the same time"}.get(key, key.replace("_", " "))
