"""Other programs' solvers on their own copies of our games: how long they need to a nash_conv.

OpenSpiel's CFR+ runs in C++ on a cached tree, the fastest that its Python package offers. LiteEFG's
CFR+ and DCFR read the game that OpenSpiel writes out. Only iterations are on the clock, of the
processor: what a peer needs to load, to set up and to measure nash_conv is told apart.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.lab.benchmarks.playouts import require_openspiel, turn_taking
from fogspiel.lab.benchmarks.processes import Record

GROWTH = 1.1  #: Each measurement of nash_conv comes after a tenth more iterations
CHECKED_AT_LEAST = 5.0  #: A cap on seconds is looked at this many times before it is reached
ROUNDS = 3
SHORT_SECONDS = 1.0  #: What takes longer is run once


@dataclass(frozen=True, slots=True)
class PeerSolver:
    """A solver of another program, ready to iterate."""

    step: Callable[[], object]
    nash_conv: Callable[[], float]


def measure_openspiel(game: str, target: float, seconds: float) -> Record:
    """OpenSpiel's CFR+ on a cached tree."""
    require_openspiel()
    return _measured(lambda: _openspiel(game), target, seconds)


def measure_liteefg(game: str, algorithm: str, target: float, seconds: float) -> Record:
    """LiteEFG's CFR+ (`CFRplus`) or DCFR (`DCFR`)."""
    require_openspiel()
    require_liteefg()
    # It keeps games in files of the home folder.
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        return _measured(lambda: _liteefg(game, algorithm), target, seconds)


def require_liteefg() -> None:
    """Raise `UsageError` BEN005 where LiteEFG is not installed."""
    if importlib.util.find_spec("LiteEFG") is None:
        raise UsageError.of(
            "BEN005", "LiteEFG is not installed", fix="pip install 'fogspiel[peers]'"
        )


def measure_openspiel_lp(game: str) -> Record:
    """OpenSpiel's sequence-form linear program, and what its policies are worth."""
    require_openspiel()
    for package in ("cvxpy", "ecos"):
        if importlib.util.find_spec(package) is None:
            raise UsageError.of(
                "BEN005",
                f"OpenSpiel's linear program needs {package}, which is not installed",
                fix="pip install 'fogspiel[peers]'",
            )
    from open_spiel.python import policy
    from open_spiel.python.algorithms import sequence_form_lp

    turned = turn_taking(game)
    began = time.process_time()
    value, _, first, second = sequence_form_lp.solve_zero_sum_game(turned)
    used = time.process_time() - began
    lowest = min(float(shares.min()) for own in (first, second) for shares in _tables(own))
    record = {"seconds": used, "value": float(value), "lowest_probability": lowest}
    merged = policy.merge_tabular_policies([first, second], turned)
    import pyspiel

    with contextlib.suppress(pyspiel.SpielError):
        # It refuses policies that hold no probabilities.
        theirs = policy.python_policy_to_pyspiel_policy(merged)
        record["nash_conv"] = pyspiel.nash_conv(turned, theirs)
    return record


def _tables(policy: Any) -> list[Any]:
    return [policy.action_probability_array]


def _measured(make: Callable[[], PeerSolver], target: float, seconds: float) -> Record:
    began = time.process_time()
    solver = make()
    setup_seconds = time.process_time() - began
    runs = [time_to_target(solver, target, seconds)]
    while runs[0]["seconds"] < SHORT_SECONDS and len(runs) < ROUNDS:
        runs.append(time_to_target(make(), target, seconds))
    middle = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
    return {
        **middle,
        "rounds": [run["seconds"] for run in runs],
        "setup_seconds": setup_seconds,
        "seconds_cap": seconds,
    }


def time_to_target(solver: PeerSolver, target: float, seconds: float) -> Record:
    """Iterate until nash_conv is at most the target, or the time is over.

    The seconds are those of iterations up to the measurement that first met the target.
    """
    iterations, due, used = 0, 1, 0.0
    spent: list[float] = []
    while True:
        began = time.process_time()
        while iterations < due and used + time.process_time() - began < seconds:
            # A look at the clock costs as much as a step of the fastest.
            for _ in range(steps := _chunk(due - iterations, iterations, used)):
                solver.step()
            iterations += steps
        used += time.process_time() - began
        began = time.process_time()
        reached = solver.nash_conv()
        spent.append(time.process_time() - began)
        if reached <= target or used >= seconds:
            break
        due = _next_due(iterations, used, median(spent), seconds)
    return {
        "reached": reached <= target,
        "seconds": used,
        "iterations": iterations,
        "iterations_per_second": iterations / max(used, 1e-9),
        "nash_conv": reached,
        "nash_conv_seconds": median(spent),
    }


def _chunk(left: int, iterations: int, used: float) -> int:
    """Iterations until the next look at the clock: about a tenth of a second."""
    return max(1, min(left, int(iterations / max(used, 1e-9) / 10)))


def _next_due(iterations: int, used: float, measuring: float, seconds: float) -> int:
    """The number of iterations at which nash_conv is measured again."""
    due = max(iterations + 1, int(iterations * GROWTH))
    rate = iterations / max(used, 1e-9)
    # Where measuring costs more than iterating, it must not take most of the time; but no peer
    # should look slow because nobody looked.
    pause = min(measuring, seconds / CHECKED_AT_LEAST)
    return max(due, iterations + int(pause * rate))


def _openspiel(game: str) -> PeerSolver:
    import pyspiel

    tree = pyspiel.convert_to_cached_tree(turn_taking(game))
    solver = pyspiel.CFRPlusSolver(tree)
    return PeerSolver(
        step=solver.evaluate_and_update_policy,
        nash_conv=lambda: pyspiel.nash_conv(tree, solver.average_policy(), True),
    )


def _liteefg(game: str, algorithm: str) -> PeerSolver:
    import LiteEFG

    baseline = importlib.import_module(f"LiteEFG.baselines.{algorithm}")
    with contextlib.redirect_stdout(io.StringIO()):
        environment: Any = LiteEFG.OpenSpielEnv(turn_taking(game), traverse_type="Enumerate")
        graph: Any = baseline.graph()
        environment.set_graph(graph)
    discounted = algorithm == "DCFR"
    # DCFR weighs its own average; that of CFR+ is made outside, linear in the iterations.
    kind = "last-iterate" if discounted else "linear-avg-iterate"

    def strategy() -> Any:
        return graph.current_strategy(*(["average-iterate"] if discounted else []))

    def step() -> None:
        graph.update_graph(environment)
        environment.update_strategy(strategy())

    def nash_conv() -> float:
        return float(sum(environment.exploitability(strategy(), kind)))

    return PeerSolver(step=step, nash_conv=nash_conv)
