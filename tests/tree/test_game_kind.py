"""Estimates of trees by random walks: exact where all walks look alike, near where they do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.games.load import load
from fogspiel.machine.analysis.features import GameKind
from fogspiel.machine.protocol import Machine
from fogspiel.tree.build.build import build
from fogspiel.tree.game_kind import WALKS, estimate_size


def sized(machine: Machine, *, walks: int = WALKS, seed: int = 0) -> GameKind:
    seen = GameKind(players=len(machine.roles), chance=machine.chance_role is not None)
    return estimate_size(machine, seen, walks=walks, seed=seed)


@pytest.mark.parametrize("name", ["hidden_goofspiel_4", "prisoners_dilemma"])
def test_where_all_walks_meet_as_many_choices_the_estimate_is_exact(name: str) -> None:
    machine = load(name).machine
    assert 10 ** sized(machine).log10_nodes == pytest.approx(len(build(machine)))


def test_an_estimate_comes_near_the_truth() -> None:
    machine = load("leduc_poker").machine
    # OpenSpiel's tree of Leduc poker: 157 chance nodes, 3,780 decisions, 5,520 ends.
    assert 10 ** sized(machine).log10_nodes == pytest.approx(9_457, rel=0.25)


def test_the_same_seed_gives_the_same_estimate() -> None:
    machine = load("kuhn_poker").machine
    first, again, other = (sized(machine, walks=16, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_games_larger_than_floating_point_have_an_estimate() -> None:
    found = sized(load("othello").machine, walks=64)
    # Allis (1994), Searching for solutions in games and AI, puts the tree at about 10^58.
    assert 45 < found.log10_nodes < 70
    assert found.ended == found.walks == 64


def test_sums_of_payoffs_are_noted() -> None:
    assert sized(load("kuhn_poker").machine).payoff_sums == (Fraction(100),)
    assert len(sized(load("prisoners_dilemma").machine).payoff_sums) == 3


def test_the_reference_reasoner_is_walked_too() -> None:
    found = sized(load("kuhn_poker", engine="reference").machine)
    assert 0 < found.log10_nodes < 3
    assert found.longest <= 5
