"""What a class came to, written down: standings, and a page for each player.

A page tells a student what their player could know when it failed, and nothing else of the match:
neither the state nor what others did or saw unseen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogspiel.core.findings import Finding, UsageError

if TYPE_CHECKING:
    from fogspiel.api.matches.classroom import Classroom, FaultPosition, Submission

STANDINGS, REPORTS = "standings", "reports"
UNSAFE = re.compile(r"[^\w.-]+")
"""Characters that names of players may hold, and names of files should not."""


def class_document(room: Classroom) -> dict[str, Any]:
    """Everything as one document of plain values."""
    return {
        "game": room.game.name,
        "format": room.tournament.plan.format,
        "clock": {
            "simulations": room.clocks.simulations,
            "seconds": room.clocks.turn_seconds,
            "start_seconds": room.clocks.start_seconds,
        },
        "limits": room.limits,
        "seed": room.seed,
        "submissions": [_submission(one) for one in room.submissions],
        "results": room.tournament.results.document(),
    }


def write_reports(room: Classroom, folder: Path) -> list[Path]:
    """Write standings and a report for each player. Returns: the files."""
    files = {
        folder / f"{STANDINGS}.md": standings_page(room),
        folder / f"{STANDINGS}.json": _json(class_document(room)),
    }
    for one in room.submissions:
        plain = UNSAFE.sub("-", one.name).strip(".-") or "player"
        place, number = folder / REPORTS / plain, 1
        while place.with_name(f"{place.name}.md") in files:
            number += 1
            place = folder / REPORTS / f"{plain}-{number}"
        files[place.with_name(f"{place.name}.md")] = player_page(room, one)
        files[place.with_name(f"{place.name}.json")] = _json(player_document(room, one))
    try:
        (folder / REPORTS).mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError.of(
            "TOU017",
            f"the results cannot be written to {folder}: {error.strerror}",
            fix="name another folder",
        ) from None
    return list(files)


def player_document(room: Classroom, one: Submission) -> dict[str, Any]:
    """What a player is told, as plain values."""
    faults = [] if one.error is not None else [asdict(own) for own in room.faults(one.name)]
    return _submission(one) | {"tournament": _standing(room, one), "tournament_faults": faults}


def standings_page(room: Classroom) -> str:
    """The standings as a page in Markdown."""
    results, tried = room.tournament.results, {one.name: one for one in room.submissions}
    rows = []
    for place, own in enumerate(results.standings, start=1):
        one = tried.get(own.player)
        ends = own.interval
        half = "" if ends is None else f" ± {(ends[1] - ends[0]) / 2:.3g}"
        payoff = own.share if own.payoff is None else own.payoff
        rows.append(
            (
                f"{place}",
                own.player,
                f"{own.matches:,}",
                f"{payoff:.3g}{half}",
                f"{own.wins:,}/{own.draws:,}/{own.losses:,}",
                f"{sum(own.faults.values()):,}",
                "" if one is None or one.payoff is None else f"{one.payoff:.3g}",
            )
        )
    columns = ("", "player", "matches", "mean payoff", "W/D/L", "faults", "trial against random")
    parts = [
        f"# {_plain(room.tournament.name)}: {room.game.title}",
        f"{results.played:,} of {results.planned:,} matches played, {room.tournament.plan.format}, "
        f"seed {room.seed}. ± makes intervals of 95 %.",
        _table(columns, rows),
    ]
    absent = [one for one in room.submissions if one.error is not None]
    if absent:
        parts += ["## Files that do not take part", *map(_error_line, absent)]
    return "\n\n".join(parts) + "\n"


def player_page(room: Classroom, one: Submission) -> str:
    """The report of one player as a page in Markdown."""
    where = one.file if one.player is None else f"{one.file}, class {one.player}"
    parts = [f"# {_plain(one.name)}", f"Found in `{where}`."]
    if one.error is not None:
        parts += [
            "It does not take part:",
            _code([str(one.error), *one.trace]),
        ]
        return "\n\n".join(parts) + "\n"
    parts.append(
        f"Against `random` it got {one.payoff:.3g} in the mean, in one match as each role, with "
        f"{_count(len(one.faults))}."
    )
    standing = _standing(room, one)
    if standing is not None:
        parts.append(
            f"In the tournament it came in place {standing['place']} of {standing['of']}: "
            f"{standing['wins']} won, {standing['draws']} drawn, {standing['losses']} lost, mean "
            f"payoff {standing['payoff']:.3g}, {_count(sum(standing['faults'].values()))}."
        )
    for title, faults in (
        ("Faults in the trial", one.faults),
        ("Faults in the tournament", room.faults(one.name)),
    ):
        if faults:
            parts += [f"## {title}", *(text for own in faults for text in _fault(own))]
    if not one.faults and not room.faults(one.name):
        parts.append("No move of it had to be replaced.")
    return "\n\n".join(parts) + "\n"


def _fault(own: FaultPosition) -> Iterable[str]:
    when = "Getting ready" if own.step == 0 else f"Step {own.step}"
    kind = own.kind.replace("_", " ")
    yield f"### {_plain(own.match)}, as {_plain(own.role)}: {when.lower()}"
    yield f"**{kind}**: {_plain(own.text)}"
    if own.trace:
        yield _code(own.trace)
    if own.step:
        knew = [f"{number}. {told}" for number, told in enumerate(own.view, start=1)]
        yield "What it did and saw before:" if knew else "Nothing had happened before."
        if knew:
            yield _code(knew)
        yield "Its legal moves:"
        yield _code(own.legal)
        yield f"Instead, it made the move `{own.played}`."


def _standing(room: Classroom, one: Submission) -> dict[str, Any] | None:
    standings = room.tournament.results.standings
    for place, own in enumerate(standings, start=1):
        if own.player == one.name:
            return {
                "place": place,
                "of": len(standings),
                "matches": own.matches,
                "payoff": own.share if own.payoff is None else own.payoff,
                "wins": own.wins,
                "draws": own.draws,
                "losses": own.losses,
                "faults": dict(own.faults),
            }
    return None


def _submission(one: Submission) -> dict[str, Any]:
    return {
        "name": one.name,
        "file": one.file,
        "player": one.player,
        "error": None if one.error is None else _error(one.error, one.trace),
        "trial": None
        if one.error is not None
        else {"payoff": one.payoff, "faults": [asdict(own) for own in one.faults]},
    }


def _error(error: Finding, trace: Sequence[str]) -> dict[str, Any]:
    line = None
    if error.source is not None and error.span is not None:
        line, _ = error.source.position(error.span.start)
    told = {"code": error.code, "message": error.message, "fix": error.fix}
    return told | {"line": line, "trace": list(trace)}


def _error_line(one: Submission) -> str:
    assert one.error is not None
    return f"- **{_plain(one.name)}**: {_plain(one.error.place + one.error.message)}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _code(lines: Sequence[str]) -> str:
    text = "\n".join(lines).replace("```", "'''")
    return f"```text\n{text}\n```"


def _plain(text: str) -> str:
    """Text on one line: names and messages come from strangers."""
    return " ".join(text.split()).replace("<", "&lt;")


def _count(faults: int) -> str:
    return f"{faults or 'no'} fault{'' if faults == 1 else 's'}"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
