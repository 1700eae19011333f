"""Running the grounder: a process of its own, watched for time, memory, atoms and rules."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fogspiel.core.limits import Deadline, GroundLimits

WORKER = Path(__file__).with_name("worker.py")
CHUNK_BYTES = 1 << 20
MESSAGE_BYTES = 4_096
SIGNS_OF_SHORTAGE = ("bad_alloc", "MemoryError", "failed to map segment")
"""What clingo, Python and the loader of libraries say when memory is refused to them."""


@dataclass(frozen=True, slots=True)
class GrounderStoppedError(Exception):
    """Grounding did not end. `code` says which limit was hit, `reached` how far it had come."""

    code: str
    reached: str


def run_grounder(text: str, limits: GroundLimits) -> bytes:
    """The aspif of a program. Raises `GrounderStoppedError` at the first limit that is passed."""
    arguments = [str(WORKER), str(limits.memory_bytes), str(int(limits.seconds) + 1)]
    with tempfile.TemporaryFile() as program, tempfile.TemporaryFile() as messages:
        program.write(text.encode())
        program.seek(0)
        with subprocess.Popen(
            [sys.executable, *arguments], stdin=program, stdout=subprocess.PIPE, stderr=messages
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
    """All that the process writes, as long as it keeps within the limits."""
    assert process.stdout is not None
    deadline = Deadline(limits.seconds)
    chunks: list[bytes] = []
    lines = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(timeout=deadline.remaining_seconds) or deadline.passed:
                raise GrounderStoppedError("GRD001", f"{lines:,} rules in {limits.seconds:g} s")
            chunk = os.read(process.stdout.fileno(), CHUNK_BYTES)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
            lines += chunk.count(b"\n")
            if lines > limits.rules:
                raise GrounderStoppedError("GRD004", f"more than {limits.rules:,} rules")
            if _last_atom(chunk) > limits.atoms:
                raise GrounderStoppedError("GRD003", f"more than {limits.atoms:,} atoms")


def _last_atom(chunk: bytes) -> int:
    """The head of the last whole rule in a chunk: atoms are numbered as they appear."""
    end = chunk.rfind(b"\n1 ", 0, chunk.rfind(b"\n"))
    fields = chunk[end + 1 : end + 64].split(b" ", 4) if end >= 0 else []
    return int(fields[3]) if len(fields) > 4 else 0


def _failure(messages: IO[bytes], status: int, limits: GroundLimits) -> GrounderStoppedError:
    messages.seek(0)
    said = messages.read(MESSAGE_BYTES).decode(errors="replace").strip()
    # A kill that was not ours is the system's answer to a shortage of memory.
    if status == -signal.SIGKILL or any(sign in said for sign in SIGNS_OF_SHORTAGE):
        return GrounderStoppedError("GRD002", f"{limits.memory_bytes / 2**20:,.0f} MiB of memory")
    if status < 0 and not said:
        return GrounderStoppedError("GRD001", f"{limits.seconds:g} s of processor time")
    last = said.splitlines()[-1] if said else f"exit status {status}"
    return GrounderStoppedError("GRD005", last)
