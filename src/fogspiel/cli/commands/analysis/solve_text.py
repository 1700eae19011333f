"""What `fogspiel solve` prints for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fogspiel.cli.output import print_json, print_table

if TYPE_CHECKING:
    from fogspiel.cli.commands.analysis.solution import SolvedGame
    from fogspiel.solve.files.strategy_rows import StrategyRow
    from fogspiel.solve.result import Solution
    from fogspiel.tree.game_tree import GameTree

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


def print_solution(found: SolvedGame[GameTree], rows: int, files: list[str]) -> None:
    """Values, how sure they are, and what roles do where."""
    game, tree, solution = found.game, found.form, found.solution
    click.echo(
        f"{game.name}: {len(tree):,} nodes and {len(tree.infosets):,} infosets, built in "
        f"{found.build_seconds:.3g} s; {solution.method}, {solution.iterations:,} "
        f"iteration{'s' if solution.iterations != 1 else ''} in {solution.seconds:.3g} s"
    )
    _print_values(found)
    said = f"exploitability {found.exploitability:.3g} {found.unit.name}"
    if found.target is not None:
        word = "reached" if found.reached else "NOT reached"
        said += f", the target {found.target:g} was {word}"
    click.echo(said)
    for player in range(1, len(tree.players) + 1):
        _print_strategy(found, player, rows)
    if files:
        click.echo(f"wrote {', '.join(files)}")


def _print_values(found: SolvedGame[GameTree]) -> None:
    unit, solution = found.unit, found.solution
    exact = solution.exact_values
    in_goals = (unit.offset, unit.scale) == (0.0, 1.0)
    columns = ["role", f">value, {unit.name}"]
    columns += [">exactly"] if exact else []
    columns += [] if in_goals else [">goal"]
    rows = []
    for player, role in enumerate(found.form.players):
        goal = solution.values[player]
        row = [role, f"{unit.value(goal):+.6f}"]
        row += [str(unit.exact_value(exact[player]))] if exact else []
        rows.append([*row, *([] if in_goals else [f"{goal:.4f}"])])
    print_table(None, columns, rows)


def _print_strategy(found: SolvedGame[GameTree], player: int, rows: int) -> None:
    from fogspiel.solve.files.strategy_rows import most_reached

    tree, strategy = found.form, found.solution.strategy
    first, end = tree.infosets.starts[player - 1 : player + 1].tolist()
    shown = min(rows, end - first)
    if not shown:
        return
    lines = most_reached(tree, strategy, player, shown)
    role = tree.players[player - 1]
    columns = (f"what {role} did and saw", ">reached", "what it does")
    table = [
        [line.knows or "nothing yet", f"{line.reach:.4f}", _actions(found.solution, line)]
        for line in lines
    ]
    print_table(None, columns, table)
    if end - first > shown:
        click.echo(f"… and {end - first - shown:,} more infosets of {role}")


def _actions(solution: Solution, line: StrategyRow) -> str:
    """The actions that are played, the most probable first where not all fit."""
    exact = solution.exactly_at(line.infoset)
    texts = [f"{share:.3f}" for _, share in line.actions]
    if exact is not None:
        texts = [str(share) for share in exact]
    played = [
        (share, f"{action} {text}")
        for (action, share), text in zip(line.actions, texts, strict=True)
        if share >= NEGLIGIBLE
    ]
    if len(played) > SHOWN_ACTIONS:
        most = sorted(played, key=lambda item: -item[0])[:SHOWN_ACTIONS]
        return ", ".join(text for _, text in most) + f" and {len(played) - SHOWN_ACTIONS} more"
    return ", ".join(text for _, text in played)
