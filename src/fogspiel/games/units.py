"""What the values of a game are counted in."""

from __future__ import annotations

from fogspiel.games.loading import Game
from fogspiel.solve.books import Unit

GOALS = Unit("goals", 0.0, 1.0)
PAYOFFS = Unit("as the rules count", 0.0, 1.0)


def tree_unit(game: Game) -> Unit:
    """The unit of the games' index, told for payoffs as trees hold them; without an entry, those.

    Trees divide goals by the scale of the machine, which the index does not.
    """
    payoff, scale = game.payoff, game.machine.goal_scale
    if payoff is None:
        return GOALS if game.language == "gdl" else PAYOFFS
    return Unit(payoff.unit, payoff.offset / scale, payoff.scale / scale)
