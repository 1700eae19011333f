"""What `fogspiel solve` prints for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.output import print_json, print_table

if TYPE_CHECKING:
    from fogspiel.cli.commands.analysis.solution import Solution
    from fogspiel.solve.files.strategy_rows import StrategyRow

SHOWN_ACTIONS = 6
NEGLIGIBLE = 5e-4
"""Actions less probable than this are left out of a line, and so print as 0.000 would."""


def print_methods(*, as_json: bool) -> None:
    """All methods, with what each is and finds."""
    from fogspiel.solve.methods import AUTO, METHODS

    if as_json:
        keys = ("name", "what", "finds", "anytime")
        print_json(
            {"methods": [{key: getattr(own, key) for key in keys} for own in METHODS.values()]}
        )
        return
    rows = [[AUTO, "picks one by the kind and size of the game", ""]]
    rows += [[own.name, own.what, own.finds] for own in METHODS.values()]
    print_table("Methods", ("name", "what it is", "what it finds"), rows)


def print_solution(solution: Solution, rows: int, files: list[str]) -> None:
    """Values, how sure they are, and what roles do where."""
    game, tree, result = solution.game, solution.tree, solution.result
    click.echo(
        f"{game.name}: {len(tree):,} nodes and {len(tree.infosets):,} infosets, built in "
        f"{solution.build_seconds:.3g} s; {result.method}, {result.iterations:,} "
        f"iteration{'s' if result.iterations != 1 else ''} in {result.seconds:.3g} s"
    )
    _print_values(solution)
    said = f"exploitability {solution.exploitability:.3g} {solution.unit.name}"
    if solution.target is not None:
        word = "reached" if solution.reached else "NOT reached"
        said += f", the target {solution.target:g} was {word}"
    click.echo(said)
    for player in range(1, len(tree.players) + 1):
        _print_strategy(solution, player, rows)
    if files:
        click.echo(f"wrote {', '.join(files)}")


def _print_values(solution: Solution) -> None:
    unit, result, exact = solution.unit, solution.result, solution.answer.exact
    in_goals = (unit.offset, unit.scale) == (0.0, 1.0)
    columns = ["role", f">value, {unit.name}"]
    columns += [">exactly"] if exact else []
    columns += [] if in_goals else [">goal"]
    rows = []
    for player, role in enumerate(solution.tree.players):
        goal = result.values[player]
        row = [role, f"{unit.value(goal):+.6f}"]
        row += [str(unit.exact_value(exact.values[player]))] if exact else []
        rows.append([*row, *([] if in_goals else [f"{goal:.4f}"])])
    print_table(None, columns, rows)


def _print_strategy(solution: Solution, player: int, rows: int) -> None:
    from fogspiel.solve.files.strategy_rows import most_reached

    tree, strategy = solution.tree, solution.result.strategy
    first, end = tree.infosets.starts[player - 1 : player + 1].tolist()
    shown = min(rows, end - first)
    if not shown:
        return
    lines = most_reached(tree, strategy, player, shown)
    role = tree.players[player - 1]
    columns = (f"what {role} did and saw", ">reached", "what it does")
    table = [
        [line.knows or "nothing yet", f"{line.reach:.4f}", _actions(solution, line)]
        for line in lines
    ]
    print_table(None, columns, table)
    if end - first > shown:
        click.echo(f"… and {end - first - shown:,} more infosets of {role}")


def _actions(solution: Solution, line: StrategyRow) -> str:
    """The actions that are played, the most probable first where not all fit."""
    exact = solution.answer.exact
    texts = [f"{share:.3f}" for _, share in line.actions]
    if exact is not None:
        texts = [str(share) for share in exact.at(line.infoset)]
    played = [
        (share, f"{action} {text}")
        for (action, share), text in zip(line.actions, texts, strict=True)
        if share >= NEGLIGIBLE
    ]
    if len(played) > SHOWN_ACTIONS:
        most = sorted(played, key=lambda item: -item[0])[:SHOWN_ACTIONS]
        return ", ".join(text for _, text in most) + f" and {len(played) - SHOWN_ACTIONS} more"
    return ", ".join(text for _, text in played)


def plain_parameters(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Parameters as JSON can hold them: it knows no infinity."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in parameters.items()
    }
