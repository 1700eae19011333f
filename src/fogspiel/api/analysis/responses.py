"""Best responses to a strategy, and responses that stay safe where the strategy is a guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fogspiel.api.names import Move, Role
from fogspiel.api.strategy import AnyStrategy, Strategy
from fogspiel.solve.response.belief_mdp import DEFAULT_MAX_ROWS, solve_belief_mdp

if TYPE_CHECKING:
    from fogspiel.api.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A player's response to a strategy, with its value if the others follow that strategy.

    A restricted Nash response also tells its price: what it is `worst` worth, and how much less
    that is than the value of the game.

    >>> game = fs.load("kuhn_poker")
    >>> response = game.best_response(lambda view: {"pass": 1.0}, "first")
    >>> response.role, response.value
    ('first', 1.0)
    """

    role: Role  #: The player who responds
    value: float  #: The player's payoff where the others follow the strategy
    strategy: Strategy = field(repr=False)
    """The response, with the strategy that it answers as the part of the others."""
    worst: float | None = None  #: The player's payoff against a best response to this response
    exploitability: float | None = None
    """The value of the game for the player, less `worst`: what a wrong guess may cost."""
    confidence: float = 1.0  #: The probability with which the others were taken to follow it


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseToUniform:
    """A best response to players who choose uniformly at random, found without the tree."""

    role: Role  #: The player who responds
    value: float  #: The player's payoff
    moves: dict[Move, float]
    """The payoff of each first move that is followed by a best response."""
    beliefs: int  #: The number of different beliefs that were solved, over all steps

    @property
    def move(self) -> Move:
        """A best first move."""
        return max(self.moves, key=lambda move: self.moves[move])


def best_response(game: Game, strategy: AnyStrategy, role: str, *, max_nodes: int) -> Response:
    """A best response; `Game.best_response` says what the arguments mean."""
    player = game.vocabulary.player(role)
    tree = game.tree(max_nodes=max_nodes)
    value, probabilities = tree.best_response(tree.probabilities(strategy), player)
    return Response(role=player, value=value, strategy=tree.strategy(probabilities))


def restricted_nash_response(
    game: Game, strategy: AnyStrategy, role: str, *, confidence: float, max_nodes: int
) -> Response:
    """A restricted Nash response; `Game.restricted_nash_response` says more."""
    from fogspiel.solve.response.restricted_nash import ModelledGame

    player = game.vocabulary.player(role)
    tree, unit = game.tree(max_nodes=max_nodes), game.payoff_unit
    model = tree.checked(tree.probabilities(strategy))
    found = ModelledGame(tree.levels, model, tree.players.index(player)).restricted(confidence)
    return Response(
        role=player,
        value=unit.value(found.exploitation),
        strategy=tree.strategy(found.strategy.probabilities),
        worst=unit.value(found.worst),
        exploitability=unit.difference(found.exploitability),
        confidence=confidence,
    )


def best_response_to_uniform(
    game: Game,
    role: str,
    *,
    max_rows: int = DEFAULT_MAX_ROWS,
    on_step: Callable[[int], None] | None = None,
) -> ResponseToUniform:
    """A best response to uniform play; `Game.best_response_to_uniform` says more."""
    player = game.vocabulary.player(role)
    found = solve_belief_mdp(game.machine, player.id, max_rows=max_rows, progress=on_step)
    unit, words = game.payoff_unit, game.vocabulary
    return ResponseToUniform(
        role=player,
        value=unit.value(found.value),
        moves={words.move(player.id, move): unit.value(own) for move, own in found.moves.items()},
        beliefs=found.beliefs,
    )
