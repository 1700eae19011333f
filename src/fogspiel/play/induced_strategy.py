"""The strategy that a player's decisions make when they are put together.

Source: Richards (2012), definition 4: the complete strategy that an algorithm induces is what it
decides at each decision point by itself. A player is made anew for every information set, is told
the moves and percepts that lead there as if it had made them, and is asked once. What the whole is
worth, and what anybody could gain against it, is then computed exactly (`solve/strategy_value`).

A player with a seed is one such algorithm; over several seeds, decisions are averaged at every
information set. Players that mix tell their probabilities (`Mixing`), which is exact; others are
taken at their word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.core.findings import PlayError
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MakeBudget
from fogspiel.players.protocol import Agent, Mixing, Seat, Shares
from fogspiel.solve.files.strategy_table import steps_of
from fogspiel.solve.result import Strategy, action_starts
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.infoset_names import ObservationText, exact_text


@dataclass(frozen=True, slots=True)
class InducedDecision:
    """Where a role has a choice."""

    infoset: int
    role: RoleId
    moves: tuple[MoveId, ...]
    """To choose from, ascending."""
    observations: tuple[Observation, ...]
    """What the role did and saw on the way, step by step, also where it had no choice."""


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
    """What a kind of player does in all roles, at every infoset of the machine's tree.

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
            shares = _decided(machine, player, decision, turn_budget)
            strategy.at(decision.infoset)[:] += shares / draws
            player.stop()
            if on_decision is not None:
                on_decision()
    return strategy


def decisions_of(machine: Machine, tree: GameTree) -> Iterator[InducedDecision]:
    """Every infoset of a tree that was built from the machine, as a player would come to it."""
    for player, name in enumerate(tree.players):
        words = _Words(machine, RoleId(machine.roles.index(name)))
        for infoset in range(*tree.infosets.starts[player : player + 2].tolist()):
            yield InducedDecision(
                infoset,
                words.role,
                tuple(map(words.move, tree.infosets.names.actions(infoset))),
                tuple(map(words.observation, steps_of(tree, infoset))),
            )


def _decided(
    machine: Machine, player: Agent, decision: InducedDecision, turn_budget: MakeBudget
) -> Shares:
    """(moves,) how probable each is to be chosen."""
    moves = decision.moves
    if isinstance(player, Mixing):
        shares = player.mixture(turn_budget())
        if len(shares) != len(moves):
            raise _illegal(machine.roles[decision.role], moves)
        return shares
    move = player.choose(turn_budget())
    if move not in moves:
        raise _illegal(machine.roles[decision.role], moves)
    return np.array([float(other == move) for other in moves])


class _Words:
    """The numbers of a role's moves and percepts by the texts that trees name them with."""

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self.role = role
        moves = map(MoveId, range(machine.move_count(role)))
        percepts = map(PerceptId, range(machine.percept_count(role)))
        self._moves = {exact_text(machine.move_term(role, move)): move for move in moves}
        self._percepts = {exact_text(machine.percept_term(role, seen)): seen for seen in percepts}

    def move(self, text: str) -> MoveId:
        return self._moves[text]

    def observation(self, sight: ObservationText) -> Observation:
        percepts = sorted(self._percepts[text] for text in sight.percepts)
        return Observation(self._moves[sight.move], tuple(percepts))


def _illegal(role: str, moves: Sequence[MoveId]) -> PlayError:
    return PlayError.of(
        "MAT001",
        f"the player of {role} did not choose among its {len(moves)} legal moves",
        fix="this is a fault of the player; let another one play the role",
    )
