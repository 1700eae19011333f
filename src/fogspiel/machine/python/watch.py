"""A watch over calls of users' code, which interrupts those that take too long.

A method that loops for ever cannot be told from a slow one, so that a limit in seconds must do. The
exception is raised in the thread of the call (`PyThreadState_SetAsyncExc`), which stops anything
written in Python; a call that waits inside of compiled code is stopped when it comes back.
"""

from __future__ import annotations

import ctypes
import os
import threading
from time import monotonic, sleep
from weakref import WeakSet

TICK_SECONDS = 0.2
"""Time between two looks at the clock."""


class OverdueError(BaseException):
    """A call took too long. No `Exception`, so that users' code does not catch it by accident."""


class CallWatch:
    """Limits the time of calls, one after the other; a call is between `start` and `stop`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._began = 0.0
        """The moment when the call began or gave a sign of life; 0 if there is none."""
        self._thread = 0
        self._is_interrupted = False
        self._lock = threading.Lock()
        _WATCHED.add(self)

    def start(self) -> None:
        """A call begins. It may end by `OverdueError`."""
        self._thread = threading.get_ident()
        self._began = monotonic()
        if not _Watcher.is_awake:
            _Watcher.wake()

    def beat(self) -> None:
        """The call goes on, and the time counts from now."""
        self._began = monotonic()

    def stop(self) -> None:
        """The call is over, whether or not it was interrupted."""
        with self._lock:
            self._began = 0.0
            if self._is_interrupted:
                # It may have come to its end in the same moment: nobody else shall be interrupted.
                self._is_interrupted = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), None)

    def interrupt_if_late(self) -> None:
        """Interrupt the call if it takes too long."""
        with self._lock:
            if self._began and monotonic() - self._began > self.seconds:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(OverdueError)
                )
                self._is_interrupted = True
                # Should the code catch it, it comes again after as long a time.
                self._began = monotonic()


_WATCHED: WeakSet[CallWatch] = WeakSet()


class _Watcher:
    """The thread that looks at the clock, one for all calls of a process."""

    is_awake = False

    @classmethod
    def wake(cls) -> None:
        """Start the thread."""
        cls.is_awake = True
        threading.Thread(target=cls._look, name="fogspiel-watch", daemon=True).start()

    @classmethod
    def sleep(cls) -> None:
        """Know that there is no thread, as in a process that was just forked."""
        cls.is_awake = False

    @staticmethod
    def _look() -> None:
        while True:
            sleep(TICK_SECONDS)
            for watch in tuple(_WATCHED):
                watch.interrupt_if_late()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Watcher.sleep)
