"""The compiled machine equals the reference in all results, along random walks of every game.

The study (`agreement_study.py`) walks each game 1,000 times, or for a minute where the reference is
slow, and its report is committed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from agreement_study import study_game
from two_machines import walk_both

from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games.library import GDL
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description
from games_by_language import games_in

REPOSITORY = Path(__file__).resolve().parents[2]
REPORT = REPOSITORY / "benchmarks" / "agreement.json"
CORPUS = Path(os.environ.get("FOGSPIEL_CORPUS", REPOSITORY.parent / "shared" / "corpus"))

WALKS = 1_000
STEPS = 1_000
FEW_STEPS = 64
SHEET_STEPS = 200

SLOW = {"battleship_4", "chess", "othello"}
"""Games of which the reference takes longest for a step."""
UNFINISHED = {"chess", "othello", "checkers", "hex_9"}
"""Games that the study walks as often as a minute allows."""


@pytest.mark.parametrize("name", games_in(GDL))
def test_both_machines_agree_on_a_bundled_game(name: str) -> None:
    steps = FEW_STEPS if name in SLOW else STEPS
    result = study_game(name, WALKS, total_steps=steps)
    assert result["complete"] or result["steps"] >= steps


def test_the_committed_study_covers_every_game() -> None:
    results = {r["game"]: r for r in json.loads(REPORT.read_text())["games"]}
    assert set(results) == set(games_in(GDL))
    assert {name for name, result in results.items() if not result["complete"]} <= UNFINISHED
    assert all(result["walks"] >= 10 for result in results.values())


SHEETS = [
    "gdl1/ggp-base__ticTacToe.kif",
    "gdl1/gdl2qbf__connect-3-4x4.gdl",
    "gdl1/gdl2qbf__dots-and-boxes-2x2.gdl",
    "gdl1/gdl2dqbf__8puzzle.gdl",
    "gdl1/ggp-repository__blocks.kif",
    "gdl1/ggp-repository__biddingTicTacToe.kif",
    "gdl1/ggp-repository__breakthroughSmall.kif",
    "gdl1/ggp-cpp__pacman2psmall.kif",
    "gdl1/pyggp__hexapawn.infix.gdl",
    "gdl1/pyggp__nim.infix.gdl",
    "gdl2/ggp-cpp__meier.gdl",
    "gdl2/ggp-cpp__kriegTTT_5x5.gdl",
    "gdl2/gdl-ii2slk__MontyHall2.gdl",
    "gdl2/gdl-ii2slk__number-5.infix.gdl",
    "gdl2/gdl2ssat__rock-paper-scissors.gdl",
    "gdl2/pyggp__phantom_connect(4,4,4).infix.gdl",
]


@pytest.mark.parametrize("sheet", SHEETS)
def test_both_machines_agree_on_a_sheet_by_other_hands(sheet: str) -> None:
    path = CORPUS / sheet
    if not path.exists():
        pytest.skip("no corpus of public rule sheets; set FOGSPIEL_CORPUS to its folder")
    description, _ = read_description(Source(path.name, path.read_text()))
    program = normalise(description)
    machine = CompiledMachine(ground(program, GroundLimits(seconds=20)))
    reference = ReferenceMachine(program)
    done = walk_both(machine, reference, walks=200, seed=3, total_steps=SHEET_STEPS)
    assert done.steps >= 1
