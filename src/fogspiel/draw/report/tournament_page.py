"""The report of a tournament from its journal: what was played, the results, and their sources."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime

from fogspiel._version import __version__
from fogspiel.api.matches.tournament import Tournament
from fogspiel.draw.report.page import ReportHeading, report_page
from fogspiel.draw.report.report_tables import MOST_MATCHES, ReportedMatch
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.tournament.plan import PlayerPlan

MOST_RECORDS = 200  #: Matches whose moves stand in the page; `fogspiel results --match` has others
FAULTS = {"replace": "replaced by random moves", "loss": "scored as a loss"}


def tournament_page(tournament: Tournament) -> str:
    """The report of a tournament as one page of HTML, which opens offline.

    Raises what `Tournament.results` raises.
    """
    return report_page(tournament.results.summary, heading_of(tournament), _matches(tournament))


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
            ("faults", FAULTS[plan.faults]),
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


def _matches(tournament: Tournament) -> list[ReportedMatch]:
    """All matches, with their moves where records were kept."""
    matches = tournament.results.matches
    keeps = tournament.plan.keep_records
    return [
        ReportedMatch(
            number=own.number,
            game=own.game,
            seats=", ".join(f"{role}: {player}" for role, player in own.players.items()),
            shares=" / ".join(f"{share:.2f}" for share in own.shares.values()),
            steps=own.steps,
            faults=sum(sum(kinds.values()) for kinds in own.faults.values()),
            moves=_moves(tournament.record(own.number)) if keeps and at < MOST_RECORDS else (),
        )
        for at, own in enumerate(matches[:MOST_MATCHES])
    ]


def _moves(record: str | None) -> tuple[str, ...]:
    """The joint moves of a record, a line for each step."""
    lines = [json.loads(line) for line in (record or "").splitlines()]
    return tuple(", ".join(own["moves"]) for own in lines if own["line"] == "step")


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
