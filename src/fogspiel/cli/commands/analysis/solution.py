"""A solved game as the commands print it, in the unit of the game: one document, and text of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fogspiel.cli.output import print_table, say

if TYPE_CHECKING:
    from fogspiel import Role, Solution
    from fogspiel.api.solution_rows import SolutionRow, StateRow

SHOWN_FLUENTS = 4
SHOWN_ACTIONS = 6
FIGURES = {"iterations": ",", "seconds": ".3g", "exploitability": ".3g"}
"""What is printed of each of several methods, and in which form."""
NEGLIGIBLE = 5e-4
"""Actions less probable than this are left out of a line, and so print as 0.000 would."""


def solution_document(
    solution: Solution, files: list[str], seed: int | None = None
) -> dict[str, Any]:
    """The JSON document of a solution, over a tree or over states.

    seed: of a tree, whose method may be random.
    """
    from fogspiel.api.solution import plain_parameters

    players, tree, exact = solution.players, solution.tree, solution.exact_value
    return {
        "game": solution.game.name,
        "method": solution.method,
        "parameters": plain_parameters(solution.parameters),
        "unit": solution.game.payoff_unit.name,
        "value": solution.value[players[0]] if players else None,
        "values": solution.value,
        "goals": solution.goals,
        "exact_values": None
        if exact is None
        else {role: str(value) for role, value in exact.items()},
        "exploitability": solution.exploitability,
        "nash_conv": solution.nash_conv,
        "target": solution.target,
        "reached": solution.reached,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "build_seconds": solution.build_seconds,
        "nodes": None if tree is None else len(tree),
        "infosets": None if tree is None else tree.infosets,
        "states": len(solution.form) if tree is None else None,
        **({} if tree is None else {"seed": seed}),
        "files": files,
    }


def print_solutions(documents: Sequence[Mapping[str, Any]]) -> None:
    """Print how far several methods came, a line each."""
    first = documents[0]
    say(f"{first['game']}: {first['nodes']:,} nodes, {first['infosets']:,} information sets")
    columns = ("method", ">iterations", ">seconds", f">exploitability, {first['unit']}")
    shown = [
        (own["method"], *(f"{own[key]:{form}}" for key, form in FIGURES.items()))
        for own in documents
    ]
    print_table(None, columns, shown)
    say(f"wrote {', '.join(first['files'])}")


def print_solution(
    solution: Solution, document: Mapping[str, Any], rows: int, *, is_new: bool = True
) -> None:
    """Print values, exploitability, and what players do in some infosets or states.

    is_new: whether it was found now, or read from a file and evaluated.
    """
    own, tree = document, solution.tree
    if tree is None:
        size = f"{own['states']:,} states, found"
        work = own["method"]
    else:
        size = f"{own['nodes']:,} nodes and {own['infosets']:,} information sets, built"
        plural = "s" if own["iterations"] != 1 else ""
        work = f"{own['method']}, {own['iterations']:,} iteration{plural}"
        # A method that ends by itself has none.
        work = work if own["iterations"] else own["method"]
    if not is_new:
        work = f"a strategy by {own['method']}, evaluated"
    say(f"{own['game']}: {size} in {own['build_seconds']:.3g} s; {work} in {own['seconds']:.3g} s")
    _print_values(own, with_goals=tree is None or not solution.game.payoff_unit.is_plain)
    said = f"exploitability {own['exploitability']:.3g} {own['unit']}"
    if tree is not None and own["target"] is not None:
        word = "reached" if own["reached"] else "NOT reached"
        said += f", target {own['target']:g} {word}"
    say(said)
    if tree is None:
        lines = [_state_line(row) for row in solution.state_rows(rows)]
        if lines:
            players = solution.players
            print_table(None, ("state", *players, f">value for {players[0]}"), lines)
    else:
        for role, infosets in zip(tree.players, tree.infosets_of_players, strict=True):
            _print_strategy(solution, role, min(rows, infosets), infosets)
    if own["files"]:
        say(f"wrote {', '.join(own['files'])}")


def _print_values(document: Mapping[str, Any], *, with_goals: bool) -> None:
    values, exact = document["values"], document["exact_values"]
    columns = {f">value, {document['unit']}": [f"{value:+.6f}" for value in values.values()]}
    if exact:
        columns[">exact value"] = list(exact.values())
    if with_goals:
        columns[">goal"] = [f"{goal:.4f}" for goal in document["goals"].values()]
    print_table(None, ("role", *columns), zip(values, *columns.values(), strict=True))


def _print_strategy(solution: Solution, role: Role, shown: int, infosets: int) -> None:
    """What a role does where play comes most often."""
    if not shown:
        return
    columns = (f"moves and percepts of {role}", ">reached", "strategy")
    table = [
        [row.knows or "none yet", f"{row.reach:.4f}", _actions(row)]
        for row in solution.rows(role, shown)
    ]
    print_table(None, columns, table)
    if infosets > shown:
        say(f"… and {infosets - shown:,} more information sets of {role}")


def _actions(row: SolutionRow) -> str:
    """The actions that are played, the most probable first where not all fit."""
    texts = [f"{share:.3f}" for share in row.actions.values()]
    if row.exact is not None:
        texts = [str(share) for share in row.exact.values()]
    played = [
        (share, f"{action} {text}")
        for (action, share), text in zip(row.actions.items(), texts, strict=True)
        if share >= NEGLIGIBLE
    ]
    if len(played) > SHOWN_ACTIONS:
        most = sorted(played, key=lambda item: -item[0])[:SHOWN_ACTIONS]
        return ", ".join(text for _, text in most) + f" and {len(played) - SHOWN_ACTIONS} more"
    return ", ".join(text for _, text in played)


def _state_line(row: StateRow) -> list[str]:
    """What all players do in a state, and its value for the first of them."""
    fluents = row.state.fluents
    shown = " ".join(fluents[:SHOWN_FLUENTS]) + (" …" if len(fluents) > SHOWN_FLUENTS else "")
    cells = [
        ", ".join(f"{action} {share:.3f}" for action, share in own.items() if share > NEGLIGIBLE)
        for own in row.actions.values()
    ]
    return [shown, *cells, f"{next(iter(row.value.values())):+.4f}"]
