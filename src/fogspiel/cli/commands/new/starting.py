"""Files to start from: templates with the user's name in the place of theirs.

Templates stand in the folder `starts`. They are whole programs, in which `my_player` and `my_game`,
`MyPlayer` and `MyGame` are the names to replace.
"""

from __future__ import annotations

import re
import shlex
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path

import fogspiel
from fogspiel import UsageError

ROOT = Path(fogspiel.__file__).parent

TEST = "test_"
"""What names of files with tests begin with: `pytest` collects them, `fogspiel class` leaves them
out."""
TAKEN = frozenset({"Any", "Mapping", "Position", "Sequence"})
"""Classes that the templates use under these names."""


@dataclass(frozen=True, slots=True)
class NewFiles:
    """Files to be written, and what to do with them."""

    named: str  #: The word by which commands name the player or the game
    files: Mapping[Path, str]  #: Texts by path
    commands: Sequence[str]  #: Commands to try, each as it is typed

    def write(self) -> None:
        """Write all files, or none. Raises `UsageError` CLI006 if one of them is there."""
        there = [path for path in self.files if path.exists() or path.is_symlink()]
        if there:
            raise UsageError.of(
                "CLI006",
                f"{' and '.join(map(str, there))} {'exist' if there[1:] else 'exists'} already",
                fix="give another name, or another folder with --out",
            )
        for path, text in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)


def player_start(name: str, folder: Path) -> NewFiles:
    """A player of any game. Raises `UsageError` CLI007 for a name that will not do."""
    refuse_name(name, "player", is_module=True)
    file, test, own = folder / f"{name}.py", folder / f"{TEST}{name}.py", class_name(name, "Player")
    words = {"my_player": name, "MyPlayer": own}
    named = f"{file}:{own}"
    shown = shlex.quote(named)
    return NewFiles(
        named,
        {file: template("player.py.txt", words), test: template("test_player.py.txt", words)},
        [
            f"fogspiel match kuhn_poker {shown} random --games 20 --swap --simulations 1",
            f"fogspiel play tic_tac_toe --against {shown}",
            f"fogspiel induce {shown} kuhn_poker --simulations 1",
            f"pytest {shlex.quote(str(test))}",
        ],
    )


def game_start(name: str, folder: Path, *, python: bool) -> NewFiles:
    """A game with hidden information. Raises `UsageError` CLI007 for a name that will not do.

    python: as a class in Python; otherwise as rules in GDL-II.
    """
    refuse_name(name, "game", is_module=python)
    own, test = class_name(name, "Game"), folder / f"{TEST}{name}.py"
    file = folder / f"{name}{'.py' if python else '.gdl'}"
    words = {"my_game": name, "MyGame": own}
    if python:
        words["my_game.gdl"] = f"{name}.py:{own}"
    named = f"{file}:{own}" if python else str(file)
    shown = shlex.quote(named)
    source = "game.py.txt" if python else "game.gdl"
    return NewFiles(
        named,
        {file: template(source, words), test: template("test_game.py.txt", words)},
        [
            f"fogspiel check {shown} --play 200",
            f"fogspiel play {shown}",
            f"fogspiel solve {shown}",
            f"fogspiel match {shown} ismcts random --games 20 --swap --simulations 100",
            f"pytest {shlex.quote(str(test))}",
        ],
    )


def template(file: str, words: Mapping[str, str]) -> str:
    """The text of a template. words: names to put in, by those that stand there."""
    text = files(__package__).joinpath("starts", file).read_text(encoding="utf-8")
    longest_first = sorted(words, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: words[found[0]], text)


def class_name(name: str, kind: str) -> str:
    """The name of a class, from that of its file: `MyPlayer` for `my_player`."""
    own = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return own + kind if own in TAKEN or iskeyword(own) else own


def refuse_name(name: str, kind: str, *, is_module: bool) -> None:
    """Refuse a name of which no file, class and test can be made. Raises `UsageError` CLI007.

    is_module: whether the file is one of Python, which others can import.
    """
    why = None
    if not name.isidentifier() or not class_name(name, "").isidentifier():
        why = "is no name of Python: those have letters, digits and underscores"
    elif iskeyword(name):
        why = "is a word of Python itself"
    elif name.startswith(TEST):
        why = f"begins with {TEST}, as the names of tests do"
    elif is_module and _is_module(name):
        why = "is a module that programs import, and would then get your file instead"
    if why is not None:
        raise UsageError.of(
            "CLI007",
            f"{name!r} {why}",
            fix=f"give another name, such as `fogspiel new {kind} {_better(name, kind)}`",
        )


def _is_module(name: str) -> bool:
    """Whether a module of this name is there, in Python itself or installed."""
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(ROOT.parent)}
    return name in sys.stdlib_module_names or PathFinder.find_spec(name, sorted(places)) is not None


def _better(name: str, kind: str) -> str:
    """A name that is close to one that will not do."""
    stem = re.sub(r"\.(py|gdl)$", "", Path(name).name).removeprefix(TEST)
    words = [word for word in re.split(r"[\W_]+", stem) if word]
    close = "_".join(words)
    if not re.search(r"[^\W\d]", close):
        return f"my_{kind}"
    if not close.isidentifier() or iskeyword(close) or _is_module(close):
        return f"my_{close}"
    return close
