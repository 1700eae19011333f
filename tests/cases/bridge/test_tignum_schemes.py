"""The knowledge base: complete, documented, and what its relations say of known positions."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import SOUTH, card, hand, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.cases.bridge import double_dummy
from fogspiel.cases.bridge.cards import NOTRUMP, card_name, cards_of, suit_of
from fogspiel.cases.bridge.sampling import Worlds, sample_worlds
from fogspiel.cases.bridge.table import CardTable, Contract, equal_groups
from fogspiel.cases.bridge.tignum.declarer import TurnReasoning
from fogspiel.cases.bridge.tignum.facts import Facts
from fogspiel.cases.bridge.tignum.planning import trick_tree
from fogspiel.cases.bridge.tignum.position import (
    FILE,
    VOCABULARY,
    Leaf,
    TrickPosition,
    knowledge_base,
)
from fogspiel.cases.bridge.tignum.racing import FALLBACK, lines_of
from fogspiel.cases.bridge.tignum.relations import KNOWN
from fogspiel.cases.bridge.view import DeclarerView, view_of
from fogspiel.core.source import Source
from fogspiel.plan.language.reading import read_network
from fogspiel.plan.tree.building import Planner, grow, root_of
from fogspiel.plan.tree.nodes import NodeKind, TreeLimits

BOOK_NAMES = {
    "Cashing winners",
    "Drawing trumps",
    "Simple finesse",
    "Two-way finesse",
    "Deep finesse",
    "Ruffing finesse",
    "Ruffing in the short hand",
    "Cross-ruff",
    "Establishing a suit",
    "Establishing a long suit by ruffs",
    "Ducking",
    "Hold-up",
    "Using an entry",
    "Unblocking",
    "Avoidance",
    "Loser on loser",
    "Discarding losers on winners",
    "Safety play",
    "Throw-in",
    "Elimination",
    "Simple squeeze",
}


def facts(declarer: str, dummy: str, unseen: str, trump: int = 4, turn: int = 0) -> Facts:
    return Facts(
        ours=(hand(declarer), hand(dummy)),
        unseen=hand(unseen),
        trump=trump,
        trick=(),
        turn=turn,
        opening_suit=0,
        tricks_needed=1,
    )


def rows(name: str, known: Facts) -> set[tuple[str, ...]]:
    return set(KNOWN[name][1](known))


def test_the_file_has_no_faults_not_even_small_ones() -> None:
    _, findings = read_network(Source(FILE.name, FILE.read_text("utf-8")), vocabulary=VOCABULARY)
    assert findings == []


def test_every_scheme_of_the_books_is_there_with_its_name_and_its_reason() -> None:
    schemes = [method for method in knowledge_base().methods if method.task is None]
    assert {method.title for method in schemes} >= BOOK_NAMES
    assert all(method.title and len(method.note) > 10 for method in schemes)
    assert FALLBACK in {method.title for method in schemes}


def test_every_relation_is_used_by_some_method() -> None:
    atoms = [literal.atom for method in knowledge_base().methods for literal in method.when]
    assert set(KNOWN) <= {atom if isinstance(atom, str) else atom[0] for atom in atoms}


def test_a_finesse_needs_a_card_that_one_missing_card_beats() -> None:
    known = facts("32...", "AQ...", "KJT9...")
    assert ("dummy", "S", "SQ") in rows("tenace", known)
    assert rows("gap", known) == {("dummy", "S")}
    assert rows("gap", facts("32...", "AK...", "QJT9...")) == set()


def test_king_jack_is_a_deep_finesse_and_ace_queen_ten_both_kinds() -> None:
    known = facts("432...", "AQT...", "KJ98...")
    assert ("dummy", "S", "SQ") in rows("tenace", known)
    assert ("dummy", "S", "ST") in rows("deep-tenace", known)


def test_equal_cards_are_one_and_a_card_on_the_table_keeps_them_apart() -> None:
    known = facts("QJ9.A..", "32...", "AKT8...")
    assert [card_name(card) for card in known.classes(0, 0)] == ["S9", "SJ"]
    led = Facts(
        ours=(hand("AJ..."), hand("3...")),
        unseen=hand("98..."),
        trump=4,
        trick=(11,),  # the king of spades
        turn=0,
        opening_suit=0,
        tricks_needed=1,
    )
    assert [card_name(card) for card in led.classes(0, 0)] == ["SJ", "SA"]


def test_the_danger_hand_leads_through_the_guarded_king_or_has_the_long_suit() -> None:
    with_king = facts("A.K3..", "K.54..", "Q.AQJ..", trump=0)
    assert rows("danger", with_king) == {("right",)}
    assert rows("danger", facts("A...", "5...", "KQJT...")) == {("left",)}
    assert rows("danger", facts("A...", "5...", "K...")) == set()


def test_one_stopper_is_a_reason_to_hold_up_and_two_are_none() -> None:
    assert rows("one-stopper", facts("A52...", "43...", "KQJT987...")) == {("S",)}
    assert rows("one-stopper", facts("AQ2...", "43...", "KJT987...")) == set()


def test_trumps_are_solid_if_masters_draw_them() -> None:
    assert ("S",) in rows("solid", facts("AKQJ65...", "432...", "T987...", trump=0))
    assert ("S",) not in rows("solid", facts("AQJT94...", "852...", "K763...", trump=0))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), cards=st.integers(1, 47))
def test_schemes_leave_no_card_out_and_name_none_that_is_not_legal(seed: int, cards: int) -> None:
    _, hands, table = random_position(np.random.default_rng(seed), cards)
    if not table.is_declarers_turn:
        return
    view = view_of(hands, table)
    worlds = sample_worlds(view, 4, np.random.default_rng(seed))
    root = root_of(TrickPosition.of(view, worlds, lambda leaf: 0.0))
    grow(root, knowledge_base(), TreeLimits(), 10_000)
    own = hands[table.turn]
    legal = table.legal(own)
    played = {line.card for line in lines_of(root)}
    assert played <= set(cards_of(legal))
    # Discards are the lowest of their suit: others are never better, and the tree stays small.
    follows = bool(table.trick) and suit_of(next(cards_of(legal))) == suit_of(table.trick[0])
    if not table.trick or follows:
        for group in equal_groups(own, legal, table):
            assert played & set(group), f"no line plays {card_name(group[0])}"


@pytest.mark.parametrize("seed", range(8))
def test_whole_trees_of_tricks_are_built_and_every_leaf_is_a_position_of_the_game(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    _, hands, table = random_position(rng, int(rng.integers(1, 40)))
    while not table.is_declarers_turn:
        seed += 100
        rng = np.random.default_rng(seed)
        _, hands, table = random_position(rng, int(rng.integers(1, 40)))
    view = view_of(hands, table)
    position = TrickPosition.of(view, sample_worlds(view, 6, rng), lambda leaf: 0.0)
    root = root_of(position)
    grow(root, knowledge_base(), TreeLimits(), 10_000)
    nodes = trick_tree(TurnReasoning(lines_of(root), position))
    assert len(trick_tree(TurnReasoning([], position))) <= len(nodes)
    leaves = [node for node in nodes if node.kind is NodeKind.LEAF]
    assert leaves
    for node in leaves:
        reached = node.situation
        assert isinstance(reached, TrickPosition)
        for world in reached.alive():
            left, after = reached.leaf(world)
            held = [held for held in left if held]
            assert sum(one.bit_count() for one in held) == 52 - len(after.history)
            assert not any(one & after.played for one in held)


def test_the_general_planner_values_a_finesse_as_arithmetic_does() -> None:
    """Two tricks are left, and North has ace and queen over the king, which lies on either side."""
    own, dummy = hand("32..."), hand("AQ...")
    history = (card("C2"),) * 44
    table = CardTable(Contract(7, NOTRUMP, SOUTH), history, SOUTH, 11, 0)
    worlds = Worlds(
        np.array([hand("K4..."), hand("54...")], np.uint64),
        np.array([hand("65..."), hand("K6...")], np.uint64),
        np.array([0.75, 0.25]),
    )

    def is_grand_slam(leaf: Leaf) -> float:
        hands, after = leaf
        return float(double_dummy.is_made(hands, after))

    position = TrickPosition.of(DeclarerView(table, own, dummy), worlds, is_grand_slam)
    tree = Planner(network=knowledge_base()).plan(position)
    # The finesse wins if West has the king; the ace first never takes both tricks.
    assert tree.value == pytest.approx(0.75)
    assert tree.root.chosen is not None
    assert ("insert", "dummy", "SQ") in tree.root.chosen.tasks
