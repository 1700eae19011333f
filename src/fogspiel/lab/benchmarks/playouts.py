"""Playouts a second on one core, ours and a peer's in turn, by the processor's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from fogspiel.lab.benchmarks.facts import peak_memory_bytes

ROUNDS = 3
"""At least; the median of so few still shrugs off one round that was disturbed."""
FIRST_COUNT = 65
"""More than one word of lanes, so that the kernels of the measurement are loaded."""
MAX_COUNT = 1 << 24


def measure_playouts(
    game: str, peer_game: str | None, seconds: float, rounds: int
) -> dict[str, Any]:
    """Rates of a game, of ours and of OpenSpiel's if one is named, in alternating rounds."""
    from fogspiel.games.load import load

    began = time.perf_counter()
    loaded = load(game)
    load_seconds = time.perf_counter() - began
    machine, start = loaded.machine, loaded.machine.initial()[None, :]
    seed = 0

    def ours(count: int) -> None:
        nonlocal seed
        seed += 1
        machine.playouts(start, seed=seed, count=count)

    count = _calibrated(ours, seconds, slow=machine.engine == "reference")
    runs: dict[str, tuple[Callable[[int], None], int]] = {"ours": (ours, count)}
    record: dict[str, Any] = {
        "engine": machine.engine,
        "load_seconds": load_seconds,
        # Taken before the peer is imported: it is of Fogspiel alone.
        "peak_memory_bytes": peak_memory_bytes(),
    }
    if peer_game is not None:
        from fogspiel.lab.benchmarks.openspiel import rollouts

        theirs = rollouts(peer_game)
        runs["theirs"] = (theirs, _calibrated(theirs, seconds))
    rates: dict[str, list[float]] = {side: [] for side in runs}
    for _ in range(max(ROUNDS, rounds)):
        for side, (run, count) in runs.items():
            rates[side].append(_rate(run, count, seconds))
    record["rounds"] = rates
    record["playouts_per_second"] = median(rates["ours"])
    if peer_game is not None:
        record["peer_playouts_per_second"] = median(rates["theirs"])
        record["ratio"] = median(rates["ours"]) / median(rates["theirs"])
    return record


def _calibrated(run: Callable[[int], None], seconds: float, *, slow: bool = False) -> int:
    """A number of playouts that takes a good part of a round: ends of runs idle some lanes."""
    count = 1 if slow else FIRST_COUNT
    run(count)
    while count < MAX_COUNT:
        began = time.process_time()
        run(count)
        used = time.process_time() - began
        if used >= seconds / 4:
            break
        count *= 2
    return count


def _rate(run: Callable[[int], None], count: int, seconds: float) -> float:
    """Playouts a second of processor time, over at least `seconds` of it."""
    began = time.process_time()
    played = 0
    while (used := time.process_time() - began) < seconds:
        run(count)
        played += count
    return played / used
