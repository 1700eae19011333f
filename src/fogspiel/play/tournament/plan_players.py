"""Players of a plan as matches take them: ours play in place, one's own in other processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from fogspiel.core.findings import Finding, UsageError
from fogspiel.play.inline_player import Contender
from fogspiel.play.isolated.fork_server import shared_server
from fogspiel.play.isolated.isolated_agent import IsolatedAgent
from fogspiel.play.referee import PlayerFaultError
from fogspiel.play.series import Entrant
from fogspiel.play.tournament.plan import GameRules, PlayerPlan
from fogspiel.play.tournament.tournament import WorkerAssignment
from fogspiel.players.catalogue import is_own, make_player, player_from
from fogspiel.players.names import HUMAN
from fogspiel.players.protocol import Agent
from fogspiel.players.simple import FirstPlayer

NO_PERSON = Finding(
    "PLY003",
    "a person can only play by `fogspiel play`, in one role",
    fix="use `fogspiel play GAME --as ROLE --against PLAYER`",
)


class PlanPlayers:
    """Makes players of this program, and those of one's own in other processes."""

    def __init__(self, assignment: WorkerAssignment) -> None:
        self._clock, self._load = assignment.plan.clock, assignment.load
        self._folder = assignment.folder
        self._server = shared_server(assignment.plan.limits)

    def contender(self, player: PlayerPlan, rules: GameRules, ending: ExitStack) -> Contender:
        """A player for one match; one's own is made at once, before any clock runs.

        ending: ends its process. Raises what `ForkServer.start_player` does.
        """
        make = self.maker(player, rules)
        agent = make() if player.player is not None and is_own(player.player) else None
        if isinstance(agent, IsolatedAgent):
            ending.callback(agent.end)
            with suppress(PlayerFaultError):  # it is raised again where the match begins
                agent.prepare()
        return Contender(
            make=make if agent is None else lambda: agent,
            start_budget=partial(self._clock.start_budget, player.simulations),
            turn_budget=partial(self._clock.turn_budget, player.simulations),
        )

    def maker(self, player: PlayerPlan, rules: GameRules | None) -> Callable[[], Agent]:
        """The function that makes a player in this process, or one that plays in another.

        rules: of the game to be played, for players that are to play one.
        """
        make = maker_of(player, self._folder)
        if player.player is None or not is_own(player.player):
            return make
        return partial(
            IsolatedAgent,
            player.player,
            make,
            server=self._server,
            load=None if rules is None else partial(self._load, rules),
            grace_seconds=self._clock.grace_seconds,
        )

    def practising(self, player: PlayerPlan) -> Entrant:
        """A player that kernels are loaded with; nobody's own code is run for that."""
        is_ours = player.player is not None and not is_own(player.player)
        return Entrant(player.name, maker_of(player, self._folder) if is_ours else FirstPlayer)


def maker_of(player: PlayerPlan, folder: Path) -> partial[Agent]:
    """The function that makes a player of this program. folder: where its file is meant from."""
    assert player.player is not None
    return partial(make_player, player_from(player.player, folder))


def refuse_unmade(assignment: WorkerAssignment) -> None:
    """Refuse players that cannot be made. The code of one's own is run in other processes.

    Raises `UsageError` with all that is wrong with them.
    """
    findings = []
    with ExitStack() as ending:
        players = PlanPlayers(assignment)
        for player in assignment.plan.players:
            if player.player is None:
                continue
            if player.player == HUMAN:
                findings.append(NO_PERSON)
                continue
            agent = players.maker(player, None)()
            if isinstance(agent, IsolatedAgent):
                ending.callback(agent.end)
                try:
                    agent.prepare()
                except PlayerFaultError as error:
                    findings += error.findings
    if findings:
        raise UsageError(findings)
