"""A player in a process of its own: tasks of the server come in, and reports on them go out.

Kernels do not let other threads run while they work, so that a server that thought itself could
neither answer a ping nor keep the clock of a second match. Deadlines are moments on the monotonic
clock, which all processes of a machine share.

While no task waits, a player that can think goes on (`players/protocol.Thinks`), in slices so short
that a task hardly waits for one. That counts towards no clock. It does not happen where budgets are
of simulations, since moves would then depend on how long others took.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import GroundTerm, MoveId
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.serve.observations import LetterCase, Load, ObservationDecoder, Playable
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.protocol import Agent, KnowsMoves, Seat, Thinks
from fogspiel.players.simple import FirstPlayer

KEPT_GAMES = 4  #: Loaded games that are kept, for matches by the same rules
MOST_WHY = 400  #: Characters of a reason
SLICE_SECONDS = 0.05
"""Time for which a player thinks while others move, before the next task is looked for."""
IDLE_SECONDS = 0.005
"""A slice that is shorter was not used: the player has nothing to think about."""
LONG_SECONDS, MOST_LONG = 2 * SLICE_SECONDS, 3
"""Length of a slice that would delay an answer too much, and the number of them in a match after
which the player does not think in it any more while others move."""
PONDER_SECONDS = 300.0
"""Time after a task for which a player thinks while others move: a match may have been left."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepare:
    """Load some rules: a match may come."""

    rules: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Load the rules and get ready to play a role."""

    rules: str = field(repr=False)
    role: str
    seed: int
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTask:
    """Take note of what was told, and choose a move."""

    told: Told
    answered: GroundTerm | None
    """What was answered when we were asked last; None for the first turn."""
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTask:
    """Take note of what was told, and let go of the match."""

    told: Told
    answered: GroundTerm | None


Task: TypeAlias = Prepare | Begin | TurnTask | EndTask


@dataclass(frozen=True, slots=True)
class Done:
    """The task is done; it asked for no move."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The task cannot be done."""

    why: str


@dataclass(frozen=True, slots=True)
class Fallback:
    """A legal move, in case thinking takes too long. The chosen one follows."""

    move: GroundTerm


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The move that the player chose."""

    move: GroundTerm
    at: float  #: The moment at which the player came back
    late_seconds: float
    """Seconds after the deadline; negative where the player came back before it."""


Report: TypeAlias = Done | Failed | Fallback | Chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSettings:
    """Everything that a process needs, all of which can be sent to it."""

    entrant: Entrant
    load: Load
    practice: tuple[str, ...] = ()
    """Rules of small games, which are played before the first match: kernels load then."""
    ponders: bool = True  #: Whether the player thinks while others move


@dataclass(slots=True)
class _Seated:
    """The player in its role, in one match."""

    machine: Machine
    decoder: ObservationDecoder
    player: Agent
    knower: FirstPlayer | None  #: Knows the legal moves where the player cannot tell them

    def moves(self, budget: Budget) -> tuple[MoveId, ...]:
        """The legal moves of the role."""
        if self.decoder.state is not None:
            return self.machine.legal(self.decoder.state, self.decoder.role)
        knower = self.knower or self.player
        assert isinstance(knower, KnowsMoves)
        return tuple(knower.legal_moves(budget))

    def note(self, task: TurnTask | EndTask) -> None:
        """Let the player observe the step that the manager told of."""
        seen = self.decoder.follow(task.told, task.answered)
        if seen is not None:
            self.player.observe(seen)
            if self.knower is not None:
                self.knower.observe(seen)


class PlayerProcess:
    """One player, one match at a time."""

    def __init__(self, settings: ProcessSettings) -> None:
        self._entrant, self._load = settings.entrant, settings.load
        self._games: OrderedDict[str, Playable] = OrderedDict()
        self._seated: _Seated | None = None
        self._ponders, self._ponders_until, self._long = settings.ponders, 0.0, 0
        """Whether the player may think while others move, until when, and its slices that were too
        long in this match."""
        for rules in settings.practice:
            machine = self._load(rules, "auto").machine
            warm_up(machine, [self._entrant] * len(player_roles(machine)))

    def reports(self, task: Task) -> Iterator[Report]:
        """Work on a task; the last report ends it. Players may fail in any way: none gets out."""
        self._ponders_until = 0.0
        try:
            match task:
                case Prepare(rules):
                    self._loaded(LetterCase(rules).rules)
                    yield Done()
                case Begin():
                    self._begin(task)
                    self._allow_pondering(task.budget)
                    yield Done()
                case TurnTask():
                    yield from self._choose(task)
                    self._allow_pondering(task.budget)
                case EndTask():
                    self._end(task)
                    yield Done()
        except FogspielError as error:
            finding = error.findings[0]
            yield Failed(f"{finding.code} {finding.message}"[:MOST_WHY])
        except Exception as error:
            _log.exception("a player failed")
            yield Failed(f"{type(error).__name__}: {error}"[:MOST_WHY])

    def ponder(self) -> bool:
        """Let the player think for a slice of the time in which others move.

        Returns: whether there is more to think about before the next task. Players may fail here,
        too: they do not think any more in this match while others move.
        """
        player = None if self._seated is None else self._seated.player
        began = time.monotonic()
        if (
            began >= self._ponders_until
            or self._long >= MOST_LONG
            or not isinstance(player, Thinks)
        ):
            return False
        try:
            player.ponder(Budget(deadline=began + SLICE_SECONDS))
        except Exception:
            _log.exception("a player failed while others moved")
            self._long = MOST_LONG
            return False
        seconds = time.monotonic() - began
        self._long += seconds > LONG_SECONDS
        return seconds >= IDLE_SECONDS

    def _allow_pondering(self, budget: Budget) -> None:
        """Let the player think from now on, if its clock counts seconds."""
        if self._ponders and budget.deadline is not None:
            self._ponders_until = time.monotonic() + PONDER_SECONDS

    def _begin(self, task: Begin) -> None:
        self._seated, self._long = None, 0
        letter_case = LetterCase(task.rules)
        game, player = self._loaded(letter_case.rules), self._entrant.make()
        decoder, knower = ObservationDecoder(game, task.role, letter_case), None
        seat = Seat(game.machine, decoder.role, task.seed)
        if game.has_percepts and not isinstance(player, KnowsMoves):
            knower = FirstPlayer()
            knower.start(seat, task.budget)
        player.start(seat, task.budget)
        self._seated = _Seated(game.machine, decoder, player, knower)

    def _choose(self, task: TurnTask) -> Iterator[Report]:
        seated, budget = self._seated, task.budget
        if seated is None:
            yield Failed("no match could be begun")
            return
        seated.note(task)
        if budget.is_over:
            yield Failed("the turn was over before it could be looked at")
            return
        moves = seated.moves(budget)
        if not moves:
            yield Failed("there is no legal move")
            return
        yield Fallback(seated.decoder.move_text(moves[0]))
        move = seated.player.choose(budget)
        if move not in moves:
            yield Failed(f"the player chose move {move}, which is not legal")
            return
        now = time.monotonic()
        late = 0.0 if budget.deadline is None else now - budget.deadline
        yield Chosen(move=seated.decoder.move_text(move), at=now, late_seconds=late)

    def _end(self, task: EndTask) -> None:
        seated, self._seated = self._seated, None
        if seated is not None:
            try:
                seated.note(task)
            finally:
                seated.player.stop()

    def _loaded(self, rules: str) -> Playable:
        game = self._games.pop(rules, None) or self._load(rules, "auto")
        self._games[rules] = game
        while len(self._games) > KEPT_GAMES:
            self._games.popitem(last=False)
        return game
