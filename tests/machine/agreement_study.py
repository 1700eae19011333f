"""Walks every bundled game on both machines and writes how far they were found to agree.

    python tests/machine/agreement_study.py --walks 1000 --seconds 60

The tests do the same with fewer steps. A difference ends the study with its
message.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import TypedDict

from two_machines import program_of, walk_both

from fogspiel.games.library import GDL, game_source
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.prover.machine import ReferenceMachine
from games_by_language import games_in

SEED = 2026


class GameResult(TypedDict):
    """One line of the report."""

    game: str
    walks: int
    steps: int
    seconds: float
    complete: bool
    """Whether all walks were made, rather than those that the time allowed."""


def study_game(
    name: str, walks: int, seconds: float = math.inf, total_steps: float = math.inf
) -> GameResult:
    """Compare the machines of one game; raises AssertionError where they differ."""
    program = program_of(game_source(name).text)
    machine = CompiledMachine(ground(program))
    reference = ReferenceMachine(program)
    # Native kernels may have to be built first, which takes longer than many walks.
    walk_both(machine, reference, walks=1, seed=SEED, seconds=0.0)
    started = time.perf_counter()
    done = walk_both(
        machine, reference, walks=walks, seed=SEED, seconds=seconds, total_steps=total_steps
    )
    return {
        "game": name,
        "walks": done.walks,
        "steps": done.steps,
        "seconds": round(time.perf_counter() - started, 1),
        "complete": done.walks >= walks,
    }


def main() -> None:
    """Study all games, or some anew; the report is written after each, so a stop loses little."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="at most, for each game")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/agreement.json"))
    parser.add_argument("games", nargs="*", default=[])
    options = parser.parse_args()
    results: dict[str, GameResult] = {}
    if options.games and options.out.exists():
        results = {line["game"]: line for line in json.loads(options.out.read_text())["games"]}
    for name in options.games or games_in(GDL):
        results[name] = study_game(name, options.walks, options.seconds)
        lines = [results[game] for game in sorted(results)]
        report = {"walks_wanted": options.walks, "seed": SEED, "games": lines}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n")
        print(
            "{game}: {walks} walks, {steps} steps, {seconds} s".format(**results[name]), flush=True
        )


if __name__ == "__main__":
    main()
