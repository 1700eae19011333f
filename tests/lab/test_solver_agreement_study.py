"""The study of solvers: every method that fits is there, and a wrong value would be seen."""

from __future__ import annotations

import pytest
from quick_runs import quick_records

from fogspiel.lab.framework.study import Document
from fogspiel.lab.own.agreement import solver_agreement
from fogspiel.lab.own.agreement.solver_agreement import STUDY


@pytest.fixture(scope="module")
def records() -> list[Document]:
    games = ("kuhn_poker", "biased_rps", "prisoners_dilemma")
    with pytest.MonkeyPatch.context() as patch:
        # Iterations end by what they reached: no test should hang on the time they had.
        patch.setattr(solver_agreement, "TOLERANCE", 1e-2)
        return quick_records(STUDY, games=games, seconds=300.0)


def test_methods_that_fit_agree(records: list[Document]) -> None:
    methods = {record["method"] for record in records if record["game"] == "biased_rps"}
    assert methods == {"lp", "double-oracle", "pcfr+", "cfr+", "induction-lp"}
    for record in records:
        # Kuhn (1950): -1/18 of a chip of 25 goals; Shafiei (2010): 50.
        expected = 50 - 25 / 18 if record["game"] == "kuhn_poker" else 50
        assert record["value"] == pytest.approx(expected, abs=1e-3)
        assert record["exploitability"] < 1e-3


def test_a_game_that_one_method_fits_has_no_row(records: list[Document]) -> None:
    assert not any(record["game"] == "prisoners_dilemma" for record in records)


def test_the_table_tells_differences(records: list[Document]) -> None:
    assert "| kuhn_poker | 58 | 48.611111 |" in STUDY.table(records)
    wrong = [{**record, "value": record["value"] + 2.0} for record in records[:1]]
    assert "2e+00" in STUDY.table([*wrong, *records[1:]])
