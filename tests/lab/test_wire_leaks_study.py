"""The study of what goes out over the wire: its records, and a table that would show a leak."""

from __future__ import annotations

from quick_runs import quick_run

from fogspiel.lab.own.agreement.wire_leaks import STUDY, table


def test_a_quick_run_compares_and_finds_nothing() -> None:
    document = quick_run(STUDY, seed=1)
    found = {(record["game"], record["dialect"]): record for record in document["records"]}
    assert set(found) == {
        ("kuhn_poker", "gdl2"),
        ("kuhn_poker", "gdl2_old"),
        ("tic_tac_toe", "gdl1"),
        ("difference_9", "gdl2"),
        ("difference_9", "gdl2_old"),
    }
    assert all(record["leaks"] == 0 for record in document["records"])
    assert found["kuhn_poker", "gdl2"]["compared"] > 5
    assert found["kuhn_poker", "gdl2"]["matches"] == 10
    assert "3 games" in table(document["records"])


def test_the_table_shows_leaks_and_games_that_were_not_told() -> None:
    leak = {
        "game": "a", "dialect": "gdl2", "matches": 5, "messages": 40, "compared": 7, "leaks": 3,
        "example": "(PLAY …)",
    }  # fmt: skip
    shown = table([leak, {"game": "b", "refused": "it is too large"}])
    assert "| a | gdl2 | 5 | 40 | 7 | 3 |" in shown
    assert "3 differed" in shown
    assert "b cannot be told in GDL: it is too large." in shown
