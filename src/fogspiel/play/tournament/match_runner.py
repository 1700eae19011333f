"""Playing matches of a schedule, one after the other, in whatever process has to."""

from __future__ import annotations

import contextlib
import time
import zlib
from collections import OrderedDict
from functools import partial

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.judged import Contender, JudgedMatch, play_judged_match
from fogspiel.play.loop import roles_to_play
from fogspiel.play.records.format import Clocks, Recorder, heading_for
from fogspiel.play.series import Entrant, warm_up
from fogspiel.play.tournament.plan import PlayerPlan
from fogspiel.play.tournament.remote_matches import RemoteMatches, maker_of
from fogspiel.play.tournament.results import MatchResult, PlayedMatch, Thinking, failed_match
from fogspiel.play.tournament.schedule import ScheduledMatch
from fogspiel.play.tournament.tournament import WorkerAssignment
from fogspiel.solve.files.save import rules_digest

MOST_MACHINES = 64
"""That a process keeps; the one not used for the longest time goes first."""


class MatchRunner:
    """Plays matches of one plan; games are loaded once, and players warmed up before clocks run."""

    def __init__(self, assignment: WorkerAssignment) -> None:
        plan = assignment.plan
        self._plan, self._games, self._load = plan, assignment.games, assignment.load
        self._urls = plan.urls
        self._players = {player.name: player for player in plan.players}
        self._machines: OrderedDict[str, Machine] = OrderedDict()
        self._warm: set[tuple[str, tuple[str, ...]]] = set()
        self._hall = RemoteMatches(assignment)

    def play(self, match: ScheduledMatch) -> PlayedMatch:
        """One match, whatever happens: where there are no goals, the result says why."""
        began = time.monotonic()
        try:
            machine = self._machine(match.game)
            self._warm_up(machine, match)
            began = time.monotonic()
            lines: list[str] = []
            recorder = self._recorder(machine, match, lines)
            played = self._played(machine, match, recorder)
        except MemoryError:
            raise  # the process is no longer to be trusted
        except FogspielError as error:
            finding = error.findings[0]
            why = f"{finding.code} {finding.message}"
            return failed_match(match, self._games[match.game], why, time.monotonic() - began)
        except Exception as error:
            why = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            return failed_match(match, self._games[match.game], why, time.monotonic() - began)
        roles, seconds = roles_to_play(machine), time.monotonic() - began
        return PlayedMatch(
            result=MatchResult(
                number=match.number,
                game=match.game,
                roles=tuple(machine.roles[role] for role in roles),
                players=match.players,
                seed=match.seed,
                goals=tuple(int(played.goals[role]) for role in roles),
                goal_scale=machine.goal_scale,
                steps=len(played.steps),
                faults=tuple(played.fault_counts(role) for role in roles),
                seconds=seconds,
            ),
            thinking=tuple(_thinking(played, role) for role in roles),
            record=zlib.compress("".join(lines).encode()) if recorder is not None else None,
        )

    def _played(
        self, machine: Machine, match: ScheduledMatch, recorder: Recorder | None
    ) -> JudgedMatch:
        if self._is_managed(match):
            return self._hall.play(machine, match, recorder)
        seats = zip(roles_to_play(machine), match.players, strict=True)
        return play_judged_match(
            machine,
            {role: self._contender(self._players[name]) for role, name in seats},
            seed=match.seed,
            grace_seconds=self._plan.clock.grace_seconds,
            recorder=recorder,
        )

    def _is_managed(self, match: ScheduledMatch) -> bool:
        return any(name in self._urls for name in match.players)

    def _contender(self, player: PlayerPlan) -> Contender:
        clock = self._plan.clock
        turn = partial(
            Budget.of,
            seconds=clock.turn_seconds,
            simulations=player.simulations or clock.simulations,
        )
        start = turn
        if clock.start_seconds is not None:
            start = partial(Budget.of, seconds=clock.start_seconds, simulations=player.simulations)
        return Contender(make=maker_of(player), start_budget=start, turn_budget=turn)

    def _machine(self, game: str) -> Machine:
        if game not in self._machines:
            self._machines[game] = self._load(self._games[game])
            if len(self._machines) > MOST_MACHINES:
                self._machines.popitem(last=False)
        self._machines.move_to_end(game)
        return self._machines[game]

    def _warm_up(self, machine: Machine, match: ScheduledMatch) -> None:
        """Without a clock nobody can be late, and nothing needs to be warm."""
        seating = (match.game, match.players)
        if self._plan.clock.turn_seconds is None or seating in self._warm:
            return
        self._warm.add(seating)
        with contextlib.suppress(Exception):  # what goes wrong here is judged in the match
            if self._is_managed(match):
                self._hall.warm_up(match)
                return
            entrants = [Entrant(name, maker_of(self._players[name])) for name in match.players]
            warm_up(machine, entrants)

    def _recorder(
        self, machine: Machine, match: ScheduledMatch, lines: list[str]
    ) -> Recorder | None:
        if not self._plan.keep_records:
            return None
        clock = self._plan.clock
        heading = heading_for(
            machine,
            match=f"{self._plan.name}.{match.number}",
            game=match.game,
            rules=rules_digest(self._games[match.game].sources),
            players=dict(zip(roles_to_play(machine), match.players, strict=True)),
            seed=match.seed,
            clocks=Clocks(
                start_seconds=clock.start_seconds,
                turn_seconds=clock.turn_seconds,
                simulations=clock.simulations,
            ),
        )
        return Recorder(machine, heading, lines.append)


def _thinking(played: JudgedMatch, role: RoleId) -> Thinking:
    seconds = [step.seconds[role] for step in played.steps]
    return Thinking(seconds=sum(seconds), slowest_seconds=max(seconds, default=0.0))
