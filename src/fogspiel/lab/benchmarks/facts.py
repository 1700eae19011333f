"""What a measurement must be read with: the processor, the versions, the load."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("fogspiel", "numpy", "numba", "scipy", "clingo", "open_spiel", "LiteEFG")


def machine_facts() -> dict[str, Any]:
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
    """Of this process and of all that it started and waited for, such as the grounder."""
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
