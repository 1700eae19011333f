"""A selection rule of one's own: its bodies are compiled into the walk, and not kept on disk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from searches import assert_all_came_back, by_name, searched, statistics_at

from fogspiel.core.native import CACHE
from fogspiel.search.mcts.algorithms import UCT, Algorithm
from fogspiel.search.mcts.kernels.backup import (
    is_back,
    learn,
    learn_means,
    met,
    opened,
)
from fogspiel.search.mcts.kernels.bounds import UNKNOWN, best_bound, visit
from fogspiel.search.mcts.kernels.decisions import BACK, STOOD
from fogspiel.search.mcts.kernels.selection import (
    choose,
    forced,
    headers,
    moves_at_new,
    prepare,
)
from fogspiel.search.mcts.kernels.walk import walk


class EpsilonGreedy(NamedTuple):
    """The best mean, or with a small probability any move."""

    constant: float


@headers.of(EpsilonGreedy)
def _headers(rule):  # type: ignore[no-untyped-def]
    return 1


@moves_at_new.of(EpsilonGreedy)
def _moves_at_new(rule):  # type: ignore[no-untyped-def]
    return False


@prepare.of(EpsilonGreedy)
def _prepare(rule, heads, rows, seats, tag, node):  # type: ignore[no-untyped-def]
    return np.int64(-1)


@choose.of(EpsilonGreedy)
def _choose(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
    if uniform < rule.constant:
        move = first + int(uniform / rule.constant * count)
    else:
        left = (uniform - rule.constant) / (1.0 - rule.constant)
        move = best_bound(rows, first, count, 0.0, left)
    visit(rows, move, UNKNOWN)
    return move, 1.0, 1.0


@forced.of(EpsilonGreedy)
def _forced(rule, rows, arm, first, count, learns):  # type: ignore[no-untyped-def]
    return 1.0, 1.0


@met.of(EpsilonGreedy)
def _met(rule, rows, block, pick):  # type: ignore[no-untyped-def]
    rows[block, STOOD] += 1.0


@is_back.of(EpsilonGreedy)
def _is_back(rule, rows, block):  # type: ignore[no-untyped-def]
    return rows[block, BACK] > 0.0


@opened.of(EpsilonGreedy)
def _opened(rule, rows, old, block):  # type: ignore[no-untyped-def]
    rows[block, STOOD], rows[block, BACK] = rows[old, STOOD], rows[old, BACK]


@learn.of(EpsilonGreedy)
def _learn(rule, rows, trail, chances, row, length, goals, end, learner, weight):  # type: ignore[no-untyped-def]
    learn_means(rows, trail, row, length, goals, end)


def test_a_rule_of_ones_own_finds_the_centre_and_is_not_kept_on_disk() -> None:
    rule: Any = EpsilonGreedy(0.2)
    search = searched("tic_tac_toe", Algorithm(keys="state", rule=rule), 20_000)
    assert_all_came_back(search)
    found = statistics_at(search)
    visits = by_name(search, found, found.visits)
    assert max(visits, key=lambda move: visits[move]) == "(mark 2 2)"
    # A fifth of the choices is even.
    assert found.visits.min() > 0.2 / 9 * 0.7 * 20_000
    own: Any = search._walk
    assert own is not walk
    assert own.overloads
    assert own.stats.cache_path is None
    assert walk.stats.cache_path is not None or CACHE is None  # type: ignore[attr-defined]


def test_rules_of_fogspiel_are_kept_on_disk() -> None:
    search = searched("tic_tac_toe", UCT, 100)
    assert search._walk is walk


def test_a_rule_without_bodies_is_refused() -> None:
    class Nothing(NamedTuple):
        constant: float

    rule: Any = Nothing(0.1)
    with pytest.raises(Exception, match="Nothing"):
        searched("tic_tac_toe", Algorithm(keys="state", rule=rule), 10)
