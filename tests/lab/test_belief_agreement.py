"""A small run of the study of agreement, and that it would notice methods that are wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.belief.base import gave_up
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import METHODS, BeliefMethod
from fogspiel.belief.protocol import Histories
from fogspiel.core.registry import Registry
from fogspiel.core.terms import Observation
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.framework.study import Document, settings_of, write
from fogspiel.lab.own.agreement.agreement_table import disagreements, least_p
from fogspiel.lab.own.agreement.belief_agreement import (
    ENUMERATING,
    SAMPLING,
    STUDY,
    enumerable,
    random_position,
    records_of,
)

GAMES = ("kuhn_poker", "mastermind", "latent_tic_tac_toe")
SMALL = settings_of(
    STUDY,
    {"games": GAMES, "positions": 2, "histories": 300, "draws": 500, "seconds": 600.0},
    quick=False,
)
GAME, SEED = "mastermind", 5
"""A position with many histories."""


@pytest.fixture(scope="module")
def document() -> Document:
    return run_study(STUDY, settings=SMALL, seed=3)


def test_methods_agree_on_some_games(document: Document) -> None:
    records = document["records"]
    assert len(records) == 3 * 2 * len((*ENUMERATING, *SAMPLING))
    assert disagreements(records) == []
    assert all(record["true_inside"] for record in records)
    listing = [record for record in records if record["method"] in ENUMERATING]
    assert all(record["same_set"] and record["found"] == record["size"] for record in listing)
    assert sum(record["p_value"] is not None for record in records) > 20


def test_a_run_repeats_itself(document: Document) -> None:
    again = run_study(STUDY, settings={**SMALL, "games": GAMES[:1]}, seed=3)["records"]
    first = [record for record in document["records"] if record["game"] == GAMES[0]]
    assert [_without_times(record) for record in again] == [_without_times(r) for r in first]


def test_the_page_has_a_row_for_each_game(document: Document, tmp_path: Path) -> None:
    _, page = write(STUDY, document, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert all(f"| {game} | 2 |" in text for game in GAMES)
    assert "No disagreement." in text


def test_all_bundled_games_are_parts() -> None:
    assert list(STUDY.parts(STUDY.settings)) == list(bundled_games())


def test_methods_draw_with_different_seeds(document: Document) -> None:
    """Otherwise two that draw alike would be one test, counted twice."""
    some = [r for r in document["records"] if r["method"] in ("exact", "auto") and r["cells"] > 5]
    assert len({record["chi_square"] for record in some}) == len(some) > 0


def test_a_position_with_too_many_histories_is_cut() -> None:
    machine = load("battleship_4").machine
    drawn = random_position(machine, seed=5)
    cut, truth = enumerable(machine, drawn, most=200, seconds=600.0)
    assert len(cut.observations) < len(drawn.observations)
    assert 0 < len(truth) <= 200
    assert truth.places(np.array([cut.joints], np.int32))[0] >= 0
    assert truth.places(np.full((1, 1, 2), 99, np.int32)).tolist() == [-1]


class Forgetful(ExactBelief):
    """Leaves one history out."""

    def enumerate(self, limit: int) -> Histories:
        found = super().enumerate(limit)
        return _rows(found, np.arange(len(found) - 1))


class Repeating(ExactBelief):
    """Gives one history twice instead of another one."""

    def enumerate(self, limit: int) -> Histories:
        found = super().enumerate(limit)
        return _rows(found, np.maximum(np.arange(len(found)), 1))


class Misjudging(ExactBelief):
    """Knows what is possible, but not how probable it is."""

    def enumerate(self, limit: int) -> Histories:
        found = super().enumerate(limit)
        return replace(found, weights=found.weights * np.linspace(1.0, 1.01, len(found)))


class Biased(ExactBelief):
    """Draws evenly from half of the histories, and less often from the others."""

    def sample(self, count: int, seed: int) -> Histories:
        found = self.enumerate(1_000_000)
        shares = 1.0 + (np.arange(len(found)) < len(found) // 2)
        rng = np.random.default_rng(seed)
        drawn = _rows(found, rng.choice(len(found), count, p=shares / shares.sum()))
        return replace(drawn, weights=np.ones(count))


class Lazy(ExactBelief):
    """Gives up."""

    def advance(self, observation: Observation) -> None:
        raise gave_up("exact", 1, self.limits)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Forgetful, "another set, of 255"),
        (Repeating, "another set, of 256"),
        (Misjudging, "probabilities off by"),
        (Biased, "p-value"),
    ],
)
def test_what_is_wrong_is_noticed(
    kind: type[ExactBelief], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = disagreements(_records_with(kind, monkeypatch))
    assert len(found) == 1
    assert found[0].startswith(f"{GAME}, seed {SEED}, exact: {said}")


def test_a_method_that_gives_up_is_no_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    (record,) = _records_with(Lazy, monkeypatch)
    assert record["enumerating_stopped"] == record["sampling_stopped"] == "BEL002"
    assert record["same_set"] is None
    assert record["p_value"] is None
    assert disagreements([record]) == []


def test_more_tests_ask_for_smaller_p_values() -> None:
    tests = [{"p_value": 0.5, "unbiased": True}] * 20 + [{"p_value": None}] * 5
    tests += [{"p_value": 0.5, "unbiased": False}] * 5
    assert least_p(tests) == pytest.approx(0.01 / 20)


def _records_with(kind: type[ExactBelief], monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """Records of a position of 256 histories, with another belief in the place of `exact`."""
    wrong = BeliefMethod(
        name="exact",
        what="wrong on purpose",
        make=kind,
    )
    registry = Registry("method", "BEL004", [*METHODS.values(), wrong])
    monkeypatch.setattr("fogspiel.belief.methods.METHODS", registry)
    settings = {**SMALL, "draws": 2000, "methods": ("exact",)}
    records = list(records_of(GAME, load(GAME).machine, settings, SEED))
    assert records[0]["size"] == 256
    return records


def _rows(found: Histories, rows: NDArray[np.int64]) -> Histories:
    return replace(
        found,
        joints=found.joints[rows],
        states=found.states[rows],
        weights=found.weights[rows],
    )


def _without_times(record: Document) -> Document:
    return {key: value for key, value in record.items() if not key.endswith("seconds")}
