"""The study of games taken apart: both ways to look at a game give the same answers."""

from __future__ import annotations

from quick_runs import quick_records

from fogspiel.lab.own.strength.independent_parts import STUDY


def test_parts_and_whole_games_agree() -> None:
    records = quick_records(STUDY, seed=1)
    assert [record["game"] for record in records] == [
        "safes(2)",
        "safes(3)",
        "nim(1,2,3)",
        "nim(2,4)",
    ]
    assert all(record["by_parts"] == record["whole"] for record in records)
    # Bouton (1902): heaps of 1, 2 and 3 are lost for the first player, heaps of 2 and 4 are won.
    assert [record["whole"] for record in records] == [100, 100, 0, 100]
    assert len(STUDY.table(records).splitlines()) == 6
