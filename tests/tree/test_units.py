"""Payoffs change their unit exactly, and nothing else changes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.games.load import load
from fogspiel.tree.build.build import build
from fogspiel.tree.units import in_units


def test_goals_of_kuhn_poker_become_chips() -> None:
    goals = build(load("kuhn_poker").machine)
    chips = in_units(goals, 25, 50)  # as the index of games says
    # Kuhn (1950): the winner gets an ante, or an ante and a bet.
    assert {row[0] for row in chips.exact_payoffs} == {-2, -1, 1, 2}
    assert all(sum(row) == 0 for row in chips.exact_payoffs)
    assert chips.targets is goals.targets


def test_every_player_may_have_its_own_offset() -> None:
    tree = build(load("prisoners_dilemma").machine)
    moved = in_units(tree, 0.1, [0, Fraction(1, 3)])
    for before, after in zip(tree.exact_payoffs, moved.exact_payoffs, strict=True):
        assert after == (before[0] * 10, (before[1] - Fraction(1, 3)) * 10)


def test_units_that_turn_winners_into_losers_are_refused() -> None:
    tree = build(load("prisoners_dilemma").machine)
    for scale in (0, -1):
        with pytest.raises(ValueError, match="above 0"):
            in_units(tree, scale, 0)
    with pytest.raises(ValueError, match="offsets"):
        in_units(tree, 1, [0, 0, 0])
