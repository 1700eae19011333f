"""Matches: deals and contracts from the seed, the same for all, and what they come to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bridge_positions import hand

from fogspiel.cases.bridge import double_dummy
from fogspiel.cases.bridge.cards import NOTRUMP, length, points
from fogspiel.cases.bridge.deals import check_hands, random_hands
from fogspiel.cases.bridge.matches import deal_series
from fogspiel.cases.bridge.matches.deal_series import (
    DealResult,
    MatchPlan,
    Partnership,
    board_of,
    play_match,
    score,
    sensible_contract,
    stronger_side,
    warm_up,
)
from fogspiel.cases.bridge.matches.standings import comparisons, standings
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import Finding, UsageError

PLAN = MatchPlan(deals=2, seed=4, declarers=("double-dummy", "pimc:2"), defence="natural")


def timeless(results: list[DealResult]) -> list[DealResult]:
    return [replace(result, seconds=0.0, free_seconds=()) for result in results]


@pytest.mark.parametrize(
    ("contract", "won", "points_scored"),
    [
        ("1N", 7, 90),
        ("2C", 8, 90),
        ("2S", 9, 140),
        ("3N", 9, 400),
        ("4S", 11, 450),
        ("5D", 11, 400),
        ("6N", 12, 990),
        ("7S", 13, 1510),
        ("4H", 8, -100),
    ],
)
def test_scores_are_those_of_the_laws(contract: str, won: int, points_scored: int) -> None:
    """Laws of Duplicate Bridge, law 77, not vulnerable and not doubled."""
    denomination = "SHDCN".index(contract[1])
    assert score(Contract(int(contract[0]), denomination, 0), won) == points_scored


def test_the_side_with_more_points_declares() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        hands = random_hands(rng)
        side = stronger_side(hands)
        assert side.both in (hands[0] | hands[2], hands[1] | hands[3])
        assert points(side.both) >= 20


def test_contracts_do_not_depend_on_how_the_others_hold_their_cards() -> None:
    hands = random_hands(np.random.default_rng(9))
    side = stronger_side(hands)
    others = [seat for seat in range(4) if seat % 2 != side.first]
    swapped = list(hands)
    swapped[others[0]], swapped[others[1]] = hands[others[1]], hands[others[0]]
    again = stronger_side((swapped[0], swapped[1], swapped[2], swapped[3]))
    bids = [sensible_contract(each, np.random.default_rng(3)) for each in (side, again)]
    assert bids[0] == bids[1] is not None


def test_a_grand_slam_with_thirteen_top_tricks_is_bid_in_notrump() -> None:
    side = Partnership(0, (hand("AKQ.432.AKQ.5432"), hand("432.AKQ.J432.AKQ")))
    bid = sensible_contract(side, np.random.default_rng(0))
    assert bid == Contract(7, NOTRUMP, 2)


def test_a_side_without_tricks_passes() -> None:
    side = Partnership(1, (hand("432.5432.5432.32"), hand("765.876.876.7654")))
    assert sensible_contract(side, np.random.default_rng(0)) is None


@pytest.mark.parametrize(
    ("mean", "denomination", "level"),
    [(6.4, 0, None), (6.6, 0, 1), (8.9, 0, 2), (9.6, 0, 4), (8.5, 4, 2), (8.6, 4, 3),
     (10.5, 2, 4), (10.6, 2, 5), (11.7, 0, 4), (11.8, 0, 6), (12.8, 4, 7)],
)  # fmt: skip
def test_levels_follow_the_mean_of_tricks(mean: float, denomination: int, level: int) -> None:
    assert deal_series._level(mean, denomination) == level


def test_boards_follow_from_seed_and_number() -> None:
    boards = [board_of(seed, number) for seed, number in ((1, 0), (1, 0), (1, 1), (2, 0))]
    assert boards[0] == boards[1]
    assert len({board.hands for board in boards}) == 3
    for board in boards[1:]:
        assert check_hands(board.hands) == []
        contract = board.contract
        side = stronger_side(board.hands)
        assert contract.declarer % 2 == side.first
        if contract.denomination != NOTRUMP:
            assert length(side.both, contract.denomination) >= deal_series.FIT
            own = (length(board.hands[seat], contract.denomination) for seat in
                   (contract.declarer, contract.dummy))  # fmt: skip
            assert next(own) >= next(own)


def test_a_match_is_the_same_in_one_process_and_in_two() -> None:
    seen: list[int] = []
    alone = play_match(PLAN, on_deal=lambda: seen.append(1))
    assert len(seen) == 2
    shared = play_match(PLAN, jobs=2)
    assert timeless(alone) == timeless(shared)
    assert [(r.number, r.declarer) for r in alone] == [
        (0, "double-dummy"), (0, "pimc:2"), (1, "double-dummy"), (1, "pimc:2"),
    ]  # fmt: skip
    # The defence leads before declarer plays: the same to all.
    assert alone[0].double_dummy == alone[1].double_dummy
    assert all(result.free_seconds for result in alone)


def test_unknown_names_are_refused_before_anything_is_played() -> None:
    with pytest.raises(UsageError, match="BRI031"):
        play_match(replace(PLAN, declarers=("double-dummy", "gib")))
    with pytest.raises(UsageError, match="BRI032"):
        play_match(replace(PLAN, defence="passive"))


def test_a_missing_solver_is_told_before_processes_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise UsageError(Finding("BRI001", "no endplay", fix="install it"))

    monkeypatch.setattr(double_dummy, "_solver", missing)
    with pytest.raises(UsageError, match="BRI001"):
        play_match(PLAN, jobs=2)


def test_warming_up_takes_every_declarer() -> None:
    warm_up(["double-dummy", "pimc:2", "alpha-mu:2,2"])


def result(number: int, declarer: str, tricks: int, *seconds: float) -> DealResult:
    return DealResult(
        number=number,
        declarer=declarer,
        contract="3NTS",
        tricks=tricks,
        is_made=tricks >= 9,
        double_dummy_before=10,
        double_dummy=10,
        seconds=sum(seconds),
        free_seconds=seconds,
    )


def test_accounts_are_means_with_students_intervals() -> None:
    account = standings([result(0, "a", 10, 0.1, 0.3), result(1, "a", 8, 0.2)])[0]
    assert (account.deals, account.made, account.tricks) == (2, 1, 9.0)
    assert account.lost.value == 1.0
    # Two values 1 apart from their mean: deviation √2, and 12.706 is the quantile for one degree.
    assert account.lost.interval == pytest.approx((1.0 - 12.706, 1.0 + 12.706), abs=1e-3)
    times = account.times
    assert (times.choices, times.longest) == (3, 0.3)
    assert times.mean == pytest.approx(0.2)
    assert times.a_deal == pytest.approx(0.3)


def test_two_declarers_are_compared_deal_by_deal() -> None:
    rows = []
    for number in range(10):
        # One trick apart on nearly every deal, though the deals themselves differ widely.
        rows += [
            result(number, "a", 4 + number, 0.1),
            result(number, "b", 4 + number - (number != 3), 1.0),
        ]
    (pair,) = comparisons(rows)
    assert pair.difference.value == pytest.approx(-0.9)
    assert pair.time_ratio == pytest.approx(0.1)
    assert pair.verdict.startswith("a loses 0.900 tricks a deal fewer than b (95 %: -1.1")
    assert pair.verdict.endswith("with 0.1 times its time a choice")


def test_a_difference_within_the_interval_is_called_none() -> None:
    rows = [result(0, "a", 9, 0.1), result(0, "b", 8, 0.1), result(1, "a", 8), result(1, "b", 9)]
    (pair,) = comparisons(rows)
    assert pair.verdict.startswith("between a and b no difference is shown: +0.000")
    (single,) = comparisons(rows[:2])
    assert single.verdict.startswith("one deal says nothing")
