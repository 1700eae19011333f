"""What `fogspiel manage` is asked for: the game as players are told it, and who they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fogspiel.cli.options import COMPILING, GameChoice, entrant
from fogspiel.cli.output import busy
from fogspiel.core.findings import UsageError

if TYPE_CHECKING:
    from fogspiel.games.send import StagedGame
    from fogspiel.play.ggp.manage.remote_player import Invitation
    from fogspiel.play.ggp.manage.seats import Participant
    from fogspiel.play.ggp.messages import ProtocolDialect

AUTO = "auto"
DIALECTS = (AUTO, "gdl1", "gdl2", "gdl2_old")


def staged(choice: GameChoice) -> StagedGame:
    """The game that the user means, with its rules in GDL: those in other languages translated."""
    from fogspiel.games.send import stage

    sources = choice.sources()
    with busy(COMPILING):
        return stage(
            sources,
            choice.plain_name,
            engine=choice.engine,
            limits=choice.limits,
            entry=choice.entry,
        )


async def invited(
    players: Sequence[str],
    dialects: Sequence[str],
    game: StagedGame,
    invitation: Invitation,
    simulations: int | None,
) -> list[Participant]:
    """Players by URL are met, those by name are made ready. All names are checked before."""
    from fogspiel.play.ggp.http.addresses import read_url
    from fogspiel.play.ggp.manage.local_player import LocalPlayer, Machines
    from fogspiel.play.ggp.manage.remote_player import find_player
    from fogspiel.play.ggp.manage.seats import refuse_dialect

    told = told_dialects(dialects, len(players))
    machines = Machines(game.game.another_machine)
    urls = {name: read_url(name) for name in players if is_url(name)}
    locals_ = {name: entrant(name) for name in players if name not in urls}
    for name, dialect in zip(players, told, strict=True):
        if dialect is not None and name in urls:
            refuse_dialect(game.managed, dialect, name)
    guests: list[Participant] = []
    known: dict[tuple[str, ProtocolDialect | None], Participant] = {}
    # One after the other: a player that takes one match at a time would fail a second probe.
    for name, dialect in zip(players, told, strict=True):
        if name in urls:
            if (name, dialect) not in known:
                known[name, dialect] = await find_player(urls[name], invitation, dialect=dialect)
            guests.append(known[name, dialect])
        else:
            make = locals_[name].make
            local = LocalPlayer(name=name, make=make, machines=machines, simulations=simulations)
            guests.append(local)
    return guests


def is_url(name: str) -> bool:
    """Whether a player is named by where it is; no name of ours has slashes."""
    return "//" in name or "\\" in name


def told_dialects(dialects: Sequence[str], players: int) -> list[ProtocolDialect | None]:
    """The dialect of each player; a single one counts for all. Raises `UsageError` MAN003."""
    from fogspiel.play.ggp.messages import ProtocolDialect

    if len(dialects) not in {0, 1, players}:
        raise UsageError.of(
            "MAN003",
            f"{len(dialects)} dialects were given for {players} players",
            fix="give one dialect for all, or one for each player, `auto` where it is unknown",
        )
    every = list(dialects) * (1 if len(dialects) == players else players) or [AUTO] * players
    return [None if word == AUTO else ProtocolDialect(word) for word in every]
