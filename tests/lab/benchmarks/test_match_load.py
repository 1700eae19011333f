"""A load of managed matches: what is counted, and who is at fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.lab.benchmarks.matches import MatchLoad, measure_matches

LOAD = MatchLoad(game="tic_tac_toe", at_once=4, seconds=2.0, think_seconds=0.02, play_seconds=5.0)


def test_matches_go_on_side_by_side_and_turns_are_measured_by_the_players() -> None:
    record = measure_matches(LOAD)
    assert record["faults"] == {}
    assert record["matches"] >= 1
    # A match has five to nine turns; what is before the first is not measured.
    assert 5 * record["matches"] <= record["turns"] <= 9 * (record["matches"] + LOAD.at_once)
    assert 0 < record["measured_turns"] <= record["turns"]
    assert 0 < record["overhead_ms_p50"] <= record["overhead_ms_p99"] <= record["overhead_ms_most"]
    memory = record["memory_bytes"]
    assert all(10 << 20 < memory[when] <= memory["most"] for when in ("start", "middle", "end"))


def test_games_that_players_cannot_follow_are_refused() -> None:
    with pytest.raises(UsageError, match="BEN006"):
        measure_matches(replace(LOAD, game="kuhn_poker"))
