"""Learning by sampling, judged exactly: tried on a game whose equilibrium is known."""

from __future__ import annotations

from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.framework.study import settings_of
from fogspiel.lab.own.strength.large_games import STUDY


def test_sampled_strategies_of_kuhn_poker_come_near_its_value() -> None:
    settings = settings_of(STUDY, {"seconds": (0.5, 4.0)}, quick=True)
    early, late = run_study(STUDY, settings=settings, seed=1)["records"]
    assert late["decisions"] == 12
    assert 0.0 <= late["exploitability"] < early["exploitability"] + 0.5
    # Kuhn (1950): the first player gets -1/18 of a chip, 48.611 goals; no response gets less.
    first, second = late["best_responses"]
    assert first >= 48.611 - 1e-3
    assert second >= 51.388 - 1e-3
    assert "| kuhn_poker | 4 |" in STUDY.table([early, late])
