"""Time to a nash_conv: our solvers from the rules on, beside others' from their ready trees.

Ours are timed in parts: loading the rules, building the tree, its sequence form, and iterating,
with the evaluations that notice that the target is met. Peers' clocks run while they iterate only.
Every solver is measured in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from fogspiel.games.load import load
from fogspiel.lab.benchmarks.processes import (
    Record,
    measure,
    peak_memory_bytes,
    processor_seconds,
)
from fogspiel.lab.benchmarks.solve_agreement import TWINS
from fogspiel.solve.regret.cfr import VARIANTS, minimise_regrets
from fogspiel.solve.result import Solution, SolveLimits
from fogspiel.solve.sequence_form import SequenceGame, sequence_game
from fogspiel.solve.strategy_value import value_in_sequence_form
from fogspiel.tree.build.build import build

_Made = TypeVar("_Made")

WARM_UP = "simple_poker"
METHOD = "sapcfr+"  #: What `auto` iterates with: its times are the ones that count
METHODS = ("cfr+", "dcfr", "pcfr+", METHOD)
ROUNDS = 5
EVALUATIONS = 15


@dataclass(frozen=True, slots=True)
class SolveCase:
    """A game to solve, and the required ratio to the best peer."""

    game: str
    required_ratio: float
    required_with_building: float | None = None
    """The ratio with loading and building on our side only."""
    evaluation_seconds: float | None = None  #: The time that exact exploitability may take

    @property
    def peer_game(self) -> str:
        """The same game in OpenSpiel."""
        return TWINS[self.game].theirs


CASES = (
    SolveCase("kuhn_poker", 10),
    SolveCase("leduc_poker", 40, 10, 1e-3),
    SolveCase("hidden_goofspiel_4", 10, 10),
    SolveCase("hidden_goofspiel_5", 40, 10),
    SolveCase("liars_dice", 30, 10, 30e-3),
)
LINEAR_CASE = "hidden_goofspiel_5"  #: The game whose linear program is compared with OpenSpiel's
MEASURING = 3.0
"""Time limit of a peer as a multiple of its cap, which does not count measuring nash_conv."""
PEERS: Mapping[str, Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "openspiel": {"OpenSpiel CFR+": ("peer_openspiel", {})},
    "liteefg": {
        "LiteEFG CFR+": ("peer_liteefg", {"algorithm": "CFRplus"}),
        "LiteEFG DCFR": ("peer_liteefg", {"algorithm": "DCFR"}),
    },
}
"""The solvers of each package, each with the task that measures it."""


def compare(case: SolveCase, packages: Sequence[str], *, target: float, seconds: float) -> Record:
    """Times of a game, and the ratio of the best peer's to ours.

    seconds: of iterations, that ours and each peer get.
    """
    both = {"target": target, "seconds": seconds}
    ours = measure("solve", 20 * seconds, game=case.game, **both)
    peers = {
        name: measure(kind, MEASURING * seconds, game=case.peer_game, **more, **both)
        for package in packages
        for name, (kind, more) in PEERS[package].items()
    }
    record = {"game": case.game, "peer_game": case.peer_game, **ours, "peers": peers}
    return record | judged(case, ours, peers) if ours["ok"] else record


def judged(case: SolveCase, ours: Record, peers: Mapping[str, Record]) -> Record:
    """Ratios, whether they are lower bounds, and whether they are what is required."""
    verdict: Record = {"required_ratio": case.required_ratio}
    if case.evaluation_seconds is not None:
        verdict["required_evaluation_seconds"] = case.evaluation_seconds
        verdict["evaluation_meets"] = ours["evaluation_seconds"] <= case.evaluation_seconds
    answers = {name: peer for name, peer in peers.items() if peer["ok"]}
    if not answers or not ours["reached"]:
        return verdict
    # A peer that stopped short needs longer than it had: its time is a lower bound.
    best = min(answers, key=lambda name: float(answers[name]["seconds"]))
    theirs, is_bound = answers[best]["seconds"], not answers[best]["reached"]
    from_tree = ours["form_seconds"] + ours["seconds"]
    from_rules = ours["build_seconds"] + from_tree
    from_text = ours["load_seconds"] + from_rules
    verdict |= {
        "best_peer": best,
        "best_peer_seconds": theirs,
        "ratio": theirs / ours["seconds"],
        "ratio_is_lower_bound": is_bound,
        "ratio_with_form": theirs / from_tree,
        "ratio_with_building": theirs / from_rules,
        "ratio_with_loading": theirs / from_text,
        "required_with_building": case.required_with_building,
    }
    verdict["meets"] = verdict["ratio"] >= case.required_ratio
    if case.required_with_building is not None:
        enough = verdict["ratio_with_building"] >= case.required_with_building
        verdict["building_meets"] = enough
    return verdict


def compare_linear(packages: Sequence[str], *, seconds: float) -> Record:
    """The linear program of one game, ours from a ready tree and OpenSpiel's."""
    ours = measure("linear", seconds, game=LINEAR_CASE)
    record: Record = {"game": LINEAR_CASE, **ours}
    if "openspiel" in packages:
        peer = measure("peer_linear", seconds, game=TWINS[LINEAR_CASE].theirs)
        record["peer"] = peer
        if ours["ok"] and peer["ok"]:
            record["ratio"] = peer["seconds"] / ours["seconds"]
            with_building = ours["seconds"] + ours["build_seconds"]
            record["ratio_with_building"] = peer["seconds"] / with_building
            record["meets"] = record["ratio"] > 1 and ours["lowest_probability"] >= 0.0
    return record


def measure_solve(game: str, target: float, seconds: float) -> Record:
    """Each method's time to a nash_conv, in the unit of the game, and what comes before it."""
    _warm_up()
    began = processor_seconds()
    loaded = load(game)
    load_seconds = processor_seconds() - began
    # A median here too: the first tree of a kind also loads kernels.
    tree, build_seconds = _median_of(lambda: build(loaded.machine))
    form, form_seconds = _median_of(lambda: sequence_game(tree))
    unit = loaded.tree_unit
    limits = SolveLimits(target=target / 2 * unit.scale, seconds=seconds)
    methods = {name: _to_target(form, name, limits, unit.scale) for name in METHODS}
    result = minimise_regrets(form, VARIANTS[METHOD], limits=limits)
    return {
        "nodes": len(tree),
        "infosets": len(tree.infosets),
        "load_seconds": load_seconds,
        "build_seconds": build_seconds,
        "form_seconds": form_seconds,
        "methods": methods,
        "method": METHOD,
        "reached": methods[METHOD]["reached"],
        "seconds": methods[METHOD]["seconds"],
        "value": unit.value(result.values[0]),
        "evaluation_seconds": _evaluation_seconds(form, result),
        "peak_memory_bytes": peak_memory_bytes(),
    }


def measure_linear(game: str) -> Record:
    """Our linear program from a ready tree, and what its strategies are worth."""
    from fogspiel.solve.lp.linear import solve_linear

    solve_linear(build(load(WARM_UP).machine))
    loaded = load(game)
    tree, build_seconds = _median_of(lambda: build(loaded.machine))
    result, seconds = _median_of(lambda: solve_linear(tree))
    unit = loaded.tree_unit
    return {
        "build_seconds": build_seconds,
        "seconds": seconds,
        "value": unit.value(result.values[0]),
        "nash_conv": 2 * unit.difference(result.exploitability),
        "lowest_probability": float(result.strategy.probabilities.min()),
    }


def _warm_up() -> None:
    """Load or build all kernels, so that they are not part of what is measured."""
    tree = build(load(WARM_UP).machine)
    form = sequence_game(tree)
    for name in METHODS:
        result = minimise_regrets(
            form, VARIANTS[name], limits=SolveLimits(iterations=2, target=1.0)
        )
        value_in_sequence_form(form, result.strategy)


def _to_target(form: SequenceGame, method: str, limits: SolveLimits, scale: float) -> Record:
    result, seconds = _median_of(lambda: minimise_regrets(form, VARIANTS[method], limits=limits))
    target = limits.target
    assert target is not None
    return {
        "reached": result.exploitability <= target,
        "seconds": seconds,
        "iterations": result.iterations,
        "iterations_per_second": result.iterations / max(seconds, 1e-9),
        "nash_conv": 2 * result.exploitability / scale,
    }


def _evaluation_seconds(form: SequenceGame, result: Solution) -> float:
    """Exact exploitability of a strategy, in seconds of the processor."""
    times = [
        _timed(lambda: value_in_sequence_form(form, result.strategy))[1] for _ in range(EVALUATIONS)
    ]
    return median(times)


def _timed(make: Callable[[], _Made]) -> tuple[_Made, float]:
    """What was made, and the seconds of the processor that it took."""
    began = time.process_time()
    made = make()
    return made, time.process_time() - began


def _median_of(make: Callable[[], _Made]) -> tuple[_Made, float]:
    """The same, made several times: the median of the times."""
    rounds = [_timed(make) for _ in range(ROUNDS)]
    return rounds[0][0], median(seconds for _, seconds in rounds)
