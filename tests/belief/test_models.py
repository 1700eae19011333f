"""Opponent models, and what they make of a belief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import Case, deviation, exact_of, machine_of, position_of, posterior, told

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import make_belief
from fogspiel.belief.models import (
    ParanoidModel,
    Past,
    PlayoutValue,
    PolicyModel,
    RationalModel,
    UniformModel,
    best,
    values_of_moves,
)
from fogspiel.belief.positions import position_after
from fogspiel.belief.protocol import BeliefRequest, ChosenMoves
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation, RoleId, format_term
from fogspiel.machine.protocol import Machine

FIRST, SECOND = RoleId(1), RoleId(2)
KUHN = "kuhn_poker"
CASES = [
    Case(KUHN, 2, 3),
    Case("leduc_poker", 1, 6, 3),
    Case("latent_tic_tac_toe", 0, 5),
    Case("battleship_4_2", 0, 3),
    Case("liars_dice", 2, 4, 3),
]


def kuhn(*deals_and_moves: str) -> tuple[Machine, list[tuple[MoveId, ...]]]:
    """Joint moves of a game of Kuhn poker: two cards, then what the speakers say."""
    machine = machine_of(KUHN)
    speakers = [0, 0, 1, 2, 1]
    joints: list[tuple[MoveId, ...]] = []
    state = machine.initial()
    for at, text in enumerate(deals_and_moves):
        joint = [machine.legal(state, RoleId(role))[0] for role in range(3)]
        who = RoleId(speakers[at])
        named = {format_term(machine.move_term(who, m)): m for m in machine.legal(state, who)}
        joint[who] = named[text]
        joints.append(tuple(joint))
        state = machine.step(state, joint)
    return machine, joints


def card_of(machine: Machine, role: RoleId, past: Sequence[Observation]) -> str:
    """The card that a role was dealt, from what it saw."""
    seen = [format_term(machine.percept_term(role, p)) for s in past for p in s.percepts]
    prefix = f"(holds {machine.roles[role]} "
    return next(text.removeprefix(prefix)[:-1] for text in seen if text.startswith(prefix))


def bluffing(machine: Machine, bets: Mapping[str, float]) -> PolicyModel:
    """The first player bets with each card as often as said."""
    bet = next(
        move
        for move in map(MoveId, range(machine.move_count(FIRST)))
        if format_term(machine.move_term(FIRST, move)) == "bet"
    )
    pass_ = next(
        move
        for move in map(MoveId, range(machine.move_count(FIRST)))
        if format_term(machine.move_term(FIRST, move)) == "pass"
    )

    def policy(role: RoleId, past: Past) -> dict[MoveId, float] | None:
        if role != FIRST:
            return None
        share = bets[card_of(machine, role, past)]
        return {bet: share, pass_: 1.0 - share}

    return PolicyModel(policy)


def belief_in(belief: ExactBelief, machine: Machine) -> dict[str, float]:
    """What the first player holds, and how probably."""
    shares = {}
    for state in belief.layers[-1].states:
        only = belief.transitions.states(state[None, :])[0]
        terms = [format_term(term) for term in machine.fluent_terms(only)]
        card = next(t.split()[-1][:-1] for t in terms if t.startswith("(holds first "))
        shares[card] = belief.probability(only)
    return shares


def test_a_policy_turns_a_bet_into_evidence() -> None:
    """A bet is a king 3 times in 4 if every king, no queen and a third of the jacks are bet on."""
    machine, joints = kuhn("(deal king)", "(deal queen)", "bet")
    position = position_after(machine, joints, SECOND)
    model = bluffing(machine, {"king": 1.0, "queen": 0.0, "jack": 1 / 3})
    belief = told(ExactBelief(BeliefRequest(machine, SECOND, model=model)), position.observations)
    assert belief_in(belief, machine) == pytest.approx({"king": 3 / 4, "jack": 1 / 4})
    plain = told(ExactBelief(BeliefRequest(machine, SECOND)), position.observations)
    assert belief_in(plain, machine) == pytest.approx({"king": 1 / 2, "jack": 1 / 2})


def test_a_table_does_the_same_as_a_function() -> None:
    machine, joints = kuhn("(deal king)", "(deal queen)", "bet")
    position = position_after(machine, joints, SECOND)
    past = position_after(machine, joints[:2], FIRST).observations
    bet = joints[2][FIRST]
    model = PolicyModel({(FIRST, past): {bet: 1.0}})
    belief = told(ExactBelief(BeliefRequest(machine, SECOND, model=model)), position.observations)
    # With a jack, of which the table does not speak, the first player bets half of the time.
    assert belief_in(belief, machine) == pytest.approx({"king": 2 / 3, "jack": 1 / 3})


def test_a_policy_that_rules_out_what_happened_is_an_error_of_its_own() -> None:
    machine, joints = kuhn("(deal king)", "(deal queen)", "bet")
    model = bluffing(machine, {"king": 0.0, "queen": 0.0, "jack": 0.0})
    position = position_after(machine, joints, SECOND)
    with pytest.raises(PlayError, match="rules out all that fits") as caught:
        told(ExactBelief(BeliefRequest(machine, SECOND, model=model)), position.observations)
    assert caught.value.findings[0].code == "BEL005"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_even_play_as_a_model_changes_nothing(case: Case) -> None:
    truth = posterior(exact_of(case).enumerate(100_000))
    assert posterior(exact_of(case, UniformModel()).enumerate(100_000)) == pytest.approx(truth)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", ["paranoid", "rational"])
def test_probabilities_multiply_chance_and_model_along_a_history(case: Case, name: str) -> None:
    """Richards (2012), equations 5.1 to 5.3, computed history by history."""
    machine, position = machine_of(case.game), position_of(case)
    evaluation = PlayoutValue(count=8, seed=3)
    model = (
        ParanoidModel(position.role, evaluation=evaluation)
        if name == "paranoid"
        else RationalModel(evaluation=evaluation)
    )
    found = exact_of(case, model).enumerate(100_000)
    weights = np.array(
        [
            _weight(machine, position.role, model, [tuple(map(MoveId, j)) for j in joints.tolist()])
            for joints in found.joints
        ]
    )
    assert found.weights / found.weights.sum() == pytest.approx(weights / weights.sum())


def _weight(
    machine: Machine,
    observer: RoleId,
    model: ParanoidModel | RationalModel,
    joints: Sequence[tuple[MoveId, ...]],
) -> float:
    weight, state = 1.0, machine.initial()
    pasts: list[Past] = [()] * len(machine.roles)
    for joint in joints:
        for role in map(RoleId, range(len(machine.roles))):
            moves = machine.legal(state, role)
            if role == observer or len(moves) == 1:
                continue
            if role == machine.chance_role:
                weight *= float(machine.chance_weights(state)[moves.index(joint[role])])
            else:
                rows = np.array([joint[role]], np.int32)
                chosen = ChosenMoves(role, state[None, :], rows, [pasts[role]])
                weight *= float(model.probabilities(machine, chosen)[0])
        for role in map(RoleId, range(len(machine.roles))):
            observation = Observation(joint[role], machine.percepts(state, joint, role))
            pasts[role] = (*pasts[role], observation)
        state = machine.step(state, joint)
    return weight


@pytest.mark.parametrize("method", ["dfs", "tree", "particles", "hyperplay", "auto"])
@pytest.mark.parametrize("case", CASES[:3], ids=str)
def test_every_method_follows_a_model(method: str, case: Case) -> None:
    machine, position = machine_of(case.game), position_of(case)
    model = RationalModel(evaluation=PlayoutValue(count=8), slip=0.3)
    truth = exact_of(case, model).enumerate(100_000)
    belief = make_belief(method, machine, position.role, model=model)
    drawn = told(belief, position.observations).sample(1000, seed=1)
    assert deviation(drawn, truth) < 4.0


def test_a_move_is_worth_the_mean_over_what_others_may_do() -> None:
    """The prisoner's dilemma ends after one step, so that no estimate enters."""
    machine = machine_of("prisoners_dilemma")
    values = values_of_moves(machine, machine.initial(), RoleId(0), PlayoutValue(count=4))
    named = {
        format_term(machine.move_term(RoleId(0), move)): value for move, value in values.items()
    }
    exact = {
        text: np.mean(
            [
                machine.goals(machine.step(machine.initial(), (move, other)))
                for other in machine.legal(machine.initial(), RoleId(1))
            ],
            axis=0,
        )
        for text, move in (
            (format_term(machine.move_term(RoleId(0), m)), m)
            for m in machine.legal(machine.initial(), RoleId(0))
        )
    }
    assert named.keys() == exact.keys()
    for text, value in named.items():
        assert value == pytest.approx(exact[text])


def test_the_best_moves_share_what_slips_do_not_take() -> None:
    shares = best({MoveId(0): 5.0, MoveId(1): 5.0, MoveId(2): 1.0, MoveId(3): 0.0}, slip=0.2)
    assert shares == pytest.approx({0: 0.45, 1: 0.45, 2: 0.05, 3: 0.05})


def test_the_paranoid_expect_the_worst_and_the_rational_opponent_its_best() -> None:
    """A player with the king calls the last bet of Kuhn poker, one with the jack does not.

    The player does not see the other card; the queen, against it a king or a jack, decides it.
    """
    machine, joints = kuhn("(deal king)", "(deal queen)", "pass", "bet")
    state = machine.initial()
    for joint in joints:
        state = machine.step(state, joint)
    bet = {format_term(machine.move_term(FIRST, m)): m for m in machine.legal(state, FIRST)}["bet"]
    past = position_after(machine, joints, FIRST).observations
    rows = np.array([bet], np.int32)
    chosen = ChosenMoves(FIRST, state[None, :], rows, [past])
    rational = RationalModel(slip=0.0)
    assert rational.probabilities(machine, chosen) == pytest.approx([1.0])
    paranoid = ParanoidModel(SECOND, slip=0.0)
    unknown = replace(chosen, knowledge=None)
    assert paranoid.probabilities(machine, unknown) == pytest.approx([1.0])
    _, weak = kuhn("(deal jack)", "(deal queen)", "pass", "bet")
    past = position_after(machine, weak, FIRST).observations
    chosen = replace(chosen, knowledge=[past])
    assert rational.probabilities(machine, chosen) == pytest.approx([0.0])
