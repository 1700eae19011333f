"""The report of a tournament from its journal: what was played, the results, and their sources."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

from fogspiel._version import __version__
from fogspiel.api.matches.tournament import Tournament
from fogspiel.draw.report.page import ReportHeading, report_page
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.tournament.plan import PlayerPlan


def tournament_page(tournament: Tournament) -> str:
    """The report of a tournament as one page of HTML, which opens offline.

    Raises what `Tournament.results` raises.
    """
    return report_page(tournament.results.summary, heading_of(tournament))


def heading_of(tournament: Tournament) -> ReportHeading:
    """What a report says of the tournament and of itself."""
    plan = tournament.plan
    return ReportHeading(
        title=tournament.name,
        settings=(
            ("games", ", ".join(plan.games)),
            ("players", ", ".join(map(_entry, plan.players))),
            ("clock", _clock(plan.clock)),
            ("repetitions", f"{plan.repetitions:,}"),
            ("format", plan.format),
            ("matches", f"{tournament.planned:,}"),
        ),
        provenance=(
            ("seed", str(plan.seed)),
            ("fingerprint of plan, rules and schedule", tournament.fingerprint or "none yet"),
            ("begun by", f"Fogspiel {tournament.version or __version__}"),
            ("journal", _journal(tournament)),
            ("report made by", f"Fogspiel {__version__}, Python {platform.python_version()}"),
            ("report made on", f"{platform.system()} {platform.machine()}"),
            ("report made at", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        ),
    )


def _journal(tournament: Tournament) -> str:
    path = tournament.journal
    if path is None or not path.exists():
        return "none"
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"{path.name}, last written {written:%Y-%m-%d %H:%M} UTC"


def _entry(player: PlayerPlan) -> str:
    kind = player.player or player.url
    shown = player.name if kind == player.name else f"{player.name} ({kind})"
    return f"{shown}, {player.simulations:,} simulations" if player.simulations else shown


def _clock(clock: MatchClocks) -> str:
    parts = []
    if clock.simulations is not None:
        parts.append(f"{clock.simulations:,} simulations a move")
    if clock.turn_seconds is not None:
        parts.append(f"{clock.turn_seconds:g} s a move")
    if clock.start_seconds is not None:
        parts.append(f"{clock.start_seconds:g} s at the start")
    return ", ".join(parts)
