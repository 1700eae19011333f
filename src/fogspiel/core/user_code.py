"""Games and players that users write in Python, named by `FILE.py:Name` or `package.module:Name`.

A file is run once, as a module whose name tells its path: `fogspiel.core.user_code./games/bots`.
Other processes therefore find its classes by their names, as pickles of objects need it. The folder
of a file and the current folder are searched for what it imports, after all installed packages, so
that a file named like one of them replaces nothing.

The code runs with the rights of the user.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType
from urllib.parse import quote, unquote

from fogspiel.core.code_faults import fault_of
from fogspiel.core.findings import UsageError

SUFFIX = ".py"
FILE = re.compile(r"(?P<place>.*\.py)(?::(?P<name>.*))?", re.DOTALL)
MODULE = re.compile(r"(?P<place>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)")
SHOWN_NAMES = 8
MOST_FILES = 200  #: Files of a folder that are looked through for what a word may mean
__path__: list[str] = []
"""Makes this module a package, whose modules are the files of users (see `_FilesOfUsers`)."""


@dataclass(frozen=True, slots=True)
class CodeName:
    """The name of something in a user's code: `FILE.py:Name` or `package.module:Name`."""

    place: str  #: The path of a file, or the dotted name of a module
    name: str  #: What is meant in it; empty if the word does not say it
    is_file: bool

    def __str__(self) -> str:
        """The word that a user would type."""
        return f"{self.place}:{self.name}"

    def within(self, folder: Path) -> CodeName:
        """The same with the path of a file from the root, if it is meant from a folder."""
        if not self.is_file:
            return self
        return replace(self, place=str((folder / Path(self.place).expanduser()).resolve()))


def code_name(word: str) -> CodeName | None:
    """The parts of a word that names Python code; None for any other word.

    `FILE.py` is one, too, so that the error about it can say what is missing. The name of a module
    without a dot is one only if a capital letter follows, as in `bots:Cautious`: words such as
    `uct:goals` mean something else.
    """
    if found := FILE.fullmatch(word):
        return CodeName(found["place"], found["name"] or "", is_file=True)
    found = MODULE.fullmatch(word)
    if found is None or not ("." in found["place"] or found["name"][0].isupper()):
        return None
    return CodeName(found["place"], found["name"], is_file=False)


def load_object(word: str, *, what: str, folder: Path | None = None) -> object:
    """What a word such as `bots.py:Cautious` names.

    what: the noun for it in messages, such as `player`.
    folder: the folder from which a file is meant, by default the current one.
    Raises `UsageError` OWN001 if there is no such file or module, OWN002 if nothing in it has the
    name, OWN003 if running it fails.
    """
    wanted = code_name(word)
    if wanted is None:
        raise UsageError.of(
            "OWN001",
            f"{word!r} does not name a {what} in Python",
            fix="write FILE.py:Name or package.module:Name",
        )
    if wanted.is_file and not wanted.name.isidentifier():
        raise _unnamed(wanted, what, folder or Path())
    module = _module_of(wanted, what, folder or Path())
    if not hasattr(module, wanted.name):
        names = _own_names(module)
        raise UsageError.of(
            "OWN002",
            f"{wanted.place} has no {what} named {wanted.name!r}",
            fix=_did_you_mean(wanted.name, names) or _listed(wanted.place, names),
        )
    found: object = getattr(module, wanted.name)
    return found


def names_beside(word: str) -> list[str]:
    """Names of classes in the current folder that a word may mean: the word is a file's or theirs.

    For the errors about words that mean nothing else; no file is run for it. Classes that are
    derived from nothing are left out: neither games nor players are, as a rule.
    """
    files = sorted(islice(Path().glob(f"*{SUFFIX}"), MOST_FILES))
    return [
        f"{file}:{name}"
        for file in files
        for name in _stated_classes(file, r"\(")
        if word in {file.stem, name}
    ]


def classes_of(path: str) -> dict[str, type]:
    """The public classes that a file states itself, in its order; the file is run for that.

    Raises `UsageError` OWN001 for no file, and OWN003 if running it fails.
    """
    wanted = CodeName(path, "", is_file=True)
    module = _module_of(wanted, "player", Path())
    return {
        name: found
        for name, found in vars(module).items()
        if isinstance(found, type)
        and found.__module__ == module.__name__
        and not name.startswith("_")
    }


def _module_of(wanted: CodeName, what: str, folder: Path) -> ModuleType:
    """The module of a file or of a dotted name, imported if need be."""
    if wanted.is_file:
        path = Path(wanted.within(folder).place)
        if not path.is_file():
            raise _missing_file(wanted, path, what)
        return _run(_module_name(path), wanted, path)
    _search(Path.cwd())
    try:
        return _run(wanted.place, wanted, None)
    except ModuleNotFoundError:
        raise UsageError.of(
            "OWN001",
            f"there is no module {wanted.place!r} with a {what} named {wanted.name!r}",
            fix=f"check the name, install its package, or write the path {_as_path(wanted)}",
        ) from None


def _run(name: str, wanted: CodeName, path: Path | None) -> ModuleType:
    """Import a module; a file that was changed since is run again."""
    known = sys.modules.get(name)
    if path is not None:
        if known is not None and getattr(known.__spec__, "loader_state", None) != _stamp(path):
            del sys.modules[name]
        _search(path.parent)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if path is None and missing is not None and f"{name}.".startswith(f"{missing}."):
            raise
        fault = fault_of(error)
        raise UsageError.of(
            "OWN003",
            f"running {wanted.place} fails: {fault.text}",
            fix="correct the code; `python FILE` runs it alone and shows the whole traceback",
            source=fault.source,
            span=fault.span,
        ) from error


class _FilesOfUsers(MetaPathFinder):
    """Finds the files of users by module names that tell their paths, in any process."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of a file, if the name is of this sort."""
        package, _, told = fullname.rpartition(".")
        file = Path(unquote(told) + SUFFIX)
        if package != __name__ or not file.is_file():
            return None
        spec = spec_from_file_location(fullname, file, loader=_Uncached(fullname, str(file)))
        if spec is not None:
            spec.loader_state = _stamp(file)
        _search(file.parent)
        return spec


class _Uncached(SourceFileLoader):
    """Compiles a file each time: no files appear beside it, and no old ones are run."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _module_name(path: Path) -> str:
    """The name of a file's module: its path, with the dots that would divide it escaped."""
    told = quote(str(path).removesuffix(SUFFIX), safe="/ ").replace(".", "%2E")
    return f"{__name__}.{told}"


def _stamp(path: Path) -> tuple[int, int]:
    """What tells that a file was changed."""
    state = path.stat()
    return state.st_mtime_ns, state.st_size


def _search(folder: Path) -> None:
    """Let code import what stands in a folder."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _unnamed(wanted: CodeName, what: str, folder: Path) -> UsageError:
    """The error for a word that names a file and nothing in it."""
    path = Path(wanted.within(folder).place)
    if not path.is_file():
        return _missing_file(wanted, path, what)
    classes = _stated_classes(path)
    said = f"{wanted.name!r} cannot be the name of" if wanted.name else "the word does not name"
    return UsageError.of(
        "OWN002",
        f"{wanted.place} is a file in Python, and {said} a {what} in it",
        fix=_listed(wanted.place, classes),
    )


def _stated_classes(path: Path, then: str = "") -> list[str]:
    """The names of the classes that a file states, without running it.

    then: a pattern of what follows the name.
    """
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return []
    return re.findall(rf"^class (\w+){then}", text, re.MULTILINE)


def _missing_file(wanted: CodeName, path: Path, what: str) -> UsageError:
    beside = [file.stem for file in path.parent.glob(f"*{SUFFIX}")] if path.parent.is_dir() else []
    return UsageError.of(
        "OWN001",
        f"there is no file {wanted.place} with a {what}",
        fix=_did_you_mean(path.stem, beside) or f"check the path {path}",
    )


def _own_names(module: ModuleType) -> list[str]:
    """The public names of a module, with those that it makes itself first."""
    public = [name for name in vars(module) if not name.startswith("_")]
    own = [n for n in public if getattr(vars(module)[n], "__module__", None) == module.__name__]
    return own or public


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question about names that are close; empty if none is."""
    by_lower = {other.lower(): other for other in known}
    close = [by_lower[other] for other in get_close_matches(name.lower(), by_lower)]
    return f"did you mean {' or '.join(close)}?" if close else ""


def _listed(place: str, names: Sequence[str]) -> str:
    """The names that could follow a place."""
    if not names:
        return f"write a class in {place}, and its name after a colon"
    more = ", …" if len(names) > SHOWN_NAMES else ""
    return f"write {place}:NAME; names are {', '.join(names[:SHOWN_NAMES])}{more}"


def _as_path(wanted: CodeName) -> str:
    return f"{wanted.place.replace('.', '/')}{SUFFIX}:{wanted.name}"


sys.meta_path.append(_FilesOfUsers())
