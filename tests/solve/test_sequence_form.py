"""The sequence form gives every pair of plans the values that the tree gives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from efg_games import game_of, kuhn_efg
from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.sequence_form import (
    SequenceGame,
    constant_sum,
    require_constant_sum,
    sequence_game,
)
from fogspiel.tree.game_tree import GameTree, node_sequences
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


def bundled(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


@pytest.fixture(scope="module")
def kuhn() -> SequenceGame:
    return sequence_game(bundled("kuhn_poker"))


def dense(game: SequenceGame, player: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    payoffs = game.payoffs[player]
    shape = (len(payoffs.starts) - 1, game.treeplexes[1 - player].sequence_count)
    matrix = np.zeros(shape)
    for row in range(shape[0]):
        inside = slice(payoffs.starts[row], payoffs.starts[row + 1])
        matrix[row, payoffs.others[inside]] = payoffs.entries[inside]
    return matrix


@pytest.mark.parametrize("name", ["kuhn_poker", "prisoners_dilemma", "hidden_goofspiel_4"])
@pytest.mark.parametrize("player", [0, 1])
def test_entries_sum_what_the_leaves_of_a_pair_bring(name: str, player: int) -> None:
    tree = bundled(name)
    game = sequence_game(tree)
    sequences, table = node_sequences(tree), tree.payoffs
    expected = np.zeros([game.treeplexes[p].sequence_count for p in (player, 1 - player)])
    for leaf in tree.leaves.tolist():
        gain = table[tree.node_payoffs[leaf], player] - game.payoffs[player].offset
        pair = sequences[leaf, player], sequences[leaf, 1 - player]
        expected[pair] += tree.chance_reach[leaf] * gain
    assert np.allclose(dense(game, player), expected, atol=1e-12)
    assert (game.payoffs[player].entries != 0.0).all()


def test_the_commonest_payoff_needs_no_entries(kuhn: SequenceGame) -> None:
    # Kuhn (1950): of 30 ends, 9 bring the first player one chip less than at the start
    # (3 deals of 6 passed and lost, 6 folds), which is goal 25. No two share a pair of sequences.
    assert kuhn.payoffs[0].offset == 25.0
    assert [len(payoffs.entries) for payoffs in kuhn.payoffs] == [21, 21]


def test_both_views_of_a_constant_sum_game_are_one_matrix(kuhn: SequenceGame) -> None:
    assert kuhn.constant == 100
    assert np.array_equal(dense(kuhn, 0), -dense(kuhn, 1).T)
    assert kuhn.payoffs[0].offset + kuhn.payoffs[1].offset == 100.0


def test_constant_sums_are_told_exactly() -> None:
    assert constant_sum(from_preorder(tree_of_efg(game_of(kuhn_efg())))) == Fraction(0)
    assert constant_sum(bundled("prisoners_dilemma")) is None


def test_a_general_sum_game_is_refused_where_a_constant_is_needed() -> None:
    with pytest.raises(UsageError, match="from 66 to 132") as caught:
        require_constant_sum(sequence_game(bundled("prisoners_dilemma")))
    assert caught.value.findings[0].code == "SOL002"


def test_one_player_has_no_sequence_form() -> None:
    with pytest.raises(UsageError) as caught:
        sequence_game(bundled("monty_hall"))
    assert caught.value.findings[0].code == "SOL003"
