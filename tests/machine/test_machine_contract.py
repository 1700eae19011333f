"""The contract of the machine protocol, checked for both engines on games of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest
from two_machines import compiled_of, reference_of

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.library import game_source
from fogspiel.machine.analysis.random_walks import WalkStep, random_walks
from fogspiel.machine.protocol import Machine, State

GAMES = ["tic_tac_toe", "biased_rps", "kuhn_poker", "monty_hall", "goofspiel_4", "nim"]
ENGINES: dict[str, Callable[[str], Machine]] = {
    "compiled": compiled_of,
    "reference": reference_of,
}


@cache
def machine_of(engine: str, game: str) -> Machine:
    return ENGINES[engine](game_source(game).text)


@pytest.fixture(params=product(ENGINES, GAMES), ids="-".join)
def machine(request: pytest.FixtureRequest) -> Machine:
    return machine_of(*request.param)


def roles_of(machine: Machine) -> list[RoleId]:
    return [RoleId(role) for role in range(len(machine.roles))]


def steps_of(machine: Machine, walks: int = 8) -> Iterator[WalkStep]:
    """The steps of some random walks."""
    return random_walks(machine, walks, np.random.default_rng(9))


def some_states(machine: Machine) -> list[State]:
    """Every kind of state that a few walks meet, terminal ones among them."""
    found = {machine.key(machine.initial()): machine.initial()}
    for step in steps_of(machine):
        found.update((machine.key(state), state) for state in step.successors)
    return list(found.values())


def test_the_engine_says_which_it_is(machine: Machine) -> None:
    assert machine.engine in ENGINES
    assert machine_of(machine.engine, GAMES[0]).engine == machine.engine
    assert len(set(machine.roles)) == len(machine.roles) >= 1
    if machine.chance_role is not None:
        assert machine.roles[machine.chance_role] == "random"


def test_a_state_is_a_row_of_words(machine: Machine) -> None:
    for state in some_states(machine):
        assert state.dtype == np.uint64
        assert state.ndim == 1
        assert len(state) >= 1


def test_scalar_answers_are_plain_and_ascending(machine: Machine) -> None:
    for state in some_states(machine):
        assert type(machine.terminal(state)) is bool
        goals = machine.goals(state)
        assert len(goals) == len(machine.roles)
        assert all(type(goal) is int for goal in goals)
        for role in roles_of(machine):
            legal = machine.legal(state, role)
            assert list(legal) == sorted(set(legal))
            assert all(type(move) is int for move in legal)
            values = machine.goal_values(state, role)
            assert list(values) == sorted(set(values))
            assert goals[role] == max(values, default=0)


def test_batched_answers_are_the_scalar_ones(machine: Machine) -> None:
    for step in steps_of(machine):
        states = step.states
        for role in roles_of(machine):
            legal = machine.legal_batch(states, role)
            assert legal.dtype == np.bool_
            assert legal.shape == (len(states), machine.move_count(role))
            assert [tuple(np.flatnonzero(row)) for row in legal] == [
                machine.legal(state, role) for state in states
            ]
            seen = machine.percepts_batch(states, step.joints, role)
            assert seen.dtype == np.bool_
            assert seen.shape == (len(states), machine.percept_count(role))
            for state, joint, row in zip(states, step.joints.tolist(), seen, strict=True):
                percepts = machine.percepts(state, joint, role)
                assert list(percepts) == sorted(set(percepts))
                assert tuple(np.flatnonzero(row)) == percepts
        successors = machine.step_batch(states, step.joints)
        assert successors.dtype == np.uint64
        for state, joint, row in zip(states, step.joints.tolist(), successors, strict=True):
            assert machine.key(machine.step(state, joint)) == machine.key(row)
        terminal = machine.terminal_batch(successors)
        assert terminal.dtype == np.bool_
        assert terminal.tolist() == [machine.terminal(state) for state in successors]
        goals = machine.goals_batch(successors)
        assert goals.dtype == np.int64
        assert goals.shape == (len(states), len(machine.roles))
        assert goals.tolist() == [list(machine.goals(state)) for state in successors]


def test_one_row_is_answered_like_many(machine: Machine) -> None:
    """More rows than lanes, so that the widest path is taken as well."""
    state = machine.initial()
    many = np.repeat(state[None, :], 700, axis=0)
    for role in roles_of(machine):
        assert (machine.legal_batch(many, role) == machine.legal_batch(many[:1], role)).all()
    joint = [machine.legal(state, role)[0] for role in roles_of(machine)]
    joints = np.repeat(np.array([joint], np.int32), 700, axis=0)
    after = machine.step_batch(many, joints)
    assert {machine.key(row) for row in after} == {machine.key(machine.step(state, joint))}


def test_expanding_gives_the_product_of_legal_moves_in_order(machine: Machine) -> None:
    state = machine.initial()
    expansion = machine.expand(state)
    legal = [machine.legal(state, role) for role in roles_of(machine)]
    assert expansion.joints.dtype == np.int32
    assert [tuple(joint) for joint in expansion.joints.tolist()] == list(product(*legal))
    for joint, child, terminal in zip(
        expansion.joints.tolist(), expansion.states, expansion.terminal.tolist(), strict=True
    ):
        assert machine.key(machine.step(state, joint)) == machine.key(child)
        assert machine.terminal(child) == terminal


def test_a_state_comes_back_from_its_fluents(machine: Machine) -> None:
    states = some_states(machine)
    assert len({machine.key(state) for state in states}) == len(states)
    for state in states:
        fluents = machine.fluent_terms(state)
        assert len(set(fluents)) == len(fluents)
        assert machine.key(machine.state_of(reversed(fluents))) == machine.key(state)


def test_moves_have_terms_and_terms_have_moves(machine: Machine) -> None:
    for role in roles_of(machine):
        machine.legal(machine.initial(), role)
        assert machine.move_count(role) >= 1
        for number in range(machine.move_count(role)):
            move = MoveId(number)
            assert machine.move_id(role, machine.move_term(role, move)) == move


def test_chance_is_uniform_and_sums_to_one(machine: Machine) -> None:
    for state in some_states(machine):
        weights = machine.chance_weights(state)
        assert weights.dtype == np.float64
        if machine.chance_role is None:
            assert len(weights) == 0
        elif not machine.terminal(state):
            assert len(weights) == len(machine.legal(state, machine.chance_role))
            assert weights.sum() == pytest.approx(1)
            assert np.ptp(weights) == 0


def test_probabilities_of_many_states_are_those_of_each(machine: Machine) -> None:
    states = [state for state in some_states(machine) if not machine.terminal(state)]
    role = machine.chance_role
    # A machine may meet more moves, and then longer states, as it goes.
    rows = np.zeros((len(states), max(map(len, states))), np.uint64)
    for row, state in zip(rows, states, strict=True):
        row[: len(state)] = state
    table = machine.chance_weights_batch(rows)
    if role is None:
        assert table.shape == (len(states), 0)
        return
    for shares, state in zip(table, states, strict=True):
        legal = list(machine.legal(state, role))
        assert shares[legal].tolist() == machine.chance_weights(state).tolist()
        assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("engine", ENGINES)
def test_without_sees_all_roles_see_the_joint_move(engine: str) -> None:
    machine = machine_of(engine, "tic_tac_toe")
    for step in steps_of(machine, walks=2):
        for state, joint in zip(step.states, step.joints.tolist(), strict=True):
            made = {
                ("does", machine.roles[role], machine.move_term(role, MoveId(joint[role])))
                for role in roles_of(machine)
            }
            for role in roles_of(machine):
                percepts = machine.percepts(state, joint, role)
                assert {machine.percept_term(role, p) for p in percepts} == made


def an_illegal_joint(machine: Machine) -> tuple[State, list[MoveId]]:
    """A state, and a joint move of known moves that is not legal in it."""
    for state in some_states(machine):
        legal = [machine.legal(state, role) for role in roles_of(machine)]
        if machine.terminal(state):
            continue
        for role in roles_of(machine):
            others = set(range(machine.move_count(role))) - set(legal[role])
            if others:
                joint = [moves[0] for moves in legal]
                joint[role] = MoveId(min(others))
                return state, joint
    pytest.skip("every move is always legal")


def test_an_illegal_move_is_refused(machine: Machine) -> None:
    state, joint = an_illegal_joint(machine)
    with pytest.raises(PlayError, match="MCH001"):
        machine.step(state, joint)
    legal = [machine.legal(state, role)[0] for role in roles_of(machine)]
    with pytest.raises(PlayError, match="MCH001"):
        machine.step_batch(np.stack([state, state]), np.array([legal, joint], np.int32))


@pytest.mark.parametrize("number", [-1, 10_000])
def test_an_unknown_move_is_refused(machine: Machine, number: int) -> None:
    state = machine.initial()
    joint = [machine.legal(state, role)[0] for role in roles_of(machine)]
    joint[-1] = MoveId(number)
    with pytest.raises(PlayError, match="MCH002"):
        machine.step(state, joint)
    with pytest.raises(PlayError, match="MCH002"):
        machine.percepts(state, joint, RoleId(0))


def test_a_term_that_is_no_move_is_refused_at_the_latest_when_it_is_made(machine: Machine) -> None:
    state = machine.initial()
    _, *others = (machine.legal(state, role)[0] for role in roles_of(machine))
    # Where a rule leaves the move to a variable, the reasoner can tell only in a state.
    with pytest.raises(PlayError, match=r"MCH001|MCH002"):
        machine.step(state, [machine.move_id(RoleId(0), ("no", "such", "move")), *others])


def test_a_joint_move_of_the_wrong_length_is_refused(machine: Machine) -> None:
    state = machine.initial()
    joint = [machine.legal(state, role)[0] for role in roles_of(machine)]
    for wrong in (joint[:-1], [*joint, MoveId(0)]):
        with pytest.raises(ValueError, match="joint move"):
            machine.step(state, wrong)


def test_an_unknown_fluent_is_refused(machine: Machine) -> None:
    with pytest.raises(PlayError, match="MCH005"):
        machine.state_of([("no", "such", "fluent")])


def test_playouts_are_counted_and_repeat(machine: Machine) -> None:
    states = np.repeat(machine.initial()[None, :], 2, axis=0)
    first, second = (machine.playouts(states, seed=4, count=5) for _ in range(2))
    assert first.goal_sums.tobytes() == second.goal_sums.tobytes()
    assert first.goal_sums.dtype == np.int64
    assert first.goal_sums.shape == (2, len(machine.roles))
    assert first.counts.tolist() == [5, 5]
    assert (first.steps, first.stuck, first.cut) == (second.steps, 0, 0)
    assert first.steps >= 10
