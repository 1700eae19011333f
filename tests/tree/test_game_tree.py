"""Level order: sweeps forwards and backwards meet nodes in the right order."""

from __future__ import annotations

import numpy as np
import pytest

from efg_games import game_of
from fogspiel.games.load import load
from fogspiel.tree.game_tree import GameTree, node_sequences
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return from_preorder(unfold(load("kuhn_poker").machine))


def test_edges_lead_to_later_levels(kuhn: GameTree) -> None:
    level = np.searchsorted(kuhn.level_starts, np.arange(len(kuhn)), side="right")
    sources = np.repeat(np.arange(len(kuhn)), np.diff(kuhn.first_edges))
    assert len(kuhn.targets) == len(kuhn) - 1
    assert (level[kuhn.targets] > level[sources]).all()


def test_kuhn_has_twelve_infosets_and_thirteen_sequences_a_player(kuhn: GameTree) -> None:
    # Kuhn (1950): 3 cards, 2 decisions with each for both players, 2 actions.
    assert len(kuhn.infosets) == 12
    assert [kuhn.infosets.sequence_count(player) for player in (1, 2)] == [13, 13]
    assert kuhn.infosets.starts.tolist() == [0, 6, 12]


def test_chance_reaches_all_deals_alike(kuhn: GameTree) -> None:
    ends = kuhn.leaves
    assert np.allclose(kuhn.chance_reach[ends], 1 / 6)
    assert (kuhn.first_edges[ends] == kuhn.first_edges[ends + 1]).all()


def test_sequences_end_with_the_last_own_action(kuhn: GameTree) -> None:
    sequences = node_sequences(kuhn)
    assert sequences[0].tolist() == [0, 0]
    for node in np.flatnonzero(kuhn.movers > 0).tolist():
        infoset, player = int(kuhn.node_infosets[node]), int(kuhn.movers[node])
        assert sequences[node, player - 1] == kuhn.infosets.parent_sequences[infoset]
        children = kuhn.targets[kuhn.first_edges[node] : kuhn.first_edges[node + 1]]
        first = kuhn.infosets.first_sequences[infoset]
        assert sequences[children, player - 1].tolist() == [first, first + 1]


def test_a_player_who_forgets_its_move_is_refused() -> None:
    forgetful = """EFG 2 R "forgets" { "A" }
    p "" 1 1 "first" { "l" "r" } 0
    p "" 1 2 "again" { "x" "y" } 0
    t "" 1 "" { 1 }
    t "" 2 "" { 2 }
    p "" 1 2 "again" { "x" "y" } 0
    t "" 3 "" { 3 }
    t "" 4 "" { 4 }
    """
    tree = tree_of_efg(game_of(forgetful))
    with pytest.raises(ValueError, match="no perfect recall: at the infoset 'again'"):
        from_preorder(tree)
