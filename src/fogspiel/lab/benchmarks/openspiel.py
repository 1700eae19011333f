"""OpenSpiel's random playouts, all in C++: the peer that ours are measured beside.

A tree search of one simulation whose evaluator makes n rollouts is a single call for n playouts,
the fastest way that its Python package offers.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

from fogspiel.core.findings import UsageError


@dataclass(frozen=True, slots=True)
class Peer:
    """A game of OpenSpiel that stands beside one of ours."""

    game: str
    required_ratio: float
    """How many of our playouts one of theirs must be worth."""


GOOFSPIEL = "goofspiel(num_cards=5,points_order=descending,returns_type=win_loss)"

PEERS = {
    "tic_tac_toe": Peer("tic_tac_toe", 60),
    "connect_four": Peer("connect_four", 70),
    "breakthrough_8": Peer("breakthrough(rows=8,columns=8)", 45),
    "othello": Peer("othello", 120),
    # Rollouts need moves in turn; the wrapper makes them so and hides the first from the second.
    "goofspiel_5": Peer(f"turn_based_simultaneous_game(game={GOOFSPIEL})", 60),
    "latent_tic_tac_toe": Peer("phantom_ttt", 70),
    "kuhn_poker": Peer("kuhn_poker", 30),
    "hex_9": Peer("hex(board_size=9)", 10),
    "chess": Peer("chess", 3),
    # OpenSpiel stops after 50 shots a side, ours only when a fleet is sunk.
    "battleship_10": Peer("battleship", 50),
}
REQUIRED_RATES = {"racko_60_10": 20_000.0, "gops_10_40": 20_000.0}
"""Playouts a second that games without a peer must reach."""


def require_openspiel() -> None:
    """Raise `UsageError` BEN004 where OpenSpiel is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        raise UsageError.of(
            "BEN004", "OpenSpiel is not installed", fix="pip install 'fogspiel[interop]'"
        )


def rollouts(game: str) -> Callable[[int], None]:
    """A function that makes n random playouts of a game of OpenSpiel."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    state = loaded.new_initial_state()
    # Search starts at a decision: the deal is skipped, to OpenSpiel's advantage.
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    bots: dict[int, object] = {}

    def run(count: int) -> None:
        if count not in bots:
            evaluator = pyspiel.RandomRolloutEvaluator(count, 3)
            bots[count] = pyspiel.MCTSBot(loaded, evaluator, 1.4, 1, 64, False, 5, False)
        bots[count].mcts_search(state)  # type: ignore[attr-defined]  # pyspiel has no types

    return run
