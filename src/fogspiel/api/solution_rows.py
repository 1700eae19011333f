"""Solutions over the states of a game, where all players always know the state; rows to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.api.state import State
from fogspiel.api.strategy import Mixed, Strategy
from fogspiel.api.view import View
from fogspiel.rules.sexpr import exact_text
from fogspiel.solve.result import Solution as Solved
from fogspiel.tree.state_graph import StateGraph

if TYPE_CHECKING:
    from fogspiel.api.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class SolutionRow:
    """What a player does at one information set or in one state."""

    knows: str  #: What it did and saw, cut to its end where that is long; or the facts of a state
    reach: float | None  #: The probability that play comes here; None for states
    actions: Mapping[str, float]  #: The probability of each action
    exact: Mapping[str, Fraction] | None  #: The same as fractions, from methods that compute them


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """What all players do in one state, from a solution over states."""

    state: State  #: The state, with the facts that hold there
    actions: Mapping[str, Mapping[str, float]]  #: The mixed action of every player
    value: Mapping[str, float]  #: The value of the state for every player


def strategy_by_states(game: Game, graph: StateGraph, solved: Solved) -> Strategy:
    """The strategy of a solution over states: every player always knows the state."""
    numbers: dict[tuple[int, bytes], int] = {}
    for step, (first, end) in enumerate(pairwise(graph.level_starts.tolist())):
        for state in range(first, end):
            numbers[step, graph.machine.key(graph.states[state])] = state
    players = [str(role) for role in graph.players]

    def look_up(view: View) -> Mixed | None:
        (state, _), *others = view.belief().states
        number = numbers.get((len(view), game.machine.key(state.bits)))
        if others or number is None or state.over:
            return None
        shares = solved.strategy.at(graph.decision(number, players.index(view.role) + 1))
        return dict(zip(state.legal[view.role], shares.tolist(), strict=True))

    return Strategy(game, look_up)


def state_rows(game: Game, graph: StateGraph, solved: Solved, most: int) -> list[StateRow]:
    """The first states in which somebody has a choice."""
    assert solved.state_values is not None
    rows: list[StateRow] = []
    for state in np.flatnonzero((graph.counts[:, 1:] > 1).any(axis=1))[:most].tolist():
        played, value = {}, {}
        for player, role in enumerate(graph.players, start=1):
            shares = solved.strategy.at(graph.decision(state, player)).tolist()
            played[role] = dict(zip(graph.actions(state, player), shares, strict=True))
            value[role] = game.payoff_unit.value(float(solved.state_values[state, player - 1]))
        rows.append(StateRow(state=State(game, graph.states[state]), actions=played, value=value))
    return rows


def rows_by_states(graph: StateGraph, solved: Solved, player: int, most: int) -> list[SolutionRow]:
    """What a player does in the first states in which it has a choice."""
    rows: list[SolutionRow] = []
    for state in range(len(graph)):
        if len(rows) == most:
            break
        if graph.counts[state, player] > 1:
            shares = solved.strategy.at(graph.decision(state, player)).tolist()
            rows.append(
                SolutionRow(
                    knows=" ".join(map(exact_text, graph.fluents(state))),
                    reach=None,
                    actions=dict(zip(graph.actions(state, player), shares, strict=True)),
                    exact=None,
                )
            )
    return rows
