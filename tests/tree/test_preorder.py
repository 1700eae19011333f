"""Trees of machines have the known shapes, and OpenSpiel reads them as we wrote them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from doubtful_game import UNKNOWN_MOVES
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.rules.efg.checks import read_and_check
from fogspiel.rules.efg.write import write
from fogspiel.tree.build.build import build
from fogspiel.tree.preorder import PreorderTree, efg_of_tree, to_preorder, tree_of_efg
from unfolding import in_preorder, shape, unfold

# Chance nodes, decisions, ends, infosets. Kuhn's and Leduc's are OpenSpiel's; the others were
# counted by hand (two players with three moves each: 1 + 3 decisions, 9 ends).
SHAPES = {
    "kuhn_poker": (4, 24, 30, 12),
    "leduc_poker": (157, 3780, 5520, 936),
    "prisoners_dilemma": (0, 3, 4, 2),
    "biased_rps": (0, 4, 9, 2),
    "monty_hall": (4, 15, 24, 7),
}
SMALL = (
    *SHAPES, "goofspiel_4", "hidden_goofspiel_4", "exploding_bomb", "coin_flip", "simple_poker",
)  # fmt: skip

HEADER = "(role a) (role b) (role random)\n"

IDLE_CHANCE = (
    HEADER
    + """
    (init (step 1))
    (<= (legal random (draw ?x)) (true (step 1)) (bit ?x)) (bit 0) (bit 1)
    (<= (legal random wait) (true (step 2)))
    (legal a stay) (legal a go) (legal b wait)
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
    (<= terminal (true (step 3)))
    (<= (sees b nothing) (true (step 9)))
    (goal a 1) (goal b 1)
"""
)
"""Nobody sees what chance drew, and nothing depends on it."""


@cache
def tree_of(name: str) -> PreorderTree:
    return in_preorder(load(name).machine, title=name)


@pytest.mark.parametrize("name", SMALL)
def test_a_tree_is_what_unfolding_history_by_history_gives(name: str) -> None:
    tree, plain = tree_of(name), unfold(load(name).machine, title=name)
    for column in ("parents", "actions", "infosets", "payoffs"):
        assert getattr(tree, column).tolist() == getattr(plain, column).tolist()
    assert (tree.title, tree.players) == (plain.title, plain.players)
    assert tree.infoset_table == plain.infoset_table
    assert tree.payoff_table == plain.payoff_table


def test_a_tree_with_merged_histories_has_no_preorder() -> None:
    with pytest.raises(ValueError, match="merge=False"):
        to_preorder(build(load_source(Source("rules.gdl", IDLE_CHANCE)).machine))


@pytest.mark.parametrize("name", SHAPES)
def test_trees_have_the_known_shape(name: str) -> None:
    assert shape(tree_of(name)) == SHAPES[name]


def test_tic_tac_toe_has_the_known_number_of_games() -> None:
    """255,168 courses of play; 549,946 nodes, of which 127,872 offer the last cell only."""
    tree = tree_of("tic_tac_toe")
    assert (shape(tree)[2], len(tree)) == (255_168, 549_946 - 127_872)


def test_both_engines_give_the_same_tree() -> None:
    for name in ("kuhn_poker", "monty_hall", "goofspiel_4"):
        reference = in_preorder(load(name, engine="reference").machine, title=name)
        assert labelled(reference) == labelled(tree_of(name))


def labelled(tree: PreorderTree) -> list[tuple[tuple[str, ...], object]]:
    """Ends by the labels that lead there: the reference machine numbers moves as it meets them."""
    ends = [node for node in range(len(tree)) if tree.payoffs[node] >= 0]
    return sorted((tuple(tree.path(n)), tree.payoff_table[tree.payoffs[n]]) for n in ends)


@pytest.mark.parametrize("name", SMALL)
def test_openspiel_reads_what_is_written(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    tree = tree_of(name)
    game = pyspiel.load_efg_game(write(efg_of_tree(tree), indent=True))
    states = list(walk(game.new_initial_state()))
    counts = Counter(state.current_player() for state in states)
    infosets = {
        (state.current_player(), state.information_state_string())
        for state in states
        if state.current_player() >= 0
    }
    decisions = sum(count for player, count in counts.items() if player >= 0)
    chance, terminal = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL
    assert (counts[chance], decisions, counts[terminal], len(infosets)) == shape(tree)
    returns = [state.returns() for state in states if state.is_terminal()]
    ours = [tree.payoff_table[payoff] for payoff in tree.payoffs.tolist() if payoff >= 0]
    # The walk visits siblings in the order of OpenSpiel's action numbers, so only totals agree.
    assert Counter(map(tuple, returns)) == Counter(tuple(map(float, own)) for own in ours)


def walk(state: Any) -> Iterator[Any]:
    """All states of an OpenSpiel game."""
    work = [state]
    while work:
        at = work.pop()
        yield at
        work += [at.child(action) for action in at.legal_actions()]


@pytest.mark.parametrize("name", SMALL)
def test_what_is_written_is_sound_and_reads_back_equal(name: str) -> None:
    game = efg_of_tree(tree_of(name))
    read, findings = read_and_check(Source(f"{name}.efg", write(game)))
    assert findings == []
    assert read == game
    again = tree_of_efg(game)
    assert again.infosets.tolist() == tree_of(name).infosets.tolist()


def test_labels_say_what_a_role_did_and_saw() -> None:
    labels = {own.label for own in tree_of("kuhn_poker").infoset_table if own.player}
    assert "(holds first jack); pass; (move second bet)" in labels
    labels_of_second = [
        own.label for own in tree_of("leduc_poker").infoset_table if own.player == 2
    ]
    assert len(labels_of_second) == len(set(labels_of_second))


def test_chance_moves_before_the_roles_of_a_step() -> None:
    rules = (
        HEADER
        + """
        (init start)
        (<= (legal ?r (pick 1)) (role ?r)) (<= (legal ?r (pick 2)) (role ?r))
        (<= (next over) (true start)) (<= terminal (true over))
        (goal a 10) (goal b 20)
    """
    )
    tree = in_preorder(load_source(Source("rules.gdl", rules)).machine)
    assert tree.movers[:4].tolist() == [0, 1, 2, -1]
    assert tree.infoset_table[0].probabilities == (Fraction(1, 2), Fraction(1, 2))
    assert shape(tree)[3] == 2  # nobody sees a move of the step before it is over


def test_a_limit_on_nodes_is_kept() -> None:
    seen: list[int] = []
    with pytest.raises(LimitError, match="TRE001"):
        build(load("tic_tac_toe").machine, max_nodes=10_000, progress=seen.append, merge=False)
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= 10_000


def test_a_game_that_never_ends_is_refused() -> None:
    rules = """
        (role a) (init on) (legal a go) (goal a 1)
        (<= (next on) (true on)) (<= terminal (true off))
    """
    with pytest.raises(LimitError, match="TRE001"):
        in_preorder(load_source(Source("rules.gdl", rules)).machine)


def test_a_role_that_does_not_know_its_moves_has_no_infosets() -> None:
    with pytest.raises(PlayError, match="DYN005"):
        in_preorder(load_source(Source("rules.gdl", UNKNOWN_MOVES)).machine)


def test_a_stuck_role_is_reported() -> None:
    rules = "(role a) (init on) (<= (legal a go) (true off)) (<= terminal (true off)) (goal a 1)"
    with pytest.raises(PlayError, match="DYN002"):
        in_preorder(load_source(Source("rules.gdl", rules)).machine)
