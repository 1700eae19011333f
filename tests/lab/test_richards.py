"""Table 4.1 of Richards (2012): its figures, its cells, and small runs of the study."""

from __future__ import annotations

from pathlib import Path

import pytest

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.findings import FogspielError
from fogspiel.games.load import load
from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.framework.study import Document, settings_of, write
from fogspiel.lab.richards import table_4_1
from fogspiel.lab.richards.table_4_1 import (
    PUBLISHED,
    STUDY,
    instances,
    marks,
    random_decision,
    search,
)

CELL = "battleship(4,1)"
SMALL = settings_of(
    STUDY,
    {"cells": (CELL,), "positions": 2, "seconds": 10.0, "methods": ("csp", "dfs", "exact")},
    quick=False,
)


@pytest.fixture(scope="module")
def document() -> Document:
    return run_study(STUDY, settings=SMALL, seed=3)


def test_the_published_figures_add_up() -> None:
    """Sums taken by hand from the printed table: a slip in one figure would change them."""
    sums = {
        game: tuple(sum(figures[i] for figures in table.values()) for i in (0, 1))
        for game, table in PUBLISHED.items()
    }
    assert sums == {"racko": (3433, 30), "battleship": (11286, 1261), "gops": (6000, 750)}


def test_there_is_no_fleet_of_five_ships_on_four_by_four_cells() -> None:
    sizes = {game: len(table) for game, table in PUBLISHED.items()}
    assert sizes == {"racko": 20, "battleship": 19, "gops": 20}
    assert (5, 4) not in PUBLISHED["battleship"]


def test_some_figures_of_the_table_where_they_stand() -> None:
    by_member = {name: (own.csp, own.dfs) for name, own in instances().items()}
    assert len(by_member) == 59
    # The standard games: 60 cards in 10 slots, 5 ships on 10x10 cells, 10 rounds.
    assert by_member["racko(60,10)"] == (179, 0)
    assert by_member["battleship(10,5)"] == (1074, 0)
    assert by_member["gops(10,40)"] == (300, 0)
    # Where depth-first search found something.
    assert by_member["racko(40,6)"] == (106, 30)
    assert by_member["battleship(8,2)"] == (2161, 141)
    assert by_member["battleship(6,4)"] == (90, 1)
    assert by_member["gops(2,30)"] == (300, 60)
    assert by_member["gops(4,40)"] == (300, 30)


@pytest.mark.parametrize("member", ["racko(30,6)", "battleship(6,5)", "gops(2,10)"])
def test_a_cell_is_a_game_that_can_be_loaded(member: str) -> None:
    machine = load(member).machine
    position = random_decision(machine, seed=5)
    assert position.role != machine.chance_role
    assert position == random_decision(machine, seed=5)


def test_positions_are_decisions_of_the_role() -> None:
    machine = load(CELL).machine
    for seed in range(10):
        position = random_decision(machine, seed)
        assert position.joints is not None
        state = machine.initial()
        for joint in position.joints:
            state = machine.step(state, joint)
        assert len(machine.legal(state, position.role)) > 1


def test_every_method_finds_the_whole_of_a_small_set(document: Document) -> None:
    machine = load(CELL).machine
    assert len(document["records"]) == 6
    for record in document["records"]:
        position = random_decision(machine, 3_000 + record["position"])
        belief = ExactBelief(BeliefRequest(machine, position.role))
        for observation in position.observations:
            belief.advance(observation)
        assert record["complete"]
        assert record["found"] == record["size"] == belief.size()
        assert record["stopped"] is None
        assert record["sought"] == 86 * 100
        assert (record["published_csp"], record["published_dfs"]) == (86, 86)


def test_a_method_stops_at_what_is_sought() -> None:
    machine = load("gops(2,10)").machine
    position = next(p for p in (random_decision(machine, s) for s in range(9)) if p.observations)
    record = search(machine, position, "exact", most=5, seconds=600.0, seed=0)
    assert record["found"] >= 5
    assert record["size"] > 5
    assert not record["complete"]


def test_a_method_that_gives_up_has_found_nothing() -> None:
    machine = load("racko(30,6)").machine
    position = random_decision(machine, seed=0)
    record = search(machine, position, "dfs", most=100, seconds=0.05, seed=0)
    assert (record["found"], record["complete"], record["stopped"]) == (0, False, "BEL002")


def test_a_history_that_does_not_fit_is_our_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(table_4_1, "consistent", lambda *_: np.zeros(1, np.bool_))
    machine = load(CELL).machine
    with pytest.raises(AssertionError, match="exact gave a history that does not fit"):
        search(machine, random_decision(machine, 1), "exact", most=5, seconds=600.0, seed=0)


def test_the_table_has_the_published_figures_beside_ours(document: Document) -> None:
    lines = STUDY.table(document["records"]).splitlines()
    assert lines[0] == "| game | CSP (2012) | DFS (2012) | csp | dfs | exact |"
    assert lines[2].startswith("| battleship(4,1) | 86 | 86 | 2 of 2 whole (")


def entry(found: int, *, complete: bool, member: str = CELL, method: str = "csp") -> Document:
    return {
        "game": "battleship",
        "member": member,
        "method": method,
        "published_csp": 86,
        "published_dfs": 86,
        "found": found,
        "complete": complete,
        "search_seconds": 1.25,
    }


def test_a_row_tells_whole_sets_and_the_least_of_the_others() -> None:
    entries = [entry(12, complete=True), entry(4000, complete=False), entry(3000, complete=False)]
    (row,) = STUDY.table(entries).splitlines()[2:]
    assert row == "| battleship(4,1) | 86 | 86 | 1 of 3 whole, at least 3,000 (1.2 s) |"


def test_marks_are_the_least_of_sets_that_are_not_whole() -> None:
    other = "battleship(6,1)"
    entries = [
        entry(12, complete=True),
        entry(4000, complete=False),
        entry(7, complete=True, member=other),
        entry(9, complete=True, member=other),
    ]
    (first, second) = marks(entries, "csp", shift=0.5)
    assert (first.place, first.least, first.whole) == (0.5, 4000, False)
    assert (second.place, second.least, second.whole) == (1.5, 7, True)
    assert marks(entries, "sat") == []


def test_json_page_and_plot_are_written_and_the_plot_repeats(
    document: Document, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="the extra `lab` is not installed")
    files = write(STUDY, document, tmp_path)
    names = ["richards-4-1.json", "richards-4-1.md", "richards-4-1.svg"]
    assert [file.name for file in files] == names
    drawn = files[2].read_bytes()
    assert b"<svg" in drawn
    assert b"CSP, published" in drawn
    assert b"csp, whole sets" in drawn
    assert b"<dc:date>" not in drawn
    write(STUDY, document, tmp_path)
    assert files[2].read_bytes() == drawn


def test_without_matplotlib_the_rest_is_written(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fogspiel.lab.framework.study._has_matplotlib", lambda: False)
    files = write(STUDY, document, tmp_path)
    assert [file.suffix for file in files] == [".json", ".md"]


def test_an_unknown_method_is_told() -> None:
    with pytest.raises(FogspielError, match="BEL004"):
        run_study(STUDY, settings={**SMALL, "methods": ("magic",)}, seed=0)
