"""Trees are equal just if they mean the same game, and differences are found and named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

from efg_games import COIN, game_of, kuhn_efg, random_game
from fogspiel.games.load import load
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.compare.isomorphism import compare
from fogspiel.tree.compare.reduce import reduced
from fogspiel.tree.preorder import PreorderTree, TreeInfoset, preorder, tree_of_efg
from unfolding import in_preorder

HEADER = 'EFG 2 R "" { "Ann" "Ben" }\n'


def shuffled(tree: PreorderTree, rng: Random) -> PreorderTree:
    """The same game with actions and infosets in another order."""
    orders = [rng.sample(range(len(own.actions)), len(own.actions)) for own in tree.infoset_table]
    actions = tree.actions.copy()
    depths = np.zeros(len(tree), np.int64)
    for node in range(1, len(tree)):
        parent = int(tree.parents[node])
        depths[node] = depths[parent] + 1
        actions[node] = orders[int(tree.infosets[parent])].index(int(actions[node]))
    order, parents = preorder(
        tree.parents, actions, [np.flatnonzero(depths == own) for own in range(depths.max() + 1)]
    )
    table = [
        TreeInfoset(
            own.player,
            f"other {own.label}",
            tuple(own.actions[place] for place in places),
            tuple(own.probabilities[place] for place in places if own.probabilities),
        )
        for own, places in zip(tree.infoset_table, orders, strict=True)
    ]
    return replace(
        tree,
        parents=parents,
        actions=actions[order],
        infosets=tree.infosets[order],
        payoffs=tree.payoffs[order],
        infoset_table=tuple(table),
    )


@cache
def random_tree(seed: int) -> PreorderTree:
    return tree_of_efg(random_game(seed))


@pytest.mark.parametrize("seed", range(150))
def test_order_and_names_make_no_difference(seed: int) -> None:
    tree = random_tree(seed)
    other = shuffled(tree, Random(seed))
    assert compare(tree, other)
    assert compare(tree, other, labels=True)
    assert compare(tree, other, merge_chance=True)


@pytest.mark.parametrize("seed", range(60))
def test_another_payoff_makes_a_difference(seed: int) -> None:
    tree = reduced(random_tree(seed))
    if len(tree) < 3:
        return
    leaves = np.flatnonzero(tree.payoffs >= 0)
    payoffs = tree.payoffs.copy()
    payoffs[leaves[seed % len(leaves)]] = len(tree.payoff_table)
    fresh = tuple(Fraction(1, 97) for _ in tree.players)
    other = replace(tree, payoffs=payoffs, payoff_table=(*tree.payoff_table, fresh))
    found = compare(tree, shuffled(other, Random(seed)))
    assert not found
    assert (
        "1/97" in found.difference
        or "no partner" in found.difference
        or "ends with" in found.difference
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_split_infoset_makes_a_difference(seed: int) -> None:
    tree = reduced(random_tree(seed))
    sizes = np.bincount(tree.infosets[tree.infosets >= 0], minlength=len(tree.infoset_table))
    shared = [
        index
        for index, own in enumerate(tree.infoset_table)
        if own.player != CHANCE and sizes[index] > 1
    ]
    if not shared:
        return
    infosets = tree.infosets.copy()
    infosets[np.flatnonzero(infosets == shared[0])[-1]] = len(tree.infoset_table)
    table = (*tree.infoset_table, tree.infoset_table[shared[0]])
    found = compare(tree, replace(tree, infosets=infosets, infoset_table=table))
    assert not found
    assert "but for what players know" in found.difference


def test_kuhn_poker_is_the_same_by_hand_and_by_rules() -> None:
    """Goals of the rules stand for (goal - 50) / 25 chips; two draws there, one here."""
    by_rules = in_preorder(load("kuhn_poker").machine)
    by_hand = tree_of_efg(game_of(kuhn_efg()))
    chips = [(Fraction(1, 25), Fraction(-2))] * 2
    assert compare(by_rules, by_hand, payoff_map=chips, merge_chance=True)
    found = compare(by_rules, by_hand, payoff_map=chips)
    assert found.difference == (
        "at the root: chance has 3 actions in the first game, chance has 6 actions in the second"
    )
    assert "the game ends with" in compare(by_rules, by_hand, merge_chance=True).difference


@pytest.mark.parametrize(
    ("name", "scale", "offset"),
    [("kuhn_poker", "1/25", -2), ("simple_poker", "1/25", -2)],
)
def test_games_are_the_same_in_gdl_and_in_pogddl(name: str, scale: str, offset: int) -> None:
    """Goals of GDL run from 0 to 100; in POGDDL payoffs are chips."""
    mapping = [(Fraction(scale), Fraction(offset))] * 2
    first, second = (in_preorder(load(own).machine) for own in (name, f"{name}_pogddl"))
    found = compare(first, second, payoff_map=mapping)
    assert found, found.difference


def test_what_a_player_sees_makes_a_difference() -> None:
    seen = COIN.replace('p "" 2 1 0', 'p "" 2 2 "tails, a bet" { "call" "fold" } 0')
    found = compare(tree_of_efg(game_of(COIN)), tree_of_efg(game_of(seen)))
    assert found.difference == (
        "the trees agree but for what players know: "
        "Colin has 1 infosets in the first game, 2 in the second"
    )


def test_names_count_if_asked_for() -> None:
    tree, other = (tree_of_efg(game_of(text)) for text in (COIN, COIN.replace('"bet"', '"raise"')))
    assert compare(tree, other)
    found = compare(tree, other, labels=True)
    assert found.difference == (
        "after heads: the action 'bet' in the first game has no partner in the second, "
        "which has the action 'raise'"
    )
    assert (
        "called differently"
        in compare(tree, replace(other, players=("A", "B")), labels=True).difference
    )
    assert "numbers of players" in compare(tree, replace(other, players=("A",))).difference


def test_probabilities_make_a_difference() -> None:
    other = COIN.replace('0.5 "tails" .50', '2/3 "tails" 1/3')
    found = compare(tree_of_efg(game_of(COIN)), tree_of_efg(game_of(other)))
    assert "with probability 1/2" in found.difference


def test_choices_that_are_none_make_no_difference() -> None:
    plain = HEADER + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 0 }\nt "" 2 "" { 0 1 }'
    padded = HEADER + (
        'c "" 1 "" { "x" 0 "y" 1 } 0\nt "" 0\np "" 2 1 "" { "go" } 0\n'
        'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 0 }\nc "" 2 "" { "z" 1 } 0\nt "" 2 "" { 0 1 }'
    )
    assert compare(tree_of_efg(game_of(plain)), tree_of_efg(game_of(padded)))


def test_infosets_of_chance_make_no_difference() -> None:
    text = HEADER + 'p "" 1 1 "" { "a" "b" } 0\n'
    for number in (1, 2):
        text += f'c "" {number} "" {{ "x" 1/3 "y" 2/3 }} 0\nt "" 1 "" {{ 1 0 }}\nt "" 0\n'
    assert compare(
        tree_of_efg(game_of(text)), tree_of_efg(game_of(text.replace('c "" 2', 'c "" 1')))
    )


def test_branches_of_chance_that_lead_to_the_same_can_be_merged() -> None:
    split = HEADER + (
        'c "" 1 "" { "x" 1/4 "y" 3/4 } 0\nc "" 2 "" { "u" 1/2 "v" 1/2 } 0\n'
        't "" 1 "" { 1 0 }\nt "" 2 "" { 0 1 }\nt "" 2'
    )
    plain = HEADER + 'c "" 1 "" { "x" 7/8 "y" 1/8 } 0\nt "" 2 "" { 0 1 }\nt "" 1 "" { 1 0 }'
    trees = tree_of_efg(game_of(split)), tree_of_efg(game_of(plain))
    assert compare(*trees, merge_chance=True)
    assert not compare(*trees)


def crossed(ben: tuple[int, ...]) -> PreorderTree:
    """Four equal draws; Ann cannot tell 1 from 2 or 3 from 4, and Ben's infosets are given."""
    text = HEADER + 'c "" 1 "" { "1" 1/4 "2" 1/4 "3" 1/4 "4" 1/4 } 0\n'
    for ann, own in zip((1, 1, 2, 2), ben, strict=True):
        text += f'p "" 1 {ann} "" {{ "a" "b" }} 0\n'
        for payoff in (0, 2):
            text += f'p "" 2 {own + payoff} "" {{ "x" "y" }} 0\n'
            text += (
                f't "" {payoff + 1} "" {{ {payoff} 0 }}\nt "" {payoff + 2} "" {{ {payoff} 1 }}\n'
            )
    return tree_of_efg(game_of(text))


def test_infosets_that_cross_are_told_from_those_that_do_not() -> None:
    """Colours alone cannot: every node sees the same around it, two pairs or a ring of four."""
    nested, ring = crossed((1, 1, 2, 2)), crossed((1, 2, 1, 2))
    assert not compare(nested, ring)
    assert compare(ring, crossed((1, 2, 2, 1)))
    assert compare(ring, shuffled(ring, Random(5)))
    assert "cross" in compare(nested, ring).difference


def test_large_trees_are_compared_soon() -> None:
    tree = in_preorder(load("leduc_poker").machine)
    assert compare(tree, shuffled(tree, Random(3)))
