"""The round robin: pairs, scores, and whether the table says who is worse."""

from __future__ import annotations

import pytest
from quick_runs import quick_records

from fogspiel.core.budget import Budget
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.framework.study import Document
from fogspiel.lab.own.strength.round_robin import (
    FIELDS,
    FITTING,
    KINDS,
    STUDY,
    combined,
    mean_of,
    scores,
    table,
    verdict,
)
from fogspiel.players.catalogue import PLAYERS
from fogspiel.players.exploration import explored_kind


def record(players: list[str], shares: list[list[float]], game: str = "kuhn_poker") -> Document:
    return {"game": game, "kind": "hidden", "players": players, "shares": shares}


def test_every_game_and_player_is_known() -> None:
    assert len(KINDS) >= 20
    assert set(KINDS) <= set(bundled_games())
    assert set(FITTING) <= set(KINDS)
    fields = [*FIELDS.values(), *FITTING.values()]
    named = {player.partition(":")[0] for field in fields for player in field}
    assert named <= set(PLAYERS)


@pytest.mark.parametrize("game", ["nim", "goofspiel_5", "kuhn_poker", "monty_hall"])
def test_kinds_are_those_that_auto_finds(game: str) -> None:
    assert explored_kind(load(game).machine, Budget.of(simulations=1)).category == KINDS[game]


def test_all_pairs_meet_once() -> None:
    parts = STUDY.parts({"games": ("kuhn_poker", "monty_hall")})
    players = 1 + len(FIELDS["hidden"]) + len(FITTING["kuhn_poker"])
    assert len(parts) == players * (players - 1) // 2 + 1 + len(FIELDS["alone"])
    assert len(set(parts)) == len(parts)


def test_a_score_is_the_mean_over_opponents() -> None:
    records = [
        record(["auto", "random"], [[100.0, 80.0], [0.0, 20.0]]),
        record(["auto", "ismcts"], [[50.0, 50.0, 50.0, 50.0], [50.0] * 4]),
        record(["random", "ismcts"], [[20.0, 20.0], [80.0, 80.0]]),
    ]
    found = scores(records, "kuhn_poker")
    assert list(found) == ["auto", "ismcts", "random"]
    assert found["auto"].mean == pytest.approx((90.0 + 50.0) / 2)
    # Variance 200 of two deals against one opponent, none against the other: the error is 5, and
    # Student's t with one degree of freedom 12.706.
    assert found["auto"].half() == pytest.approx(5 * 12.706, rel=1e-4)


def test_what_one_wins_in_their_own_match_the_other_loses() -> None:
    records = [
        record(["auto", "uct"], [[60.0, 80.0, 70.0], [40.0, 20.0, 30.0]]),
        record(["auto", "random"], [[90.0] * 3, [10.0] * 3]),
        record(["uct", "random"], [[70.0] * 3, [30.0] * 3]),
    ]
    gap = combined(records, {"auto": 1.0, "uct": -1.0})
    assert gap.mean == pytest.approx((70.0 + 90.0) / 2 - (30.0 + 70.0) / 2)
    # Per deal (a - b) / 2 is 10, 30 and 20: variance 100 of three deals, two degrees of freedom.
    assert gap.half() == pytest.approx(4.302653 * 10.0 / 3**0.5, rel=1e-5)
    assert gap.half(comparisons=5) > 2.0 * gap.half()


def test_the_table_says_where_auto_is_worse() -> None:
    few, many = [10.0, 12.0] * 3, [90.0, 88.0] * 3
    records = [record(["auto", "uct"], [few, many])]
    records += [record(["auto", "uct"], [many, few], game="leduc_poker")]
    lines = table(records).splitlines()
    assert "worse" in next(line for line in lines if line.startswith("| kuhn_poker"))
    assert "better" in next(line for line in lines if line.startswith("| leduc_poker"))
    assert "| uct | 2 | 50.0 | 50.0 | +0.0" in table(records)


@pytest.mark.parametrize(("deals", "judged"), [(5, ""), (6, "better")])
def test_few_deals_that_end_alike_are_not_judged(deals: int, judged: str) -> None:
    gap = combined(
        [record(["auto", "uct"], [[90.0] * deals, [10.0] * deals])], {"auto": 1.0, "uct": -1.0}
    )
    assert gap.half() == 0.0
    assert verdict(gap, 1) == judged
    clear = combined([record(["auto", "uct"], [[90.0, 91.0] * 9, [10.0] * 18])], {"auto": 1.0})
    assert verdict(clear, 1) == "better"
    assert verdict(mean_of([clear, gap]), 1) == judged


def test_a_quick_run_plays_all_pairs() -> None:
    records = quick_records(STUDY, seed=3, games=("monty_hall",))
    assert {entry["players"][0] for entry in records} == {"auto", *FIELDS["alone"]}
    assert "| monty_hall |" in table(records)
