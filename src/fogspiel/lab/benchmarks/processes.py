"""One measurement, one process: limits hold, kernels start alike, and nothing takes the run down.

The child is `worker.py`. It gets its task as JSON and answers with one line of JSON. Beside each
measurement stand the facts of the machine: the processor, the versions, the load.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding

Record: TypeAlias = dict[str, Any]  #: A measurement as the documents hold it

WORKER = "fogspiel.lab.benchmarks.worker"
POLL_SECONDS = 0.2
START_SECONDS = 300.0
"""The time for a child to start, to build kernels if it is the first ever, and to load its game."""
PACKAGES = ("fogspiel", "numpy", "numba", "scipy", "clingo", "open_spiel", "LiteEFG")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementTask:
    """The work of a child, and its limits."""

    kind: str  #: A function of `worker.TASKS`
    arguments: dict[str, Any] = field(default_factory=dict)
    seconds: float
    memory_bytes: int | None = None


def measure(kind: str, most_seconds: float, /, **arguments: Any) -> Record:
    """Measure in a process of its own, which may work for so many seconds once it has started."""
    limit = START_SECONDS + most_seconds
    return run_task(MeasurementTask(kind=kind, arguments=arguments, seconds=limit))


def run_task(task: MeasurementTask, stop: Event | None = None) -> Record:
    """The answer of a child: `{"ok": true, …}`, or `{"ok": false, "findings": […]}`.

    The child is ended when its time is over, when `stop` is set, and when we are interrupted.
    """
    order = {"kind": task.kind, "arguments": task.arguments, "memory_bytes": task.memory_bytes}
    budget = Budget.of(seconds=task.seconds)
    # A session of its own, so that the grounder it may have started is stopped with it.
    with subprocess.Popen(
        [sys.executable, "-m", WORKER, json.dumps(order)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            while True:
                try:
                    output, said = process.communicate(timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    if budget.is_over or (stop is not None and stop.is_set()):
                        _stop(process)
                        return _failed("BEN001", f"it took longer than {task.seconds:g} s")
        except BaseException:
            _stop(process)
            raise
    return _answer(process.returncode, output, said.decode(errors="replace"))


def _answer(status: int, output: bytes, said: str) -> Record:
    lines = output.decode(errors="replace").splitlines()
    if status == 0 and lines:
        answer: Record = json.loads(lines[-1])
        return answer
    if "MemoryError" in said or "bad_alloc" in said:
        return _failed("BEN002", "it needs more memory than it was given")
    last = said.strip().splitlines()[-1] if said.strip() else f"exit status {status}"
    return _failed("BEN003", f"the process died: {last[:200]}")


def _failed(code: str, message: str) -> Record:
    fixes = {
        "BEN001": "give it more time, or leave it out",
        "BEN002": "give it more memory, or leave it out",
        "BEN003": "run it alone with FOGSPIEL_DEBUG=1 and please report what it says",
    }
    finding = Finding(code, message, fix=fixes[code])
    return {"ok": False, "findings": [plain_record(finding)]}


def plain_record(finding: Finding) -> Record:
    """A finding as the documents of measurements hold it."""
    line = column = None
    if finding.source is not None and finding.span is not None:
        line, column = finding.source.position(finding.span.start)
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "line": line,
        "column": column,
        "message": finding.message,
        "fix": finding.fix,
    }


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the child and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def machine_facts() -> Record:
    """The machine and the software as they are now."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of 100 values do not exceed."""
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


def peak_memory_bytes() -> int | None:
    """The most memory that this process has held; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def processor_seconds() -> float:
    """Seconds of this process and of all that it started and waited for, such as the grounder."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
