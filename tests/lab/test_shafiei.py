"""Studies of Shafiei's thesis: what is exact there comes out exactly here."""

from __future__ import annotations

from pathlib import Path

import pytest
from quick_runs import quick_records, quick_run, written_page

from fogspiel.lab.framework.study import Study
from fogspiel.lab.shafiei import figures_5, tables_3, tables_5_6


def test_the_trace_of_uct_is_the_printed_one() -> None:
    records = quick_records(tables_3.TRACE)
    printed = [record for record in records if record["published"]]
    assert len(printed) == 18
    assert all(record["equal"] for record in printed)
    # Shafiei (2010), section 3.6.1: 0.0625, 0.6250, 0.3125.
    assert records[0]["equilibrium"] == pytest.approx([1 / 16, 10 / 16, 5 / 16])
    last = records[-1]
    assert [count / last["step"] for count in last["counts"]] == pytest.approx(
        [1 / 3] * 3, abs=0.01
    )
    assert last["loses"] > 8.0


def test_a_step_that_differs_is_told() -> None:
    records = quick_records(tables_3.TRACE, steps=30, constant=50.0)
    assert not all(record["equal"] for record in records if record["published"])


def test_trees_have_the_published_sizes_and_errors_fall() -> None:
    for record in quick_records(figures_5.CONVERGENCE):
        assert record["nodes"] == record["published_nodes"]
        assert record["ends"] == record["published_ends"]
        first, second = record["reached"]
        assert first["iterations"] <= second["iterations"] <= record["ended_after"]
        assert record["curve"][-1]["error"] == pytest.approx(0.0, abs=1e-12)
        assert record["curve"][-1]["exploitability"] < record["curve"][3]["exploitability"]


def test_exploitation_of_the_rock_player_is_what_table_3_3_gives() -> None:
    records = quick_records(tables_5_6.COMPUTED, games=("biased_rps",))
    by_confidence = {record["confidence"]: record for record in records}
    # Paper gets 75 against rock, and 45 against scissors, the best response to it.
    assert by_confidence[1.0]["exploitation"] == pytest.approx(75.0)
    assert by_confidence[1.0]["exploitability"] == pytest.approx(45.0)
    assert by_confidence[0.0]["exploitability"] == pytest.approx(50.0)
    half = by_confidence[0.5]
    # A restricted response risks less than mixing does for the same gain.
    assert half["exploitation"] > half["mixed_exploitation"]
    assert half["exploitability"] > half["mixed_exploitability"]


@pytest.mark.parametrize("study", [tables_3.TRACE, figures_5.CONVERGENCE, tables_5_6.COMPUTED])
def test_tables_hold_published_figures_and_ours(study: Study, tmp_path: Path) -> None:
    page = written_page(study, quick_run(study), tmp_path)
    assert "2010" in page
    assert page.count("\n| ") >= 3
