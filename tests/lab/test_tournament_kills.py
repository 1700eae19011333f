"""A tournament killed at three random moments, and taken up again after each."""

from __future__ import annotations

import pytest
from quick_runs import quick_records

from fogspiel.lab.framework.study import Document
from fogspiel.lab.own.robustness.tournament_kills import KINDS, PHASES, STUDY, table


@pytest.fixture(scope="module")
def record() -> Document:
    (only,) = quick_records(STUDY, seed=1, kills=3, repetitions=5)
    return only


def test_three_kills_happen(record: Document) -> None:
    assert sum(record["kills"][kind] for kind in KINDS) == 3
    assert sum(record["kills"][phase] for phase in PHASES) == 3


def test_nothing_that_the_journal_held_is_lost_or_another(record: Document) -> None:
    assert (record["lost"], record["changed"]) == (0, 0)


def test_every_match_is_there_once_and_ends_as_without_kills(record: Document) -> None:
    assert record["matches"] == 60
    assert (record["missing_or_double"], record["other_results"]) == (0, 0)


def test_the_table_is_the_same_byte_for_byte(record: Document) -> None:
    assert record["same_table"]


def test_no_process_outlives_its_parent(record: Document) -> None:
    assert record["orphans"] == 0


def test_the_page_tells_what_went_wrong(record: Document) -> None:
    text = table([record, {**record, "lost": 3, "same_table": False}])
    assert "| of 6 kills, or after them | count |" in text
    assert "| results lost | 3 |" in text
    assert "1 of 2 tournaments, of 120 matches together" in text
