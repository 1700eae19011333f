"""`tignum`: plans with schemes from a methods file instead of searching every move.

Source: Smith and Nau (1993). Task decomposition makes a decision tree, which is evaluated over the
states of the information set and followed until the plan ends or play leaves it (section 4).
Departures: see `plan/games` for simultaneous moves, chance, and moves that the role does not see.
Leaves are evaluated by random playouts. Where no method applies, all legal moves are planned with.

If there is a clock and the role has a choice at once, its first plan is made before play. A plan is
for one information set and is followed without further thought, so that there is nothing to do in
forced turns and while others move.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, Observation
from fogspiel.plan.games.model import percept_terms
from fogspiel.plan.games.planning import ANY_MOVE, GamePlanner, PlanExecution, PlannerSettings
from fogspiel.plan.games.relations import SUFFIX, game_vocabulary, shipped_network
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.criteria import CRITERIA, criterion
from fogspiel.plan.tree.executing import Replanning
from fogspiel.plan.tree.nodes import PlanDecision, decision_at
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.names import Arguments, player_name
from fogspiel.players.protocol import Agent, PlayerEntry, Seat
from fogspiel.players.searching.search_player import with_reserve
from fogspiel.rules.gdl.read import read_file

RESERVE_SECONDS = 0.03
INLINE = "methods"
"""Name in errors of methods that are given in place of a file."""
MOST_NODES, MOST_WORLDS = 1_000_000, 10_000
CRITERION, NODES, WORLDS = "criterion", "nodes", "worlds"
WANTED = (
    f"a methods file, then any of {CRITERION}=NAME, {NODES}=N and {WORLDS}=N, separated by commas; "
    f"criteria are {', '.join(CRITERIA)}"
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TignumSetup:
    """The settings in the argument of the player."""

    source: Source | None = None  #: The methods; those shipped with the game if not given
    settings: PlannerSettings = field(default_factory=PlannerSettings)


class TignumPlayer(BeliefPlayer):
    """Follows a plan, and replans where the plan ends or play leaves it."""

    def __init__(
        self, setup: TignumSetup | None = None, *, network: TaskNetwork | None = None
    ) -> None:
        """network: methods to use in place of those of the setup."""
        self._setup = setup or TignumSetup()
        self._given = network

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and read the methods for this game.

        Raises `RulesError` with all faults of the file, `UsageError` PLY007 if the game has none.
        """
        super().start(seat, budget)
        self.network = self._network()
        self._planner = GamePlanner(self.machine, self.role, self.network, self._setup.settings)
        self.following = PlanExecution(self._planner.plan)
        self._decided: MoveId | None = None
        self.decision: PlanDecision | None = None
        """The last decision by a method of the file."""
        self.reason: str | None = None
        """Reason why the last move was made without the methods; None if they made it."""
        if budget.deadline is not None and len(self.legal_moves()) > 1:
            self._plan_ahead(with_reserve(budget, RESERVE_SECONDS))

    def _plan_ahead(self, budget: Budget) -> None:
        """Make the plan for the first turn."""
        try:
            self.following.execution.begin(self._situation(budget))
        except FogspielError as error:
            # The first turn has a clock of its own, and tries again.
            _log.info("%s has no plan before play: %s", self.machine.roles[self.role], error)

    @property
    def replannings(self) -> Sequence[Replanning]:
        """Plans that were given up so far."""
        return self.following.execution.replannings

    def choose(self, budget: Budget) -> MoveId:
        """The next move of the plan, or of a new one."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        wanted = self._wanted(with_reserve(budget, RESERVE_SECONDS))
        if wanted not in legal:
            wanted = legal[int(np.random.default_rng(self.turn_seed).integers(len(legal)))]
        self._decided = wanted
        return wanted

    def observe(self, observation: Observation) -> None:
        """Take note of a step, and follow the plan to its next decision."""
        super().observe(observation)
        decided, self._decided = self._decided, None
        if decided is not None and decided != observation.move:
            self.following.drop("another move counted as the role's own")
            return
        seen = percept_terms(self.machine, self.role, observation.percepts)
        self.following.observe(seen, is_choice=decided is not None)

    def _wanted(self, budget: Budget) -> MoveId | None:
        """A move by the methods, or by planning with all legal moves; None if planning fails."""
        self.reason = self.decision = None
        try:
            situation = self._situation(budget)
            self.decision = self.following.next(situation)
            if self.decision is not None:
                return self._move(self.decision)
            self.reason = "no method applies"
            found = decision_at(self._planner.plan_by(ANY_MOVE, situation).root)
            return None if found is None else self._move(found)
        except FogspielError as error:
            # Whatever went wrong, a move without a plan is better than a late one or none.
            self.reason = str(error)
            _log.warning("%s plays without a plan: %s", self.machine.roles[self.role], error)
            self.following.drop("planning failed")
            return None

    def _situation(self, budget: Budget) -> GameSituation:
        states, weights = self.possible_states()
        return self._planner.situation(states, weights, seed=self.turn_seed, budget=budget)

    def _move(self, decision: PlanDecision) -> MoveId:
        return self.machine.move_id(self.role, decision.operator)

    def _network(self) -> TaskNetwork:
        source = self._setup.source
        if self._given is not None:
            return self._given
        if source is not None:
            return sound_network(source, vocabulary=game_vocabulary(self.machine))
        found = shipped_network(self.machine)
        if found is None:
            raise UsageError.of(
                "PLY007",
                "no methods file comes with this game",
                fix=f"write one (docs/methods.md) and name it: tignum:FILE{SUFFIX}",
            )
        return found


def tignum(arguments: Arguments) -> Agent:
    """A player with a methods file, or with the methods themselves, and settings.

    Raises `UsageError` PLY021 for wrong settings, PLN022 for an unknown criterion, GAM002 for a
    file that cannot be read.
    """
    file = arguments.next_word()
    if file is not None and _is_text(file):
        return TignumPlayer(TignumSetup(source=Source(INLINE, arguments.whole() or "")))
    if file == "":
        raise arguments.unusable(file, WANTED)
    setup = TignumSetup()
    if file is not None:
        setup = TignumSetup(source=read_file(Path(file)))
        arguments.word()
    settings = setup.settings
    if (name := arguments.setting(CRITERION)) is not None:
        settings = replace(settings, criterion=criterion(name))
    if nodes := _whole(NODES, MOST_NODES, arguments):
        settings = replace(settings, nodes=nodes)
    if worlds := _whole(WORLDS, MOST_WORLDS, arguments):
        settings = replace(settings, worlds=worlds)
    return TignumPlayer(replace(setup, settings=settings))


def with_methods(name: str, rules: Path) -> str:
    """A player's name; if it plays by methods and names none, with the file beside the rules.

    name: any player's name, as users write it.
    rules: the file of the rules; `NAME.methods` beside `NAME.gdl` has its methods.
    """
    parts, beside = player_name(name, [TIGNUM.name]), rules.with_suffix(".methods")
    if parts.name != TIGNUM.name or not rules.is_file() or not beside.is_file():
        return name
    if parts.arguments.next_word() is not None:
        return name
    return f"{parts.name}:{beside}" + (f",{parts.argument}" if parts.argument else "")


def _is_text(argument: str) -> bool:
    return argument.lstrip().startswith("(")


def _whole(key: str, most: int, arguments: Arguments) -> int | None:
    """The number of a setting, from 1 on; None if it is not given."""
    text = arguments.setting(key)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > len(str(most)) or not 1 <= int(text) <= most:
        raise arguments.unusable(f"{key}={text}", WANTED)
    return int(text)


TIGNUM = PlayerEntry(
    name="tignum",
    what="plans with the schemes of a methods file",
    details="It plans again where play leaves the plan.",
    source="Smith & Nau (1993)",
    fits="games with a methods file (docs/methods.md)",
    make=tignum,
    argument=WANTED,
    takes_file=True,
)
"""Kept apart from the players of every game, since it needs methods for a game."""
