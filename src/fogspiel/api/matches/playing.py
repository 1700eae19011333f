"""Playing of single matches, and the arguments that matches and series share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Literal

from fogspiel.api.matches.match import Match
from fogspiel.api.matches.player import AnyPlayer, Player, entrant_of
from fogspiel.api.names import Role
from fogspiel.core.findings import UsageError
from fogspiel.core.limits import refuse_count
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks, PlayerLimits
from fogspiel.play.inline_player import Contender
from fogspiel.play.loop import play_contenders
from fogspiel.play.records.format import Recorder, heading_for
from fogspiel.play.series import Entrant, refuse_entrants, warm_up
from fogspiel.players.protocol import Agent
from fogspiel.players.simple import RandomPlayer
from fogspiel.solve.files.strategy_file import rules_digest

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_SIMULATIONS = 1_000  #: Simulations for each move where nobody gives a clock


def clocks_of(
    seconds: float | None, simulations: int | None, start_seconds: float | None = None
) -> MatchClocks:
    """The clocks of a match: seconds or simulations for each move, 1,000 simulations by default.

    Raises `UsageError` MAT004 where both are given, or a time before play without a clock, and
    `ValueError` for a time that is not more than 0, or a number of simulations below 1.
    """
    for name, given in (("seconds", seconds), ("start_seconds", start_seconds)):
        if given is not None and not 0.0 < given < math.inf:
            raise ValueError(f"{name} must be a finite number of more than 0; got {given!r}")
    if simulations is not None:
        simulations = whole_number("simulations", simulations, least=1)
    if seconds is not None and simulations is not None:
        raise UsageError.of(
            "MAT004",
            "players think for a time or for a number of simulations; both were given",
            fix="give either seconds or simulations",
        )
    if start_seconds is not None and seconds is None:
        raise UsageError.of(
            "MAT004",
            "players think for a number of simulations; a time before play was given as well",
            fix="give the time before play together with seconds, or leave it out",
        )
    if seconds is None and simulations is None:
        simulations = DEFAULT_SIMULATIONS
    return MatchClocks(start_seconds=start_seconds, turn_seconds=seconds, simulations=simulations)


def whole_number(name: str, value: int, *, least: int) -> int:
    """The value of an argument that is a whole number. Raises as `refuse_count` for others."""
    refuse_count(name, value, least)
    return index(value)


def play_match(
    game: Game,
    players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    start_seconds: float | None = None,
    seed: int = 0,
    on_fault: Literal["raise", "replace"] = "raise",
    isolate: bool | PlayerLimits = False,
) -> Match:
    """Play one match; `Game.match` says what the arguments mean."""
    clocks = clocks_of(seconds, simulations, start_seconds)
    seed = whole_number("seed", seed, least=0)
    if on_fault not in {"raise", "replace"}:
        raise ValueError(f'on_fault must be "raise" or "replace"; got {on_fault!r}')
    seats = seats_of(game, players)
    entrants = dict(zip(seats, entrants_of(game, [*seats.values()], clocks, isolate), strict=True))
    lines: list[str] = []
    heading = heading_for(
        game.machine,
        match=f"{game.name}-{seed}",
        game=game.name,
        rules=rules_digest(game.loaded.sources),
        players={role.id: entrant.name for role, entrant in entrants.items()},
        seed=seed,
        clocks=clocks,
    )
    played = play_contenders(
        game.machine,
        {
            role.id: Contender(
                # Players in other processes are made before clocks run.
                make=partial(_itself, entrant.make()) if isolate else entrant.make,
                start_budget=clocks.start_budget,
                turn_budget=clocks.turn_budget,
            )
            for role, entrant in entrants.items()
        },
        seed=seed,
        on_fault=on_fault,
        grace_seconds=clocks.grace_seconds,
        recorder=Recorder(game.machine, heading, lines.append),
    )
    return Match(game, played.steps, "".join(lines))


def entrants_of(
    game: Game, players: Sequence[AnyPlayer], clocks: MatchClocks, isolate: bool | PlayerLimits
) -> list[Entrant]:
    """The participants that are meant, with kernels loaded where clocks count seconds.

    isolate: whether players of one's own play in other processes, or the limits that they have
    there. Raises as `entrant_of` and `Isolation.entrant`.
    """
    apart: list[Entrant | None] = [None] * len(players)
    if isolate:
        from fogspiel.api.matches.isolation import Isolation

        isolation = Isolation.of(clocks, None if isolate is True else isolate)
        apart = [isolation.entrant(game, player) for player in players]
    seated = list(zip(players, apart, strict=True))
    entrants = [own or entrant_of(game, player) for player, own in seated]
    if clocks.turn_seconds is not None:
        warm_up_players(game, ["random" if own else player for player, own in seated])
    return entrants


def _itself(agent: Agent) -> Agent:
    return agent


def by_order_or_name(
    game: Game, players: Sequence[AnyPlayer], by_role: Mapping[str, AnyPlayer]
) -> Sequence[AnyPlayer] | Mapping[str, AnyPlayer]:
    """The players of a match, as they were given.

    Raises `UsageError` API001 for an unknown role, MAT003 for players in both ways.
    """
    if not players or not by_role:
        return players or by_role
    # A misspelt option looks like a role.
    roles = [game.vocabulary.player(role) for role in by_role]
    raise UsageError.of(
        "MAT003",
        f"{len(players)} players were given by their order, and others for {', '.join(roles)}",
        fix="give all players in the order of the roles, or all by role",
    )


def seats_of(
    game: Game, players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer]
) -> dict[Role, AnyPlayer]:
    """The player of each role, from players in the order of the roles or by their names.

    Raises `UsageError` API001 for an unknown role, MAT003 unless there is one for each role.
    """
    if isinstance(players, Mapping):
        named = {game.vocabulary.player(role): player for role, player in players.items()}
        players = [named[role] for role in game.players if role in named]
    refuse_entrants(game.machine, len(players))
    roles = [game.roles[role] for role in player_roles(game.machine)]
    return dict(zip(roles, players, strict=True))


def warm_up_players(game: Game, players: Sequence[AnyPlayer]) -> None:
    """Play a few steps that nobody counts, so that no clock runs while kernels are built.

    Objects of users do not take part: what happens in these steps is none of their matches.
    """
    stand_in = Entrant("random", RandomPlayer)
    warm_up(
        game.machine,
        [
            stand_in if isinstance(player, Player) else entrant_of(game, player)
            for player in players
        ],
    )
