"""Caches are private: folders that others could have made or filled are not used, nothing is seen
half written, and what is too much is dropped."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from fogspiel.core import private_files
from fogspiel.core.private_files import PrivateStore, make_private, read_private, write_private

ANOTHER = 4_711  #: The id of a user who is neither the administrator nor runs the tests


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder or file belong to another user, as far as one may."""
    if os.geteuid() == 0:
        os.chown(path, ANOTHER, -1, follow_symlinks=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert make_private(folder)
    assert [mode(path) for path in (folder, folder.parent)] == [0o700, 0o700]
    assert make_private(folder)


@pytest.mark.parametrize("bits", [0o720, 0o702, 0o777])
def test_a_folder_to_which_others_may_write_is_not_used(tmp_path: Path, bits: int) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(bits)
    assert not make_private(folder)
    folder.chmod(0o755)
    assert make_private(folder)


def test_a_folder_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "planted"
    folder.mkdir()
    assert make_private(folder)
    give_away(folder, monkeypatch)
    assert not make_private(folder)


def test_a_folder_inside_one_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "planted" / "own"
    assert make_private(folder)
    give_away(folder.parent, monkeypatch)
    assert not make_private(folder)


def test_a_folder_that_anybody_could_exchange_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "public" / "own"
    assert make_private(folder)
    folder.parent.chmod(0o777)
    assert not make_private(folder)
    folder.parent.chmod(0o1777)  # as /tmp is: only owners may move what is theirs
    assert make_private(folder)


def test_a_link_is_no_private_folder(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir(0o700)
    link = tmp_path / "link"
    link.symlink_to("target")
    assert not make_private(link)
    assert make_private(link / "below")  # one above, of the user's own, is the user's wish
    link.unlink()
    link.symlink_to("nowhere")
    assert not make_private(link)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can plant a link of others")
def test_a_link_of_another_user_on_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir(0o700)
    link = tmp_path / "link"
    link.symlink_to("target")
    os.chown(link, ANOTHER, -1, follow_symlinks=False)
    assert not make_private(link / "below")


@pytest.mark.parametrize("place", ["/proc/nowhere/deep", "/dev/null/cache"])
def test_a_place_where_no_folder_can_be_is_none(place: str) -> None:
    assert not make_private(Path(place))


def test_files_are_the_users_alone_and_replace_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    (tmp_path / "elsewhere").write_bytes(b"untouched")
    path.symlink_to("elsewhere")
    write_private(path, b"content")
    assert (mode(path), read_private(path, 7)) == (0o600, b"content")
    write_private(path, b"")
    assert read_private(path, 7) == b""
    assert (tmp_path / "elsewhere").read_bytes() == b"untouched"
    assert {one.name for one in tmp_path.iterdir()} == {"file", "elsewhere"}


def test_a_file_that_cannot_be_put_in_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_private(tmp_path / "file", b"content")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_an_interrupted_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(path: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_private(tmp_path / "file", b"content")
    assert list(tmp_path.iterdir()) == []


def test_only_plain_files_of_the_user_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_private(path, b"content")
    assert read_private(path, 6) is None
    path.chmod(0o620)
    assert read_private(path, 7) is None
    path.chmod(0o600)
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "missing", "."):
        assert read_private(tmp_path / name, 100) is None
    assert read_private(path, 7) == b"content"
    give_away(path, monkeypatch)
    assert read_private(path, 7) is None


def stored(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_store_keeps_what_was_used_last(tmp_path: Path) -> None:
    store = PrivateStore(tmp_path, ".kept", most_bytes=30, most_entries=9, most_of_one=20)
    (tmp_path / "notes").write_text("x" * 100)
    for age, key in enumerate(("a", "b", "c")):
        store.put(key, key.encode() * 10)
        os.utime(tmp_path / f"{key}.kept", (1_000 + age, 1_000 + age))
    assert store.get("a") == b"a" * 10
    store.put("d", b"d" * 10)
    assert stored(tmp_path) == {"notes", "a.kept", "c.kept", "d.kept"}
    assert store.get("b") is None


def test_a_store_keeps_so_many_entries_and_none_that_is_too_large(tmp_path: Path) -> None:
    store = PrivateStore(tmp_path, ".kept", most_bytes=1_000, most_entries=2, most_of_one=20)
    store.put("large", b"x" * 21)
    assert stored(tmp_path) == set()
    for age, key in enumerate(("a", "b")):
        store.put(key, b"")
        os.utime(tmp_path / f"{key}.kept", (1_000 + age, 1_000 + age))
    store.put("c", b"")
    assert stored(tmp_path) == {"b.kept", "c.kept"}


def test_parts_that_nobody_writes_any_more_are_removed(tmp_path: Path) -> None:
    store = PrivateStore(tmp_path, ".kept", most_bytes=1_000, most_entries=9, most_of_one=20)
    old, new = tmp_path / ".a.kept-1.part", tmp_path / ".a.kept-2.part"
    for path in (old, new):
        path.touch()
    then = time.time() - private_files.ABANDONED_SECONDS - 60
    os.utime(old, (then, then))
    store.put("a", b"a")
    assert stored(tmp_path) == {"a.kept", new.name}


@pytest.mark.parametrize("place", ["/dev/null", "/proc/nowhere"])
def test_a_store_without_a_folder_keeps_nothing_and_complains_of_nothing(place: str) -> None:
    store = PrivateStore(Path(place), ".kept", most_bytes=1_000, most_entries=9, most_of_one=20)
    store.put("a", b"a")
    assert store.get("a") is None
