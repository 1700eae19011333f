"""What passes between the server and a process that thinks: tasks one way, reports the other.

Deadlines are moments on the monotonic clock, which all processes of a machine share.

Where a player sits: tasks come in, and what it makes of them goes out.

This runs in a process of its own. Kernels do not let other threads run while they work, so that a
server that thought itself could neither answer a ping nor keep the clock of a second match.
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
from fogspiel.core.ids import MoveId
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.serve.observations import LetterCase, Load, ObservationDecoder, Playable
from fogspiel.play.loop import roles_to_play
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.protocol import Agent, KnowsMoves, Seat
from fogspiel.players.simple import FirstPlayer


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
    at: float
    """When the player came back."""
    late_seconds: float
    """After the deadline; negative where it came before."""


Report: TypeAlias = Done | Failed | Fallback | Chosen


KEPT_GAMES = 4
"""Loaded games that are kept, for matches by the same rules."""
MOST_WHY = 400
"""Characters of a reason."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSettings:
    """What a desk needs, all of which can be sent to another process."""

    entrant: Entrant
    load: Load
    practice: tuple[str, ...] = ()
    """Rules of small games, which are played before the first match: kernels load then."""


@dataclass(slots=True)
class _Sitting:
    """One match."""

    game: Playable
    follower: ObservationDecoder
    player: Agent
    reserve: FirstPlayer | None
    """Knows the legal moves where the player cannot tell them."""

    def moves(self, budget: Budget) -> tuple[MoveId, ...]:
        """The legal moves of the role."""
        if self.follower.state is not None:
            return self.game.machine.legal(self.follower.state, self.follower.role)
        knower = self.player if self.reserve is None else self.reserve
        assert isinstance(knower, KnowsMoves)
        return tuple(knower.legal_moves(budget))


class PlayerProcess:
    """One player, one match at a time."""

    def __init__(self, equipment: ProcessSettings) -> None:
        self._entrant, self._load = equipment.entrant, equipment.load
        self._games: OrderedDict[str, Playable] = OrderedDict()
        self._sitting: _Sitting | None = None
        for rules in equipment.practice:
            machine = self._load(rules, "auto").machine
            warm_up(machine, [self._entrant] * len(roles_to_play(machine)))

    def reports(self, task: Task) -> Iterator[Report]:
        """Work on a task; the last report ends it. Players may fail in any way: none gets out."""
        try:
            yield from self._worked(task)
        except FogspielError as error:
            finding = error.findings[0]
            yield Failed(f"{finding.code} {finding.message}"[:MOST_WHY])
        except Exception as error:
            _log.exception("a player failed")
            yield Failed(f"{type(error).__name__}: {error}"[:MOST_WHY])

    def _worked(self, task: Task) -> Iterator[Report]:
        match task:
            case Prepare(rules):
                self._loaded(LetterCase(rules).rules)
                yield Done()
            case Begin():
                self._begin(task)
                yield Done()
            case TurnTask():
                yield from self._choose(task)
            case EndTask():
                self._end(task)
                yield Done()

    def _begin(self, task: Begin) -> None:
        self._sitting = None
        spelling = LetterCase(task.rules)
        game = self._loaded(spelling.rules)
        follower = ObservationDecoder(game, task.role, spelling)
        player = self._entrant.make()
        seat = Seat(game.machine, follower.role, task.seed)
        reserve = None
        if game.has_percepts and not isinstance(player, KnowsMoves):
            reserve = FirstPlayer()
            reserve.start(seat, task.budget)
        player.start(seat, task.budget)
        self._sitting = _Sitting(game, follower, player, reserve)

    def _choose(self, task: TurnTask) -> Iterator[Report]:
        sitting = self._sitting
        if sitting is None:
            yield Failed("no match could be begun")
            return
        self._note(sitting, task)
        budget = task.budget
        if budget.is_over:
            yield Failed("the turn was over before it could be looked at")
            return
        moves = sitting.moves(budget)
        if not moves:
            yield Failed("there is no legal move")
            return
        yield Fallback(sitting.follower.move_text(moves[0]))
        move = sitting.player.choose(budget)
        if move not in moves:
            yield Failed(f"the player chose move {move}, which is not legal")
            return
        now = time.monotonic()
        yield Chosen(
            move=sitting.follower.move_text(move),
            at=now,
            late_seconds=0.0 if budget.deadline is None else now - budget.deadline,
        )

    def _end(self, task: EndTask) -> None:
        sitting, self._sitting = self._sitting, None
        if sitting is None:
            return
        try:
            self._note(sitting, task)
        finally:
            sitting.player.stop()

    def _note(self, sitting: _Sitting, task: TurnTask | EndTask) -> None:
        seen = sitting.follower.follow(task.told, task.answered)
        if seen is not None:
            for player in (sitting.player, sitting.reserve):
                if player is not None:
                    player.observe(seen)

    def _loaded(self, rules: str) -> Playable:
        game = self._games.pop(rules, None) or self._load(rules, "auto")
        self._games[rules] = game
        while len(self._games) > KEPT_GAMES:
            self._games.popitem(last=False)
        return game
