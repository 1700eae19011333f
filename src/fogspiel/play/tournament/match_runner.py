"""Playing matches of a schedule, one after the other, in whatever process has to.

A match between players of this program is played in place, and players of one's own think in
processes of theirs. Where some players are behind an address the match is managed, and our own
players think in threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from secrets import token_hex

from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import RoleId
from fogspiel.core.values import FULL_GOAL
from fogspiel.machine.protocol import Machine, player_roles, with_room
from fogspiel.play.ggp.http.addresses import read_url
from fogspiel.play.ggp.manage.local_player import LocalPlayer, Machines
from fogspiel.play.ggp.manage.remote_player import Invitation, find_player
from fogspiel.play.ggp.manage.seats import (
    ManagedGame,
    Participant,
    match_name,
    seat_participants,
)
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.ggp.term_text import Scrambling
from fogspiel.play.loop import Match, play_contenders, play_managed_match
from fogspiel.play.records.format import Recorder, heading_for
from fogspiel.play.referee import Referee
from fogspiel.play.series import warm_up
from fogspiel.play.tournament.plan import GameRules
from fogspiel.play.tournament.plan_players import PlanPlayers
from fogspiel.play.tournament.schedule import (
    MatchResult,
    PlayedMatch,
    ScheduledMatch,
    Thinking,
    failed_match,
)
from fogspiel.play.tournament.tournament import WorkerAssignment
from fogspiel.solve.files.strategy_file import rules_digest

MOST_MACHINES = 64
"""Machines that a process keeps; the one not used for the longest time goes first."""


class MatchRunner:
    """Plays matches of one plan; games are loaded once, and players warmed up before clocks run."""

    def __init__(self, assignment: WorkerAssignment) -> None:
        plan = assignment.plan
        self._plan, self._games, self._load = plan, assignment.games, assignment.load
        self._players = {player.name: player for player in plan.players}
        self._machines: OrderedDict[str, Machine] = OrderedDict()
        self._warm: set[tuple[str, tuple[str, ...]]] = set()
        self._made = PlanPlayers(assignment)
        self._remote = RemoteMatches(assignment)

    def play(self, match: ScheduledMatch) -> PlayedMatch:
        """Play one match, whatever happens: where there are no goals, the result says why."""
        began, rules = time.monotonic(), self._games[match.game]
        try:
            machine = self._machine(match.game)
            self._warm_up(machine, match)
            began = time.monotonic()
            lines: list[str] = []
            recorder = self._recorder(machine, match, lines)
            played = self._played(machine, match, recorder)
        except MemoryError:
            raise  # the process is no longer to be trusted
        except Exception as error:
            why = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            if isinstance(error, FogspielError):
                why = f"{error.findings[0].code} {error.findings[0].message}"
            return failed_match(match, rules, why, time.monotonic() - began)
        roles, seconds = player_roles(machine), time.monotonic() - began
        goals = tuple(int(played.goals[role]) for role in roles)
        faults = tuple(played.fault_counts(role) for role in roles)
        if self._plan.faults == "loss":
            goals = goals_after_faults(goals, faults, FULL_GOAL * machine.goal_scale)
        return PlayedMatch(
            result=MatchResult(
                number=match.number,
                game=match.game,
                roles=tuple(machine.roles[role] for role in roles),
                players=match.players,
                seed=match.seed,
                goals=goals,
                goal_scale=machine.goal_scale,
                steps=len(played.steps),
                faults=faults,
                seconds=seconds,
            ),
            thinking=tuple(_thinking(played, role) for role in roles),
            record=zlib.compress("".join(lines).encode()) if recorder is not None else None,
        )

    def _played(self, machine: Machine, match: ScheduledMatch, recorder: Recorder | None) -> Match:
        if self._is_managed(match):
            return asyncio.run(self._remote.play(machine, match, recorder))
        seats = zip(player_roles(machine), match.players, strict=True)
        with contextlib.ExitStack() as ending:
            rules, players = self._games[match.game], self._players
            return play_contenders(
                machine,
                {r: self._made.contender(players[name], rules, ending) for r, name in seats},
                seed=match.seed,
                on_fault="replace",
                grace_seconds=self._plan.clock.grace_seconds,
                recorder=recorder,
            )

    def _is_managed(self, match: ScheduledMatch) -> bool:
        return any(name in self._plan.urls for name in match.players)

    def _machine(self, game: str) -> Machine:
        if game not in self._machines:
            self._machines[game] = self._load(self._games[game])
            if len(self._machines) > MOST_MACHINES:
                self._machines.popitem(last=False)
        self._machines.move_to_end(game)
        self._machines[game] = with_room(self._machines[game])
        return self._machines[game]

    def _warm_up(self, machine: Machine, match: ScheduledMatch) -> None:
        """Let kernels load; without a clock nobody can be late, and this is not needed."""
        seating = (match.game, match.players)
        if self._plan.clock.turn_seconds is None or seating in self._warm:
            return
        self._warm.add(seating)
        with contextlib.suppress(Exception):  # what goes wrong here is judged in the match
            if self._is_managed(match):
                self._remote.warm_up(match)
                return
            players = [self._players[name] for name in match.players]
            warm_up(machine, [self._made.practising(player) for player in players])

    def _recorder(
        self, machine: Machine, match: ScheduledMatch, lines: list[str]
    ) -> Recorder | None:
        if not self._plan.keep_records:
            return None
        heading = heading_for(
            machine,
            match=f"{self._plan.name}.{match.number}",
            game=match.game,
            rules=rules_digest(self._games[match.game].sources),
            players=dict(zip(player_roles(machine), match.players, strict=True)),
            seed=match.seed,
            clocks=self._plan.clock,
        )
        return Recorder(machine, heading, lines.append)


def goals_after_faults(
    goals: tuple[int, ...], faults: Sequence[Mapping[str, int]], full_goal: int
) -> tuple[int, ...]:
    """Goals where a fault is a loss: 0 for who made one, less where the rules gave less.

    Against a single opponent who made none, that one wins with the full goal; in games of more
    players the others keep their goals.
    """
    lost = [any(own.values()) for own in faults]
    if not any(lost):
        return goals
    scored = [min(goal, 0) if own else goal for goal, own in zip(goals, lost, strict=True)]
    if len(goals) == 2 and not all(lost):
        winner = lost.index(False)
        scored[winner] = max(goals[winner], full_goal)
    return tuple(scored)


class RemoteMatches:
    """Matches in which some players are behind an address; each is found once in a process."""

    def __init__(self, assignment: WorkerAssignment) -> None:
        self._assignment, self._plan = assignment, assignment.plan
        self._made = PlanPlayers(assignment)
        self._players = {player.name: player for player in self._plan.players}
        self._found: dict[tuple[str, bool], Participant] = {}
        """Players by name, and by whether the game hides anything: dialects differ by that."""
        self._machines: dict[str, Machines] = {}
        # A player may still hold a match of a process that was killed for going on.
        self._run = token_hex()

    async def play(
        self, machine: Machine, match: ScheduledMatch, recorder: Recorder | None
    ) -> Match:
        """Play a match. Raises what finding players raises, and what `play_managed_match` does."""
        rules = self._assignment.games[match.game]
        assert rules.gdl is not None
        game = ManagedGame(name=rules.name, rules=rules.gdl, machine=machine, hides=rules.hides)
        participants = [await self._participant(name, rules) for name in match.players]
        players = seat_participants(
            game,
            dict(zip(player_roles(machine), participants, strict=True)),
            match=self.match_name(match),
            scrambling=Scrambling(None, game.rules),
            clocks=self._plan.clock,
            seed=match.seed,
        )
        referee = Referee(machine, seed=match.seed)
        return await play_managed_match(referee, players, observer=recorder)

    def match_name(self, match: ScheduledMatch) -> str:
        """The name that players hear. Nobody can read a seed in it, no two matches share it, and
        the same match has another one when it is played again.
        """
        return match_name(match.game, self._plan.name, self._plan.seed, match.number, self._run)

    def warm_up(self, match: ScheduledMatch) -> None:
        """Let our own players play a little, so that no clock runs while kernels are built."""
        rules = self._assignment.games[match.game]
        for name in match.players:
            local = self._players[name]
            if local.player is not None:
                machines = self._machines_of(rules)
                machine = machines.take()
                warm_up(machine, [self._made.practising(local)] * len(match.players))
                machines.give_back(machine)

    async def _participant(self, name: str, rules: GameRules) -> Participant:
        key, player = (name, rules.hides), self._players[name]
        if player.url is None:
            return LocalPlayer(
                name=name,
                make=self._made.maker(player, rules),
                machines=self._machines_of(rules),
                simulations=player.simulations,
            )
        if key not in self._found:
            invitation = Invitation(hides=rules.hides, allow_remote=self._assignment.allow_remote)
            # The dialect of a plan is for games that hide something: of others there is one.
            told = ProtocolDialect(player.dialect) if player.dialect and rules.hides else None
            self._found[key] = await find_player(
                read_url(player.url), invitation, dialect=told, name=name
            )
        return self._found[key]

    def _machines_of(self, rules: GameRules) -> Machines:
        if rules.name not in self._machines:
            self._machines[rules.name] = Machines(partial(self._assignment.load, rules))
        return self._machines[rules.name]


async def find_all(assignment: WorkerAssignment) -> None:
    """Raise `PlayError` MAN002, or `UsageError` for an address, unless all players are there."""
    invitation = Invitation(hides=False, allow_remote=assignment.allow_remote)
    found = set[str]()
    for name, url in sorted(assignment.plan.urls.items()):
        if url not in found:
            await find_player(read_url(url), invitation, name=name)
        found.add(url)


def _thinking(played: Match, role: RoleId) -> Thinking:
    seconds = [step.seconds[role] for step in played.steps]
    return Thinking(seconds=sum(seconds), slowest_seconds=max(seconds, default=0.0))
