"""Numba, made safe to depend on: a cache that can be written, or none.

Kernels are compiled once and kept on disk. Numba refuses to start a cached function when it finds
no writable place, so the place is chosen here, before Numba is imported: `NUMBA_CACHE_DIR` if the
user set it, the user's cache directory, or a folder under the system's temporary one. It is made
for the user alone, and not used if anybody else could have written to it: machine code is run.
Without any of them kernels are compiled anew in each process; slower to start, never fatal.

Numba looks for changes only in the file of a kernel, not in those of the functions it calls. So
the code of all kernels together, without comments and docstrings, names the folder that their
machine code is kept in.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import fogspiel
from fogspiel.core.private_files import cache_places, make_private, read_private, write_private

_Function = TypeVar("_Function", bound=Callable[..., Any])

# By the package and not by counting folders: from a wrong one no source would be found, silently.
PACKAGE = Path(fogspiel.__file__).resolve().parent
KERNEL_SOURCES = (
    "core/native.py",
    "core/kernels",
    "core/plain_kernels.py",
    "machine/compiled",
    "machine/expander.py",
    "machine/three_valued.py",
    "search/mcts/kernels",
    "solve/arrays.py",
    "solve/matrix.py",
)
"""Files and folders that kernels elsewhere take functions, constants and records from.

A change here makes all kernels compile again; a kernel that takes anything of Fogspiel from
another file is an error, which `tests/architecture/test_kernels.py` finds.
"""
BUILT = "%d kernels built, %.0f s"
"""Progress of the building, logged after each kernel for whoever wants to know."""
BUILDING = (
    "Building native kernels, which happens once per version of Fogspiel and takes up to 30 seconds"
)
PREFIX = "kernels-"  #: The names of folders of machine code begin with it
MEMO = "sources.json"  #: The file beside them that keeps digests of sources
MOST_OF_MEMO = 1 << 20  #: Bytes of such a file that are read
KEPT_VERSIONS = 4  #: Folders of machine code to keep: of this version and the last few
KEPT_SECONDS = 86_400.0  #: Folders used since are kept as well: of several checkouts at work


def writable_cache() -> Path | None:
    """The first candidate that is the user's alone and in which a file can be made."""
    for candidate in cache_places("numba", os.environ.get("NUMBA_CACHE_DIR")):
        # A process started by another one finds its choice in the environment, complete.
        is_complete = candidate.name.startswith(PREFIX)
        version = kernel_version((candidate.parent if is_complete else candidate) / MEMO)
        folder = candidate if candidate.name == version else candidate / version
        if not make_private(folder):
            continue
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        _drop_old_versions(folder)
        return folder
    return None


def kernel_version(memo: Path | None = None) -> str:
    """A name for the state of the code that kernels are made of.

    memo: a file that keeps the digests of files which have not changed since.
    """
    known = _known_digests(memo)
    digests: dict[str, list[Any]] = {}
    for path in kernel_sources():
        status = path.stat()
        stamp = [status.st_size, status.st_mtime_ns]
        entry = known.get(str(path))
        digest = entry[2] if entry is not None and entry[:2] == stamp else code_digest(path)
        digests[str(path)] = [*stamp, digest]
    if memo is not None and any(known.get(path) != digests[path] for path in digests):
        _keep_digests(memo, known | digests)
    whole = hashlib.sha256()
    for path in kernel_sources():
        whole.update(path.relative_to(PACKAGE).as_posix().encode())
        whole.update(digests[str(path)][2].encode())
    return f"{PREFIX}{whole.hexdigest()[:16]}"


def code_digest(path: Path) -> str:
    """A digest of the code in a file, in which comments and docstrings do not count."""
    source = path.read_bytes()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return hashlib.sha256(source).hexdigest()
    for node in ast.walk(tree):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                setattr(node, block, [part for part in statements if not _is_text(part)])
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _known_digests(memo: Path | None) -> dict[str, list[Any]]:
    """Size, time of change in nanoseconds and digest of files, as far as they can be read."""
    try:
        text = read_private(memo, MOST_OF_MEMO) if memo is not None else None
        entries = json.loads(text) if text is not None else {}
        return {
            path: [int(size), int(changed), digest]
            for path, (size, changed, digest) in entries.items()
            if isinstance(digest, str) and len(digest) == hashlib.sha256().digest_size * 2
        }
    except (ValueError, TypeError, AttributeError):
        return {}


def _keep_digests(memo: Path, digests: dict[str, list[Any]]) -> None:
    existing = {path: entry for path, entry in digests.items() if Path(path).exists()}
    with suppress(OSError):  # then files are read again next time
        make_private(memo.parent)
        write_private(memo, json.dumps(existing).encode())


def kernel_sources() -> list[Path]:
    """The files below `KERNEL_SOURCES`, in a fixed order."""
    found: list[Path] = []
    for place in KERNEL_SOURCES:
        path = PACKAGE / place
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def _drop_old_versions(folder: Path) -> None:
    """Note the use of a folder, and remove those beside it that were not used for long."""
    versions = [path for path in folder.parent.glob(f"{PREFIX}*") if path != folder]
    try:
        os.utime(folder)
        used = {path: path.stat().st_mtime for path in versions}
    except OSError:  # another process was quicker
        return
    for old in sorted(used, key=used.__getitem__, reverse=True)[KEPT_VERSIONS - 1 :]:
        if used[old] < time.time() - KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)


CACHE = writable_cache()
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)
# Lanes are vectors already: looking for more to vectorise only costs time on the first start.
os.environ.setdefault("NUMBA_LOOP_VECTORIZE", "0")

import numba  # noqa: E402  (the cache directory must be chosen first)


def _import_array_functions() -> None:
    """Import Numba's array functions without SciPy's linear algebra, a fifth of a second.

    Numba tries to import it for `np.cov` and its like, which no kernel uses; `np.dot` and
    `np.linalg` look for it again when they are compiled.
    """
    hidden = "scipy.linalg"
    if hidden in sys.modules:
        return
    sys.modules[hidden] = cast(ModuleType, None)
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[hidden]


_import_array_functions()

_log = logging.getLogger(__name__)


def _watch_building() -> None:
    """Log that kernels of Fogspiel are built, when the first one in this process is.

    An interruption waits until a kernel is built: raised inside LLVM it would end the process.
    """
    try:
        from numba.core import event
    except ImportError:  # then nobody is told
        return

    def is_ours(event: Any) -> bool:
        module = str(getattr(event.data.get("dispatcher"), "__module__", ""))
        return module.startswith("fogspiel.")

    class Listener(event.Listener):  # type: ignore[misc]
        is_told = False
        built, began = 0, 0.0
        interruption = HeldInterruption()

        def on_start(self, event: Any) -> None:
            self.interruption.hold()
            if not self.is_told and is_ours(event):
                self.is_told, self.began = True, time.perf_counter()
                _log.info(BUILDING)

        def on_end(self, event: Any) -> None:
            self.interruption.release()
            if is_ours(event):
                self.built += 1
                _log.debug(BUILT, self.built, time.perf_counter() - self.began)

    event.register("numba:compile", Listener())


class HeldInterruption:
    """Ctrl-C, held back in the main thread from the first `hold` to the last `release`."""

    def __init__(self) -> None:
        self._depth = 0
        self._handler: Any = None
        self._held: tuple[int, Any] | None = None

    def hold(self) -> None:
        """Keep an interruption back from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth += 1
        if self._depth == 1 and callable(handler := signal.getsignal(signal.SIGINT)):
            self._handler = handler
            signal.signal(signal.SIGINT, self._keep)

    def release(self) -> None:
        """Go on as before; an interruption that came meanwhile is handled now."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth == 0 and self._handler is not None:
            handler, held = self._handler, self._held
            self._handler = self._held = None
            signal.signal(signal.SIGINT, handler)
            if held is not None:
                handler(*held)

    def _keep(self, number: int, frame: Any) -> None:
        self._held = number, frame


_watch_building()


def known(options: dict[str, bool]) -> dict[str, bool]:
    """The options that this version of Numba has, since not all are documented."""
    targets = getattr(getattr(numba.core, "cpu", None), "CPUTargetOptions", None)
    return {name: value for name, value in options.items() if hasattr(targets, name)}


OPTIONS = {"cache": CACHE is not None, "error_model": "numpy"}
INNER = known({"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})


def native(function: _Function) -> _Function:
    """Compile a kernel to machine code. Integer division by zero is the caller's to prevent."""
    return cast(_Function, without_literals(numba.njit(**OPTIONS)(function)))


def inner(function: _Function) -> _Function:
    """Like `native`, for a kernel that only other kernels call and that makes no arrays.

    It is not wrapped for Python, which must not call it, and it counts no references to arrays:
    whoever calls it holds them.
    """
    return cast(_Function, without_literals(numba.njit(**OPTIONS, **INNER)(function)))


def inlined(function: _Function) -> _Function:
    """Like `native`, for small steps that must vanish into the loops that use them."""
    compiled = numba.njit(**OPTIONS, inline="always")(function)
    return cast(_Function, compiled)


def without_literals(compiled: Any) -> Any:
    """Let all kernels that call this one share its machine code.

    Otherwise Numba compiles a kernel again for every constant that it is called with.
    """
    template_for = getattr(compiled, "get_call_template", None)
    if template_for is not None:

        def template(arguments: Any, named: Any) -> Any:
            types = numba.types
            kinds = tuple(types.unliteral(kind) for kind in arguments)
            return template_for(kinds, {name: types.unliteral(named[name]) for name in named})

        compiled.get_call_template = template
    return compiled
