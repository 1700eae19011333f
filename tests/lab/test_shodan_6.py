"""Studies of Shodan's tables, and of our own players in the same games."""

from __future__ import annotations

from pathlib import Path

import pytest
from quick_runs import quick_records, quick_run, written_page

from fogspiel.lab.framework.study import Study
from fogspiel.lab.own.strength import against_random
from fogspiel.lab.shodan import tables_6


def test_published_means_are_those_of_table_7_1() -> None:
    """Cerny (2014), table 7.1: 80.41 and 89.95 against random, 47.48 and 54.99 against TIIGR.

    89.95 is what the thesis prints; its own table 6.3 gives 89.58.
    """
    means = {
        experiment.number: sum(mean for cells in experiment.published.values() for mean, _ in cells)
        / 8
        for experiment in tables_6.EXPERIMENTS
    }
    assert means["6.2"] == pytest.approx(80.41, abs=0.01)
    assert means["6.3"] == pytest.approx(89.58, abs=0.01)
    assert means["6.4"] == pytest.approx(47.48, abs=0.03)
    assert means["6.5"] == pytest.approx(54.99, abs=0.02)
    for number, game, opponent in (
        ("6.2", "latent_tic_tac_toe", "random"),
        ("6.3", "meier", "random"),
        ("6.4", "latent_tic_tac_toe", "tiigr"),
        ("6.5", "meier", "tiigr"),
    ):
        assert sum(against_random.SHODAN[game, opponent]) / 2 == pytest.approx(
            means[number], abs=0.01
        )


@pytest.mark.parametrize("study", tables_6.MATCHES, ids=lambda study: study.name)
def test_a_table_has_ours_beside_the_published(study: Study, tmp_path: Path) -> None:
    document = quick_run(study, simulations_a_second=2, games=2)
    first, second = document["records"]
    experiment = tables_6.BY_NUMBER[first["table"]]
    assert first["simulations"] == 2 * experiment.clocks[0]
    assert first["opponents_simulations"] == first["simulations"] // experiment.handicap
    assert (first["seat"], second["seat"]) == ("first", "second")
    assert first["role"] != second["role"]
    page = written_page(study, document, tmp_path)
    mean, half = experiment.published["first"][0]
    assert f"| {mean:.2f} ± {half:.2f} |" in page


def test_the_same_seed_gives_the_same_table() -> None:
    study = tables_6.MATCHES[1]
    assert quick_records(study) == quick_records(study)


def test_players_are_measured_in_both_seats() -> None:
    records = quick_records(against_random.STUDY, latent_tic_tac_toe=(), matches=6)
    assert [record["opponent"] for record in records] == ["random", "tiigr"]
    for record in records:
        assert [own["role"] for own in record["seats"]] == ["first", "second"]
        assert record["total"]["games"] == sum(own["games"] for own in record["seats"]) == 12
    assert records[0]["best"] == against_random.BEST["meier"]
    # Whoever answers random play exactly tells the truth and doubts.
    assert records[0]["total"]["mean_goal"] >= 75.0
