"""Processes that work for another one, and end with it."""

from __future__ import annotations

import ctypes
import os
import signal
from multiprocessing import connection as connections
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from threading import Thread

PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: the signal that a process gets when its parent dies."""


def die_with_parent(parent: int) -> None:
    """End this process with the one that started it, even if that is killed."""
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was quicker than this
            os._exit(0)
        return
    watched = parent_process()
    if watched is not None:
        Thread(target=_watch, args=(watched,), daemon=True).start()


def help_quietly(parent: int) -> None:
    """The same, and also when both are interrupted, without a word: the parent says what happened.

    For pools whose work takes long.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent(parent)


def _watch(watched: BaseProcess) -> None:
    connections.wait([watched.sentinel])
    os._exit(0)
