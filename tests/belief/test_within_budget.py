"""Beliefs that keep to a clock: whatever gives up, what is left fits, and legal moves are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.belief.base import gave_up
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.hyperplay.bag import HyperplayBelief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest, Histories
from fogspiel.belief.within_budget import (
    HISTORIES,
    MOST,
    ClockedBelief,
    PopulationStep,
    as_population,
)
from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import Machine, State

ROLE = RoleId(1)
HOUR = 3_600.0


class Stopped:
    """A clock that stands still, so that nothing depends on how fast the machine is."""

    def __call__(self) -> float:
        return 0.0


def endless() -> Budget:
    return Budget(simulations=1)


def over() -> Budget:
    """A clock on which there is no time left."""
    return Budget(deadline=0.0, clock=Stopped())


def course_of(game: str, steps: int, seed: int = 3) -> tuple[Machine, Position, State]:
    machine = load(game).machine
    course = random_history(machine, steps, seed=seed)
    state = machine.initial()
    for joint in course:
        state = machine.step(state, joint)
    return machine, position_after(machine, course, ROLE), state


def followed(
    machine: Machine,
    position: Position,
    budget: Budget,
    method: str = "auto",
    histories: int = HISTORIES,
) -> ClockedBelief:
    belief = ClockedBelief(machine, ROLE, method, budget, histories=histories)
    for observation in position.observations:
        belief.advance(observation)
    belief.open(budget)
    return belief


def assert_fits(machine: Machine, position: Position, histories: Histories) -> None:
    for joints, state in zip(histories.joints.tolist(), histories.states, strict=True):
        course = [[MoveId(move) for move in joint] for joint in joints]
        assert position_after(machine, course, ROLE).observations == position.observations
        end = machine.initial()
        for joint in course:
            end = machine.step(end, joint)
        assert machine.key(end) == machine.key(state)


def test_without_a_clock_it_is_the_exact_belief() -> None:
    machine, position, _ = course_of("latent_tic_tac_toe", 5)
    belief, exact = (
        followed(machine, position, endless()),
        ExactBelief(BeliefRequest(machine, ROLE)),
    )
    exact.follow(position.observations)
    assert belief.size() == exact.size()
    assert (belief.sample(64, 7).joints == exact.sample(64, 7).joints).all()
    state = exact.sample(1, 1).states[0]
    assert belief.probability(state) == exact.probability(state)


def test_steps_are_looked_at_when_something_is_asked() -> None:
    machine, position, _ = course_of("kuhn_poker", 2)
    belief = followed(machine, position, endless())
    # Nothing can be seen like this; to take note of it costs nothing.
    everything = tuple(map(PerceptId, range(machine.percept_count(ROLE))))
    belief.advance(Observation(MoveId(0), everything))
    assert len(belief.observations) == 3
    with pytest.raises(PlayError, match="BEL001"):
        belief.size()


@pytest.mark.parametrize("method", ["auto", "hyperplay", "tree"])
@pytest.mark.parametrize("game", ["latent_tic_tac_toe", "gops_4_10", "battleship_4"])
def test_without_time_something_is_known_that_fits(method: str, game: str) -> None:
    machine, position, _ = course_of(game, 9)
    belief = followed(machine, position, over(), method)
    found = belief.sample(32, 1)
    assert len(found) > 0
    assert_fits(machine, position, found)


def test_a_population_offers_a_witness_with_the_same_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise gave_up("exact", 5, BeliefLimits())

    monkeypatch.setattr(ExactBelief, "advance", refuse)
    machine, position, state = course_of("latent_tic_tac_toe", 9)
    belief = followed(machine, position, over())
    witness = belief.witness()
    assert belief.method == "population"
    assert witness is not None
    # What a role may do is the same in all states that it holds possible.
    assert machine.legal(witness, ROLE) == machine.legal(state, ROLE)


def test_a_method_that_gives_up_is_replaced_without_a_clock_too() -> None:
    machine, position, _ = course_of("latent_tic_tac_toe", 9)
    belief = followed(machine, position, endless(), histories=20)
    found = belief.sample(16, 1)
    assert belief.method == "auto"
    assert_fits(machine, position, found)


@pytest.mark.parametrize("budget", [endless(), over()])
def test_a_method_that_cannot_draw_is_replaced(
    budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Histories:
        raise gave_up("hyperplay", 5, BeliefLimits())

    monkeypatch.setattr(HyperplayBelief, "sample", refuse)
    machine, position, _ = course_of("latent_tic_tac_toe", 5)
    belief = followed(machine, position, budget, "hyperplay")
    assert_fits(machine, position, belief.sample(16, 1))
    assert belief.method != "hyperplay"


def test_fewer_histories_are_drawn_where_time_is_short() -> None:
    machine, position, _ = course_of("latent_tic_tac_toe", 5)
    long = Budget(deadline=HOUR, clock=Stopped())
    assert len(followed(machine, position, long).sample(1_000, 1)) == 1_000
    assert 0 < len(followed(machine, position, over()).sample(1_000, 1)) < 1_000


HANDS = """
(role random) (role player)
(card 0) (card 1) (card 2) (card 3) (card 4) (card 5) (card 6) (card 7) (card 8) (card 9)
(init dealing)
(<= (legal random (deal ?a ?b ?c ?d)) (true dealing) (card ?a) (card ?b) (card ?c) (card ?d))
(<= (legal random wait) (not (true dealing)))
(legal player wait)
(<= (legal player call) (not (true dealing)))
(<= (next (card first ?a)) (does random (deal ?a ?b ?c ?d)))
(<= (next (card second ?b)) (does random (deal ?a ?b ?c ?d)))
(<= (next (card third ?c)) (does random (deal ?a ?b ?c ?d)))
(<= (next (card fourth ?d)) (does random (deal ?a ?b ?c ?d)))
(<= (next over) (not (true dealing)))
(<= (sees player (first ?a)) (does random (deal ?a ?b ?c ?d)))
(<= terminal (true over))
(goal player 50) (goal random 0)
"""


def test_a_population_is_carried_on_and_stays_small() -> None:
    machine, position, _ = course_of("phantom_connect_four", 8)
    exact = ExactBelief(BeliefRequest(machine, ROLE))
    exact.follow(position.observations[:3])
    population: Histories | None = as_population(exact.sample(MOST, 1))
    rng = np.random.default_rng(1)
    for observation in position.observations[3:]:
        assert population is not None
        step = PopulationStep(machine, ROLE, observation, rng, endless())
        population = step.after(population)
    assert population is not None
    assert len(population.states) <= MOST
    assert population.weights.sum() == pytest.approx(1.0)
    assert_fits(machine, position, population.draw(20, rng))
    assert_fits(machine, position, population.take(slice(20)))
    impossible = [PerceptId(p) for p in range(machine.percept_count(ROLE))]
    last = position.observations[-1]
    nothing = Observation(last.move, tuple(impossible))
    assert PopulationStep(machine, ROLE, nothing, rng, endless()).after(population) is None


def test_a_deal_of_whole_hands_is_drawn_where_there_is_no_time_to_try_them_all() -> None:
    """There are 10,000 hands of four cards, of which the first card is seen."""
    machine = load_source(Source("hands.gdl", HANDS)).machine
    role = RoleId(1)
    seen = next(p for p in range(10) if machine.percept_term(role, PerceptId(p)) == ("first", "3"))
    short = Budget(deadline=0.1, clock=Stopped())
    timed = ClockedBelief(machine, role, "auto", short)
    untimed = ClockedBelief(machine, role, "auto", endless())
    (wait,) = machine.legal(machine.initial(), role)
    for belief in (timed, untimed):
        belief.advance(Observation(wait, (PerceptId(seen),)))
    timed.open(short)
    drawn = timed.sample(50, 1)
    assert timed.method == "population"
    assert {card_of(machine, state, "first") for state in drawn.states} == {"3"}
    assert len({card_of(machine, state, "second") for state in drawn.states}) > 5
    assert untimed.size() == 1_000


def card_of(machine: Machine, state: State, place: str) -> object:
    """What was dealt to a place."""
    held = [term for term in machine.fluent_terms(state) if term[0] == "card"]
    return next(term[2] for term in held if term[1] == place)


def test_draws_that_do_not_fit_are_left_out_on_a_machine_that_meets_percepts_as_it_goes() -> None:
    machine = load_source(Source("hands.gdl", HANDS), engine="reference").machine
    role, start = RoleId(1), machine.initial()
    joint = [machine.legal(start, RoleId(0))[1234], machine.legal(start, role)[0]]
    seen = machine.percepts(start, joint, role)
    rng = np.random.default_rng(1)
    step = PopulationStep(machine, role, Observation(joint[1], seen), rng, endless())
    found = step.after(at_the_start(machine, np.ones(1)))
    assert found is not None
    for row in found.joints[:, 0]:
        assert machine.percepts(start, [MoveId(int(move)) for move in row], role) == seen


def at_the_start(machine: Machine, weights: NDArray[np.float64]) -> Histories:
    """A population of empty histories."""
    return Histories(
        joints=np.zeros((len(weights), 0, len(machine.roles)), np.int32),
        states=np.repeat(machine.initial()[None, :], len(weights), axis=0),
        weights=weights,
        complete=False,
    )


@pytest.mark.parametrize(("budget", "going_on"), [(over(), 1), (endless(), 3)])
def test_slow_histories_are_tried_one_by_one_until_one_goes_on_and_time_is_over(
    budget: Budget, going_on: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three histories goes on in the one way that was seen, of 10,000."""
    monkeypatch.setattr(PopulationStep, "_drawn", lambda *_: None)
    all_seen = HANDS.replace("(first ?a)", "(hand ?a ?b ?c ?d)")
    machine = load_source(Source("hands.gdl", all_seen), engine="reference").machine
    role, start = RoleId(1), machine.initial()
    joint = [machine.legal(start, RoleId(0))[1234], machine.legal(start, role)[0]]
    seen = machine.percepts(start, joint, role)
    weights = np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    step = PopulationStep(machine, role, Observation(joint[1], seen), rng, budget)
    found = step.after(at_the_start(machine, weights))
    assert found is not None
    assert found.joints[:, 0].tolist() == [joint] * going_on
    assert found.weights.sum() == pytest.approx(1.0)
    if going_on == len(weights):
        assert sorted(found.weights) == pytest.approx(sorted(weights))
