"""Results of a tournament for other programs: a JSON document, and a table of all seats as CSV.

The keys of the document and the columns of the table are those that `docs/ratings.md` lists.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fogspiel.play.ratings.bradley_terry import PRIOR_DRAWS, Rating
from fogspiel.play.ratings.summary import (
    Difference,
    Meeting,
    Skill,
    Standing,
    Summary,
    outcomes,
    shares,
)
from fogspiel.play.tournament.schedule import MatchResult

COLUMNS = (
    "match", "game", "seed", "role", "player", "goal", "goal_scale", "share", "outcome", "faults",
    "steps", "seconds", "failed",
)  # fmt: skip
OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def summary_document(name: str, summary: Summary) -> dict[str, Any]:
    """Everything that a summary tells, as one document. name: of the tournament."""
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


def write_seats(path: Path, results: Iterable[MatchResult]) -> None:
    """Write one row for each seat of each match. Raises `OSError` where there is no writing."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for result in results:
            writer.writerows(_seats(result))


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
