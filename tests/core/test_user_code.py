"""Code of users is found by its file or module, and faults in it are shown where they stand."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from pathlib import Path

import pytest

from fogspiel.core.code_faults import fault_of
from fogspiel.core.findings import UsageError
from fogspiel.core.user_code import CodeName, code_name, load_object, names_beside

BOTS = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Cautious:
    depth: int = 1


class Bold:
    def choose(self):
        return 1 / 0
"""


def folder_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> Path:
    """A folder with some Python files, the current one, whose path does not stay searched."""
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def error_of(word: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load_object(word, what="player")
    return caught.value


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("bots.py:Cautious", CodeName("bots.py", "Cautious", is_file=True)),
        ("../a b/bots.py:Cautious", CodeName("../a b/bots.py", "Cautious", is_file=True)),
        ("bots.py", CodeName("bots.py", "", is_file=True)),
        ("club.bots:cautious", CodeName("club.bots", "cautious", is_file=False)),
        ("bots:Cautious", CodeName("bots", "Cautious", is_file=False)),
        ("uct:goals", None),
        ("ismcts", None),
        ("tignum:plans/blocks.methods", None),
        ("kuhn.gdl", None),
        ("hex(5)", None),
    ],
)
def test_words_that_name_code_are_told_from_others(word: str, parts: CodeName | None) -> None:
    assert code_name(word) == parts


def test_a_class_is_loaded_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, monkeypatch, bots=BOTS)
    found = load_object("bots.py:Cautious", what="player")
    assert isinstance(found, type)
    assert found().depth == 1
    assert load_object(f"{folder}/bots.py:Cautious", what="player") is found
    assert load_object("bots.py:Cautious", what="player", folder=folder) is found
    assert [path.name for path in folder.iterdir()] == ["bots.py"]


def test_a_class_is_loaded_from_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_of(tmp_path, monkeypatch, module_of_bots=BOTS)
    found = load_object("module_of_bots:Cautious", what="player")
    assert isinstance(found, type)
    assert found.__module__ == "module_of_bots"


def test_files_of_one_name_in_two_folders_are_two_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch)
    for name in ("ann", "ben"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "random.py").write_text(f"def who():\n    return {name!r}\n")
    found = [load_object(f"{name}/random.py:who", what="player") for name in ("ann", "ben")]
    assert [who() for who in found if callable(who)] == ["ann", "ben"]


def test_a_file_imports_what_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, opening_moves="MOVES = 3\n", bots="import opening_moves\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    module = load_object("../bots.py:opening_moves", what="player")
    assert vars(module)["MOVES"] == 3


def test_a_file_that_was_changed_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, monkeypatch, bots="depth = 1\n")
    assert load_object("bots.py:depth", what="player") == 1
    (folder / "bots.py").write_text("depth = 12\n")
    assert load_object("bots.py:depth", what="player") == 12


def depth_of(pickled: bytes) -> int:
    return int(pickle.loads(pickled).depth)


def test_objects_can_be_handed_to_a_process_that_was_started_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, bots=BOTS)
    cautious = load_object("bots.py:Cautious", what="player")
    assert isinstance(cautious, type)
    pickled = pickle.dumps(cautious(depth=7))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(depth_of, (pickled,)) == 7


@pytest.mark.parametrize(
    ("word", "code", "said", "fix"),
    [
        ("bats.py:Bold", "OWN001", "there is no file bats.py with a player", "did you mean bots?"),
        ("no_such.bots:Bold", "OWN001", "no module 'no_such.bots'", "no_such/bots.py:Bold"),
        ("plain", "OWN001", "does not name a player in Python", "FILE.py:Name"),
        ("bots.py:Bald", "OWN002", "bots.py has no player named 'Bald'", "did you mean Bold?"),
        ("bots.py:Zebra", "OWN002", "no player named 'Zebra'", "names are Cautious, Bold"),
        ("bots.py", "OWN002", "does not name a player in it", "names are Cautious, Bold"),
        ("bots.py:3", "OWN002", "'3' cannot be the name of a player", "names are Cautious, Bold"),
        ("empty.py", "OWN002", "does not name a player", "write a class in empty.py"),
    ],
)
def test_a_wrong_word_is_answered_by_what_would_do(
    word: str, code: str, said: str, fix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, bots=BOTS, empty="")
    (finding,) = error_of(word).findings
    assert finding.code == code
    assert said in finding.message
    assert fix in finding.fix


def test_words_that_name_a_file_or_a_class_beside_are_known_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "class Plain:\n    x = 1 / 0\n\nclass Shy(Plain):\n    pass\n"
    folder_of(tmp_path, monkeypatch, ann=text, test_ann=text.replace("Shy", "TestShy"))
    assert names_beside("ann") == names_beside("Shy") == ["ann.py:Shy"]
    assert names_beside("Plain") == names_beside("") == []
    (tmp_path / "ben.py").mkdir()
    assert names_beside("ben") == []


@pytest.mark.parametrize(
    ("text", "place", "said", "marked"),
    [
        ("x = 1\ndef f(:\n", "bots.py:2:7", "SyntaxError: invalid syntax", ":"),
        ("def f():\n    return 1 / 0\n\nf()\n", "bots.py:2:12", "ZeroDivisionError", "1 / 0"),
        ("import random\nrandom.choice([])\n", "bots.py:2:1", "IndexError", "random.choice([])"),
        ("import no_such_package\n", "bots.py:1:1", "no_such_package", "import no_such_package"),
        ("raise SystemExit(3)\n", "bots.py:1:1", "SystemExit: 3", "raise SystemExit(3)"),
    ],
)
def test_code_that_fails_is_shown_with_its_line(
    text: str,
    place: str,
    said: str,
    marked: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder_of(tmp_path, monkeypatch, bots=text)
    (finding,) = error_of("bots.py:Bold").findings
    assert finding.code == "OWN003"
    assert finding.place == f"{place}: "
    assert said in finding.message
    assert finding.source is not None
    assert finding.span is not None
    assert finding.source.text[slice(*finding.span)] == marked


def test_a_module_that_fails_is_no_module_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, broken_bots="import no_such_package\n")
    assert error_of("broken_bots:Bold").findings[0].code == "OWN003"


def test_an_interruption_is_not_taken_for_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(tmp_path, monkeypatch, bots="raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_object("bots.py:Bold", what="player")


def test_the_fault_of_a_method_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_of(tmp_path, monkeypatch, bots=BOTS)
    bold = load_object("bots.py:Bold", what="player")
    assert isinstance(bold, type)
    with pytest.raises(ZeroDivisionError) as caught:
        bold().choose()
    fault = fault_of(caught.value)
    assert fault.text == "ZeroDivisionError: division by zero"
    assert fault.source is not None
    assert fault.span is not None
    assert (
        fault.source.position(fault.span.start).line
        == BOTS.splitlines().index("        return 1 / 0") + 1
    )
