"""Duels of `auto`: every bundled game is in one of the two studies, and nobody meets itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from quick_runs import small_game_of_three

from fogspiel.core.budget import Budget
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.framework.study import Document, settings_of
from fogspiel.lab.norns import section_5
from fogspiel.lab.own.strength import auto_duels, round_robin
from fogspiel.lab.own.strength.auto_duels import (
    FITTING,
    KINDS,
    LONG,
    LONGEST,
    STUDY,
    lead_over,
    table,
)
from fogspiel.players.auto import choice_for
from fogspiel.players.catalogue import make_player
from fogspiel.players.exploration import explored_kind

SAME_RULES_IN_POGDDL = (
    "simple_poker_pogddl", "kuhn_poker_pogddl", "tic_tac_toe_pogddl", "latent_tic_tac_toe_pogddl",
)  # fmt: skip
OF_NORNS = {"number_guessing_16", "coin_flip", "slippery_robot"}


def record(opponent: str, shares: list[list[float]], game: str = "breakthrough_6") -> Document:
    return {"game": game, "choice": "uct", "players": ["auto", opponent], "shares": shares}


def test_every_bundled_game_is_played_in_one_of_the_studies_but_for_some() -> None:
    assert not set(KINDS) & set(round_robin.KINDS)
    left_out = set(bundled_games()) - set(KINDS) - set(round_robin.KINDS)
    assert left_out == set(SAME_RULES_IN_POGDDL) | OF_NORNS
    assert set(section_5.STUDY.settings["games"]) >= OF_NORNS
    assert {*FITTING, *LONG, *LONGEST} <= set(KINDS)
    for name in {player for field in FITTING.values() for player in field}:
        assert make_player(name)


@pytest.mark.parametrize("game", ["goofspiel_4", "racko_12_3", "breakthrough_6"])
def test_kinds_are_those_that_auto_finds(game: str) -> None:
    assert explored_kind(load(game).machine, Budget.of(simulations=1)).category == KINDS[game]


def test_auto_does_not_meet_the_player_that_it_hands_on_to() -> None:
    settings = settings_of(STUDY, {"matches": 2}, quick=True)
    assert STUDY.run(settings, 1, "goofspiel_4", "cfr") == []
    [found] = auto_duels.run(settings, 1, "goofspiel_4", "sm-rm")
    assert found["choice"] == "cfr"
    assert [len(own) for own in found["shares"]] == [1, 1]


def test_a_lead_is_what_auto_gets_more_from_the_same_deals() -> None:
    lead = lead_over(record("ismcts", [[60.0, 80.0, 70.0], [40.0, 20.0, 30.0]]))
    assert lead.mean == pytest.approx(40.0)
    # 20, 60 and 40: variance 400 of three deals, and Student's t with two degrees of freedom.
    assert lead.half() == pytest.approx(4.302653 * (400.0 / 3) ** 0.5, rel=1e-5)


def test_the_table_tells_leads_by_game_and_by_opponent() -> None:
    few, many = [10.0, 12.0] * 3, [90.0, 88.0] * 3
    records = [
        record("cfr", [many, few]),
        record("ismcts", [few, many]),
        record("ismcts", [few, many], game="othello"),
    ]
    lines = table(records).splitlines()
    [first] = [line for line in lines if line.startswith("| breakthrough_6 ")]
    assert "| `uct` | 6 | +0.0 ± " in first
    assert "cfr +78.0 ± 2.3, ismcts -78.0 ± 2.3" in first
    [cfr] = [line for line in lines if line.startswith("| cfr ")]
    assert cfr == "| cfr | 1 | +78.0 ± 2.3 | better |"
    [ismcts] = [line for line in lines if line.startswith("| ismcts ")]
    assert ismcts.startswith("| ismcts | 2 | -78.0 ±")
    assert ismcts.endswith("| worse |")


def test_longer_games_have_fewer_matches() -> None:
    kinds = {game: auto_duels._kind_of_matches(game) for game in KINDS}
    assert kinds["othello"] == "long_matches"
    assert kinds["chess"] == "longest_matches"
    assert kinds["goofspiel_7"] == "matches"


def test_a_game_of_three_lets_both_sit_everywhere(tmp_path: Path) -> None:
    machine = load(small_game_of_three(tmp_path)).machine
    shares = round_robin.shares_by_deal(
        machine, ["auto", "sm-uct"], matches=6, seconds=0.01, seed=1
    )
    # One deal for each of two line-ups, played from three seats.
    assert [len(own) for own in shares] == [2, 2]


@pytest.mark.parametrize("twin", SAME_RULES_IN_POGDDL)
def test_auto_chooses_in_pogddl_as_in_gdl(twin: str) -> None:
    # A clock that stands still: no time passes while games are loaded.
    clock = Budget.of(seconds=0.5, clock=lambda: 0.0)
    # `parts` searches as `uct` does where parts do not help, and the cells of a board do not.
    of_pogddl, of_gdl = (
        choice_for(
            replace(explored_kind(load(game).machine, Budget.of(simulations=1)), parts=1), clock
        ).player
        for game in (twin, twin.removesuffix("_pogddl"))
    )
    assert of_pogddl == of_gdl
