"""Tournaments killed at random moments: is a result lost, counted twice, or changed?

Source: our own promise rather than a published table. Whatever is killed at whatever moment, what
the journal holds stays, and the run that comes to the end prints what one without a kill prints.
Every cell is a tournament of its own, which is killed its share of times and then left to its end.
Each run is a session of its own, by which its processes are found: nothing else can be hit.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from fogspiel.core.findings import FogspielError
from fogspiel.lab.framework.presentation import markdown
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.play.tournament.journal import read_journal
from fogspiel.play.tournament.schedule import MatchResult

PLAYERS = ("random", "first", "uct")
Kind: TypeAlias = Literal["parent", "group", "worker"]
"""The victim: the process that writes, all of them, or one that plays."""
Phase: TypeAlias = Literal["no journal", "no result", "results"]
"""The progress of the run that is killed."""

KINDS: tuple[Kind, ...] = ("parent", "group", "worker")
PHASES: tuple[Phase, ...] = ("no journal", "no result", "results")
PLAN, JOURNAL = "plan.toml", "plan.db"
LOOK_SECONDS = 0.04
PATIENCE_SECONDS = 300.0  #: The time for a whole run: more than it takes on a busy machine
STARTING_SECONDS = 2.5  #: Half of the kills come within this time, whatever has happened by then
MOST_NEW_RESULTS = 20
"""The others come when there are so many results more at most, and so do those if it is sooner."""
JITTER_SECONDS = 0.03
ORPHAN_SECONDS = 20.0  #: A process that outlives its parent for so long counts as an orphan
WORKER_MARK = b"--multiprocessing-fork"  #: A word in the command of every process that plays


@dataclass(slots=True, kw_only=True)
class Damage:
    """The harm that kills have done."""

    kills: Counter[str] = field(default_factory=Counter)  #: Numbers by kind, and by phase
    lost: int = 0  #: Results that were in the journal and no longer are
    changed: int = 0  #: Results that are no longer what they were
    orphans: int = 0  #: Processes that outlived their parent


class Run(NamedTuple):
    """A tournament under way."""

    process: subprocess.Popen[str]
    earlier: int  #: Results that were there when it began


def run(settings: Settings, seed: int, _: str, number: int) -> Document:
    """Run one tournament twice, left alone and killed, and count the differences in the end."""
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
        return {
            "part": f"tournament {number}",
            "matches": _matches(killed),
            "kills": {what: damage.kills[what] for what in (*KINDS, *PHASES)},
            "lost": damage.lost,
            "changed": damage.changed,
            "orphans": damage.orphans,
            "missing_or_double": _missing_or_double(killed),
            "other_results": _other_results(alone, killed),
            "same_table": printed == expected,
        }


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


def kill_and_resume(folder: Path, *, times: int, jobs: int, rng: Random) -> Damage:
    """Kill the tournament of a folder so many times and take it up again after each.

    It may be over before, or not even begun in the end.
    """
    damage = Damage()
    run = _started(folder, jobs)
    while sum(damage.kills[kind] for kind in KINDS) < times and _still_on(folder, run, rng):
        kind, before = rng.choice(KINDS), results_of(folder)
        workers = processes_of(run.process.pid, WORKER_MARK)
        if kind == "worker" and workers:
            # The run goes on with another one.
            _kill(rng.choice(workers))
        else:
            kind = "group" if kind == "group" else "parent"
            damage.orphans += _ended(run, whole_group=kind == "group")
            _compare(before or {}, results_of(folder) or {}, damage)
        damage.kills.update((kind, _phase(before, run)))
        if run.process.poll() is not None:
            run = _started(folder, jobs)
    _ended(run, whole_group=True)
    return damage


def whole_run(folder: Path, *, jobs: int) -> str:
    """Let the tournament of a folder come to its end, and return what it prints."""
    process = _started(folder, jobs).process
    printed, said = process.communicate(timeout=PATIENCE_SECONDS)
    if process.returncode:
        raise RuntimeError(f"the tournament ended with {process.returncode}: {said}")
    return printed


def results_of(folder: Path) -> dict[int, MatchResult] | None:
    """The results in the journal, by number; None before it has begun."""
    try:
        with read_journal(folder / JOURNAL) as journal:
            return {result.number: result for result in journal.results()}
    except FogspielError:
        return None


def _count_of(folder: Path) -> int:
    try:
        with read_journal(folder / JOURNAL) as journal:
            return len(journal.finished())
    except FogspielError:
        return 0


def _started(folder: Path, jobs: int) -> Run:
    earlier = _count_of(folder)
    command = [sys.executable, "-m", "fogspiel.cli", "tournament", PLAN]
    process = subprocess.Popen(
        [*command, "--resume", "--jobs", str(jobs)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Run(process, earlier)


def _still_on(folder: Path, run: Run, rng: Random) -> bool:
    """Wait for a moment to kill; whether there is anything left to be killed."""
    soon = rng.random() < 0.5
    until = time.monotonic() + (rng.random() * STARTING_SECONDS if soon else PATIENCE_SECONDS)
    wanted = _count_of(folder) + rng.randint(1, MOST_NEW_RESULTS)
    while run.process.poll() is None and time.monotonic() < until:
        if _count_of(folder) >= wanted:
            break
        time.sleep(LOOK_SECONDS)
    time.sleep(rng.random() * JITTER_SECONDS)
    return run.process.poll() is None


def _phase(before: dict[int, MatchResult] | None, run: Run) -> Phase:
    if before is None:
        return "no journal"
    return "results" if len(before) > run.earlier else "no result"


def _ended(run: Run, *, whole_group: bool) -> int:
    """Kill a run, and count its processes that are still there after a while."""
    if whole_group:
        for pid in processes_of(run.process.pid):
            _kill(pid)
    run.process.kill()
    run.process.communicate()
    until = time.monotonic() + ORPHAN_SECONDS
    while (orphans := processes_of(run.process.pid)) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    for pid in orphans:
        _kill(pid)
    return len(orphans)


def _compare(before: dict[int, MatchResult], after: dict[int, MatchResult], damage: Damage) -> None:
    damage.lost += len(before.keys() - after.keys())
    damage.changed += sum(
        after[number] != before[number] for number in before.keys() & after.keys()
    )


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def processes_of(session: int, mark: bytes = b"") -> list[int]:
    """Processes of a session with a mark in their command, as Linux tells by files."""
    return [
        int(folder.name)
        for folder in sorted(Path("/proc").glob("[0-9]*"))
        if _session_of(folder) == session and mark in _command_of(folder)
    ]


def _session_of(folder: Path) -> int | None:
    """The session of a process; None for one that is over, even if nobody has taken note of it."""
    try:
        # The name of the program stands in parentheses and may hold anything.
        fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in {"Z", "X"} else int(fields[3])


def _command_of(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


KILLS = {
    "parent": "the process that writes",
    "group": "all processes",
    "worker": "one that plays",
    "no journal": "before there was a journal",
    "no result": "before the run had a result",
    "results": "while results came in",
}
HARM = {
    "lost": "results lost",
    "changed": "results changed later",
    "missing_or_double": "results missing or double in the end",
    "other_results": "results other than without kills",
    "orphans": "processes that outlived their parent",
}


def table(records: Sequence[Document]) -> str:
    """Kills by kind and moment, then the harm that they did."""
    kills = {what: sum(record["kills"][what] for record in records) for what in KILLS}
    harm = {what: sum(record[what] for record in records) for what in HARM}
    rows = [[KILLS[what], f"{count:,}"] for what, count in kills.items()]
    rows += [[HARM[what], f"{count:,}"] for what, count in harm.items()]
    total = sum(kills[kind] for kind in KINDS)
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
    cells=lambda settings: [("tournament", n + 1) for n in range(settings["tournaments"])],
    run=run,
    table=table,
)
