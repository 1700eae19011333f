"""Positions of bundled games, and how a sample is judged against the exact posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import sqrt
from typing import TypeVar

import numpy as np

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import Belief, BeliefRequest, Histories, OpponentModel
from fogspiel.core.terms import Observation, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, State

_Belief = TypeVar("_Belief", bound=Belief)


@dataclass(frozen=True, slots=True)
class Case:
    """A random position of a game."""

    game: str
    role: int
    steps: int
    seed: int = 1

    def __str__(self) -> str:
        """The name of a test of this position."""
        return f"{self.game}-{self.role}-{self.steps}-{self.seed}"


SMALL = [
    Case("monty_hall", 1, 2),
    Case("monty_hall", 1, 3),
    Case("kuhn_poker", 1, 3),
    Case("kuhn_poker_pogddl", 1, 3),
    Case("leduc_poker", 1, 5),
    Case("leduc_poker", 2, 7, 2),
    Case("latent_tic_tac_toe", 0, 5),
    Case("latent_tic_tac_toe", 1, 6, 2),
    Case("phantom_connect_four", 0, 4),
    Case("blind_breakthrough_6", 0, 3),
    Case("number_guessing_16", 1, 3),
    Case("battleship_4_2", 0, 7),
    Case("battleship_4_2", 1, 12, 3),
    Case("racko_12_3", 1, 8),
    Case("difference_9", 1, 7),
    Case("gops_4_10", 1, 6),
    Case("liars_dice", 1, 4),
    Case("meier", 1, 4),
    Case("slippery_robot", 1, 4),
    Case("exploding_bomb", 1, 3),
    Case("dark_hex_3", 0, 4),
    Case("hidden_goofspiel_4", 0, 3, 4),
    Case("blind_tic_tac_toe", 1, 3),
    Case("mastermind", 1, 3),
]
"""Information sets that are enumerated in a moment."""


@cache
def machine_of(game: str) -> Machine:
    return load(game).machine


@cache
def position_of(case: Case) -> Position:
    machine = machine_of(case.game)
    course = random_history(machine, case.steps, case.seed)
    return position_after(machine, course, RoleId(case.role))


def told(belief: _Belief, observations: Sequence[Observation]) -> _Belief:
    """A belief after some sightings."""
    for observation in observations:
        belief.advance(observation)
    return belief


def exact_of(case: Case, model: OpponentModel | None = None) -> ExactBelief:
    position = position_of(case)
    belief = ExactBelief(BeliefRequest(machine_of(case.game), position.role, model=model))
    return told(belief, position.observations)


def posterior(histories: Histories) -> dict[bytes, float]:
    """The probability of each history."""
    weights = histories.weights / histories.weights.sum()
    table: dict[bytes, float] = {}
    for joints, weight in zip(histories.joints, weights, strict=True):
        key = joints.tobytes()
        table[key] = table.get(key, 0.0) + float(weight)
    return table


def deviation(drawn: Histories, truth: Histories) -> float:
    """Pearson's chi-square of a weighted sample, as a number of standard deviations.

    Weights make a sample count for less: for (sum w)^2 / sum w^2. Histories are joined, those of
    least probability first, until 5 of each group are expected. The chi-square is made normal by
    Wilson and Hilferty (1931).
    """
    expected, found = posterior(truth), posterior(drawn)
    assert set(found) <= set(expected), "a history that does not fit was drawn"
    effective = drawn.weights.sum() ** 2 / (drawn.weights**2).sum()
    groups: list[tuple[float, float]] = []
    pending, seen = 0.0, 0.0
    for key in sorted(expected, key=lambda key: (expected[key], key)):
        pending, seen = pending + expected[key], seen + found.get(key, 0.0)
        if pending * effective >= 5:
            groups.append((pending, seen))
            pending, seen = 0.0, 0.0
    if pending > 0.0 and groups:
        groups[-1] = (groups[-1][0] + pending, groups[-1][1] + seen)
    free = len(groups) - 1
    if free < 1:
        return 0.0
    statistic = effective * sum((seen - part) ** 2 / part for part, seen in groups)
    spread = 2.0 / (9.0 * free)
    return float(((statistic / free) ** (1 / 3) - (1.0 - spread)) / sqrt(spread))


def brute_force(
    machine: Machine, role: RoleId, observations: Sequence[Observation]
) -> dict[tuple[tuple[int, ...], ...], float]:
    """All histories that fit and their probabilities, by going through all courses of play."""
    courses: dict[tuple[tuple[int, ...], ...], tuple[State, float]]
    courses = {(): (machine.initial(), 1.0)}
    for observation in observations:
        longer: dict[tuple[tuple[int, ...], ...], tuple[State, float]] = {}
        for past, (state, weight) in courses.items():
            if machine.terminal(state):
                continue
            legal = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
            for joint in product(*legal):
                seen = machine.percepts(state, joint, role)
                if joint[role] != observation.move or seen != tuple(sorted(observation.percepts)):
                    continue
                share = weight
                for other, moves in enumerate(legal):
                    if other == role:
                        continue
                    if other == machine.chance_role:
                        share *= float(machine.chance_weights(state)[moves.index(joint[other])])
                    else:
                        share /= len(moves)
                longer[(*past, joint)] = (machine.step(state, joint), share)
        courses = longer
    total = sum(weight for _, weight in courses.values())
    return {past: weight / total for past, (_, weight) in courses.items()}


def true_history_is_in(histories: Histories, position: Position) -> bool:
    assert position.joints is not None
    truth = np.array(position.joints, np.int32).reshape(histories.joints.shape[1:])
    return bool((histories.joints == truth).all(axis=(1, 2)).any())
