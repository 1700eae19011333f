"""Learning by sampling, judged exactly: tried on a game whose equilibrium is known."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from quick_runs import quick_records

from fogspiel.core.budget import Budget
from fogspiel.lab.own.strength import large_games
from fogspiel.lab.own.strength.large_games import STUDY


def test_sampled_strategies_of_kuhn_poker_come_near_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(*, seconds: float) -> Budget:
        return Budget.of(simulations=int(20_000 * seconds))

    monkeypatch.setattr(large_games, "Budget", SimpleNamespace(of=of))
    early, late = quick_records(STUDY, seed=1, seconds=(0.5, 4.0))
    assert late["decisions"] == 12
    assert 0.0 <= late["exploitability"] < early["exploitability"] + 0.5
    # Kuhn (1950): the first player gets -1/18 of a chip, 48.611 goals; no response gets less.
    first, second = late["best_responses"]
    assert first >= 48.611 - 1e-3
    assert second >= 51.388 - 1e-3
    assert "| kuhn_poker | 4 |" in STUDY.table([early, late])
