"""Uniform choice: every legal move equally often, no other move, and lanes without any reported."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.kernel.evaluate import LANES
from fogspiel.machine.compiled.kernel.intrinsics import Address, Width, address_of, store
from fogspiel.machine.compiled.kernel.wiring import Wiring, WiringView, view_wiring
from fogspiel.machine.compiled.run.choose import (
    Chooser,
    choose_moves,
    make_chooser,
    seed_generator,
)


@native
def draw_rounds(
    values: Address, wiring: WiringView, chooser: Chooser, stuck: Address, width: Width
) -> None:
    store(stuck, np.uint64(0), choose_moves(values, wiring, chooser, width))


class Draws:
    """Draws for roles whose moves are legal if a fluent of their own holds, with given legality."""

    def __init__(
        self, legal: list[NDArray[np.bool_]], words: int, seed: int, weights: tuple[int, ...] = ()
    ) -> None:
        """legal: (lanes, moves) for each role. weights: those of the first role's moves, if any."""
        self.counts = [mask.shape[1] for mask in legal]
        self.words = words
        moves = sum(self.counts)
        table = np.ascontiguousarray(np.concatenate(legal, axis=1).T)  # (moves, lanes)
        packed = np.packbits(table, axis=1, bitorder="little").view(np.uint64)
        self.values = np.zeros((1 + 2 * moves, words), np.uint64)
        self.values[0] = np.uint64(2**64 - 1)
        self.values[1 : 1 + moves] = packed
        nothing = np.zeros(0, np.int64)
        self.wiring = Wiring(
            fluents=moves,
            first_move=1 + moves,
            role_starts=np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64),
            legal=(2 * np.arange(1, 1 + moves)).astype(np.uint32),
            terminal=1,
            next=nothing.astype(np.uint32),
            goals=nothing.astype(np.uint32),
            goal_roles=nothing,
            goal_values=nothing,
            goal_fluents=nothing,
            goal_cost=0,
            weighted_role=0 if weights else len(legal),
            weights=(2 * np.arange(1, 1 + len(weights))).astype(np.uint32),
            weight_moves=np.arange(len(weights)),
            weight_values=np.array(weights, np.int64),
        )
        self.chooser, self.generator = make_chooser(len(legal), moves, words)
        seed_generator(self.generator, seed)

    def draw(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """(lanes, moves) chosen moves, for each role; (lanes,) whether some role has no move."""
        stuck = np.zeros(self.words, np.uint64)
        draw_rounds(
            address_of(self.values),
            view_wiring(self.wiring),
            self.chooser,
            address_of(stuck),
            (0,) * self.words,
        )
        made = self.values[self.wiring.first_move :]
        bits = np.unpackbits(made.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
        chosen = np.split(bits.T, np.cumsum(self.counts)[:-1], axis=1)
        return chosen, np.unpackbits(stuck.view(np.uint8), bitorder="little").astype(np.bool_)


def some_legal(counts: NDArray[np.int64], moves: int, seed: int) -> NDArray[np.bool_]:
    """(lanes, moves) legality, with so many random legal moves in each lane."""
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.tile(np.arange(moves), (len(counts), 1)), axis=1)
    return ranks < counts[:, None]


@pytest.mark.parametrize("words", [1, 8, 16])
def test_exactly_one_legal_move_is_chosen_in_every_lane_that_has_one(words: int) -> None:
    lanes = LANES * words
    legal = [
        some_legal(np.arange(lanes) % 41, 40, seed=1),
        some_legal(np.arange(lanes) % 7 + 1, 9, seed=2),
        some_legal(np.ones(lanes, np.int64), 3, seed=3),
    ]
    draws = Draws(legal, words, seed=4)
    for _ in range(20):
        chosen, stuck = draws.draw()
        for mask, made in zip(legal, chosen, strict=True):
            assert not (made & ~mask).any()
            assert (made.sum(axis=1) == mask.any(axis=1)).all()
        assert (stuck == ~legal[0].any(axis=1)).all()


@pytest.mark.parametrize("turns", [False, True], ids=["one role", "roles in turns"])
def test_choices_among_1_to_40_moves_pass_chi_square(turns: bool) -> None:
    """A test for each number of legal moves, at six standard deviations of its statistic."""
    words, rounds = 16, 300
    lanes = LANES * words
    counts = np.arange(lanes) % 40 + 1
    legal = [some_legal(counts, 40, seed=5)]
    if turns:  # a second role that chooses where the first has one move: one draw serves both
        legal.append(some_legal(np.where(counts == 1, 5, 1), 6, seed=6))
    draws = Draws(legal, words, seed=7)
    picks = np.zeros((lanes, 40), np.int64)
    for _ in range(rounds):
        chosen, _ = draws.draw()
        picks += chosen[0]
    # The rank of a move among the legal ones of its lane, so that lanes can be added up.
    ranks = np.where(legal[0], legal[0].cumsum(axis=1) - 1, -1)
    for count in range(2, 41):
        rows = counts == count
        observed = np.array([picks[rows][ranks[rows] == rank].sum() for rank in range(count)])
        expected = rows.sum() * rounds / count
        statistic = float(((observed - expected) ** 2 / expected).sum())
        degrees = count - 1
        # Chi-square has mean k and variance 2k (any textbook); skew matters for small k.
        assert statistic < degrees + 6 * sqrt(2 * degrees) + 6
        assert observed.sum() == rows.sum() * rounds


@pytest.mark.parametrize("words", [1, 16])
def test_choices_by_weight_follow_the_weights_of_the_legal_moves(words: int) -> None:
    """Lanes differ in legal moves; a second role chooses uniformly beside the first."""
    weights, rounds = (1, 2, 3, 7, 100, 64), 6_000 // words
    lanes = LANES * words
    legal = [
        some_legal(np.arange(lanes) % 6 + 1, 6, seed=9),
        some_legal(np.arange(lanes) % 3 + 1, 4, seed=10),
    ]
    draws = Draws(legal, words, seed=11, weights=weights)
    picks = [np.zeros(mask.shape, np.int64) for mask in legal]
    for _ in range(rounds):
        chosen, stuck = draws.draw()
        assert not stuck.any()
        for total, made, mask in zip(picks, chosen, legal, strict=True):
            assert (made.sum(axis=1) == 1).all()
            assert not (made & ~mask).any()
            np.add(total, made, out=total)
    for total, mask, amounts in zip(picks, legal, (weights, (1,) * 4), strict=True):
        shares = mask * np.array(amounts)
        chances = shares / shares.sum(axis=1, keepdims=True)
        sigma = np.sqrt(rounds * (chances * (1 - chances)).sum(axis=0))
        assert (abs(total.sum(axis=0) - rounds * chances.sum(axis=0)) < 5 * sigma).all()


def test_choices_of_neighbouring_lanes_and_rounds_are_independent() -> None:
    """Two moves in each of 1,024 lanes: pairs of choices fall equally on all four outcomes."""
    words, rounds = 16, 400
    draws = Draws([np.ones((LANES * words, 2), np.bool_)], words, seed=8)
    series = np.stack([draws.draw()[0][0][:, 1] for _ in range(rounds)]).astype(np.int64)
    for first, second in ((series[:-1], series[1:]), (series[:, :-1], series[:, 1:])):
        outcomes = np.bincount((2 * first + second).ravel(), minlength=4)
        sigma = sqrt(first.size * 0.25 * 0.75)
        assert (abs(outcomes - first.size / 4) < 5 * sigma).all()


def test_the_same_seed_draws_the_same() -> None:
    legal = [some_legal(np.arange(LANES) % 9 + 1, 9, seed=1)]
    first, second, other = (Draws(legal, 1, seed) for seed in (1, 1, 2))
    series = [[d.draw()[0][0].tobytes() for _ in range(10)] for d in (first, second, other)]
    assert series[0] == series[1] != series[2]
