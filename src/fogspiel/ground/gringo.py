"""The grounder: a process of its own, watched for time, memory, atoms and rules, and its output.

The process writes rules as numbers, then the names of atoms.
"""

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

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.limits import GroundLimits
from fogspiel.core.native import native
from fogspiel.ground.worker import END, TOO_MANY_ATOMS, TOO_MANY_RULES

WORKER = Path(__file__).with_name("worker.py")
CHUNK_BYTES = 1 << 20
MESSAGE_BYTES = 4_096
SIGNS_OF_SHORTAGE = ("bad_alloc", "MemoryError", "SystemError", "failed to map segment")
"""What clingo, Python and the loader of libraries say when memory is refused to them."""
NUMBER_BYTES = 4


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


@dataclass(frozen=True, slots=True)
class GroundRules:
    """Rules over atoms 1…atoms. Rule i has the body `literals[offsets[i]:offsets[i + 1]]`."""

    atoms: int
    heads: NDArray[np.int32]  #: (rules,)
    choices: NDArray[np.bool_]  #: (rules,) whether the head may be true, rather than is
    offsets: NDArray[np.int64]  #: (rules + 1,)
    literals: NDArray[np.int32]  #: Atoms; negative where the atom must not hold


def parse_output(output: bytes) -> tuple[GroundRules, dict[str, int]]:
    """The rules, and the atom of each symbol asked for; 0 for one that holds always."""
    numbers = np.frombuffer(output[: len(output) - len(output) % NUMBER_BYTES], np.int32)
    rules, count, end = _measure(numbers, END)
    heads = np.empty(rules, np.int32)
    choices = np.empty(rules, np.bool_)
    offsets = np.zeros(rules + 1, np.int64)
    literals = np.empty(count, np.int32)
    _fill(numbers, heads, choices, offsets, literals)
    ground = GroundRules(
        atoms=int(max(heads.max(initial=0), np.abs(literals).max(initial=0))),
        heads=heads,
        choices=choices,
        offsets=offsets,
        literals=literals,
    )
    shown: dict[str, int] = {}
    for line in output[(end + 1) * NUMBER_BYTES :].decode().splitlines():
        atom, symbol = line.split(" ", 1)
        shown[symbol] = int(atom)
    return ground, shown


def count_rules(output: bytes) -> int:
    """The whole rules in output that may have been cut off."""
    numbers = np.frombuffer(output[: len(output) - len(output) % NUMBER_BYTES], np.int32)
    rules: int = _measure(numbers, END)[0]
    return rules


@native
def _measure(numbers: NDArray[np.int32], end: int) -> tuple[int, int, int]:
    """Rules, literals of their bodies, and the place of the end or of a rule that is cut off."""
    at = 0
    rules = 0
    while at + 2 < len(numbers) and numbers[at] != end:
        following = at + 3 + numbers[at + 2]
        if following > len(numbers):
            break
        at = following
        rules += 1
    return rules, at - 3 * rules, at


@native
def _fill(
    numbers: NDArray[np.int32],
    heads: NDArray[np.int32],
    choices: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    literals: NDArray[np.int32],
) -> None:
    at = 0
    count = 0
    for rule in range(len(heads)):
        choices[rule] = numbers[at] == 1
        heads[rule] = numbers[at + 1]
        for k in range(at + 3, at + 3 + numbers[at + 2]):
            literals[count] = numbers[k]
            count += 1
        at += 3 + numbers[at + 2]
        offsets[rule + 1] = count
