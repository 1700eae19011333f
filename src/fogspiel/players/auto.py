"""`auto`: looks at the game first, then chooses the player that fits it.

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
from fogspiel.players.protocol import Agent, KnowsMoves, Mixing, Seat, Shares
from fogspiel.players.solving.whole_game import nodes_within
from fogspiel.search.evaluation.leaf import leaf_evaluation_of

MOST_STEPS = 8.0  #: Average length of a short game; Meier and liar's dice take about 5 steps
FEW_SECRETS = 0.2
"""Share of hidden moves in a game of few secrets: 0.05 to 0.14 in versions of Battleship, 0.27 in
blind breakthrough."""
STEPS_SINCE = 60.0
"""Average length of a game of few secrets. Battleship on 4x4 takes 28 steps; on 10x10, where it
takes a hundred and more, search by knowledge is as good."""

MakePlayer = Callable[[str], Agent]  #: Makes a player from a name, which may have an argument

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlayerChoice:
    """The name of the chosen player, and the reason."""

    player: str
    why: str


ALONE = PlayerChoice("norns-belief", "one player: beliefs, and what questions tell about them")
PUZZLE = PlayerChoice("beam", "one player and no chance: what was found once can be repeated")
TURNS = PlayerChoice("uct", "nothing is hidden and one moves at a time: a tree of states")
PARTS = PlayerChoice("parts", "nothing is hidden and the game falls apart: each part by itself")
REGRETS = PlayerChoice(
    "cfr", "moves at once that all see, two players, a constant sum: regrets in the states ahead"
)
HABITS = PlayerChoice(
    "cfr:trust=0.5",
    "moves at once that all see: regrets in the states ahead, which promise nothing by themselves, "
    "and others' habits in part",
)
SAFE = PlayerChoice(
    "exploit:0.2",
    "hidden, two players, a constant sum, small enough to solve: next to an equilibrium, but for "
    "what those lose who err",
)
SOLVED = PlayerChoice("solved", "hidden and small enough to solve: an equilibrium")
CLAIMS = PlayerChoice(
    "bayes:0.5",
    "hidden luck and few moves: what others do is a claim, to be judged by who they may be",
)
LAID = PlayerChoice(
    "bayes",
    "few moves are hidden: secrets were laid at first, and all that is seen since tells of them",
)
GUESSES = PlayerChoice(
    "outguess",
    "hidden moves and no luck: what others do can be foreseen, where there are not too many states",
)
SEARCH = PlayerChoice("ismcts", "hidden, and too large to solve: search by what each role knows")


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
    # In longer games, Difference of 15 steps among them, search by knowledge plays better.
    return CLAIMS if kind.mean_steps <= MOST_STEPS else SEARCH


def evaluation_in(argument: str) -> str:
    """The argument, if it is an evaluation. Raises the errors of `leaf_evaluation_of`."""
    leaf_evaluation_of(argument)
    return argument


class AutoPlayer:
    """An agent that hands everything on to the player that it chose."""

    def __init__(self, make: MakePlayer, evaluation: str | None = None) -> None:
        """evaluation: of leaves, as written behind the names of players that simulate."""
        self._make, self._evaluation = make, evaluation

    def start(self, seat: Seat, budget: Budget) -> None:
        """Look at the game, choose, and let the chosen player get ready."""
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
        """The legal moves of the chosen player. All that can be chosen can tell."""
        assert isinstance(self._player, KnowsMoves)
        return self._player.legal_moves(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The mixture of the chosen player. All that can be chosen can tell."""
        assert isinstance(self._player, Mixing)
        return self._player.mixture(budget)

    def observe(self, observation: Observation) -> None:
        """Tell the chosen player."""
        self._player.observe(observation)

    def stop(self) -> None:
        """Tell the chosen player."""
        self._player.stop()
