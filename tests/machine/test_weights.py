"""Chance by weight: exact probabilities on both machines, and playouts that follow them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from pogddl_machines import after, legal_texts

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import format_term
from fogspiel.games.load import load_sources
from fogspiel.machine.protocol import Machine, State

# Chance draws balls, some number of times; the payoff of ann tells which were drawn.
URN = """\
(define (domain urn)
  (:types role ball)
  (:constants ann chance - role red blue green - ball)
  (:predicates (whoseturn ?r - role) (drawn ?b - ball) (calm))
  (:functions (worth ?b - ball) (sum) (draws) - number (left ?b - ball) - (number 0 9))
  (:action draw
    :parameters (?b - ball)
    :precondition (and (whoseturn chance) (< (draws) DRAWS))
    :effect (and (increase (sum) (worth ?b)) (increase (draws) 1) (drawn ?b) EFFECT))
  CHOICES
  (:gain ann (sum) ()))
(define (problem start) (:domain urn)
  (:init (whoseturn chance) (= (worth red) 1) (= (worth blue) 1000) (= (worth green) 1000000)
         (= (left red) 4) (= (left blue) 3) (= (left green) 1) (= (sum) 0) (= (draws) 0)))
"""
WORTH = {"red": 1, "blue": 1_000, "green": 1_000_000}
BY_LEFT = "(:choose :parameters (?b - ball) :select ((left ?b) (draw ?b)))"
TAKE = "(decrease (left ?b) 1)"


def urn(choices: str, *, draws: int = 1, effect: str = "") -> str:
    filled = URN.replace("CHOICES", choices).replace("DRAWS", str(draws))
    return filled.replace("EFFECT", effect)


def both(text: str) -> list[Machine]:
    sources = [Source("urn.pogddl", text)]
    compiled = load_sources(sources, engine="compiled").machine
    return [compiled, load_sources(sources, engine="reference").machine]


def weights(machine: Machine, state: State) -> dict[str, float]:
    """The probability of each move of chance."""
    role = machine.chance_role
    assert role is not None
    moves = [format_term(machine.move_term(role, m)) for m in machine.legal(state, role)]
    found = machine.chance_weights(state)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    table = machine.chance_weights_batch(state[None, :])
    assert table[0, list(machine.legal(state, role))].tolist() == found.tolist()
    return dict(zip(moves, found.tolist(), strict=True))


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ("", {"red": "1/3", "blue": "1/3", "green": "1/3"}),
        ("(:choose :parameters () :condition (calm) :select (5 (draw red)))",
         {"red": "1/3", "blue": "1/3", "green": "1/3"}),
        ("(:choose :parameters () :select (1 (draw red) 3 (draw blue)))",
         {"red": "1/4", "blue": "3/4"}),
        ("(:choose :parameters () :select (1/3 (draw red) .5 (draw green) 0 (draw blue)))",
         {"red": "2/5", "green": "3/5"}),
        ("(:choose :parameters () :select (1 (draw red) 1 (draw red) 2 (draw blue)))",
         {"red": "1/2", "blue": "1/2"}),
        ("(:choose :parameters (?b - ball) :condition (not (= ?b red)) :select (1 (draw ?b)))"
         "(:choose :parameters () :select (2 (draw red)))",
         {"red": "1/2", "blue": "1/4", "green": "1/4"}),
        (BY_LEFT, {"red": "1/2", "blue": "3/8", "green": "1/8"}),
        ("(:choose :parameters (?b - ball) :select ((* (left ?b) (+ 1 (draws))) (draw ?b)))",
         {"red": "1/2", "blue": "3/8", "green": "1/8"}),
        ("(:choose :parameters (?b - ball) :select ((/ (left ?b) (worth ?b)) (draw ?b)))",
         {"red": "4000000/4003001", "blue": "3000/4003001", "green": "1/4003001"}),
    ],
)  # fmt: skip
def test_probabilities_are_exact_on_both_machines(choices: str, expected: dict[str, str]) -> None:
    wanted = {f"(draw {ball})": float(Fraction(share)) for ball, share in expected.items()}
    for machine in both(urn(choices)):
        assert weights(machine, machine.initial()) == pytest.approx(wanted, rel=1e-12)


def test_weights_follow_the_state_and_a_weight_of_0_is_no_move() -> None:
    for machine in both(urn(BY_LEFT, draws=9, effect=TAKE)):
        state = after(machine, ("draw", "green"), ("draw", "red"), ("draw", "red"))
        assert weights(machine, state) == pytest.approx({"(draw red)": 0.4, "(draw blue)": 0.6})
        assert legal_texts(machine, state, "chance") == ["(draw blue)", "(draw red)"]


def test_the_game_is_over_where_all_weights_are_0() -> None:
    draws: list[tuple[str, ...]] = [("draw", b) for b in ["red"] * 4 + ["blue"] * 3 + ["green"]]
    for machine in both(urn(BY_LEFT, draws=9, effect=TAKE)):
        state = after(machine, *draws)
        assert legal_texts(machine, state, "chance") == []
        assert machine.terminal(state)


def balls_drawn(machine: Machine, count: int, seed: int) -> dict[str, int]:
    """Number of draws of each ball in playouts, decoded from the sum of payoffs."""
    chunk = 999  # so that no count carries into the next
    found = dict.fromkeys(WORTH, 0)
    for part in range(count // chunk):
        starts = machine.initial()[None, :]
        played = machine.playouts(starts, seed=seed + part, count=chunk)
        total = int(played.goal_sums[0, machine.roles.index("ann")]) // machine.goal_scale
        for ball in WORTH:
            total, found[ball] = total // 1_000, found[ball] + total % 1_000
    return found


@pytest.mark.parametrize(
    ("choices", "shares"),
    [
        ("", (1 / 3, 1 / 3, 1 / 3)),
        ("(:choose :parameters () :select (1 (draw red) 3 (draw blue)))", (0.25, 0.75, 0.0)),
        (BY_LEFT, (0.5, 0.375, 0.125)),
        ("(:choose :parameters () :select (7 (draw red) 11 (draw blue) 13 (draw green)))",
         (7 / 31, 11 / 31, 13 / 31)),
    ],
)  # fmt: skip
def test_playouts_draw_by_weight(choices: str, shares: tuple[float, ...]) -> None:
    machine = both(urn(choices))[0]
    drawn = np.array(list(balls_drawn(machine, 50_000, seed=3).values()))
    expected = drawn.sum() * np.array(shares)
    assert not drawn[expected == 0].any()
    deviation = np.sqrt(expected * (1 - np.array(shares)))
    # Five standard deviations: a sound machine fails once in a million runs.
    assert (abs(drawn - expected) <= 5 * deviation + 1e-9).all()


def test_draws_without_replacement_have_the_exact_expectation() -> None:
    machine = both(urn(BY_LEFT, draws=3, effect=TAKE))[0]
    count = 40_000
    played = machine.playouts(machine.initial()[None, :], seed=5, count=count)
    mean = played.goal_sums[0, 0] / count
    # Of 8 balls, each draw has the same chances as the first.
    shares = np.array([4, 3, 1]) / 8
    worth = np.array(list(WORTH.values()), np.float64)
    variance = 3 * (5 / 7) * ((worth**2 * shares).sum() - (worth * shares).sum() ** 2)
    assert abs(mean - 3 * (worth * shares).sum()) < 5 * np.sqrt(variance / count)


def test_playouts_of_both_machines_have_the_same_mean() -> None:
    compiled, interpreted = both(urn(BY_LEFT, draws=2, effect=TAKE))
    means = [
        machine.playouts(machine.initial()[None, :], seed=9, count=count).goal_sums[0, 0] / count
        for machine, count in ((compiled, 20_000), (interpreted, 2_000))
    ]
    # A green ball is worth far more than all others: its variance is that of the mean.
    sigma = 1e6 * np.sqrt(0.25 * 0.75 * (1 / 20_000 + 1 / 2_000))
    assert abs(means[0] - means[1]) < 5 * sigma


def test_a_weight_that_may_be_negative_is_left_to_the_interpreted_machine() -> None:
    text = urn("(:choose :parameters (?b - ball) :select ((- (left ?b) 2) (draw ?b)))")
    with pytest.raises(LimitError, match="GRD006"):
        load_sources([Source("urn.pogddl", text)], engine="compiled")
    machine = load_sources([Source("urn.pogddl", text)]).machine
    assert machine.engine == "reference"
    with pytest.raises(PlayError, match="MCH012"):
        machine.chance_weights(machine.initial())
