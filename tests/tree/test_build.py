"""The fast builder and the slow one give the same game."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from doubtful_game import UNKNOWN_MOVES
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import Machine, States
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, node_sequences
from level_order import from_preorder
from unfolding import unfold

SMALL = (
    "kuhn_poker", "leduc_poker", "prisoners_dilemma", "biased_rps", "monty_hall", "goofspiel_4",
    "hidden_goofspiel_4", "exploding_bomb", "coin_flip", "simple_poker", "simple_poker_pogddl",
    "kuhn_poker_pogddl", "slippery_robot",
)  # fmt: skip

CHANCE_AT_LAST = """
    (role a) (role b) (role random)
    (init (step 1))
    (<= (legal ?r (pick 1)) (role ?r)) (<= (legal ?r (pick 2)) (role ?r))
    (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
    (<= (sees ?r nothing) (role ?r) (true (step 9)))
    (goal a 10) (goal b 20)
"""

FORGOTTEN_COIN = """
    (role a) (role random) (init (step 1))
    (<= (legal random heads) (true (step 1))) (<= (legal random tails) (true (step 1)))
    (<= (legal random wait) (not (true (step 1))))
    (<= (legal a wait) (true (step 1)))
    (<= (legal a left) (not (true (step 1)))) (<= (legal a right) (not (true (step 1))))
    (<= (next (coin ?x)) (does random ?x) (true (step 1)))
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
    (<= (next (step 4)) (true (step 3))) (<= terminal (true (step 4)))
    (<= (sees a nothing) (true (step 9)))
    (goal a 1)
"""


@cache
def built(name: str) -> GameTree:
    return build(load(name).machine, title=name)


@cache
def slow(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine, title=name))


@pytest.mark.parametrize("name", SMALL)
def test_both_builders_have_the_same_sequence_form(name: str) -> None:
    fast, reference = built(name), slow(name)
    assert fast.players == reference.players
    assert fast.infosets.starts.tolist() == reference.infosets.starts.tolist()
    ours, theirs = sequence_form(fast), sequence_form(reference)
    assert ours.keys() == theirs.keys()
    assert all(np.allclose(ours[key], theirs[key], atol=1e-12) for key in ours)
    assert len(fast) <= len(reference)


def sequence_form(tree: GameTree) -> dict[tuple[tuple[str, ...], ...], NDArray[np.float64]]:
    """Payoffs times chance by the names of the sequences of all players."""
    names = [sequence_names(tree, player) for player in range(1, len(tree.players) + 1)]
    sequences = node_sequences(tree)
    form: dict[tuple[tuple[str, ...], ...], NDArray[np.float64]] = {}
    payoffs = tree.payoffs
    for leaf in tree.leaves.tolist():
        key = tuple(own[sequence] for own, sequence in zip(names, sequences[leaf], strict=True))
        value = tree.chance_reach[leaf] * np.append(payoffs[tree.node_payoffs[leaf]], 1.0)
        form[key] = form.get(key, np.zeros(1)) + value
    return form


def sequence_names(tree: GameTree, player: int) -> list[tuple[str, ...]]:
    """The labels of infosets and actions along each sequence."""
    infosets = tree.infosets
    names: list[tuple[str, ...]] = [()]
    for infoset in range(*infosets.starts[player - 1 : player + 1].tolist()):
        assert infosets.first_sequences[infoset] == len(names)
        # Infosets with the same label are counted in the order of each tree.
        label = infosets.names.infoset(infoset).split(" #")[0]
        before = names[infosets.parent_sequences[infoset]]
        actions = infosets.names.actions(infoset)
        assert len(actions) == infosets.action_counts[infoset]
        names += [(*before, label, action) for action in actions]
    return names


@pytest.mark.parametrize("name", SMALL)
def test_the_record_of_a_tree_is_sound(name: str) -> None:
    tree = built(name)
    infosets, nodes = tree.infosets, np.arange(len(tree))
    level = np.searchsorted(tree.level_starts, nodes, side="right")
    sources = np.repeat(nodes, np.diff(tree.first_edges))
    assert tree.level_starts[-1] == len(tree)
    assert (level[tree.targets] > level[sources]).all()
    assert set(tree.targets.tolist()) == set(range(1, len(tree)))
    deciding = tree.movers > 0
    assert (deciding == (tree.node_infosets != NO_INFOSET)).all()
    assert (infosets.players[tree.node_infosets[deciding]] == tree.movers[deciding]).all()
    counts = np.diff(tree.first_edges)
    assert (infosets.action_counts[tree.node_infosets[deciding]] == counts[deciding]).all()
    assert ((tree.movers == -1) == (tree.node_payoffs >= 0)).all()
    assert len({(int(level[node]), int(tree.movers[node])) for node in nodes}) == level[-1]
    before = node_sequences(tree)[nodes[deciding], tree.movers[deciding] - 1]
    assert (before == infosets.parent_sequences[tree.node_infosets[deciding]]).all()


@pytest.mark.parametrize("name", SMALL)
def test_chance_reach_is_the_sum_over_all_ways(name: str) -> None:
    tree = built(name)
    reach = np.zeros(len(tree))
    reach[0] = 1.0
    for node in range(len(tree)):
        for edge in range(*tree.first_edges[node : node + 2].tolist()):
            reach[tree.targets[edge]] += reach[node] * tree.probabilities[edge]
    assert np.allclose(reach, tree.chance_reach)


def test_histories_that_nobody_can_tell_apart_are_one_node() -> None:
    tree = build(machine_of(CHANCE_AT_LAST))
    # Chance, a after each of its moves, b after each of theirs; ends differ in what a and b did.
    assert np.bincount(tree.movers + 1).tolist() == [4, 1, 2, 4]
    assert len(tree.targets) == 2 + 4 + 8
    assert tree.chance_reach[tree.leaves].tolist() == [1.0] * 4
    assert len(tree.infosets) == 2


def test_histories_merge_when_their_states_come_to_agree() -> None:
    tree = build(machine_of(FORGOTTEN_COIN))
    # The coin, a after each side, and from then on only what a did: it never learns the side.
    assert np.bincount(tree.movers + 1).tolist() == [4, 1, 2 + 2]
    assert tree.chance_reach.tolist() == [1.0, 0.5, 0.5] + [1.0] * 6
    assert tree.infosets.starts.tolist() == [0, 3]


def test_a_graph_of_slips_has_fewer_nodes_than_its_tree() -> None:
    assert len(built("slippery_robot")) < len(slow("slippery_robot"))


def test_infosets_are_known_by_their_sights() -> None:
    names = built("kuhn_poker").infosets.names
    for infoset in range(12):
        sights = names.observations(infoset)
        assert sights is not None
        assert all(sight.move for sight in sights)
    every = [names.observations(infoset) for infoset in range(12)]
    assert len(set(every)) == 12
    assert "(holds first jack); pass; (move second bet)" in map(names.infoset, range(12))
    with pytest.raises(IndexError):
        names.infoset(12)


@pytest.mark.parametrize("name", ["kuhn_poker", "monty_hall", "goofspiel_4"])
def test_both_engines_build_the_same_tree(name: str) -> None:
    reference = build(load(name, engine="reference").machine)
    fast = built(name)
    assert len(reference) == len(fast)
    ours, theirs = sequence_form(fast), sequence_form(reference)
    assert {frozenset(map(frozenset, key)) for key in ours} == {
        frozenset(map(frozenset, key)) for key in theirs
    }
    assert Counter(totals(ours)) == Counter(totals(theirs))


def totals(form: dict[tuple[tuple[str, ...], ...], NDArray[np.float64]]) -> list[tuple[float, ...]]:
    return [tuple(np.round(value, 9).tolist()) for value in form.values()]


def test_tic_tac_toe_has_the_known_number_of_games() -> None:
    """255,168 courses of play; 549,946 nodes, of which 127,872 offer the last cell only."""
    tree = build(load("tic_tac_toe").machine)
    assert (len(tree.leaves), len(tree)) == (255_168, 549_946 - 127_872)


def test_a_limit_on_nodes_is_kept() -> None:
    seen: list[int] = []
    with pytest.raises(LimitError, match="TRE001"):
        build(load("tic_tac_toe").machine, max_nodes=10_000, progress=seen.append)
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= 10_000
    exact = len(built("leduc_poker"))
    assert len(build(load("leduc_poker").machine, max_nodes=exact)) == exact
    with pytest.raises(LimitError, match="TRE001"):
        build(load("leduc_poker").machine, max_nodes=exact - 1)


def test_a_limit_on_memory_is_kept() -> None:
    with pytest.raises(LimitError, match="GB of memory"):
        build(load("leduc_poker").machine, max_bytes=100_000)
    assert len(build(load("leduc_poker").machine, max_bytes=2_000_000)) == 9457


def test_the_memory_that_a_tree_needs_is_estimated_well() -> None:
    machine = load("tic_tac_toe").machine
    tracemalloc.start()
    build(machine)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(build(machine, max_bytes=int(1.5 * peak))) == 422_074
    with pytest.raises(LimitError, match="GB of memory"):
        build(machine, max_bytes=int(0.75 * peak))


def test_a_game_that_never_ends_is_refused() -> None:
    rules = """
        (role a) (init on) (legal a go) (goal a 1)
        (<= (next (light on)) (true on)) (<= (next on) (true (light on)))
        (<= terminal (true off))
    """
    with pytest.raises(LimitError, match="TRE001"):
        build(machine_of(rules))


def test_a_game_that_is_over_at_once_is_a_leaf() -> None:
    tree = build(machine_of("(role a) (init on) (legal a go) (goal a 7) (<= terminal (true on))"))
    assert (len(tree), len(tree.targets), len(tree.infosets)) == (1, 0, 0)
    assert tree.exact_payoffs == ((Fraction(7),),)


def test_play_is_cut_at_a_depth_and_evaluated() -> None:
    machine = load("tic_tac_toe").machine
    asked: list[int] = []

    def evaluate(states: States) -> NDArray[np.float64]:
        asked.append(len(states))
        return np.arange(2.0 * len(states)).reshape(-1, 2)

    tree = build(machine, depth=2, evaluate=evaluate)
    # 72 histories of two marks lead to 72 boards; nobody can have won.
    assert asked == [72]
    assert (len(tree), len(tree.leaves)) == (1 + 9 + 72, 72)
    assert tree.exact_payoffs[3] == (Fraction(6), Fraction(7))
    assert sorted(tree.node_payoffs[tree.leaves].tolist()) == list(range(72))


def test_ends_before_the_depth_keep_their_goals() -> None:
    machine = load("leduc_poker").machine
    whole = built("leduc_poker")

    def nothing(states: States) -> NDArray[np.float64]:
        return np.full((len(states), 2), 50.0)

    assert len(build(machine, depth=99, evaluate=nothing)) == len(whole)
    cut = build(machine, depth=4, evaluate=nothing)
    assert 0 < len(cut) < len(whole)
    assert len(cut.exact_payoffs) > 1
    with pytest.raises(ValueError, match="evaluate"):
        build(machine, depth=4)
    with pytest.raises(ValueError, match="finite"):
        build(machine, depth=4, evaluate=lambda states: np.zeros((len(states), 3)))


def test_a_role_that_does_not_know_its_moves_has_no_infosets() -> None:
    with pytest.raises(PlayError, match="DYN005"):
        build(machine_of(UNKNOWN_MOVES))


def test_a_stuck_role_is_reported() -> None:
    rules = "(role a) (init on) (<= (legal a go) (true off)) (<= terminal (true off)) (goal a 1)"
    with pytest.raises(PlayError, match="DYN002"):
        build(machine_of(rules))


def machine_of(rules: str) -> Machine:
    return load_source(Source("rules.gdl", rules)).machine
