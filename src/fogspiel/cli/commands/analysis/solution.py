"""A solved game as the commands print it, in the unit of the game: one document, and text of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from fogspiel.cli.output import print_table
from fogspiel.core.terms import format_term
from fogspiel.core.values import Unit

if TYPE_CHECKING:
    from pathlib import Path

    from fogspiel.games.load import LoadedGame
    from fogspiel.solve.files.strategy_table import StrategyRow
    from fogspiel.solve.result import Solution
    from fogspiel.tree.game_tree import GameTree
    from fogspiel.tree.state_graph import StateGraph

_Form = TypeVar("_Form", "GameTree", "StateGraph")

SHOWN_FLUENTS = 4
SHOWN_ACTIONS = 6
NEGLIGIBLE = 5e-4
"""Actions less probable than this are left out of a line, and so print as 0.000 would."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SolvedGame(Generic[_Form]):
    """A game and its solution, over its tree or over the graph of its states."""

    game: LoadedGame
    form: _Form
    solution: Solution
    target: float | None = None
    """The exploitability to reach, in the unit; None if the method has no target."""
    build_seconds: float = 0.0

    @property
    def unit(self) -> Unit:
        """The unit of the game."""
        return self.game.tree_unit

    @property
    def in_goals(self) -> bool:
        """Whether values in the unit are goals."""
        return (self.unit.offset, self.unit.scale) == (0.0, 1.0)

    @property
    def exploitability(self) -> float:
        """The exploitability in the unit."""
        return self.unit.difference(self.solution.exploitability)

    @property
    def nash_conv(self) -> float:
        """The sum over the players of what each could gain alone, in the unit."""
        return self.exploitability * len(self.form.players)

    @property
    def reached(self) -> bool:
        """Whether the target was met; true without one."""
        return self.target is None or self.exploitability <= self.target

    def by_role(self, goals: tuple[float, ...]) -> dict[str, float]:
        """Goals of all players in the unit, by role."""
        return dict(zip(self.form.players, map(self.unit.value, goals), strict=True))


def solution_document(
    found: SolvedGame[Any], files: list[str], seed: int | None = None
) -> dict[str, Any]:
    """The JSON document of a solution, over a tree or over states.

    seed: of a tree, whose method may be random.
    """
    solution, players = found.solution, found.form.players
    values = found.by_role(solution.values)
    exact = solution.exact_values
    tree = _tree_of(found)
    return {
        "game": found.game.name,
        "method": solution.method,
        "parameters": plain_parameters(solution.parameters),
        "unit": found.unit.name,
        "value": values[players[0]] if players else None,
        "values": values,
        "goals": dict(zip(players, solution.values, strict=True)),
        "exact_values": None
        if exact is None
        else {
            role: str(found.unit.exact_value(value))
            for role, value in zip(players, exact, strict=True)
        },
        "exploitability": found.exploitability,
        "nash_conv": found.nash_conv,
        "target": found.target,
        "reached": found.reached,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "build_seconds": found.build_seconds,
        "nodes": len(found.form) if tree else None,
        "infosets": len(tree.infosets) if tree else None,
        "states": None if tree else len(found.form),
        **({"seed": seed} if tree else {}),
        "files": files,
    }


def _tree_of(found: SolvedGame[Any]) -> GameTree | None:
    """The tree that was solved; None where the states were."""
    from fogspiel.tree.game_tree import GameTree

    return found.form if isinstance(found.form, GameTree) else None


def plain_parameters(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Parameters as JSON can hold them: it knows no infinity."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in parameters.items()
    }


def write_strategy_file(found: SolvedGame[GameTree], path: Path) -> None:
    """Write the strategy of a solved tree."""
    from fogspiel.solve.files.strategy_file import rules_digest, write_strategy
    from fogspiel.solve.files.strategy_table import Origin, StrategyFile, role_strategies

    solution, unit, tree = found.solution, found.unit, found.form
    origin = Origin(
        game=found.game.name,
        rules_digest=rules_digest(found.game.sources),
        roles=tree.players,
        unit=unit,
        values=tuple(map(unit.value, solution.values)),
        exploitability=found.exploitability,
        method=solution.method,
        parameters=plain_parameters(solution.parameters),
        iterations=solution.iterations,
        seconds=solution.seconds,
    )
    write_strategy(
        StrategyFile(origin=origin, roles=role_strategies(tree, solution.strategy)), path
    )


def print_solution(found: SolvedGame[Any], document: Mapping[str, Any], rows: int) -> None:
    """Print values, exploitability, and what players do in some infosets or states."""
    own, tree = document, _tree_of(found)
    if tree is None:
        size = f"{own['states']:,} states, found"
        work = own["method"]
    else:
        size = f"{own['nodes']:,} nodes and {own['infosets']:,} infosets, built"
        plural = "s" if own["iterations"] != 1 else ""
        work = f"{own['method']}, {own['iterations']:,} iteration{plural}"
    click.echo(
        f"{own['game']}: {size} in {own['build_seconds']:.3g} s; {work} in {own['seconds']:.3g} s"
    )
    _print_values(own, with_goals=tree is None or not found.in_goals)
    said = f"exploitability {own['exploitability']:.3g} {own['unit']}"
    if tree is not None and own["target"] is not None:
        word = "reached" if own["reached"] else "NOT reached"
        said += f", the target {own['target']:g} was {word}"
    click.echo(said)
    if tree is None:
        _print_states(found, rows)
    else:
        for player in range(1, len(tree.players) + 1):
            _print_strategy(found, player, rows)
    if own["files"]:
        click.echo(f"wrote {', '.join(own['files'])}")


def _print_values(document: Mapping[str, Any], *, with_goals: bool) -> None:
    values, exact = document["values"], document["exact_values"]
    columns = {f">value, {document['unit']}": [f"{value:+.6f}" for value in values.values()]}
    if exact:
        columns[">exactly"] = list(exact.values())
    if with_goals:
        columns[">goal"] = [f"{goal:.4f}" for goal in document["goals"].values()]
    print_table(None, ("role", *columns), zip(values, *columns.values(), strict=True))


def _print_strategy(found: SolvedGame[GameTree], player: int, rows: int) -> None:
    from fogspiel.solve.files.strategy_table import most_reached

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


def _print_states(found: SolvedGame[StateGraph], rows: int) -> None:
    """The first states in which a player has a choice."""
    import numpy as np

    graph = found.form
    choices = np.flatnonzero((graph.counts[:, 1:] > 1).any(axis=1))[:rows]
    lines = [_state_line(found, state) for state in choices.tolist()]
    if lines:
        print_table(None, ("state", *graph.players, f">worth to {graph.players[0]}"), lines)


def _state_line(found: SolvedGame[StateGraph], state: int) -> list[str]:
    graph, solution = found.form, found.solution
    fluents = [format_term(fluent) for fluent in graph.fluents(state)]
    shown = " ".join(fluents[:SHOWN_FLUENTS]) + (" …" if len(fluents) > SHOWN_FLUENTS else "")
    cells = []
    for player in range(1, len(graph.players) + 1):
        shares = solution.strategy.at(graph.decision(state, player)).tolist()
        played = zip(graph.actions(state, player), shares, strict=True)
        cells.append(
            ", ".join(f"{action} {share:.3f}" for action, share in played if share > NEGLIGIBLE)
        )
    assert solution.state_values is not None
    value = found.unit.value(float(solution.state_values[state, 0]))
    return [shown, *cells, f"{value:+.4f}"]
