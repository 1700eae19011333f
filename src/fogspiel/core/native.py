"""Numba, made safe to depend on: a cache that can be written, or none.

Kernels are compiled once and kept on disk. Numba refuses to start a cached function when it finds
no writable place, so the place is chosen here, before Numba is imported: `NUMBA_CACHE_DIR` if the
user set it, the user's cache directory, or a private folder under the system's temporary one.
Without any of them kernels are compiled anew in each process; slower to start, never fatal.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def writable_cache() -> Path | None:
    """The first candidate in which a file can be made, created if need be."""
    for candidate in _candidates():
        try:
            candidate.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=candidate):
                return candidate
        except OSError:
            continue
    return None


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        yield Path(base) / "fogspiel" / "numba"
    home = os.environ.get("HOME")
    if home:
        yield Path(home) / ".cache" / "fogspiel" / "numba"
    # Named by user, so that nobody else's kernels are ever loaded.
    user = getattr(os, "getuid", lambda: 0)()
    try:
        yield Path(tempfile.gettempdir()) / f"fogspiel-numba-{user}"
    except OSError:  # no temporary directory at all
        return


CACHE = writable_cache()
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)
# Lanes are vectors already: looking for more to vectorise only costs time on the first start.
os.environ.setdefault("NUMBA_LOOP_VECTORIZE", "0")

import numba  # noqa: E402  (the cache directory must be chosen first)

OPTIONS = {"cache": CACHE is not None, "error_model": "numpy"}


def native(function: _Function) -> _Function:
    """Compile a kernel to machine code. Integer division by zero is the caller's to prevent."""
    compiled = numba.njit(**OPTIONS)(function)
    return cast(_Function, compiled)


def inlined(function: _Function) -> _Function:
    """Like `native`, for small steps that must vanish into the loops that use them."""
    compiled = numba.njit(**OPTIONS, inline="always")(function)
    return cast(_Function, compiled)
