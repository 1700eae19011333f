"""Processes that work for another one, and end with it."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from multiprocessing import connection as connections
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import TypeVar

from fogspiel.core.findings import LimitError

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

PR_SET_PDEATHSIG = 1
"""The option of Linux's prctl: the signal that a process gets when its parent dies."""


def run_each(
    work: Callable[[_Task], _Result],
    tasks: Sequence[_Task],
    *,
    jobs: int,
    died: LimitError,
    prepare: Callable[[], None] | None = None,
) -> Iterator[tuple[_Task, _Result]]:
    """Tasks with their results, each as it ends: one by one, or in `jobs` processes.

    work, prepare: made of functions of a module, since other processes must find them.
    prepare: called once in each process, before any task.
    died: raised where a process dies.
    """
    if jobs == 1 or len(tasks) < 2:
        if prepare is not None:
            prepare()
        for task in tasks:
            yield task, work(task)
        return
    others = set(active_children())
    # Started afresh: a copy of a process in which Numba or a solver runs threads may hang.
    pool = ProcessPoolExecutor(
        min(jobs, len(tasks)),
        mp_context=get_context("spawn"),
        initializer=_help_quietly,
        initargs=(os.getpid(), prepare),
    )
    try:
        futures = {pool.submit(work, task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool:
        raise died from None
    except BaseException:
        # A task may run for many minutes more, and nobody would see its result.
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _help_quietly(parent: int, prepare: Callable[[], None] | None) -> None:
    """End with the parent, also when both are interrupted, without a word: the parent reports."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent(parent)
    if prepare is not None:
        prepare()


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


def _watch(watched: BaseProcess) -> None:
    connections.wait([watched.sentinel])
    os._exit(0)
