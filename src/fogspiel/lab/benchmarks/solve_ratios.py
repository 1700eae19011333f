"""One game solved by us and by peers, each in a process of its own, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fogspiel.lab.benchmarks.processes import MeasurementTask, run_task
from fogspiel.lab.benchmarks.solve import LINEAR_CASE, SolveCase

START_SECONDS = 300.0
"""For a child to start, to build kernels if it is the first ever, and for a peer to set up."""
MEASURING = 3.0
"""How many times the cap a peer may take in all: measuring nash_conv is not on its clock."""

Record = dict[str, Any]
Runner = Callable[[MeasurementTask], Record]

PEERS: Mapping[str, Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "openspiel": {"OpenSpiel CFR+": ("peer_openspiel", {})},
    "liteefg": {
        "LiteEFG CFR+": ("peer_liteefg", {"algorithm": "CFRplus"}),
        "LiteEFG DCFR": ("peer_liteefg", {"algorithm": "DCFR"}),
    },
}
"""By package: its solvers, each with the task that measures it."""


def compare(
    case: SolveCase,
    packages: Sequence[str],
    *,
    target: float,
    seconds: float,
    run: Runner = run_task,
) -> Record:
    """Times of a game, and by how much ours is shorter than the best peer's.

    seconds: of iterations, that ours and each peer get.
    """
    arguments = {"target": target, "seconds": seconds}
    ours = run(
        MeasurementTask(
            kind="solve",
            arguments={"game": case.game, **arguments},
            seconds=START_SECONDS + 20 * seconds,
        )
    )
    peers = {
        name: run(
            MeasurementTask(
                kind=kind,
                arguments={"game": case.peer_game, **more, **arguments},
                seconds=START_SECONDS + MEASURING * seconds,
            )
        )
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


def compare_linear(packages: Sequence[str], *, seconds: float, run: Runner = run_task) -> Record:
    """The linear program of one game, ours from a ready tree and OpenSpiel's."""
    from fogspiel.lab.benchmarks.solve_agreement import TWINS

    limit = START_SECONDS + seconds
    ours = run(MeasurementTask(kind="linear", arguments={"game": LINEAR_CASE}, seconds=limit))
    record: Record = {"game": LINEAR_CASE, **ours}
    if "openspiel" in packages:
        arguments = {"game": TWINS[LINEAR_CASE].theirs}
        peer = run(MeasurementTask(kind="peer_linear", arguments=arguments, seconds=limit))
        record["peer"] = peer
        if ours["ok"] and peer["ok"]:
            record["ratio"] = peer["seconds"] / ours["seconds"]
            with_building = ours["seconds"] + ours["build_seconds"]
            record["ratio_with_building"] = peer["seconds"] / with_building
            record["meets"] = record["ratio"] > 1 and ours["lowest_probability"] >= 0.0
    return record
