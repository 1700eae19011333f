"""`auto`: explores the game first, then chooses the player that fits it.

The choice depends on the class of the game (`players/exploration`), its independent parts, and the
size of its tree compared with the clock. The study `round-robin` compares the players to choose
from.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.analysis.features import GameKind
from fogspiel.players.exploration import explored_kind
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import Agent, KnowsMoves, Mixing, Seat, Shares, Thinks
from fogspiel.players.search_arguments import leaves_in
from fogspiel.players.solving.whole_game import nodes_within

MOST_STEPS = 8.0  #: Average length of a short game; Meier and liar's dice take about 5 steps
FEW_SECRETS = 0.2
"""Share of hidden moves in a game of few secrets: 0.05 to 0.14 in versions of Battleship, 0.27 in
blind breakthrough."""
STEPS_SINCE = 60.0
"""Average length of a game of few secrets. Battleship on 4x4 takes 28 steps; on 10x10, where it
takes a hundred and more, search on information sets is as good."""

MakePlayer = Callable[[str], Agent]  #: Makes a player from a name, which may have an argument

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlayerChoice:
    """The name of the chosen player, and the reason."""

    player: str
    why: str


ALONE = PlayerChoice("norns-belief", "one player and chance: search over beliefs")
PUZZLE = PlayerChoice("beam", "one player and no chance: a line of moves can be repeated")
TURNS = PlayerChoice("uct", "perfect information, players in turn: search in a tree of states")
PARTS = PlayerChoice("parts", "perfect information, independent parts: each part by itself")
REGRETS = PlayerChoice(
    "cfr",
    "simultaneous moves that all see, two players, constant sum: regret minimisation in the next "
    "steps",
)
HABITS = PlayerChoice(
    "cfr:trust=0.5",
    "simultaneous moves that all see: regret minimisation in the next steps, which guarantees "
    "nothing here, mixed with responses to the others' past moves",
)
SAFE = PlayerChoice(
    "exploit:0.2",
    "hidden information, two players, constant sum, small enough to solve: close to an "
    "equilibrium, and better than it against weak opponents",
)
SOLVED = PlayerChoice("solved", "hidden information, small enough to solve: an equilibrium")
CLAIMS = PlayerChoice(
    "bayes:0.5",
    "hidden chance in a short game: a Bayesian opponent model weighs what the others' moves tell",
)
LAID = PlayerChoice(
    "bayes",
    "few hidden moves, mostly at the start: a Bayesian opponent model weighs what later moves tell",
)
GUESSES = PlayerChoice(
    "outguess",
    "hidden moves and no chance: a model predicts the others' moves, if states are not too many",
)
SEARCH = PlayerChoice("ismcts", "hidden information, too large to solve: information set search")


def choice_for(kind: GameKind, budget: Budget) -> PlayerChoice:
    """The player that fits a game and a budget."""
    if kind.category == "alone":
        return ALONE if kind.chance else PUZZLE
    if kind.parts > 1 and not kind.hidden_information and not kind.simultaneous:
        return PARTS
    if kind.category == "turns":
        return TURNS
    is_duel = kind.is_two_player_constant_sum
    if kind.category == "open":
        return REGRETS if is_duel else HABITS
    if kind.log10_nodes > math.log10(max(1, nodes_within(budget))):
        return _searching(kind) if is_duel else SEARCH
    return SAFE if is_duel else SOLVED


def _searching(kind: GameKind) -> PlayerChoice:
    """The player for a hidden game of two players and constant sum whose tree does not fit."""
    if kind.simultaneous:
        return SEARCH
    if not kind.chance:
        has_few_secrets = kind.secrecy < FEW_SECRETS and kind.mean_steps <= STEPS_SINCE
        return LAID if has_few_secrets else GUESSES
    # In longer games, such as Difference with 15 steps, search on information sets plays better.
    return CLAIMS if kind.mean_steps <= MOST_STEPS else SEARCH


class AutoPlayer:
    """An agent that chooses a player and delegates all calls to it."""

    def __init__(self, make: MakePlayer, arguments: Arguments | None = None) -> None:
        """arguments: a leaf evaluation, as players that simulate take it.

        Raises the errors of `leaf_evaluation_of`.
        """
        self._make, self._evaluation = make, arguments and arguments.text
        if arguments is not None:
            leaves_in(arguments)

    def start(self, seat: Seat, budget: Budget) -> None:
        """Explore the game, choose a player, and let it get ready."""
        self.choice = choice_for(explored_kind(seat.machine, budget), budget)
        _log.info("%s: %s (%s)", seat.machine.roles[seat.role], self.choice.player, self.choice.why)
        self._player = self._make(self._name())
        self._player.start(seat, budget)

    def _name(self) -> str:
        """The name of the chosen player, with the evaluation where it simulates."""
        name = self.choice.player
        if self._evaluation is None or self.choice in (SAFE, SOLVED):
            return name
        return f"{name}{',' if ':' in name else ':'}{self._evaluation}"

    def choose(self, budget: Budget) -> MoveId:
        """The choice of the chosen player."""
        return self._player.choose(budget)

    def legal_moves(self, budget: Budget) -> Sequence[MoveId]:
        """The legal moves of the chosen player, which all candidates can tell."""
        assert isinstance(self._player, KnowsMoves)
        return self._player.legal_moves(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The mixed strategy of the chosen player, which all candidates can tell."""
        assert isinstance(self._player, Mixing)
        return self._player.mixture(budget)

    def ponder(self, budget: Budget) -> None:
        """Let the chosen player think while others move, if it can."""
        if isinstance(self._player, Thinks):
            self._player.ponder(budget)

    def observe(self, observation: Observation) -> None:
        """Tell the chosen player."""
        self._player.observe(observation)

    def stop(self) -> None:
        """Tell the chosen player."""
        self._player.stop()
