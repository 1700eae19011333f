"""Tables of results as Markdown."""

from __future__ import annotations

from fogspiel.lab.framework.presentation import markdown, with_interval


def test_a_table_has_a_head_and_a_line_for_each_row() -> None:
    assert markdown(["game", "goal"], [["meier", "50"], ["nim", ""]]).split("\n") == [
        "| game | goal |",
        "|---|---|",
        "| meier | 50 |",
        "| nim |  |",
    ]
    assert markdown(["game"], []) == "| game |\n|---|"


def test_a_mean_shows_half_of_its_interval() -> None:
    assert with_interval(50.0, (40.0, 61.0), 1) == "50.0 ± 10.5"
    assert with_interval(0.125, (0.1, 0.2), 2) == "0.12 ± 0.05"
    # A single game has no interval.
    assert with_interval(50.0, None, 2) == "50.00"
