"""Players watch the clock where rules are too large to compile."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from endless_game import endless
from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.analysis import cost
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Seat
from fogspiel.players.solving.playout_values import PlayoutValues
from fogspiel.search.evaluation.value_scale import value_scale


@pytest.mark.parametrize("name", ["ismcts", "uct", "shodan"])
def test_a_clock_on_which_a_playout_takes_a_second_is_overdrawn_by_few(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier version made 256 playouts for the scale of goals, and 16 simulations first."""
    made, playouts = [0], ReferenceMachine.playouts

    def counted(
        machine: ReferenceMachine, states: Any, *, seed: int, count: int, **rest: Any
    ) -> Any:
        made[0] += count * len(states)
        return playouts(machine, states, seed=seed, count=count, **rest)

    monkeypatch.setattr(ReferenceMachine, "playouts", counted)
    timed = partial(Budget.of, seconds=3.0, clock=lambda: float(made[0]))
    machine = load("latent_tic_tac_toe", engine="reference").machine
    player = make_player(name)
    player.start(Seat(machine, RoleId(0), 1), timed())
    assert made[0] <= 3
    before = made[0]
    assert player.choose(timed()) in machine.legal(machine.initial(), RoleId(0))
    # Four playouts end a simulation of `uct`.
    assert made[0] - before <= 8


@pytest.mark.parametrize("name", ["ismcts", "uct", "norns"])
def test_playouts_are_cut_where_a_step_takes_a_tenth_of_a_second(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier version finished playouts of hundreds of slow steps whatever the clock said."""
    made, step = [0], ReferenceMachine.step

    def counted(machine: ReferenceMachine, *rest: Any) -> Any:
        made[0] += 1
        return step(machine, *rest)

    machine = endless("reference")
    player = make_player(name)
    value_scale(machine)  # looks at goals, without a clock
    monkeypatch.setattr(ReferenceMachine, "step", counted)
    # Players search before play too, and remember how long a step takes: by the same clock.
    timed = partial(Budget.of, clock=lambda: made[0] / 10)
    player.start(Seat(machine, RoleId(0), 1), timed(seconds=0.01))
    made[0] = 0
    assert player.choose(timed(seconds=2.0)) in machine.legal(machine.initial(), RoleId(0))
    assert 4 <= made[0] <= 25


@pytest.fixture
def most_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of steps at which playouts were cut, if gates took ten thousand times as long."""
    most, playouts = list[int](), CompiledMachine.playouts

    def noted(own: CompiledMachine, states: Any, **rest: Any) -> Any:
        most.append(rest.get("max_steps", DEFAULT_MAX_STEPS))
        return playouts(own, states, **rest)

    monkeypatch.setattr(CompiledMachine, "playouts", noted)
    monkeypatch.setattr(cost, "GATE_SECONDS", cost.GATE_SECONDS * 10_000)
    return most


@pytest.mark.parametrize("name", ["ismcts", "uct", "hyperplay"])
def test_playouts_are_cut_where_there_are_very_many_gates(name: str, most_steps: list[int]) -> None:
    machine = endless("compiled")
    player = make_player(name)
    player.start(Seat(machine, RoleId(0), 1), Budget.of(seconds=0.05))
    most_steps.clear()
    assert player.choose(Budget.of(seconds=0.1)) in machine.legal(machine.initial(), RoleId(0))
    assert most_steps
    assert max(most_steps) < DEFAULT_MAX_STEPS


def test_so_are_those_of_states_in_which_looking_ahead_stops(most_steps: list[int]) -> None:
    machine = endless("compiled")
    leaves = PlayoutValues(machine, 1)
    leaves.budget = Budget.of(seconds=0.1)
    value_scale(machine)  # looks at goals, without a cut
    most_steps.clear()
    assert leaves(machine.initial()[None, :]).shape == (1, 2)
    assert most_steps
    assert max(most_steps) < DEFAULT_MAX_STEPS
