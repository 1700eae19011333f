"""The child of `processes`: limits first, then one task. Started by `python -m`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from fogspiel.core.findings import FogspielError
from fogspiel.lab.benchmarks.beliefs import measure_beliefs
from fogspiel.lab.benchmarks.playouts import measure_playouts
from fogspiel.lab.benchmarks.processes import plain_record
from fogspiel.lab.benchmarks.sheets import measure_load, try_sheet
from fogspiel.lab.benchmarks.simulations import measure_search
from fogspiel.lab.benchmarks.solve import measure_linear, measure_solve
from fogspiel.lab.benchmarks.solve_agreement import measure_agreement
from fogspiel.lab.benchmarks.solve_peers import (
    measure_liteefg,
    measure_openspiel,
    measure_openspiel_lp,
)

TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "agreement": measure_agreement,
    "beliefs": measure_beliefs,
    "linear": measure_linear,
    "load": measure_load,
    "peer_linear": measure_openspiel_lp,
    "peer_liteefg": measure_liteefg,
    "peer_openspiel": measure_openspiel,
    "playouts": measure_playouts,
    "search": measure_search,
    "sheet": try_sheet,
    "solve": measure_solve,
}


def main() -> None:
    """Do the task given as an argument; answer on standard output."""
    order = json.loads(sys.argv[1])
    _limit_memory(order["memory_bytes"])
    try:
        answer = {"ok": True, **TASKS[order["kind"]](**order["arguments"])}
    except FogspielError as error:
        answer = {"ok": False, "findings": [plain_record(f) for f in error.findings]}
    print(json.dumps(answer))


def _limit_memory(memory_bytes: int | None) -> None:
    if memory_bytes is None:
        return
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ImportError, ValueError, OSError):
        return  # not every system has this limit; the clock still holds


if __name__ == "__main__":
    main()
