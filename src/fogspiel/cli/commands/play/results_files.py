"""What `fogspiel results` hands on: a JSON document, a CSV file, and the heading of a report."""

from __future__ import annotations

import csv
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogspiel._version import __version__

if TYPE_CHECKING:
    from fogspiel.draw.report.page import ReportHeading
    from fogspiel.play.ratings.bradley_terry import Rating
    from fogspiel.play.ratings.summary import Difference, Meeting, Skill, Standing, Summary
    from fogspiel.play.tournament.journal import Journal
    from fogspiel.play.tournament.schedule import MatchResult

COLUMNS = (
    "match", "game", "seed", "role", "player", "goal", "goal_scale", "share", "outcome", "faults",
    "steps", "seconds", "failed",
)  # fmt: skip
OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def document_of(name: str, summary: Summary) -> dict[str, Any]:
    """Everything that results tell, as one document."""
    from fogspiel.play.ratings.bradley_terry import PRIOR_DRAWS

    document = {
        "tournament": name,
        "planned": summary.planned,
        "played": summary.played,
        "finished": summary.finished,
        "seconds": summary.seconds,
        "standings": [_standing(own) for own in summary.standings],
        "by_game": [_standing(own) for own in summary.by_game],
        "by_seat": [_standing(own) for own in summary.by_seat],
        "ratings": {
            "model": "Bradley-Terry",
            "prior_draws": PRIOR_DRAWS,
            "groups": summary.ratings.groups,
            "held_by_prior": list(summary.ratings.held_by_prior),
            "players": [_record(own) for own in summary.ratings.ratings],
        },
        "skills": [_record(own) for own in summary.skills],
        "cross": [
            {"player": player, "other": other, **_record(met)}
            for (player, other), met in summary.cross.items()
        ],
        "differences": [_record(own) for own in summary.differences],
        "failures": [
            {
                "match": own.number,
                "game": own.game,
                "players": list(own.players),
                "reason": own.failed,
            }
            for own in summary.failures
        ],
    }
    if summary.table is not None:
        columns = [column.lower() for column in summary.table.columns]
        rows = [dict(zip(columns, row, strict=True)) for row in summary.table.rows]
        document["format_standings"] = {"title": summary.table.title, "players": rows}
    return document


def write_csv(path: Path, results: Iterable[MatchResult]) -> None:
    """One row for each seat of each match."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for result in results:
            writer.writerows(_seats(result))


def heading_of(journal: Journal) -> ReportHeading:
    """What a report says of the tournament and of itself."""
    from fogspiel.draw.report.page import ReportHeading

    plan: dict[str, Any] = json.loads(journal.plan_text)["plan"]
    written = datetime.fromtimestamp(journal.path.stat().st_mtime, UTC)
    return ReportHeading(
        title=journal.name,
        settings=(
            ("games", ", ".join(plan["games"])),
            ("players", ", ".join(_entry(player) for player in plan["players"])),
            ("clock", _clock(plan["clock"])),
            ("repetitions", f"{plan['repetitions']:,}"),
            ("format", plan["format"]),
            ("matches", f"{journal.matches:,}"),
        ),
        provenance=(
            ("seed", str(plan["seed"])),
            ("fingerprint of plan, rules and schedule", journal.fingerprint),
            ("begun by", f"Fogspiel {journal.version}"),
            ("journal", f"{journal.path.name}, last written {written:%Y-%m-%d %H:%M} UTC"),
            ("report made by", f"Fogspiel {__version__}, Python {platform.python_version()}"),
            ("report made on", f"{platform.system()} {platform.machine()}"),
            ("report made at", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        ),
    )


def _standing(own: Standing) -> dict[str, Any]:
    """A standing; what it leaves open, the game or the role, is left out."""
    record = _record(own)
    return {key: record[key] for key in record if key == "ci95" or record[key] is not None}


def _record(own: Standing | Meeting | Difference | Rating | Skill) -> dict[str, Any]:
    """The fields of a result; its interval goes by the name that it has in all documents."""
    names = {"interval": "ci95"}
    return {
        names.get(name, name): list(value) if isinstance(value, tuple) else value
        for name, value in asdict(own).items()
    }


def _seats(result: MatchResult) -> list[dict[str, object]]:
    from fogspiel.play.ratings.summary import outcomes, shares

    common = {
        "match": result.number,
        "game": result.game,
        "seed": result.seed,
        "goal_scale": result.goal_scale,
        "steps": result.steps,
        "seconds": result.seconds,
        "failed": result.failed,
    }
    rows: list[dict[str, object]] = [
        {**common, "role": role, "player": player, "faults": sum(faults.values())}
        for role, player, faults in zip(result.roles, result.players, result.faults, strict=True)
    ]
    if result.failed is None:
        told = zip(rows, result.goals, shares(result), outcomes([result])[0], strict=True)
        for row, goal, share, outcome in told:
            row |= {"goal": goal, "share": share, "outcome": OUTCOMES[outcome]}
    return rows


def _entry(player: Mapping[str, Any]) -> str:
    kind = player["player"] or player["url"]
    shown = player["name"] if kind == player["name"] else f"{player['name']} ({kind})"
    return f"{shown}, {player['simulations']:,} simulations" if player["simulations"] else shown


def _clock(clock: Mapping[str, Any]) -> str:
    parts = []
    if clock["simulations"] is not None:
        parts.append(f"{clock['simulations']:,} simulations a move")
    if clock["turn_seconds"] is not None:
        parts.append(f"{clock['turn_seconds']:g} s a move")
    if clock["start_seconds"] is not None:
        parts.append(f"{clock['start_seconds']:g} s at the start")
    return ", ".join(parts)
