"""Damaged, foreign and missing caches: games are loaded all the same, and entries made anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_games import SMALL, entry_of, the_same

from fogspiel.core.packing import Record, packed, unpacked
from fogspiel.games import cache
from fogspiel.games.load import load

pytestmark = pytest.mark.usefixtures("game_cache")

LOADING = f"""
import fogspiel
game = fogspiel.load("{SMALL}")
print(game.loaded.cached, game.begin().play_out(seed=1).moves)
"""


def forged(whole: bytes, **changed: object) -> bytes:
    """The entry with other plain data, and the digest of that."""
    record = unpacked(whole)
    assert record is not None
    return packed(Record({**record.plain, **changed}, record.arrays))


def without_terms(whole: bytes) -> bytes:
    record = unpacked(whole)
    assert record is not None
    return forged(whole, compiled=record.plain["compiled"] | {"names": []})


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "changed": lambda whole: whole[:200] + bytes([whole[200] ^ 4]) + whole[201:],
    "foreign": lambda whole: b"\x80\x04c" + b"os\nsystem\n" * 20,
    "of another key": lambda whole: forged(whole, key="0" * 64),
    "of findings without words": lambda whole: forged(whole, findings=[["GDL001"]]),
    "without a game": lambda whole: forged(whole, compiled={"names": []}),
    "without terms": without_terms,
    "without plain data": lambda whole: packed(Record({}, {})),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_replaced(damage: str, game_cache: Path, grounded: list[str]) -> None:
    fresh = load(SMALL)
    entry = entry_of(game_cache)
    whole = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](whole))
    assert the_same(load(SMALL), fresh)
    assert len(grounded) == 2
    assert load(SMALL).cached
    assert len(entry_of(game_cache).read_bytes()) == pytest.approx(len(whole), abs=100)


def test_what_others_could_have_made_is_not_read(
    game_cache: Path, grounded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(SMALL)
    entry = entry_of(game_cache)
    entry.chmod(0o666)
    load(SMALL)
    elsewhere = game_cache.parent / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    load(SMALL)
    assert len(grounded) == 3
    assert not entry.is_symlink()
    entry.unlink()
    os.mkfifo(entry)
    load(SMALL)
    assert len(grounded) == 4
    assert load(SMALL).cached
    game_cache.chmod(0o777)
    # Other places may hold the game from before.
    monkeypatch.setattr(cache, "cache_places", lambda kind, chosen: [Path(chosen)])
    assert not load(SMALL).cached


@pytest.mark.parametrize("place", ["/dev/null/games", "/proc/nowhere", cache.OFF])
def test_without_a_folder_games_are_loaded_anew(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "cache_places", lambda kind, chosen: [Path(chosen)])
    monkeypatch.setenv(cache.VARIABLE, place)
    assert [load(SMALL).cached for _ in range(2)] == [False, False]


def test_the_users_cache_folder_is_the_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "fogspiel" / "games"


def test_a_full_disk_changes_nothing(game_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, mode: str) -> None:
        os.close(descriptor)
        raise OSError(28, "No space left on device")

    fresh = load(SMALL, anew=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full)
        assert the_same(load(SMALL), fresh)
        assert list(game_cache.iterdir()) == []
    load(SMALL)
    assert load(SMALL).cached


def test_goals_that_cannot_be_written_down_are_no_fault(
    game_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(record: object) -> bytes:
        raise ValueError("Exceeds the limit for integer string conversion")

    monkeypatch.setattr(cache, "packed", refuse)
    load(SMALL)
    assert list(game_cache.iterdir()) == []


def test_processes_that_load_at_once_leave_one_good_entry(game_cache: Path) -> None:
    command = [sys.executable, "-c", LOADING]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert len({line.split(" ", 1)[1] for line in said}) == 1
    assert load(SMALL).cached
    assert entry_of(game_cache).suffix == cache.SUFFIX


def test_an_entry_is_plain_data(game_cache: Path) -> None:
    load("kuhn_poker")
    record = unpacked(entry_of(game_cache).read_bytes())
    assert record is not None
    assert json.loads(json.dumps(record.plain)) == record.plain
    assert {array.dtype.kind for array in record.arrays.values()} <= {"i", "u", "b"}
