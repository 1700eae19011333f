"""Running the grounder: a process of its own, watched for time, memory, atoms and rules."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fogspiel.core.budget import Budget
from fogspiel.core.limits import GroundLimits
from fogspiel.ground.output import count_rules
from fogspiel.ground.worker import TOO_MANY_ATOMS, TOO_MANY_RULES

WORKER = Path(__file__).with_name("worker.py")
CHUNK_BYTES = 1 << 20
MESSAGE_BYTES = 4_096
SIGNS_OF_SHORTAGE = ("bad_alloc", "MemoryError", "SystemError", "failed to map segment")
"""What clingo, Python and the loader of libraries say when memory is refused to them."""


@dataclass(frozen=True, slots=True)
class GrounderStoppedError(Exception):
    """Grounding did not end. `code` says which limit was hit, `reached` how far it had come."""

    code: str
    reached: str


def run_grounder(text: str, limits: GroundLimits, signatures: Sequence[str] = ()) -> bytes:
    """What the worker writes of a program; see `output` for reading it.

    signatures: `name/arity` of the relations whose atoms are to be named.
    Raises `GrounderStoppedError` at the first limit that is passed.
    """
    numbers = (limits.memory_bytes, int(limits.processor_seconds), limits.atoms, limits.rules)
    command = [sys.executable, str(WORKER), *map(str, numbers), *signatures]
    with tempfile.TemporaryFile() as program, tempfile.TemporaryFile() as messages:
        program.write(text.encode())
        program.seek(0)
        with subprocess.Popen(
            command, stdin=program, stdout=subprocess.PIPE, stderr=messages
        ) as process:
            try:
                output = _collect(process, limits)
                status = process.wait()
            finally:
                process.kill()
        if status != 0:
            raise _failure(messages, status, limits)
    return output


def _collect(process: subprocess.Popen[bytes], limits: GroundLimits) -> bytes:
    """All that the process writes, as long as there is time."""
    assert process.stdout is not None
    budget = Budget.of(seconds=limits.seconds)
    chunks: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(timeout=max(0.0, budget.seconds_left)) and not budget.is_over:
            chunk = os.read(process.stdout.fileno(), CHUNK_BYTES)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
    found = count_rules(b"".join(chunks))
    raise GrounderStoppedError("GRD001", f"{found:,} rules in {limits.seconds:g} s")


def _failure(messages: IO[bytes], status: int, limits: GroundLimits) -> GrounderStoppedError:
    # What matters stands at the end, after any trace of calls.
    messages.seek(max(0, messages.seek(0, os.SEEK_END) - MESSAGE_BYTES))
    said = messages.read().decode(errors="replace").strip()
    if status == TOO_MANY_ATOMS:
        return GrounderStoppedError("GRD003", f"more than {limits.atoms:,} atoms")
    if status == TOO_MANY_RULES:
        return GrounderStoppedError("GRD004", f"more than {limits.rules:,} rules")
    # A kill that was not ours is the system's answer to a shortage of memory.
    if status == -signal.SIGKILL or any(sign in said for sign in SIGNS_OF_SHORTAGE):
        return GrounderStoppedError("GRD002", f"{limits.memory_bytes / 2**20:,.0f} MiB of memory")
    if status < 0 and not said:
        return GrounderStoppedError("GRD001", f"{limits.processor_seconds:g} s of processor time")
    last = said.splitlines()[-1] if said else f"exit status {status}"
    return GrounderStoppedError("GRD005", last)
