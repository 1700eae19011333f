"""Numba's cache: a place that can be written is found, and without one the program still runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fogspiel.core import native
from fogspiel.core.native import kernel_version, writable_cache

# Neither can be made or written by anybody, root included.
NOWHERE = "/proc/nowhere"
NO_FOLDER = "/dev/null/cache"

KERNEL = """
import fogspiel.core.native as native
from fogspiel.machine.compiled.kernel.evaluate import transpose
import numpy as np
block = np.zeros(64, np.uint64)
block[0] = 4
transpose(block)
print(native.CACHE, int(block[2]))
"""


@pytest.fixture
def no_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment in which nothing is writable until a test names a place."""
    assert tmp_path.is_dir()  # made before temporary folders are forbidden
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, NOWHERE)
    monkeypatch.setattr(tempfile, "tempdir", NO_FOLDER)
    return monkeypatch


def test_without_a_writable_place_there_is_none(no_places: pytest.MonkeyPatch) -> None:
    assert writable_cache() is None


def test_the_users_choice_comes_first(no_places: pytest.MonkeyPatch, tmp_path: Path) -> None:
    no_places.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    no_places.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen" / "deep"))
    assert writable_cache() == tmp_path / "chosen" / "deep" / kernel_version()
    assert (tmp_path / "chosen" / "deep" / kernel_version()).is_dir()


def test_a_process_takes_over_the_complete_choice_of_the_one_that_started_it(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_places.setenv("NUMBA_CACHE_DIR", str(tmp_path / kernel_version()))
    assert writable_cache() == tmp_path / kernel_version()


def test_changed_sources_have_a_folder_of_their_own(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = kernel_version()
    copy = tmp_path / "package"
    shutil.copytree(native.PACKAGE, copy, ignore=shutil.ignore_patterns("games", "lab", "cases"))
    no_places.setattr(native, "PACKAGE", copy)
    assert kernel_version() == before
    (copy / "core" / "limits.py").write_text("no kernel takes anything from here")
    assert kernel_version() == before
    batch = copy / "machine" / "compiled" / "run" / "batch.py"
    batch.write_text("changed")
    assert kernel_version() != before
    batch.write_text("no Python at all")
    assert kernel_version() != before


def test_text_in_sources_changes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text(
        '"""One."""\nclass A:\n    b: int\n    """Two."""\ndef f():\n    return "x"\n'
    )
    before = native.code_digest(source)
    source.write_text(
        '# 1\nclass A:\n    b: int  # 2\ndef f():\n    """Three."""\n    return "x"\n'
    )
    assert native.code_digest(source) == before
    source.write_text('class A:\n    b: int\ndef f():\n    return "y"\n')
    assert native.code_digest(source) != before


def test_digests_are_kept_until_a_file_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    memo, source = tmp_path / native.MEMO, tmp_path / "kernel.py"
    monkeypatch.setattr(native, "PACKAGE", tmp_path)
    monkeypatch.setattr(native, "KERNEL_SOURCES", ("kernel.py",))
    source.write_text("FACTOR = 1")
    before = kernel_version(memo)
    assert json.loads(memo.read_text())[str(source)][2] == native.code_digest(source)
    with monkeypatch.context() as patch:
        patch.setattr(native, "code_digest", lambda path: pytest.fail("read again"))
        assert kernel_version(memo) == before
    source.write_text("FACTOR = 22")
    after = kernel_version(memo)
    assert after == kernel_version() != before


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}', '{"a": [1, 2]}', '{"a": [1, 2, 3]}'])
def test_a_damaged_memo_is_written_anew(tmp_path: Path, damage: str) -> None:
    memo = tmp_path / native.MEMO
    memo.write_text(damage)
    assert kernel_version(memo) == kernel_version()
    assert len(json.loads(memo.read_text())) == len(native.kernel_sources())


def test_every_place_of_kernel_sources_has_some() -> None:
    for place in native.KERNEL_SOURCES:
        path = native.PACKAGE / place
        assert path.is_file() or any(path.rglob("*.py"))


def test_machine_code_of_old_versions_is_removed(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_places.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for age in range(6):
        old = tmp_path / f"kernels-{age}"
        old.mkdir()
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "something-else").mkdir()
    assert writable_cache() == tmp_path / kernel_version()
    assert {path.name for path in tmp_path.iterdir()} == {
        kernel_version(), "kernels-0", "kernels-1", "kernels-2", "something-else", native.MEMO,
    }  # fmt: skip


def test_versions_that_somebody_works_with_are_kept(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_places.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    used = [tmp_path / f"kernels-{number}" for number in range(6)]
    for folder in used:
        folder.mkdir()
    found = writable_cache()
    assert found is not None
    assert all(folder.is_dir() for folder in used)
    os.utime(found, (1_000_000, 1_000_000))
    assert writable_cache() == found
    assert found.stat().st_mtime > used[0].stat().st_mtime - 60


@pytest.mark.parametrize(
    ("variable", "inside"),
    [("XDG_CACHE_HOME", "fogspiel/numba"), ("HOME", ".cache/fogspiel/numba")],
)
def test_the_users_cache_directory_comes_next(
    no_places: pytest.MonkeyPatch, tmp_path: Path, variable: str, inside: str
) -> None:
    no_places.setenv(variable, str(tmp_path))
    assert writable_cache() == tmp_path / inside / kernel_version()


def test_the_temporary_directory_is_the_last_resort_and_the_users_own(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_places.setattr(tempfile, "tempdir", str(tmp_path))
    found = writable_cache()
    assert found is not None
    assert found.parent.parent == tmp_path
    assert str(os.getuid()) in found.parent.name


def test_a_folder_that_another_user_planted_is_not_used(
    no_places: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_places.setattr(tempfile, "tempdir", str(tmp_path))
    found = writable_cache()
    assert found is not None
    assert [folder.stat().st_mode & 0o777 for folder in (found, found.parent)] == [0o700, 0o700]
    found.parent.chmod(0o777)  # as a stranger would make it, to exchange what is in it
    assert writable_cache() is None
    found.parent.chmod(0o700)
    found.chmod(0o770)
    assert writable_cache() is None
    found.chmod(0o700)
    assert writable_cache() == found
    no_places.setattr(os, "geteuid", lambda: 4_711)
    assert writable_cache() != found


def test_a_planted_link_is_neither_read_nor_written_as_a_memo(tmp_path: Path) -> None:
    target, memo = tmp_path / "target", tmp_path / native.MEMO
    target.write_text('{"planted": [1, 2, "' + "0" * 64 + '"]}')
    memo.symlink_to(target)
    assert kernel_version(memo) == kernel_version()
    assert "planted" not in memo.read_text()
    assert "planted" in target.read_text()
    assert not memo.is_symlink()


def test_unset_variables_are_no_places(no_places: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        no_places.delenv(name)
    assert writable_cache() is None


def run_kernel(environment: dict[str, str], prelude: str = "") -> list[str]:
    """What a fresh process says of its cache and of a kernel's result."""
    process = subprocess.run(
        [sys.executable, "-c", prelude + KERNEL],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(native.PACKAGE.parent), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.split()


def test_kernels_run_without_a_cache() -> None:
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR"), NOWHERE)
    # Python itself falls back to /tmp and the current folder, where root may always write.
    prelude = f"import tempfile; tempfile.tempdir = {NO_FOLDER!r}"
    assert run_kernel(nowhere, prelude) == ["None", "1"]


def test_a_cold_and_a_warm_cache_give_the_same(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    cold = run_kernel(environment)
    files = sorted(tmp_path.rglob("*.nbc"))
    assert files
    warm = run_kernel(environment)
    assert cold == warm == [str(tmp_path / kernel_version()), "1"]
    assert sorted(tmp_path.rglob("*.nbc")) == files


def test_building_kernels_is_logged_once_and_loading_them_is_not(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    prelude = (
        "import logging, sys\n"
        "logging.basicConfig(stream=sys.stdout, format='%(message)s')\n"
        "logging.getLogger('fogspiel.core.native').setLevel('INFO')\n"
    )
    cold = run_kernel(environment, prelude)
    result = [str(tmp_path / kernel_version()), "1"]
    assert cold == [*native.BUILDING.split(), *result]
    assert run_kernel(environment, prelude) == result


def test_this_process_has_told_numba_its_choice() -> None:
    assert native.CACHE is None or os.environ["NUMBA_CACHE_DIR"] == str(native.CACHE)


@native.native
def shifted(numbers: Any, amount: int) -> int:
    return int(numbers[0]) + amount


@native.native
def shifted_often(numbers: Any) -> int:
    total = 0
    for _ in range(2):
        total += shifted(numbers, 1) + shifted(numbers, 2) + shifted(numbers, total)
    return total


@native.inner
def last_of(numbers: Any) -> int:
    return int(numbers[len(numbers) - 1])


@native.native
def largest_last(one: Any, other: Any) -> int:
    return max(last_of(one), last_of(other[:1]))


def signatures(kernel: Any) -> int:
    return len(kernel.signatures)


def test_a_kernel_is_compiled_once_whatever_constants_it_is_called_with() -> None:
    assert shifted_often(np.array([5])) == 54  # (6 + 7 + 5) + (6 + 7 + 23)
    # None if an earlier run of the tests left machine code of the caller, which holds this one.
    assert signatures(shifted) <= 1


def test_without_the_internals_of_numba_kernels_are_compiled_as_numba_does() -> None:
    def plain(number: int) -> int:
        return number

    assert native.without_literals(plain) is plain


def test_kernels_for_kernels_only_give_the_same_and_hold_no_references() -> None:
    one, other = np.array([3, 4]), np.array([5, 9])
    held = sys.getrefcount(one)
    assert largest_last(one, other) == 5
    assert sys.getrefcount(one) == held


def test_options_that_numba_does_not_have_are_left_out() -> None:
    assert native.known({"_nrt": False, "no_such_option": True}).keys() <= {"_nrt"}


def test_an_interruption_waits_until_a_kernel_is_built() -> None:
    interruption = native.HeldInterruption()
    interruption.hold()
    interruption.hold()
    os.kill(os.getpid(), signal.SIGINT)
    interruption.release()
    with pytest.raises(KeyboardInterrupt):
        interruption.release()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    interruption.hold()
    interruption.release()
