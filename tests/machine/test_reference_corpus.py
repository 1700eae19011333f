"""The reference machine on public rule sheets: correct facts, and whole games in time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from agreement import check_walk
from asp_evaluator import asp_model

from fogspiel.core.source import Source
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.clauses import Program
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description

CORPUS = Path(os.environ.get("FOGSPIEL_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))

COMPARED = {
    "gdl1/ggp-repository__pentago.kif": 4,
    "gdl1/ggp-repository__hex.kif": 4,
    "gdl1/ggp-repository__shogi_ctk.kif": 3,
    "gdl1/ggp-repository__chess_200.kif": 2,
    "gdl1/ggp-repository__biddingTicTacToe.kif": 4,
    "gdl1/sanchoggp__simultaneousTicTacToe.kif": 4,
    "gdl1/pyggp__kalaha(6,4).infix.gdl": 3,
    "gdl2/ggp-cpp__meier.gdl": 8,
    "gdl2/gdl-ii2slk__numberguessing.gdl": 4,
    "gdl2/ggp-gamecontroller__montyhall.gdl": 4,
}
"""Sheets and the states of a random walk that are compared with clingo."""

PLAYED = [
    "ggp-repository__amazons.kif",  # 10x10: some 2,000 moves at the start, no grounding fits
    "ggp-repository__chess.kif",
    "ggp-repository__pentago.kif",  # a poor order of conditions needs more than 40 s
    "ggp-repository__brawl.kif",
    "GGP-Project__vectorracer6.kif",
    "ggp-repository__gt_two_thirds_6p.kif",  # a sum over six players
]


def program_of(sheet: str) -> Program:
    path = CORPUS / sheet
    if not path.exists():
        pytest.skip(f"no corpus at {CORPUS}")
    return normalise(read_description(Source(path.name, path.read_text()))[0])


@pytest.mark.parametrize("sheet", COMPARED)
def test_answers_agree_with_clingo(sheet: str) -> None:
    assert check_walk(program_of(sheet), 1, COMPARED[sheet], asp_model) >= 1


@pytest.mark.parametrize("sheet", PLAYED)
def test_a_whole_random_game_ends_within_a_minute(sheet: str) -> None:
    program = program_of(f"gdl1/{sheet}")
    begun = time.process_time()
    machine = ReferenceMachine(program)
    result = machine.playouts(machine.initial()[None], seed=1, count=1)
    assert (result.stuck, result.cut) == (0, 0)
    assert time.process_time() - begun < 60.0
