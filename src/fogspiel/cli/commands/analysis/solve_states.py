"""`fogspiel solve` on the states of a game without secrets: no tree is needed there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.analysis.solution import SolvedGame, solution_document
from fogspiel.cli.output import busy, print_table
from fogspiel.core.findings import PlayError, UsageError

if TYPE_CHECKING:
    from fogspiel.games.load import Game
    from fogspiel.tree.state_graph import StateGraph

UNSUITED = frozenset({"TRE005", "SOL002", "SOL003"})
"""Secrets, a sum that is not constant, or not two players: the tree may still do."""
SHOWN_FLUENTS = 4


def solved_by_states(game: Game, max_states: int, target: float | None) -> SolvedGame[StateGraph]:
    """Solve a game state by state.

    Raises `PlayError` TRE005 if something is hidden, `UsageError` for another kind of game.
    """
    from fogspiel.solve.induction.simultaneous import solve_states
    from fogspiel.tree.state_graph import joint_graph

    began = time.perf_counter()
    with busy("finding the states …"):
        graph = joint_graph(game.machine, title=game.name, max_states=max_states)
    build_seconds = time.perf_counter() - began
    with busy("solving state by state …"):
        solution = solve_states(graph)
    return SolvedGame(
        game=game, form=graph, solution=solution, target=target, build_seconds=build_seconds
    )


def solved_if_open(
    game: Game, max_states: int, target: float | None
) -> SolvedGame[StateGraph] | None:
    """The same for a game with moves at once and no secrets; None for all others."""
    from fogspiel.machine.analysis.features import explore

    kind = explore(game.machine, hides=game.program.has_percepts)
    if kind.players != 2 or not kind.simultaneous:
        return None
    try:
        return solved_by_states(game, max_states, target)
    except (PlayError, UsageError) as error:
        if {finding.code for finding in error.findings} <= UNSUITED:
            return None
        raise


def states_document(found: SolvedGame[StateGraph]) -> dict[str, Any]:
    """The JSON document, with the keys of a tree's where they mean something."""
    return {
        **solution_document(found),
        "nodes": None,
        "infosets": None,
        "states": len(found.form),
        "files": [],
    }


def print_states(found: SolvedGame[StateGraph], rows: int) -> None:
    """Values, how sure they are, and what players do in the first states."""
    unit, solution, graph = found.unit, found.solution, found.form
    click.echo(
        f"{found.game.name}: {len(graph):,} states, found in {found.build_seconds:.3g} s; "
        f"{solution.method} in {solution.seconds:.3g} s"
    )
    table = [
        [role, f"{unit.value(value):+.6f}", f"{value:.4f}"]
        for role, value in zip(graph.players, solution.values, strict=True)
    ]
    print_table(None, ("role", f">value, {unit.name}", ">goal"), table)
    click.echo(f"exploitability {found.exploitability:.3g} {unit.name}")
    lines = [_line(found, state) for state in _open_states(graph, rows)]
    if lines:
        print_table(None, ("state", *graph.players, f">worth to {graph.players[0]}"), lines)


def _open_states(graph: StateGraph, rows: int) -> list[int]:
    """The first states in which a player has a choice."""
    import numpy as np

    choices = (graph.counts[:, 1:] > 1).any(axis=1)
    found: list[int] = np.flatnonzero(choices)[:rows].tolist()
    return found


def _line(found: SolvedGame[StateGraph], state: int) -> list[str]:
    from fogspiel.core.terms import format_term

    graph, solution = found.form, found.solution
    fluents = [format_term(fluent) for fluent in graph.fluents(state)]
    shown = " ".join(fluents[:SHOWN_FLUENTS]) + (" …" if len(fluents) > SHOWN_FLUENTS else "")
    cells = []
    for player in range(1, len(graph.players) + 1):
        shares = solution.strategy.at(graph.decision(state, player)).tolist()
        played = zip(graph.actions(state, player), shares, strict=True)
        cells.append(", ".join(f"{action} {share:.3f}" for action, share in played if share > 5e-4))
    assert solution.state_values is not None
    value = found.unit.value(float(solution.state_values[state, 0]))
    return [shown, *cells, f"{value:+.4f}"]
