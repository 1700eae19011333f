"""The race of lines: worlds in turn, chance told from difference, preference where both fail."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import pytest
from bridge_positions import NORTH, SOUTH, WEST, card, figure_3, hand, played
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card
from fogspiel.cases.bridge.sampling import Worlds
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.tignum.declarer import shuffled
from fogspiel.cases.bridge.tignum.defence import DefenderTurn, card_of, kind_of, least_needed, moves
from fogspiel.cases.bridge.tignum.position import TrickPosition
from fogspiel.cases.bridge.tignum.racing import (
    FIRST_ROUND,
    SLIP,
    CardLikelihood,
    SchemeLine,
    by_tricks,
    is_settled,
    race,
)
from fogspiel.cases.bridge.view import DeclarerView, view_of
from fogspiel.plan.task_network import Method
from fogspiel.plan.tree.nodes import PlanNode, PlanStep

WORLDS = 40


def line(name: str, first: Card) -> SchemeLine:
    view = view_of(figure_3(), CardTable.start(Contract(5, 0, SOUTH)))
    worlds = Worlds(*(np.zeros(1, np.uint64),) * 2, np.ones(1))
    step = PlanStep(Method(name=name, task=None, when=()), {}, None)
    return SchemeLine(
        PlanNode(TrickPosition.of(view, worlds, lambda leaf: 0.0), (), None, step, 1.0, 0), first
    )


def even(count: int = WORLDS) -> NDArray[np.float64]:
    return np.full(count, 1.0 / count)


def test_a_line_that_is_always_worse_drops_out_after_the_first_round() -> None:
    good, bad = line("good", 1), line("bad", 2)
    asked: list[int] = []

    def judge(world: int, cards: Set[Card]) -> dict[Card, float]:
        asked.append(world)
        return {1: 1.0, 2: 0.0}

    assert race([bad, good], even(), judge, enough=WORLDS) == [good]
    assert asked == list(range(FIRST_ROUND))


def test_lines_that_differ_by_chance_are_ranked_by_preference() -> None:
    first, second = line("first", 1), line("second", 2)
    ranked = race(
        [first, second], even(), lambda world, cards: {1: float(world != 7), 2: 1.0}, enough=WORLDS
    )
    # 39 of 40 against 40 of 40 is one standard error: the sample prefers the second.
    assert [one.method.name for one in ranked] == ["second", "first"]
    first, second = line("first", 1), line("second", 2)
    ranked = race(
        [first, second],
        even(),
        lambda world, cards: {1: float(world % 4 != 1), 2: float(world % 4 != 2 or world == 2)},
        enough=WORLDS,
    )
    # 30 against 31 of 40, in different worlds: the order in which they are written decides.
    assert [one.method.name for one in ranked] == ["first", "second"]


def test_where_all_deals_are_known_the_better_chance_wins_however_close() -> None:
    first, second = line("first", 1), line("second", 2)
    weights = np.array([0.49, 0.51])
    ranked = race(
        [first, second],
        weights,
        lambda world, cards: {1: float(world == 0), 2: float(world == 1)},
        enough=1,
        exact=True,
    )
    assert [one.method.name for one in ranked] == ["second", "first"]


def test_the_race_ends_early_if_all_lines_come_to_the_same() -> None:
    asked: list[int] = []

    def judge(world: int, cards: Set[Card]) -> dict[Card, float]:
        asked.append(world)
        return {1: 1.0, 2: 1.0}

    ranked = race([line("first", 1), line("second", 2)], even(), judge, enough=12)
    assert [one.method.name for one in ranked] == ["first", "second"]
    assert len(asked) == 12


def test_a_contract_out_of_doubt_is_played_for_tricks() -> None:
    first, second = line("first", 1), line("second", 2)
    ranked = race([first, second], even(8), lambda world, cards: {1: 1.0, 2: 1.0}, enough=8)
    assert is_settled(ranked)
    again = by_tricks(ranked, even(8), lambda world, cards: {1: 0.5, 2: 0.6}, 4)
    assert again[0] is second
    first.values[0] = 0.0
    assert not is_settled(ranked)


def test_worlds_are_shuffled_with_their_weights() -> None:
    numbers = np.arange(10, dtype=np.uint64)
    worlds = shuffled(Worlds(numbers, numbers + 10, even(10) * 1.0, True), np.random.default_rng(1))
    assert worlds.is_complete
    assert sorted(worlds.left) == list(numbers)
    assert not np.array_equal(worlds.left, numbers)
    assert np.array_equal(worlds.right - worlds.left, np.full(10, 10))


def turn(held: str, trick: str, watched: str = "...", trump: int = 4) -> DefenderTurn:
    cards = tuple(card(name) for name in trick.split())
    return DefenderTurn(hand(held), cards, trump, hand(watched), hand(watched))


def test_a_defender_plays_low_or_covers_where_it_matters() -> None:
    # The queen is led towards ace and ten: the king matters, the nine does not.
    assert moves(turn("K94...", "SQ", "AT...")) == {"follows-low": "small", "covers": "SK"}
    assert kind_of(turn("K94...", "S2", "AQ..."), card("SK")) == "SK"
    assert kind_of(turn("K94...", "S2", "AQ..."), card("S9")) == "small"
    assert card_of(turn("K94...", "S2", "AQ..."), "small") == card("S4")
    assert card_of(turn("94...", "S2", "AQ..."), "SK") is None


def test_a_defender_without_the_suit_ruffs_or_throws() -> None:
    assert moves(turn(".T9..32", "SA", "K...", trump=1)) == {"ruffs": "ruff", "discards": "throw"}
    assert card_of(turn(".T9..32", "SA", trump=1), "ruff") == card("H9")
    assert moves(turn(".T9..32", "SA", "K...")) == {"discards": "throw"}


def test_what_is_thrown_does_not_unguard_an_honour() -> None:
    # The queen third guards against ace and king; the long clubs guard nothing.
    assert least_needed(hand("Q32...9876"), hand("AK4...AK")) == card("C6")


def test_a_card_that_would_throw_a_trick_away_makes_its_world_less_likely() -> None:
    # Two tricks are left at notrump. West led the four of spades under the ace, and North's lone
    # king takes a trick that the ace would have taken; or from the four and a small diamond, which
    # loses nothing.
    table = CardTable(Contract(1, 4, SOUTH), (0,) * 44, WEST, 5, 0)
    hands = (hand("K..A."), hand("32..."), hand("QJ..."), hand("A4..."))
    after, led = played(hands, table, "S4")
    assert after[WEST] == hand("A...")
    worlds = Worlds(
        np.array([hand("A..."), hand("..2.")], np.uint64),
        np.array([hand("32..."), hand("32...")], np.uint64),
        np.array([0.5, 0.5]),
    )
    trust = CardLikelihood.of(DeclarerView(led, after[SOUTH], after[NORTH]), worlds)
    assert [trust.factor(world) for world in (0, 1)] == [SLIP, 1.0]
    ranked = race(
        [line("first", 1), line("second", 2)],
        worlds.weights,
        lambda world, cards: {1: float(world == 0), 2: float(world == 1)},
        enough=2,
        exact=True,
        likelihood=trust,
    )
    assert ranked[0].method.name == "second"
    assert worlds.weights[0] / worlds.weights[1] == pytest.approx(SLIP)


def test_defenders_are_trusted_in_the_worlds_that_are_looked_at_alone() -> None:
    class Asked(CardLikelihood):
        def factor(self, world: int) -> float:
            asked.append(world)
            return 1.0

    asked: list[int] = []
    view = view_of(*played(figure_3(), CardTable.start(Contract(5, 0, SOUTH)), "D6 D2 D9 DA"))
    worlds = Worlds(*(np.zeros(1, np.uint64),) * 2, np.ones(1))
    race(
        [line("good", 1), line("bad", 2)],
        even(),
        lambda world, cards: {1: 1.0, 2: 0.0},
        enough=WORLDS,
        likelihood=Asked.of(view, worlds),
    )
    assert asked == list(range(FIRST_ROUND))
