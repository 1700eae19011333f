"""Histories played again: fitting ones pass, and every kind of misfit is told."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import SMALL, Case, brute_force, exact_of, machine_of, position_of
from numpy.typing import NDArray

from fogspiel.belief import verify
from fogspiel.belief.positions import position_after
from fogspiel.belief.verify import consistent
from fogspiel.core.terms import GroundTerm, RoleId

FIRST = RoleId(1)
CARDS = ("jack", "queen", "king")


def kuhn(*steps: tuple[GroundTerm, ...]) -> NDArray[np.int32]:
    machine = machine_of("kuhn_poker")
    moves = [
        [machine.move_id(RoleId(role), term) for role, term in enumerate(step)] for step in steps
    ]
    return np.array(moves, np.int32)


def deals(first: str, second: str) -> tuple[tuple[GroundTerm, ...], ...]:
    return ((("deal", first), "noop", "noop"), (("deal", second), "noop", "noop"))


def test_in_kuhn_poker_two_of_nine_pairs_of_deals_fit() -> None:
    machine = machine_of("kuhn_poker")
    pairs = [(a, b) for a in CARDS for b in CARDS]
    histories = np.stack([kuhn(*deals(a, b)) for a, b in pairs])
    observations = position_after(
        machine, kuhn(*deals("queen", "king")).tolist(), FIRST
    ).observations
    good = consistent(machine, FIRST, observations, histories)
    fits = [pair for pair, fit in zip(pairs, good, strict=True) if fit]
    # Not (queen, queen): a card is dealt once.
    assert fits == [("queen", "jack"), ("queen", "king")]


def test_another_move_of_the_role_does_not_fit() -> None:
    machine = machine_of("kuhn_poker")
    bets, passes = (
        kuhn(*deals("queen", "king"), ("noop", move, "noop")) for move in ("bet", "pass")
    )
    both = np.stack([bets, passes])
    for seen in (bets, passes):
        observations = position_after(machine, seen.tolist(), FIRST).observations
        expected = [bool((history == seen).all()) for history in both]
        assert consistent(machine, FIRST, observations, both).tolist() == expected


def test_a_history_that_goes_on_after_the_end_does_not_fit() -> None:
    machine = machine_of("kuhn_poker")
    over = kuhn(*deals("queen", "king"), ("noop", "bet", "noop"), ("noop", "noop", "pass"))
    observations = position_after(machine, over.tolist(), FIRST).observations
    longer = np.concatenate([over, over[-1:]])[None]
    assert consistent(machine, FIRST, observations, over[None]).tolist() == [True]
    assert consistent(machine, FIRST, [*observations, observations[-1]], longer).tolist() == [False]


def test_nothing_and_no_steps() -> None:
    machine = machine_of("kuhn_poker")
    assert consistent(machine, FIRST, [], np.zeros((0, 0, 3), np.int32)).tolist() == []
    assert consistent(machine, FIRST, [], np.zeros((2, 0, 3), np.int32)).tolist() == [True, True]


@pytest.mark.parametrize("case", SMALL[::4], ids=str)
def test_all_histories_of_an_information_set_fit(case: Case) -> None:
    machine, position = machine_of(case.game), position_of(case)
    found = exact_of(case).enumerate(100_000)
    assert consistent(machine, position.role, position.observations, found.joints).all()


def test_of_random_histories_just_those_fit_that_plain_enumeration_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify, "CHUNK", 7)
    case = Case("leduc_poker", 1, 5)
    machine, position = machine_of(case.game), position_of(case)
    truth = set(brute_force(machine, position.role, position.observations))
    rng = np.random.default_rng(3)
    histories = np.repeat(exact_of(case).enumerate(100_000).joints, 40, axis=0)
    for row in range(0, len(histories), 2):
        step, role = rng.integers(histories.shape[1]), rng.integers(histories.shape[2])
        histories[row, step, role] = rng.integers(machine.move_count(RoleId(int(role))))
    good = consistent(machine, position.role, position.observations, histories)
    expected = [tuple(map(tuple, history.tolist())) in truth for history in histories]
    assert good.tolist() == expected
    assert 0 < good.sum() < len(good)
