"""`fogspiel analyze`: the size and the kind of a game, what it is worth, and what solves it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import (
    MAX_NODES_HELP,
    GameChoice,
    count_option,
    game_argument,
    game_options,
    number_option,
)
from fogspiel.cli.output import finding_record, json_option, print_json, print_table, say
from fogspiel.cli.progress import Stages

if TYPE_CHECKING:
    from fogspiel.api.analysis.analysis import Analysis

MAX_NODES = 2_000_000
SECONDS = 20.0
SUMS = {
    "zero": "zero-sum",
    "constant": "constant-sum",
    "general": "general-sum",
    None: "not known",
}
CLASSES = {
    "dominant": "in dominant strategies",
    "pure": "a pure equilibrium exists",
    "mixed": "mixed only",
    "unknown": "not determined",
}


@click.command()
@game_argument
@count_option("--max-nodes", least=1, default=MAX_NODES, help=MAX_NODES_HELP)
@number_option(
    "--seconds",
    least=0.001,
    default=SECONDS,
    help="Time limit for computing the value, and again for classifying the equilibria.",
)
@game_options
@json_option
def analyze(game: GameChoice, *, max_nodes: int, seconds: float, as_json: bool) -> None:
    """Analyze GAME: tree size, class, value, and methods that apply.

    Where the game tree is too large to be built, its size is estimated from random walks, and the
    class of the game is what these walks have met.
    """
    loaded = game.load()
    from fogspiel.api.analysis.analysis import analyze as analysis_of

    with Stages() as shown:
        found = analysis_of(
            loaded,
            max_nodes=max_nodes,
            seconds=seconds,
            on_stage=shown.begin,
            on_point=shown.point,
        )
    document = _document(found)
    if as_json:
        print_json(document)
    else:
        _print(document)


def _document(found: Analysis) -> dict[str, Any]:
    """The JSON document."""
    game = found.game
    return {
        "game": game.name,
        "title": game.entry.title if game.entry else None,
        "roles": list(game.players),
        "engine": game.machine.engine,
        "kind": {
            **_kind(found, "players", "chance", "simultaneous"),
            **_kind(found, "hidden_information", "perfect_information"),
            # What a role did is part of what it knows, so that trees from rules have it.
            "perfect_recall": True,
            "sum": found.payoff_sum,
            "certain": found.certain,
        },
        "tree": _tree(found) if found.certain else None,
        "states": found.states,
        "estimate": None
        if found.certain
        else _kind(found, "log10_nodes", "walks", "mean_steps", "longest"),
        "parts": None if found.parts is None else asdict(found.parts),
        "limit": None if found.limit is None else finding_record(found.limit),
        "taxonomy": _taxonomy(found),
        "solution": _solution(found),
        "procedure": {
            "method": found.method,
            "reason": found.reason,
            "fitting": list(found.fitting),
        },
    }


def _kind(found: Analysis, *names: str) -> dict[str, Any]:
    return {name: getattr(found.kind, name) for name in names}


def _tree(found: Analysis) -> dict[str, Any]:
    return {
        **_kind(found, "nodes", "leaves", "infosets"),
        "sequences": found.sequences,
        "depth": found.kind.depth,
        "build_seconds": found.build_seconds,
    }


def _taxonomy(found: Analysis) -> dict[str, Any] | None:
    """The class of the equilibria: dominant strategies, a pure equilibrium, or only mixed ones."""
    if found.taxonomy is None:
        return None
    pure = found.taxonomy.pure
    return {
        "class": found.game_class,
        "procedure": found.taxonomy.game_class.procedure,
        "dominant": {
            role: {"kind": own.kind.value, "reason": own.reason}
            for role, own in found.dominant.items()
        },
        "pure_equilibrium": {"exists": pure.exists, "reason": pure.reason},
    }


def _solution(found: Analysis) -> dict[str, Any] | None:
    solution = found.solution
    if solution is None:
        return None
    return {
        "method": solution.method,
        "unit": found.game.payoff_unit.name,
        "values": solution.value,
        "exploitability": solution.exploitability,
        "seconds": solution.seconds,
    }


def _print(document: dict[str, Any]) -> None:
    """Size, kind, value and method."""
    rows = [*_size_rows(document), *_kind_rows(document), *_value_rows(document)]
    print_table(document["title"] or document["game"], ("", ""), rows)
    if document["limit"] is not None:
        say(
            f"{_sentence(document['limit']['message'])} The class of the game is from random "
            "walks: a yes is certain, a no means that the walks met no such case."
        )
    procedure = document["procedure"]
    if procedure["method"] is not None:
        say(f"Recommended method: {procedure['method']}. {_sentence(procedure['reason'])}")
        others = [name for name in procedure["fitting"] if name != procedure["method"]]
        if others:
            say(f"Other methods that apply: {', '.join(others)}.")
    else:
        say(_sentence(procedure["reason"]))


def _size_rows(document: dict[str, Any]) -> list[list[str]]:
    tree, estimate = document["tree"], document["estimate"]
    rows = [["roles", ", ".join(document["roles"])]]
    if tree is not None:
        sequences = ", ".join(f"{role} {count:,}" for role, count in tree["sequences"].items())
        rows += [
            ["nodes", f"{tree['nodes']:,}, of which {tree['leaves']:,} are terminal"],
            ["information sets", f"{tree['infosets']:,}"],
            ["sequences", sequences],
            ["depth", f"{tree['depth']:,} moves"],
        ]
    if estimate is not None:
        steps = f"{estimate['mean_steps']:.1f} steps, {estimate['longest']} at most"
        rows += [
            ["nodes, estimated", f"about 10^{estimate['log10_nodes']:.1f}"],
            ["length of random games", steps],
        ]
    if document["states"] is not None:
        rows.append(["states", f"{document['states']:,}"])
    told = _parts_text(document["parts"], document["kind"]["players"])
    return [*rows, ["independent parts", told]] if told else rows


def _parts_text(parts: dict[str, Any] | None, players: int) -> str:
    """Parts that no move joins, where that helps to play; empty elsewhere.

    It helps one player, who can play them one by one, and in sums of impartial games, where Grundy
    numbers tell the winner. In other games moves in one part gain or lose time in another.
    """
    if parts is None or (parts["count"] < 2 and parts["count"] == parts["relevant"]):
        return ""
    count, idle, grundy = parts["count"], parts["count"] - parts["relevant"], parts["grundy_number"]
    told = []
    if grundy is not None:
        end = "loses" if grundy == 0 else "wins"
        told.append(
            f"a sum of impartial games, Grundy number {grundy}: with best play, whoever moves "
            f"first {end}"
        )
    elif players == 1 and count > 1:
        told.append("each can be solved by itself")
    if idle:
        told.append(f"{idle} of them affect neither the goals nor the end of the game")
    if not told:
        return ""
    return f"{count}, and no move in one changes another; {'; '.join(told)}"


def _kind_rows(document: dict[str, Any]) -> list[list[str]]:
    kind = document["kind"]
    keys = ("chance", "simultaneous", "hidden_information", "perfect_recall")
    rows = [[_words(key), "yes" if kind[key] else "no"] for key in keys]
    return [*rows, ["payoffs", SUMS[kind["sum"]]]]


def _value_rows(document: dict[str, Any]) -> list[list[str]]:
    solution, taxonomy = document["solution"], document["taxonomy"]
    rows = []
    if taxonomy is not None:
        rows.append(["equilibria", CLASSES[taxonomy["class"]]])
        rows.append(["decision procedure", taxonomy["procedure"]])
    if solution is not None:
        values = ", ".join(f"{role} {value:+.6f}" for role, value in solution["values"].items())
        rows.append(["value", f"{values} ({solution['unit']})"])
        rows.append(["exploitability", f"{solution['exploitability']:.2g} ({solution['method']})"])
    return rows


def _words(key: str) -> str:
    return {"simultaneous": "simultaneous moves"}.get(key, key.replace("_", " "))


def _sentence(text: str) -> str:
    """A text with a capital letter and a full stop; other capitals in it stay."""
    return f"{text[:1].upper()}{text[1:]}."
