"""The study of induced strategies, on Kuhn poker alone."""

from __future__ import annotations

from pathlib import Path

from quick_runs import quick_records, quick_run

from fogspiel.lab.framework.study import write
from fogspiel.lab.own.agreement.induced_exploitability import STUDY


def test_equilibria_stay_and_a_search_falls(tmp_path: Path) -> None:
    found = quick_run(STUDY, seed=1, players=("belp", "shodan"))
    losses = {
        (record["player"], record["simulations"]): record["exploitability"]
        for record in found["records"]
    }
    assert losses["belp", 10] < 0.01
    assert losses["shodan", 1_000] < 0.8 * losses["shodan", 10]
    assert "| kuhn_poker | chips | belp | 0.0000 ± 0.0000 |" in STUDY.table(found["records"])
    written = write(STUDY, found, tmp_path)
    assert written[0].name == "induced-exploitability.json"


def test_budgets_that_are_too_much_in_all_are_left_out() -> None:
    records = quick_records(STUDY, seed=1, players=("random",), most_in_all=200)
    assert [record["simulations"] for record in records] == [10]
