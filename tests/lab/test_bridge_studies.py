"""The studies of bridge: quick runs, and figures that can be worked out another way."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from quick_runs import quick_records

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("endplay") is None,
    reason="endplay is not installed; the extra `bridge` brings it",
)


def test_a_search_of_everything_has_as_many_leaves_as_the_paper_says() -> None:
    from fogspiel.lab.tignum.declarer_play import brute_force_leaves, brute_force_nodes

    # Smith and Nau (1993), section 5: approximately 6.01e44.
    assert brute_force_leaves() == pytest.approx(6.01e44, rel=2e-3)
    # The last plies of such a tree have one child each, so that its nodes are a few times as many.
    assert 2 * brute_force_leaves() < brute_force_nodes() < 10 * brute_force_leaves()


def test_trees_of_random_deals_stay_below_the_largest_of_the_paper(tmp_path: Path) -> None:
    from fogspiel.lab.tignum.declarer_play import TREE_SIZES as STUDY

    records = quick_records(STUDY)
    assert len(records) == 2
    assert all(0 < record["nodes"] <= 1_301 for record in records)
    table = STUDY.table(records)
    assert "6.01e+44" in table
    schemes = {title for record in records for title in record["schemes"]}
    assert schemes
    assert all(f"| {title} |" in table for title in schemes)


def test_problems_are_counted_by_scheme() -> None:
    from fogspiel.lab.tignum.declarer_play import PROBLEMS as STUDY

    made_up = [
        {"scheme": "ducking", "declarer": "tignum", "board": 1, "solved": [True, True]},
        {"scheme": "ducking", "declarer": "tignum", "board": 2, "solved": [True, False]},
    ]
    table = STUDY.table(made_up)
    assert "3 of 4 (not always: 2)" in table
    assert "3 of 4, 75.0%" in table


def test_a_match_gives_every_declarer_the_same_deals() -> None:
    from fogspiel.lab.tignum.declarer_play import RANDOM_DEALS as STUDY

    records = quick_records(STUDY)
    assert [record["number"] for record in records] == [0, 0, 1, 1]
    assert records[0]["contract"] == records[1]["contract"]
    assert "tignum:4" in STUDY.table(records)


def test_figure_3_is_played_against_defenders_who_draw_lots() -> None:
    from fogspiel.lab.tignum.declarer_play import FIGURE_3 as STUDY

    records = quick_records(STUDY)
    assert [record["kind"] for record in records] == ["sound", "sound", "any", "any"]
    assert all(record["made"] and record["ruffed"] for record in records)
    assert "| sound | 2 | 2 | 2 |" in STUDY.table(records)
