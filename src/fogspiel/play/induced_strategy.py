"""The strategy that a player's decisions make when they are put together.

Source: Richards (2012), definition 4: the complete strategy that an algorithm induces is what it
decides at each decision point by itself. A player is made anew for every information set, is told
the moves and percepts that lead there as if it had made them, and is asked once. The value of the
whole, and what anybody could gain against it, is then computed exactly (`solve/strategy_value`).

A player with a seed is one such algorithm; over several seeds, decisions are averaged at every
information set. Players that mix tell their probabilities (`Mixing`), which is exact; of others
the chosen move counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MakeBudget
from fogspiel.players.protocol import Agent, Mixing, Seat, Shares
from fogspiel.rules.sexpr import exact_text
from fogspiel.solve.files.strategy_table import observations_at
from fogspiel.solve.result import Strategy, action_starts
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True)
class InducedDecision:
    """An information set as a player comes to it."""

    infoset: int
    role: RoleId
    moves: tuple[MoveId, ...]  #: The action set, ascending
    observations: tuple[Observation, ...]
    """The role's moves and percepts before, also of steps at which it had no choice."""


def induced_strategy(
    machine: Machine,
    tree: GameTree,
    make: Callable[[], Agent],
    *,
    turn_budget: MakeBudget,
    seed: int,
    start_budget: MakeBudget | None = None,
    draws: int = 1,
    on_decision: Callable[[], None] | None = None,
) -> Strategy:
    """The decisions of a kind of player in all roles, at every infoset of the machine's tree.

    start_budget: before the first move; as for a decision if not given.
    draws: seeds that decisions are averaged over. on_decision: called after each of them.
    Raises `PlayError` MAT001 for a move that is not legal.
    """
    if draws < 1:
        raise ValueError(f"at least one seed is needed; got {draws}")
    starts = action_starts(tree.infosets)
    strategy = Strategy(starts=starts, probabilities=np.zeros(int(starts[-1])))
    seeds = [
        int(np.random.SeedSequence([seed, draw]).generate_state(1)[0]) for draw in range(draws)
    ]
    for decision in decisions_of(machine, tree):
        for own in seeds:
            player = make()
            player.start(Seat(machine, decision.role, own), (start_budget or turn_budget)())
            for observation in decision.observations:
                player.observe(observation)
            mixed = _decided(machine, player, decision, turn_budget)
            strategy.at(decision.infoset)[:] += mixed / draws
            player.stop()
            if on_decision is not None:
                on_decision()
    return strategy


def decisions_of(machine: Machine, tree: GameTree) -> Iterator[InducedDecision]:
    """Every infoset of a tree that was built from the machine, as a player would come to it."""
    for player, name in enumerate(tree.players):
        role = RoleId(machine.roles.index(name))
        moves = {
            exact_text(machine.move_term(role, move)): move
            for move in map(MoveId, range(machine.move_count(role)))
        }
        percepts = {
            exact_text(machine.percept_term(role, seen)): seen
            for seen in map(PerceptId, range(machine.percept_count(role)))
        }
        for infoset in range(*tree.infosets.starts[player : player + 2].tolist()):
            observations = [
                Observation(moves[own.move], tuple(sorted(percepts[seen] for seen in own.percepts)))
                for own in observations_at(tree, infoset)
            ]
            choices = tuple(moves[text] for text in tree.infosets.names.actions(infoset))
            yield InducedDecision(infoset, role, choices, tuple(observations))


def _decided(
    machine: Machine, player: Agent, decision: InducedDecision, turn_budget: MakeBudget
) -> Shares:
    """(moves,) the probability with which each is chosen."""
    moves = decision.moves
    if isinstance(player, Mixing):
        mixed = player.mixture(turn_budget())
        if len(mixed) == len(moves):
            return mixed
    else:
        move = player.choose(turn_budget())
        if move in moves:
            return np.array([float(other == move) for other in moves])
    raise PlayError.of(
        "MAT001",
        f"the player of {machine.roles[decision.role]} did not choose among its {len(moves)} "
        "legal moves",
        fix="this is a fault of the player; let another one play the role",
    )
