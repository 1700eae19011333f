"""Whether OpenSpiel finds a strategy as exploitable as we do: the same policy, measured by both.

Both trees are walked together, history by history, moves matched by their names. On the way every
information state of OpenSpiel must come to lie in one infoset of ours: then the games agree in what
players know, and the policy can be handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.core.values import Unit
from fogspiel.games.load import LoadedGame, load
from fogspiel.lab.benchmarks.playouts import require_openspiel, turn_taking
from fogspiel.lab.benchmarks.processes import Record, measure
from fogspiel.machine.protocol import State
from fogspiel.solve.methods import solve
from fogspiel.solve.result import SolveLimits, Strategy, action_starts
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import NO_INFOSET, GameTree

AGREEMENT_SECONDS = 600.0
SOLVE_SECONDS = 60.0
SOLVE_TARGET = 1e-4  #: Exploitability as a fraction of the range of payoffs


@dataclass(frozen=True, slots=True)
class Twin:
    """A game of OpenSpiel, with the names that our rules give to its actions."""

    theirs: str
    move: Callable[[int], str]
    deal: Callable[[int], str] = str


def _goofspiel(cards: int) -> Twin:
    options = f"num_cards={cards},imp_info=True,points_order=descending,returns_type=win_loss"
    return Twin(f"goofspiel({options})", lambda action: f"(bid {action + 1})")


def _liars_bid(action: int) -> str:
    return "liar" if action == 12 else f"(bid {action // 6 + 1} {action % 6 + 1})"


WON_OR_LOST = Unit("wins", 50, 50)  #: What OpenSpiel counts in games that have no unit in our index
LEDUC_CARDS = ("jack_1", "jack_2", "queen_1", "queen_2", "king_1", "king_2")
TWINS = {
    "kuhn_poker": Twin(
        "kuhn_poker",
        lambda action: ("pass", "bet")[action],
        lambda action: f"(deal {('jack', 'queen', 'king')[action]})",
    ),
    "leduc_poker": Twin(
        "leduc_poker",
        lambda action: ("fold", "call", "raise")[action],
        lambda action: f"(deal {LEDUC_CARDS[action]})",
    ),
    "hidden_goofspiel_4": _goofspiel(4),
    "hidden_goofspiel_5": _goofspiel(5),
    "tic_tac_toe": Twin("tic_tac_toe", lambda action: f"(mark {action // 3 + 1} {action % 3 + 1})"),
    "liars_dice": Twin("liars_dice", _liars_bid, lambda action: f"(roll {action + 1})"),
}
"""Goofspiel that hides nothing is missing: its information states in OpenSpiel forget the order of
play. So are games whose trees are out of reach for it, such as dark hex."""
QUICK = ("kuhn_poker", "leduc_poker", "hidden_goofspiel_4")
"""The others take from ten seconds to some minutes, most of it OpenSpiel's."""


def compare(game: str, *, seed: int, solved: bool) -> Record:
    """Both figures of a game, computed in a process of its own."""
    answer = measure("agreement", AGREEMENT_SECONDS, game=game, seed=seed, solved=solved)
    return {"game": game, **answer}


def measure_agreement(game: str, seed: int = 0, solved: bool = False) -> Record:
    """Compute the exploitability of a strategy by our count and by OpenSpiel's, in its unit.

    The strategy is drawn at random, or the one that `auto` finds.
    """
    require_openspiel()
    import pyspiel

    loaded = load(game)
    tree = build(loaded.machine)
    strategy = _solved(tree) if solved else random_strategy(tree, seed)
    other = turn_taking(TWINS[game].theirs)
    table = openspiel_policy(loaded, tree, strategy, other)
    found = strategy_value(tree, strategy)
    unit = loaded.unit or WON_OR_LOST
    policy = pyspiel.TabularPolicy(table)
    ours = unit.difference(found.exploitability)
    theirs = pyspiel.nash_conv(other, policy, True) / len(tree.players)
    values = [unit.value(value) for value in found.values]
    their_values = pyspiel.expected_returns(other.new_initial_state(), policy, -1, True)
    return {
        "peer_game": TWINS[game].theirs,
        "seed": None if solved else seed,
        "information_states": len(table),
        "exploitability": ours,
        "peer_exploitability": theirs,
        "difference": abs(ours - theirs),
        "value_difference": max(abs(a - b) for a, b in zip(values, their_values, strict=True)),
    }


def _solved(tree: GameTree) -> Strategy:
    spread = float(np.ptp(tree.payoffs))
    limits = SolveLimits(seconds=SOLVE_SECONDS, target=SOLVE_TARGET * spread)
    return solve(tree, limits=limits).strategy


def random_strategy(tree: GameTree, seed: int) -> Strategy:
    """Probabilities drawn evenly and scaled; none is 0."""
    starts = action_starts(tree.infosets)
    weights = np.random.default_rng(seed).uniform(0.05, 1.0, int(starts[-1]))
    totals = np.repeat(np.add.reduceat(weights, starts[:-1]), tree.infosets.action_counts)
    return Strategy(starts=starts, probabilities=weights / totals)


def openspiel_policy(
    game: LoadedGame, tree: GameTree, strategy: Strategy, other: Any
) -> dict[str, list[tuple[int, float]]]:
    """The strategy by OpenSpiel's information states.

    other: OpenSpiel's game, players taking turns. Raises `AssertionError` if the games differ.
    """
    table: dict[str, list[tuple[int, float]]] = {}
    infosets: dict[str, int] = {}
    for infoset, state, actions in _decisions(game, tree, other):
        known = state.information_state_string()
        assert infosets.setdefault(known, infoset) == infoset, known
        if known not in table:
            shares = [1.0] if infoset == NO_INFOSET else strategy.at(infoset).tolist()
            table[known] = list(zip(actions, shares, strict=True))
    ours = [infoset for infoset in infosets.values() if infoset != NO_INFOSET]
    assert len(set(ours)) == len(ours) == len(tree.infosets)
    return table


@dataclass(slots=True)
class _Place:
    """A node of our tree and the same position in the other tree."""

    node: int
    state: State  #: State of the machine at the beginning of the current step
    joint: tuple[MoveId, ...]
    """Moves already chosen in this step, in the order in which roles are asked."""
    other: Any


class _Walk:
    """Steps along our side."""

    def __init__(self, game: LoadedGame, twin: Twin) -> None:
        self.machine = machine = game.machine
        self.twin = twin
        chance = machine.chance_role
        players = [RoleId(role) for role in range(len(machine.roles)) if role != chance]
        self.order = [*([] if chance is None else [chance]), *players]
        self._legal: dict[tuple[bytes, RoleId], tuple[MoveId, ...]] = {}
        self._after: dict[tuple[bytes, tuple[MoveId, ...]], State] = {}

    def settle(self, place: _Place) -> RoleId | None:
        """Make all moves that are forced; the role that has a choice then, None at the end."""
        machine = self.machine
        while True:
            if len(place.joint) == len(self.order):
                key = machine.key(place.state), place.joint
                if key not in self._after:
                    moves = dict(zip(self.order, place.joint, strict=True))
                    joint = [moves[RoleId(role)] for role in range(len(moves))]
                    self._after[key] = machine.step(place.state, joint)
                place.state, place.joint = self._after[key], ()
            if not place.joint and machine.terminal(place.state):
                return None
            role = self.order[len(place.joint)]
            legal = self.legal(place.state, role)
            if len(legal) > 1:
                return role
            place.joint = (*place.joint, legal[0])

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, in the order of the edges."""
        key = self.machine.key(state), role
        if key not in self._legal:
            self._legal[key] = self.machine.legal(state, role)
        return self._legal[key]

    def actions(self, place: _Place, role: RoleId) -> list[int]:
        """OpenSpiel's numbers of the moves, in the order of our edges."""
        chance = role == self.machine.chance_role
        write = self.twin.deal if chance else self.twin.move
        theirs = {write(action): action for action in place.other.legal_actions()}
        legal = self.legal(place.state, role)
        ours = [format_term(self.machine.move_term(role, move)) for move in legal]
        assert set(ours) == set(theirs), f"{ours} is not {theirs}"
        return [theirs[text] for text in ours]


def _decisions(
    game: LoadedGame, tree: GameTree, other: Any
) -> Iterator[tuple[int, Any, list[int]]]:
    """All decisions of players: our infoset, OpenSpiel's state, its actions in our order.

    OpenSpiel asks players also where they have no choice; there our infoset is `NO_INFOSET`.
    """
    walk = _Walk(game, TWINS[game.name])
    unit = game.unit or WON_OR_LOST
    stack = [_Place(0, game.machine.initial(), (), other.new_initial_state())]
    while stack:
        place = stack.pop()
        role = walk.settle(place)
        while not place.other.is_terminal() and len(place.other.legal_actions()) == 1:
            forced = place.other.legal_actions()
            yield NO_INFOSET, place.other, forced
            place.other = place.other.child(forced[0])
        if role is None:
            row = tree.payoffs[tree.node_payoffs[place.node]]
            returns = [unit.value(goal) for goal in row.tolist()]
            assert np.allclose(returns, place.other.returns())
            continue
        actions = walk.actions(place, role)
        if role != game.machine.chance_role:
            yield int(tree.node_infosets[place.node]), place.other, actions
        first = int(tree.first_edges[place.node])
        for edge, (move, action) in enumerate(
            zip(walk.legal(place.state, role), actions, strict=True)
        ):
            node = int(tree.targets[first + edge])
            joint = (*place.joint, move)
            stack.append(_Place(node, place.state, joint, place.other.child(action)))
