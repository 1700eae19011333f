"""Consistent states: listed, chosen under numbers, and drawn evenly where there are too many."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.findings import UsageError
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.strips.beliefs import (
    Cardinality,
    ConsistentStates,
    IndependentChoices,
    InformationSet,
    ListedStates,
    State,
)

CARDS = "akqjt9"
NOTHING = InformationSet(true=frozenset())


def west(card: str) -> GroundTerm:
    return ("has", "west", card)


def east(card: str) -> GroundTerm:
    return ("has", "east", card)


def deal(
    cards: str = CARDS, each: int = 3, *, limit: int = 1_000, seed: int = 0
) -> IndependentChoices:
    """Every card is West's or East's, so many each."""
    return IndependentChoices(
        groups=tuple((west(card), east(card)) for card in cards),
        cardinalities=tuple(
            Cardinality(frozenset(hand(card) for card in cards), each) for hand in (west, east)
        ),
        limit=limit,
        seed=seed,
    )


def hands(states: ConsistentStates) -> list[frozenset[str]]:
    """What West holds in each world."""
    everywhere = np.ones(len(states.weights), dtype=np.bool_)
    return [
        frozenset(
            str(atom[2])
            for atom, mask in [
                *states.unknown.items(),
                *((atom, everywhere) for atom in states.known),
            ]
            if atom[1] == "west" and mask[world]
        )
        for world in range(len(states.weights))
    ]


def test_all_deals_of_six_cards_are_listed_once() -> None:
    states = deal().states(NOTHING)
    assert states.is_exact
    assert set(hands(states)) == {frozenset(hand) for hand in combinations(CARDS, 3)}
    assert states.weights.tolist() == pytest.approx([1 / 20] * 20)


def test_what_is_known_leaves_fewer_deals() -> None:
    known = InformationSet(true=frozenset({west("k")}), false=frozenset({west("q")}))
    states = deal().states(known)
    assert len(states.weights) == comb(4, 2)
    assert {west("k"), east("q")} <= states.known
    assert west("k") not in states.unknown


def test_knowing_one_hand_makes_the_other_known() -> None:
    states = deal().states(InformationSet(true=frozenset(map(west, "akq"))))
    assert states.known >= set(map(east, "jt9"))
    assert len(states.weights) == 1
    assert not any(mask.any() for mask in states.unknown.values())


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), st.integers(0, 5))
@settings(max_examples=60)
def test_choices_are_those_that_trying_all_of_them_finds(sizes: list[int], count: int) -> None:
    groups = tuple(tuple(("x", str(g), str(i)) for i in range(n)) for g, n in enumerate(sizes))
    first = frozenset(group[0] for group in groups)
    choices = IndependentChoices(groups=groups, cardinalities=(Cardinality(first, count),))
    expected = 1
    ways: list[frozenset[GroundTerm]] = [frozenset()]
    for group in groups:
        ways = [way | {atom} for way in ways for atom in group]
    expected = sum(len(way & first) == count for way in ways)
    if expected == 0:
        with pytest.raises(UsageError, match="PLN025"):
            choices.states(NOTHING)
    else:
        assert len(choices.states(NOTHING).weights) == expected


def test_too_many_deals_are_drawn_evenly_by_seed() -> None:
    """12 cards give 924 deals. Each card is West's in half of them: 4 standard errors is 0.15."""
    cards = "akqjt9876543"
    sample = deal(cards, 6, limit=100).states(NOTHING)
    assert not sample.is_exact
    assert sample.weights.sum() == pytest.approx(1.0)
    assert all(len(hand) == 6 for hand in hands(sample))
    for card in cards:
        share = float(sample.weights @ sample.unknown[west(card)])
        assert share == pytest.approx(0.5, abs=0.15)
    again = deal(cards, 6, limit=100).states(NOTHING)
    other = deal(cards, 6, limit=100, seed=1).states(NOTHING)
    assert hands(sample) == hands(again)
    assert hands(sample) != hands(other)


def test_a_deal_that_was_drawn_twice_is_one_world_that_weighs_more() -> None:
    sample = deal(limit=19).states(NOTHING)
    assert len(set(hands(sample))) == len(hands(sample)) == 20
    assert len(set(sample.weights.tolist())) > 1


def test_numbers_that_cannot_be_met_are_told() -> None:
    with pytest.raises(UsageError, match="PLN025"):
        deal("akqjt", 3).states(NOTHING)


def test_two_choices_of_one_group_cannot_both_be_known() -> None:
    with pytest.raises(UsageError, match="PLN025"):
        deal().states(InformationSet(true=frozenset({west("a"), east("a")})))


def test_an_atom_cannot_be_chosen_in_two_places() -> None:
    with pytest.raises(ValueError, match="two groups"):
        IndependentChoices(groups=((west("a"),), (west("a"), east("a"))))


def listed(*states: tuple[str, float]) -> ListedStates:
    return ListedStates(tuple((frozenset(names), weight) for names, weight in states))


def test_listed_states_are_kept_if_they_agree_and_weigh_something() -> None:
    belief = listed(("ab", 1.0), ("ac", 3.0), ("b", 5.0), ("ad", 0.0))
    states = belief.states(InformationSet(true=frozenset("a")))
    assert states.known == {"a"}
    assert states.weights.tolist() == pytest.approx([0.25, 0.75])
    assert {atom: mask.tolist() for atom, mask in states.unknown.items()} == {
        "b": [True, False],
        "c": [False, True],
    }


def test_a_list_without_a_consistent_state_is_told() -> None:
    with pytest.raises(UsageError, match="PLN025"):
        listed(("ab", 1.0)).states(InformationSet(true=frozenset(), false=frozenset("b")))


@pytest.mark.parametrize(("state", "allowed"), [("ab", True), ("abc", False), ("b", False)])
def test_a_state_is_consistent_if_it_has_all_that_is_true_and_none_that_is_false(
    state: str, allowed: bool
) -> None:
    information = InformationSet(true=frozenset("a"), false=frozenset("c"))
    contents: State = frozenset(state)
    assert information.allows(contents) is allowed
