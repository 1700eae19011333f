"""One rule sheet: how long it takes to load, and whether it plays."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.lab.benchmarks.processes import plain_record

WARM_UP = "tic_tac_toe"
PLAYOUTS = 100
REFERENCE_SECONDS = 60.0


def measure_load(game: str) -> dict[str, Any]:
    """Seconds of reading, grounding and building. Kernels are loaded before the clock runs."""
    from fogspiel.games.load import load
    from fogspiel.machine.compiled.machine import CompiledMachine

    load(WARM_UP)
    began = time.perf_counter()
    loaded = load(game)
    seconds = time.perf_counter() - began
    machine = loaded.machine
    network = machine.network if isinstance(machine, CompiledMachine) else None
    return {
        "engine": machine.engine,
        "load_seconds": seconds,
        "read_seconds": loaded.read_seconds,
        "ground_seconds": loaded.ground.seconds if loaded.ground else None,
        "build_seconds": network.seconds if network else None,
        "ground_rules": len(loaded.ground.rules.heads) if loaded.ground else None,
        "gates": network.gate_count if network else None,
        "fallback": plain_record(loaded.fallback) if loaded.fallback else None,
    }


def try_sheet(game: str) -> dict[str, Any]:
    """Load a sheet and play it: 100 games compiled, or one on the reference reasoner."""
    from fogspiel.games.load import load

    load(WARM_UP)
    began = time.perf_counter()
    loaded = load(game)
    load_seconds = time.perf_counter() - began
    machine = loaded.machine
    record: dict[str, Any] = {
        "engine": machine.engine,
        "roles": list(machine.roles),
        "load_seconds": load_seconds,
        "warnings": dict(sorted(Counter(f.code for f in loaded.findings).items())),
        "fallback": plain_record(loaded.fallback) if loaded.fallback else None,
    }
    began = time.perf_counter()
    if machine.engine == "compiled":
        played = machine.playouts(machine.initial()[None, :], seed=1, count=PLAYOUTS)
        record |= {"playouts": PLAYOUTS, "stuck": played.stuck, "cut": played.cut}
        record["mean_length"] = played.mean_length
    else:
        record |= {"playouts": 1, **_one_game(machine)}
    record["play_seconds"] = time.perf_counter() - began
    return record


def _one_game(machine: Any) -> dict[str, Any]:
    """A whole random game within the time; raises `LimitError` BEN001 otherwise."""
    from random import Random

    random = Random(1)
    budget = Budget.of(seconds=REFERENCE_SECONDS)
    state, steps = machine.initial(), 0
    while not machine.terminal(state):
        if budget.is_over:
            message = f"{steps} steps in {REFERENCE_SECONDS:g} s, and the game was not over"
            raise LimitError.of("BEN001", message, fix="give it more time")
        choices = [machine.legal(state, role) for role in range(len(machine.roles))]
        if not all(choices):
            return {"stuck": 1, "cut": 0, "mean_length": float(steps)}
        state = machine.step(state, tuple(random.choice(moves) for moves in choices))
        steps += 1
    machine.goals(state)
    return {"stuck": 0, "cut": 0, "mean_length": float(steps)}
