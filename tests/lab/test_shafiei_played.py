"""Studies of Shafiei's matches: quick settings give records with his figures beside ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from quick_runs import quick_run, small_game_of_three, written_page

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.study import Document, Study
from fogspiel.lab.shafiei import against_uct, figures_5, tables_3, tables_5_6
from fogspiel.lab.shafiei.against_uct import FEW_AT_ONCE_UCT, clocks
from fogspiel.players.protocol import Seat
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import build_state_graph


def run(study: Study, folder: Path) -> tuple[list[Document], str]:
    """Records, and the page that was written."""
    document = quick_run(study)
    return document["records"], written_page(study, document, folder)


def test_constants_of_exploration_play_each_other_in_both_seats(tmp_path: Path) -> None:
    records, page = run(tables_3.CONSTANTS, tmp_path)
    assert [record["constants"] for record in records] == [[1, 40], [40, 1]] * 2
    assert [record["players"][0] for record in records] == [
        "sm-uct:c=1,together=1", "sm-uct:c=40,together=1", "sm-uct:c=1", "sm-uct:c=40",
    ]  # fmt: skip
    assert "| 40 | 1 | 93.5 |" in page
    assert "| 20 one by one | 20 together |" in page
    assert (tmp_path / "shafiei-3-2.svg").exists()
    for record in records:
        assert sum(tally["mean_goal"] for tally in record["totals"]) == 100


def test_cfr_and_players_beside_it_meet_uct(tmp_path: Path) -> None:
    records, page = run(against_uct.GAMES, tmp_path)
    assert [record["players"] for record in records] == [
        ["cfr:99", "sm-uct"],
        ["sm-lp:safe=5", "sm-uct"],
    ]
    assert [record["published"] for record in records] == [55.0, None]
    for record in records:
        assert record["of_processor"]
        assert record["start_seconds"] == pytest.approx(3 * record["seconds"])
        # Goofspiel has a constant sum.
        assert sum(tally["mean_goal"] for tally in record["totals"]) == pytest.approx(100.0)
    assert "| Goofspiel (5 cards) | `cfr:99` | 55 |" in page


def test_depths_meet_at_two_start_clocks(tmp_path: Path) -> None:
    records, page = run(figures_5.DEPTHS, tmp_path)
    assert [record["published_start_seconds"] for record in records] == [30.0, 30.0, 60.0, 60.0]
    # Even play is an equilibrium of rock-paper-scissors: the thesis begins elsewhere.
    assert records[0]["players"] == ["cfr:1 from the first move", "cfr:9 from the first move"]
    assert records[1]["players"] == ["cfr:1", "cfr:5"]
    assert "figure 5.5, 5 card Goofspiel | 60 s | 5 | 1 |" in page
    assert (tmp_path / "shafiei-depth.svg").exists()


def test_one_clock_varies_at_a_time(tmp_path: Path) -> None:
    records, page = run(against_uct.CLOCKS, tmp_path)
    assert [record["varied"] for record in records] == ["play clock", "start clock"]
    play, start = records
    assert play["start_seconds"] == pytest.approx(start["start_seconds"] / 2)
    assert play["seconds"] == pytest.approx(start["seconds"])
    assert "52.55 ± 1.88" in page
    assert "51.1 ± 1.66" in page


def test_three_players_share_the_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The game of the table has 11,505 states with 1,000 joint moves each.
    monkeypatch.setattr(against_uct, "GAME_OF_THREE", small_game_of_three(tmp_path))
    records, page = run(against_uct.THREE_PLAYERS, tmp_path)
    assert [record["players"] for record in records] == [
        ["cfr:99", FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT],
        [FEW_AT_ONCE_UCT, "cfr:99", "cfr:99"],
        ["cfr:trust=1", FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT],
        [FEW_AT_ONCE_UCT, "cfr, prepared", "cfr, prepared"],
    ]
    for record in records:
        assert len(record["results"]) == 9
        assert all(tally["games"] == 3 for tally in record["totals"])
    assert "81.5, 50.1, 51.7" in page


def test_what_was_prepared_is_played_and_nothing_more_is_learnt() -> None:
    machine = load("goofspiel_4").machine
    regrets = StateRegrets(build_state_graph(machine))
    regrets.iterate(30)
    expected = regrets.average().at(regrets.graph.decision(0, 2))
    player = against_uct.Prepared(regrets)
    player.start(Seat(machine, RoleId(1), 1), Budget.of(simulations=50))
    np.testing.assert_allclose(player.mixture(Budget.of(simulations=50)), expected)
    assert regrets.iterations == 30


def test_responses_are_played_as_they_are_computed(tmp_path: Path) -> None:
    trusting, safe = run(tables_5_6.PLAYED, tmp_path)[0]
    # Paper gets 75 against rock, and 45 against scissors, the best response to it.
    assert trusting["model"]["mean_goal"] == pytest.approx(75.0)
    assert trusting["best_response"]["mean_goal"] == pytest.approx(45.0)
    assert trusting["published"] == (75.0, 45.0)
    assert safe["confidence"] == 0.0


def test_clocks_are_divided_and_count_own_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.process_time", lambda: 0.0)
    allowance = clocks(30.0, 10.0, 200.0)
    assert allowance.start().seconds_left == pytest.approx(0.15)
    assert allowance.turn().seconds_left == pytest.approx(0.05)
    assert allowance.of_processor
