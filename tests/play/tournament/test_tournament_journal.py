"""Journals: what they keep, whom they refuse, and that nothing is lost where they cannot write."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from plans import SMALL, game, plan_of, played

from fogspiel.core.findings import FogspielError, LimitError, UsageError
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.journal import Journal, open_journal, read_journal
from fogspiel.play.tournament.schedule import (
    PlayedMatch,
    Schedule,
    ScheduledMatch,
    Thinking,
    failed_match,
)

KUHN = game("kuhn_poker", "first", "second")


def opened(path: Path, *, resume: bool = False, text: str = SMALL) -> Journal:
    return open_journal(path, plan_of(text), [KUHN], schedule(text), resume=resume)


def schedule(text: str = SMALL) -> Schedule:
    return schedule_of(plan_of(text), [KUHN])


def matches(text: str = SMALL) -> Sequence[ScheduledMatch]:
    return schedule(text).settled(())


def code_of(error: pytest.ExceptionInfo[FogspielError]) -> str:
    return error.value.findings[0].code


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    whole = PlayedMatch(
        result=played(matches()[1]).result,
        thinking=(
            Thinking(seconds=1.5, slowest_seconds=1.0),
            Thinking(seconds=0, slowest_seconds=0),
        ),
    )
    failed = failed_match(matches()[0], KUHN, "it was not over after 3 s", 3.0)
    with opened(tmp_path / "league.db") as journal:
        journal.add([whole, failed])
        assert journal.results() == [failed.result, whole.result]
    with read_journal(tmp_path / "league.db") as journal:
        assert journal.results() == [failed.result, whole.result]
        assert (journal.name, journal.matches) == ("league", 6)
        assert '"repetitions": 3' in journal.plan_text


def test_records_are_kept_compressed(tmp_path: Path) -> None:
    first, second = matches()[:2]
    recorded = PlayedMatch(result=played(first).result, record=zlib.compress(b'{"line": 1}\n'))
    with opened(tmp_path / "league.db") as journal:
        journal.add([recorded, played(second)])
        assert journal.record(0) == '{"line": 1}\n'
        assert journal.record(1) is None
        assert journal.record(5) is None


def test_commits_are_synchronised_and_logged_ahead(tmp_path: Path) -> None:
    with opened(tmp_path / "league.db") as journal:
        connection = journal._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_match_is_kept_once_and_a_batch_whole_or_not_at_all(tmp_path: Path) -> None:
    first, second = matches()[:2]
    with opened(tmp_path / "league.db") as journal:
        journal.add([played(first)])
        with pytest.raises(UsageError, match="UNIQUE"):
            journal.add([played(second), played(first)])
        assert journal.finished() == {0}
        journal.add([played(second)])
        assert journal.finished() == {0, 1}


def test_a_journal_is_gone_on_with_only_when_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with opened(path) as journal:
        journal.add([played(matches()[0])])
    with pytest.raises(UsageError) as refused:
        opened(path)
    assert code_of(refused) == "TOU006"
    with opened(path, resume=True) as journal:
        assert journal.finished() == {0}


def test_to_go_on_without_a_journal_is_to_begin(tmp_path: Path) -> None:
    with opened(tmp_path / "league.db", resume=True) as journal:
        assert journal.finished() == set()


def test_a_file_that_was_made_and_no_more_is_begun(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    connection = sqlite3.connect(tmp_path / "header.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert (tmp_path / "header.db").stat().st_size
    for name in ("empty.db", "header.db"):
        with opened(tmp_path / name) as journal:
            assert journal.matches == 6


def test_the_journal_of_another_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    opened(path).close()
    with pytest.raises(UsageError) as refused:
        opened(path, resume=True, text=SMALL.replace("repetitions = 3", "repetitions = 4"))
    assert code_of(refused) == "TOU007"
    opened(path, resume=True).close()


def test_nothing_is_written_where_a_new_plan_is_refused(tmp_path: Path) -> None:
    def refuse() -> None:
        raise UsageError(())

    path = tmp_path / "league.db"
    with pytest.raises(UsageError):
        open_journal(path, plan_of(), [KUHN], schedule(), resume=False, on_new=refuse)
    opened(path).close()


def test_a_damaged_or_foreign_file_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    text, foreign, newer = (tmp_path / name for name in ("letter.db", "foreign.db", "newer.db"))
    text.write_text("Dear journal, " * 100)
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE letters (text)")
    opened(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    for path in (text, foreign, newer):
        before = path.read_bytes()
        with pytest.raises(UsageError) as refused:
            opened(path, resume=True)
        assert code_of(refused) == "TOU008"
        with pytest.raises(UsageError) as refused:
            read_journal(path)
        assert code_of(refused) == "TOU008"
        assert path.read_bytes() == before


def test_a_page_that_was_overwritten_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with opened(path) as journal:
        journal.add([played(match) for match in matches()])
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 3] = b"\x07" * 4096
    path.write_bytes(data)
    with pytest.raises(UsageError) as refused:
        opened(path, resume=True)
    assert code_of(refused) == "TOU008"


def test_a_journal_in_use_is_refused_until_its_process_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    opened(path).close()
    # Another process holds the lock, and is killed: nobody can let go of it in its place.
    script = (
        "import sys, time; from pathlib import Path\n"
        "from fogspiel.play.tournament.journal_schema import FileLock\n"
        "print(FileLock(Path(sys.argv[1])).take(), flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path) + "-lock"], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "True\n"
        with pytest.raises(UsageError) as refused:
            opened(path, resume=True)
        assert code_of(refused) == "TOU009"
        read_journal(path).close()
    finally:
        holder.kill()
        holder.communicate()
    opened(path, resume=True).close()
    assert [file.name for file in tmp_path.iterdir()] == ["league.db"]


def test_where_the_disk_is_full_nothing_kept_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    big = PlayedMatch(result=played(matches()[1]).result, record=os.urandom(100_000))
    with opened(path) as journal:
        journal.add([played(matches()[0])])
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LimitError) as refused:
            journal.add([big])
        assert code_of(refused) == "TOU010"
        assert journal.finished() == {0}
    with opened(path, resume=True) as journal:
        journal.add([big])
        assert journal.finished() == {0, 1}


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "league.db", tmp_path / "missing" / "league.db"):
        with pytest.raises(LimitError) as refused:
            opened(path)
        assert code_of(refused) == "TOU010"


def test_failed_matches_can_be_forgotten_and_no_others(tmp_path: Path) -> None:
    first, second = matches()[:2]
    with opened(tmp_path / "league.db") as journal:
        journal.add([failed_match(first, KUHN, "it was not over after 3 s"), played(second)])
        assert journal.forget_failed() == 1
        assert journal.results() == [played(second).result]
        journal.add([played(first)])
        assert journal.finished() == {0, 1}
        assert journal.forget_failed() == 0


def test_others_can_read_what_a_killed_process_has_left(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    script = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path\n"
        "from test_tournament_journal import opened, played, matches\n"
        "opened(Path(sys.argv[1])).add([played(matches()[0])])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script, str(path), here], check=False, timeout=60)
    assert done.returncode == -9
    assert Path(f"{path}-wal").exists()
    with read_journal(path) as journal:
        assert journal.finished() == {0}
    with opened(path, resume=True) as journal:
        assert journal.finished() == {0}
