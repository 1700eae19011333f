"""One-player games as NORNS and Shodan played them: what must come out does, in few runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from quick_runs import quick_records, quick_run

from fogspiel.lab.framework.study import Document, settings_of, write
from fogspiel.lab.norns import section_5
from fogspiel.lab.shodan import tables_6

BEST = {
    "mastermind": 100.0,
    "number_guessing_8": 100.0,
    "number_guessing_16": 100.0,
    # Geisser et al. (2014), section 5: switching wins two of three, asking first is worth 90.
    "monty_hall": 200 / 3,
    "exploding_bomb": 90.0,
}


@pytest.fixture(scope="module")
def document() -> Document:
    return quick_run(section_5.STUDY)


def points(document: Document, player: str) -> dict[str, Document]:
    return {record["game"]: record for record in document["records"] if record["player"] == player}


def test_what_can_be_got_is_proven(document: Document) -> None:
    found = {game: point["optimum"] for game, point in points(document, "norns").items()}
    assert {game: found[game] for game in BEST} == pytest.approx(BEST, abs=1e-5)


@pytest.mark.parametrize("player", ["norns", "norns-belief"])
def test_the_door_is_switched_and_the_wire_asked_for_in_every_run(
    document: Document, player: str
) -> None:
    own = points(document, player)
    assert own["monty_hall"]["made_in"] == own["monty_hall"]["runs"]
    assert own["exploding_bomb"]["made_in"] == own["exploding_bomb"]["runs"]
    assert own["exploding_bomb"]["mean_goal"] == 90.0


@pytest.mark.parametrize("game", section_5.FIGURE)
def test_beliefs_are_played_as_well_as_can_be(document: Document, game: str) -> None:
    # The paper: nearly optimal, about 90 and 78.7, with up to a million simulations.
    assert points(document, "norns-belief")[game]["mean_goal"] == 100.0


def test_points_are_shown_with_what_was_published(document: Document, tmp_path: Path) -> None:
    written = write(section_5.STUDY, document, tmp_path)
    page = written[1].read_text()
    assert "78.7 at 1,000,000" in page
    assert "switch in 5" in page
    assert all(path.stat().st_size for path in written)


def test_costly_points_stand_last_and_all_games_have_as_many() -> None:
    settings = settings_of(section_5.STUDY, {}, quick=False)
    names = list(section_5.STUDY.parts(settings))
    assert names[-1] == "slippery_robot norns-belief 1000000"
    assert len(names) == len(section_5.PUBLISHED) * 2 * 6
    record = section_5.run({**settings, "runs": 2}, 0, "coin_flip", "norns", 10)
    assert record["runs"] == 2


def test_shodan_switches_almost_always() -> None:
    # Cerny (2014), section 6.2: "almost always changes".
    (record,) = quick_records(tables_6.MONTY_HALL, players=("shodan",))
    assert record["switches"] >= 15
    assert record["published"] == (63.33, 17.24)
    assert "63.33 ± 17.24" in tables_6.MONTY_HALL.table([record])
