"""A tournament that is killed again and again: is a result lost, counted twice, or another one?

Source: our own promise rather than a published table. Whatever is killed at whatever moment, what
the journal holds stays, and the run that comes to the end prints what one without a kill prints.
Every part is a tournament of its own, which is killed its share of times and then left to its end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.lab.own.robustness.killing import (
    JOURNAL,
    KINDS,
    PHASES,
    PLAN,
    kill_and_resume,
    results_of,
    whole_run,
)
from fogspiel.play.tournament.journal import read_journal

PLAYERS = ("random", "first", "uct")


def parts(settings: Settings) -> list[str]:
    """Tournaments, by number."""
    return [f"tournament {number}" for number in range(1, settings["tournaments"] + 1)]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One tournament twice: left alone, and killed; what is different in the end."""
    number = int(part.split()[1])
    times = settings["kills"] // settings["tournaments"]
    jobs = settings["jobs"][number % len(settings["jobs"])]
    with tempfile.TemporaryDirectory() as place:
        alone, killed = (Path(place, name) for name in ("alone", "killed"))
        for folder in (alone, killed):
            folder.mkdir()
            (folder / PLAN).write_text(_plan(settings, seed + number), encoding="utf-8")
        rng = Random(f"{seed} {number}")
        expected = whole_run(alone, jobs=1)
        damage = kill_and_resume(killed, times=times, jobs=jobs, rng=rng)
        printed = whole_run(killed, jobs=jobs)
        return [
            {
                "part": part,
                "matches": _matches(killed),
                "kills": {what: damage.kills[what] for what in (*KINDS, *PHASES)},
                "lost": damage.lost,
                "changed": damage.changed,
                "orphans": damage.orphans,
                "missing_or_double": _missing_or_double(killed),
                "other_results": _other_results(alone, killed),
                "same_table": printed == expected,
            }
        ]


def _plan(settings: Settings, seed: int) -> str:
    players = "".join(f'[[players]]\nplayer = "{name}"\n' for name in PLAYERS)
    games = ", ".join(f'"{game}"' for game in settings["games"])
    return (
        f'name = "killed"\nseed = {seed}\ngames = [{games}]\n'
        f"repetitions = {settings['repetitions']}\n"
        f"[clock]\nsimulations = {settings['simulations']}\n{players}"
    )


def _matches(folder: Path) -> int:
    with read_journal(folder / JOURNAL) as journal:
        return journal.matches


def _missing_or_double(folder: Path) -> int:
    """Matches that are not in the journal just once."""
    with read_journal(folder / JOURNAL) as journal:
        numbers = [result.number for result in journal.results()]
        return sum(numbers.count(number) != 1 for number in range(journal.matches))


def _other_results(alone: Path, killed: Path) -> int:
    """Matches that did not end as they did in the run that was left alone."""
    expected, found = (
        {
            number: (r.game, r.players, r.seed, r.goals, r.steps, r.faults, r.failed)
            for number, r in (results_of(folder) or {}).items()
        }
        for folder in (alone, killed)
    )
    return sum(found.get(number) != result for number, result in expected.items())


def table(records: Sequence[Document]) -> str:
    """By who was killed and when, then what came of it."""
    kills = [sum(record["kills"][what] for record in records) for what in (*KINDS, *PHASES)]
    labels = (
        "the process that writes",
        "all processes",
        "one that plays",
        "before there was a journal",
        "before the run had a result",
        "while results came in",
    )
    rows = [[label, f"{count:,}"] for label, count in zip(labels, kills, strict=True)]
    total = sum(kills[: len(KINDS)])
    bad = {
        "results lost": "lost",
        "results changed later": "changed",
        "results missing or double in the end": "missing_or_double",
        "results other than without kills": "other_results",
        "processes that outlived their parent": "orphans",
    }
    rows += [[label, f"{sum(record[key] for record in records):,}"] for label, key in bad.items()]
    same = sum(record["same_table"] for record in records)
    matches = sum(record["matches"] for record in records)
    return "\n".join(
        [
            markdown((f"of {total:,} kills, or after them", "count"), rows),
            "",
            f"{same} of {len(records)} tournaments, of {matches:,} matches together, printed the "
            "same table as without a kill, byte for byte.",
        ]
    )


STUDY = Study(
    name="tournament-kills",
    what="Tournaments killed at random moments",
    source="our own promise: nothing that a journal has acknowledged is lost",
    settings={
        "kills": 200,
        "tournaments": 10,
        "games": ("kuhn_poker", "tic_tac_toe"),
        "repetitions": 40,
        "simulations": 8,
        "jobs": (1, 2),
    },
    quick={"kills": 6, "tournaments": 1, "repetitions": 10, "jobs": (1,)},
    parts=parts,
    run_part=run_part,
    table=table,
)
