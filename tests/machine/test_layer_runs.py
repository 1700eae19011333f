"""Layers in one call are those that single steps lead to, on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.games.load import load
from fogspiel.games.making import EngineChoice
from fogspiel.machine.layers import merged
from fogspiel.machine.protocol import Layer, Machine

NO_LIMIT = 1 << 20
SECOND = RoleId(2)
GAMES = ("latent_tic_tac_toe", "leduc_poker", "blind_breakthrough_6", "slippery_robot", "gops_4_10")


def start(machine: Machine) -> Layer:
    return Layer(states=machine.initial()[None, :], counts=np.ones(1), weights=np.ones(1))


def view(machine: Machine, steps: int, role: int = 0) -> Position:
    return position_after(machine, random_history(machine, steps, seed=1), RoleId(role))


@pytest.mark.parametrize("name", GAMES)
def test_a_run_is_what_single_steps_lead_to(name: str) -> None:
    machine = load(name).machine
    position = view(machine, 8)
    observations = position.observations
    last, done = start(machine), 0
    while done < len(observations):
        run = machine.layers(last, RoleId(0), observations[done:], NO_LIMIT)
        assert len(run) > 0
        for number in range(len(run)):
            found = machine.continuations(last.states, RoleId(0), observations[done + number])
            layer, steps = merged(last, found)
            own, into = run.layer(number), run.steps(number)
            assert np.array_equal(own.states, layer.states)
            assert np.array_equal(own.counts, layer.counts)
            assert np.allclose(own.weights, layer.weights, rtol=1e-12)
            assert np.array_equal(into.parents, steps.parents)
            assert np.array_equal(into.joints, steps.joints)
            assert np.array_equal(into.shares, steps.shares)
            assert np.array_equal(into.starts, steps.starts)
            last = own
        done += len(run)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_nothing_fits_makes_an_empty_layer(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    (deal,) = view(machine, 1, SECOND).observations  # to the other: it may be any of three cards
    nothing = Observation(MoveId(0), ())
    observations = [deal, nothing, nothing]
    last, sizes = start(machine), list[int]()
    while not sizes or sizes[-1]:
        run = machine.layers(last, SECOND, observations[len(sizes) :], NO_LIMIT)
        sizes += [len(run.layer(number)) for number in range(len(run))]
        last = run.layer(len(run) - 1)
    assert sizes == [3, 0]


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_layer_beyond_the_limit_is_left(engine: EngineChoice) -> None:
    machine = load("kuhn_poker", engine=engine).machine
    (deal,) = view(machine, 1, SECOND).observations
    assert len(machine.layers(start(machine), SECOND, [deal], 3)) == 1
    assert len(machine.layers(start(machine), SECOND, [deal], 2)) == 0


def test_wide_layers_go_on_with_more_lanes() -> None:
    machine = load("blind_breakthrough_6").machine
    position = view(machine, 12)
    last, done, calls = start(machine), 0, 0
    while done < len(position.observations):
        run = machine.layers(last, RoleId(0), position.observations[done:], NO_LIMIT)
        last = run.layer(len(run) - 1)
        done += len(run)
        calls += 1
    assert len(last) > 64
    assert calls < len(position.observations)


def test_unknown_moves_and_percepts_are_refused() -> None:
    machine = load("kuhn_poker").machine
    unknown_move = Observation(MoveId(10_000), ())
    unknown_percept = Observation(MoveId(0), (PerceptId(10_000),))
    with pytest.raises(PlayError):
        machine.layers(start(machine), RoleId(0), [unknown_move], NO_LIMIT)
    with pytest.raises(IndexError):
        machine.layers(start(machine), RoleId(0), [unknown_percept], NO_LIMIT)
