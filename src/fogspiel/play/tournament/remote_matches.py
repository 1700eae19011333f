"""Matches of a tournament in which some players are behind an address."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from secrets import token_hex

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.ggp.dialects import ProtocolDialect
from fogspiel.play.ggp.http.addresses import read_url
from fogspiel.play.ggp.manage.dialect_probe import Invitation, meet
from fogspiel.play.ggp.manage.local_player import LocalPlayer, Machines
from fogspiel.play.ggp.manage.match_ids import match_name
from fogspiel.play.ggp.manage.messages_out import ManagedGame, MatchClocks, SeatAssignment
from fogspiel.play.ggp.manage.party import MatchObserver, Participant, SeatedPlayer
from fogspiel.play.ggp.scramble import Scrambling
from fogspiel.play.judged import JudgedMatch
from fogspiel.play.loop import roles_to_play
from fogspiel.play.managed import play_managed_match
from fogspiel.play.referee import Referee
from fogspiel.play.series import Entrant, warm_up
from fogspiel.play.tournament.plan import GameRules, PlayerPlan
from fogspiel.play.tournament.schedule import ScheduledMatch
from fogspiel.play.tournament.tournament import WorkerAssignment
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent


class RemoteMatches:
    """Where players of a tournament meet: each is met once in a process, and kept."""

    def __init__(self, assignment: WorkerAssignment) -> None:
        plan = assignment.plan
        self._assignment, self._plan = assignment, plan
        self._players = {player.name: player for player in plan.players}
        self._met: dict[tuple[str, bool], Participant] = {}
        """By name, and by whether the game hides anything: dialects differ by that."""
        self._machines: dict[str, Machines] = {}
        # A player may still hold a match of a process that was killed for going on.
        self._run = token_hex()

    def play(
        self, machine: Machine, match: ScheduledMatch, watcher: MatchObserver | None
    ) -> JudgedMatch:
        """One match. Raises what meeting players raises, and `PlayError` where rules break down."""
        return asyncio.run(self._played(machine, match, watcher))

    def warm_up(self, match: ScheduledMatch) -> None:
        """Let our own players play a little, so that no clock runs while kernels are built."""
        rules = self._assignment.games[match.game]
        for name in match.players:
            local = self._players[name]
            if local.player is not None:
                machines = self._machines_of(rules)
                machine = machines.take()
                warm_up(machine, [Entrant(name, maker_of(local))] * len(match.players))
                machines.give_back(machine)

    async def _played(
        self, machine: Machine, match: ScheduledMatch, watcher: MatchObserver | None
    ) -> JudgedMatch:
        rules = self._assignment.games[match.game]
        assert rules.gdl is not None
        game = ManagedGame(name=rules.name, rules=rules.gdl, machine=machine, hides=rules.hides)
        guests = [await self._guest(name, rules) for name in match.players]
        seated = dict(zip(roles_to_play(machine), guests, strict=True))
        referee = Referee(machine, seed=match.seed)
        return await play_managed_match(
            referee, self._parties(game, match, seated), watcher=watcher
        )

    def _parties(
        self, game: ManagedGame, match: ScheduledMatch, seated: dict[RoleId, Participant]
    ) -> dict[RoleId, SeatedPlayer]:
        clock = self._plan.clock
        assert clock.turn_seconds is not None
        clocks = MatchClocks(
            start_seconds=clock.start_seconds or clock.turn_seconds,
            play_seconds=clock.turn_seconds,
            grace_seconds=clock.grace_seconds,
        )
        scrambling = Scrambling(None, game.rules)
        heard = Counter[str | None]()
        parties: dict[RoleId, SeatedPlayer] = {}
        for name, (role, guest) in zip(match.players, seated.items(), strict=True):
            url = self._players[name].url
            sitting = SeatAssignment(
                game=game,
                role=role,
                match=self._match_name(match, heard[url] if url else 0),
                scrambling=scrambling,
                clocks=clocks,
                seed=match.seed + int(role),
            )
            heard[url] += 1
            parties[role] = guest.party(sitting)
        return parties

    def _match_name(self, match: ScheduledMatch, again: int) -> str:
        """As players hear it: nobody can read a seed in it, and no two matches share it, nor does
        the same one when it is played again.

        again: other roles that are played at the same address, to be told apart.
        """
        name = match_name(match.game, self._plan.name, self._plan.seed, match.number, self._run)
        return f"{name}.{again + 1}" if again else name

    async def _guest(self, name: str, rules: GameRules) -> Participant:
        key = (name, rules.hides)
        player = self._players[name]
        if player.url is None:
            return LocalPlayer(
                name=name,
                make=maker_of(player),
                machines=self._machines_of(rules),
                simulations=player.simulations,
            )
        if key not in self._met:
            invitation = Invitation(hides=rules.hides, allow_remote=self._assignment.allow_remote)
            # The dialect of a plan is for games that hide something: of others there is one.
            told = ProtocolDialect(player.dialect) if player.dialect and rules.hides else None
            self._met[key] = await meet(read_url(player.url), invitation, dialect=told)
        return self._met[key]

    def _machines_of(self, rules: GameRules) -> Machines:
        if rules.name not in self._machines:
            self._machines[rules.name] = Machines(partial(self._assignment.load, rules))
        return self._machines[rules.name]


def maker_of(player: PlayerPlan) -> partial[Agent]:
    """What makes a player of this program."""
    assert player.player is not None
    return partial(make_player, player.player)


async def refuse_absent(assignment: WorkerAssignment) -> None:
    """Raise `PlayError` MAN002, or `UsageError` for an address, unless all players are there."""
    invitation = Invitation(hides=False, allow_remote=assignment.allow_remote)
    for url in sorted(set(assignment.plan.urls.values())):
        await meet(read_url(url), invitation)
