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
from pathlib import Path
from threading import Thread
from typing import TypeVar

from fogspiel.core.findings import LimitError

OUT_OF_MEMORY = 9  #: The exit code of a process that could not get any more

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

PR_SET_PDEATHSIG = 1
"""The option of Linux's prctl: the signal that a process gets when its parent dies."""
PR_SET_CHILD_SUBREAPER = 36
"""The option of Linux's prctl: descendants whose parent died get this process for one."""


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


def last_words(status: int | None) -> str:
    """What is said of a process that ended. status: its exit code, or minus the signal."""
    if status == OUT_OF_MEMORY:
        return "was out of memory"
    if status is not None and status < 0:
        return f"was killed by signal {-status}"
    return f"ended with code {status}"


def limit_memory(more_bytes: int) -> None:
    """Let this process have so much more memory than it has now, as far as the system can say.

    What it asks for beyond that is refused, which Python raises as `MemoryError`.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return  # not every system has this limit, and tells how much there is
    most = pages * resource.getpagesize() + more_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # Whoever started us may have been given less.
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def adopt_orphans() -> None:
    """Let processes whose parent died come to this one, as far as the system can do that."""
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """The processes that this one started or adopted, as far as the system can say."""
    try:
        tasks = Path("/proc/self/task").iterdir()
        told = [(task / "children").read_text(encoding="ascii") for task in tasks]
    except OSError:
        return []
    return [int(word) for text in told for word in text.split()]
