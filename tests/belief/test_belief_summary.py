"""What is said of a belief: probabilities of fluents, states, and what others would know there."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from belief_cases import SMALL, Case, exact_of, machine_of, position_of

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import BeliefSummary, nested_knowledge, position_after, summary_of
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, format_term

FIRST, SECOND = RoleId(1), RoleId(2)


def joints_of(game: str, *steps: tuple[GroundTerm, ...]) -> list[tuple[MoveId, ...]]:
    machine = machine_of(game)
    return [
        tuple(machine.move_id(RoleId(role), term) for role, term in enumerate(step))
        for step in steps
    ]


def view_after(
    game: str, role: RoleId, *steps: tuple[GroundTerm, ...], most: int = 5
) -> BeliefSummary:
    machine = machine_of(game)
    belief = ExactBelief(BeliefRequest(machine, role))
    for observation in position_after(machine, joints_of(game, *steps), role).observations:
        belief.advance(observation)
    return summary_of(machine, belief.enumerate(100_000), most)


KUHN = ((("deal", "queen"), "noop", "noop"), (("deal", "king"), "noop", "noop"))
MONTY = ((("hide", "3"), "noop"), ("noop", ("pick", "2")), (("open", "1"), "noop"))


def test_who_holds_the_queen_in_kuhn_poker_holds_two_cards_possible() -> None:
    view = view_after("kuhn_poker", FIRST, *KUHN)
    assert [format_term(fluent) for fluent in view.certain] == [
        "(holds first queen)",
        "(turn open)",
    ]
    assert view.open == (
        (("holds", "second", "jack"), 0.5),
        (("holds", "second", "king"), 0.5),
    )
    assert [state.probability for state in view.states] == [0.5, 0.5]
    assert [len(state.history) for state in view.states] == [2, 2]


def test_monty_hall_comes_to_one_third_and_two_thirds() -> None:
    """Selvin (1975): who switches wins with probability 2/3."""
    view = view_after("monty_hall", FIRST, *MONTY)
    assert [fluent for fluent, _ in view.open] == [("car", "3"), ("car", "2")]
    assert [share for _, share in view.open] == pytest.approx([2 / 3, 1 / 3])
    assert [state.fluents for state in view.states] == [(("car", "3"),), (("car", "2"),)]
    assert [state.probability for state in view.states] == pytest.approx([2 / 3, 1 / 3])


def test_no_more_states_are_shown_than_asked_for() -> None:
    (state,) = view_after("monty_hall", FIRST, *MONTY, most=1).states
    assert state.probability == pytest.approx(2 / 3)


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_probabilities_of_fluents_agree_with_a_count_state_by_state(case: Case) -> None:
    """Terms of each state by itself, while `summary_of` counts bits of all together."""
    machine, histories = machine_of(case.game), exact_of(case).enumerate(100_000)
    shares: dict[GroundTerm, float] = defaultdict(float)
    weights = histories.weights / histories.weights.sum()
    for state, weight in zip(histories.states, weights, strict=True):
        for fluent in machine.fluent_terms(state):
            shares[fluent] += float(weight)
    view = summary_of(machine, histories, 3)
    assert dict(view.open) | dict.fromkeys(view.certain, 1.0) == pytest.approx(dict(shares))
    everywhere = set.intersection(*(set(machine.fluent_terms(s)) for s in histories.states))
    assert set(view.certain) == everywhere


@pytest.mark.parametrize("case", SMALL[::3], ids=str)
def test_the_history_of_a_state_leads_there(case: Case) -> None:
    machine = machine_of(case.game)
    view = summary_of(machine, exact_of(case).enumerate(100_000), 4)
    for possible in view.states:
        state = machine.initial()
        for joint in possible.history:
            state = machine.step(state, joint)
        changing = [f for f in machine.fluent_terms(state) if f not in view.certain]
        assert set(changing) == set(possible.fluents)
    probabilities = [state.probability for state in view.states]
    assert probabilities == sorted(probabilities, reverse=True)


def test_the_other_player_knows_its_own_card_and_not_ours() -> None:
    view = view_after("kuhn_poker", FIRST, *KUHN)
    for possible in view.states:
        undecided = [*(fluent for fluent, _ in view.open), ("holds", "first", "queen")]
        nested = nested_knowledge(
            machine_of("kuhn_poker"), possible.history, SECOND, undecided, BeliefLimits()
        )
        assert nested.role == SECOND
        # Its card is one of three: ours is one of the two others.
        assert nested.size == 2
        assert nested.knows == possible.fluents


def test_after_a_showdown_the_other_player_knows_both_cards() -> None:
    steps = (*KUHN, ("noop", "bet", "noop"), ("noop", "noop", "bet"))
    history = joints_of("kuhn_poker", *steps)
    undecided = [("holds", "first", "queen"), ("holds", "second", "king"), ("bet", "first")]
    nested = nested_knowledge(machine_of("kuhn_poker"), history, SECOND, undecided, BeliefLimits())
    assert (nested.size, nested.knows) == (1, tuple(undecided))


def test_knowledge_of_too_many_histories_is_left_open() -> None:
    position = position_of(Case("battleship_4_2", 0, 7))
    assert position.joints is not None
    nested = nested_knowledge(
        machine_of("battleship_4_2"), position.joints, RoleId(1), (), BeliefLimits(histories=3)
    )
    assert (nested.size, nested.knows) == (None, ())


def test_a_view_does_not_depend_on_how_states_are_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("leduc_poker", 1, 5)
    machine, histories = machine_of(case.game), exact_of(case).enumerate(100_000)
    whole = summary_of(machine, histories, 5)
    monkeypatch.setattr("fogspiel.belief.positions.CHUNK", 2)
    parted = summary_of(machine, histories, 5)
    assert [fluent for fluent, _ in parted.open] == [fluent for fluent, _ in whole.open]
    assert np.allclose([p for _, p in parted.open], [p for _, p in whole.open])
