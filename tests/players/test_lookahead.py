"""Players that solve the next steps find known equilibria, and beat plain search."""

from __future__ import annotations

import time
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.solving.lookahead import LookaheadPlayer
from fogspiel.players.solving.lookahead_solvers import RegretSolver
from fogspiel.players.solving.playout_values import BATCH, MOST, PlayoutValues
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.algorithms import ISMCTS
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.matrix import solve_matrix
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.solve.result import Strategy
from fogspiel.tree.state_graph import StateGraph, build_state_graph


def budget(simulations: int = 500) -> Budget:
    return Budget.of(simulations=simulations)


def started(machine: Machine, name: str, given: Budget) -> LookaheadPlayer:
    player = make_player(name)
    assert isinstance(player, LookaheadPlayer)
    player.start(Seat(machine, RoleId(0), 3), given)
    return player


def mean_goal(machine: Machine, name: str, opponent: str, games: int) -> float:
    """The mean goal of a player against another, from both seats."""
    total = 0.0
    for seed in range(games):
        role = player_roles(machine)[seed % 2]
        players: dict[RoleId, Agent] = {
            other: make_player(name if other == role else opponent)
            for other in player_roles(machine)
        }
        match = play_match(machine, players, start_budget=budget, turn_budget=budget, seed=seed)
        total += match.goals[role]
    return total / games


@pytest.mark.parametrize(("name", "tolerance"), [("sm-lp", 1e-9), ("cfr", 0.03)])
def test_a_matrix_is_mixed_as_its_equilibrium(name: str, tolerance: float) -> None:
    """Shafiei (2010), section 3.6.1: paper 10/16, rock 1/16, scissors 5/16."""
    machine = load("biased_rps").machine
    mixture = started(machine, name, budget(5_000)).mixture(budget(5_000))
    assert sorted(mixture) == pytest.approx([1 / 16, 5 / 16, 10 / 16], abs=tolerance)


def test_goofspiel_is_solved_to_its_end_before_it_begins() -> None:
    machine = load("goofspiel_4").machine
    player = started(machine, "sm-lp", budget())
    assert player.outlook is not None
    assert player.outlook.is_whole
    whole = build_state_graph(machine)
    expected = solve_states(whole).strategy.at(0)
    np.testing.assert_allclose(player.outlook.strategy.at(0), expected, atol=1e-9)


def test_one_step_ahead_is_the_matrix_of_what_playouts_say() -> None:
    machine = load("goofspiel_4").machine
    player = started(machine, "sm-lp:1", budget(100_000))
    mixture = player.mixture(budget(100_000))
    assert player.outlook is not None
    graph = player.outlook.graph
    assert len(graph.level_starts) == 3
    values = np.zeros((len(graph), 2))
    values[1:] = graph.payoffs[graph.state_payoffs[1:]]
    matrix = graph.joint_values(0, values)[:, :, 0]
    assert solve_matrix(matrix).value == pytest.approx(50, abs=10)
    np.testing.assert_allclose(mixture, solve_matrix(matrix).row, atol=1e-9)


@pytest.mark.parametrize("name", ["sm-lp", "cfr"])
def test_an_equilibrium_beats_chance_and_loses_to_no_search(name: str) -> None:
    assert mean_goal(load("goofspiel_4").machine, name, "random", 30) >= 60
    # An equilibrium of a symmetric game guarantees no more than half of the goals.
    assert mean_goal(load("goofspiel_4").machine, name, "uct", 30) >= 40


def test_regrets_serve_three_players_and_matrix_games_do_not() -> None:
    machine = load("smallest").machine
    assert started(machine, "cfr:1", budget(50)).looked_ahead(budget(50)) is not None
    player = started(machine, "sm-lp:1", budget(50))
    assert player.reason is not None
    assert "SOL003" in player.reason
    assert player.choose(budget(50)) in machine.legal(machine.initial(), RoleId(0))


def test_what_is_hidden_is_searched() -> None:
    player = started(load("hidden_goofspiel_4").machine, "cfr", budget())
    assert player.reason is not None
    assert "TRE005" in player.reason
    assert player.setup.algorithm == ISMCTS


def test_leaves_are_played_out_in_batches_until_means_settle() -> None:
    machine = load("goofspiel_5").machine
    states = machine.expand(machine.initial()).states
    leaves = PlayoutValues(machine, seed=1)
    leaves.budget = budget(1_000_000)
    values = leaves(states)
    assert 2 * BATCH * len(states) <= leaves.playouts < MOST * len(states)
    np.testing.assert_array_equal(values.sum(axis=1), 100)
    made = leaves.playouts
    np.testing.assert_array_equal(leaves(states[::-1]), values[::-1])
    assert leaves.playouts == made


@pytest.mark.parametrize("name", ["sm-lp", "cfr"])
def test_the_clock_is_kept(name: str) -> None:
    machine = load("goofspiel_7").machine
    # Time of this process alone: other work may share the processor.
    timed = partial(Budget.of, seconds=0.3, clock=time.process_time)
    player = started(machine, name, timed())
    player.choose(timed())
    given = timed()
    player.choose(given)
    assert given.seconds_left > -0.3
    assert player.reason is None


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_a_depth_that_was_asked_for_is_looked_at_where_there_is_time(depth: int) -> None:
    """Depth one is solved first in case time is short, however long its playouts would take."""
    looks = count()
    ticking = Budget.of(seconds=1.0, clock=lambda: next(looks) / 1_000)
    player = started(load("goofspiel_5").machine, f"cfr:{depth}", ticking)
    assert player.outlook is not None
    assert len(player.outlook.graph.level_starts) == depth + 2
    assert player.outlook.is_whole == (depth == 5)


def test_a_batch_of_few_leaves_says_nothing_of_many() -> None:
    machine = load("goofspiel_5").machine
    states = machine.expand(machine.initial()).states
    leaves = PlayoutValues(machine, seed=1)
    # A batch takes a second, however large it is: the first has all leaves, the last a few.
    looks = count()
    leaves.budget = Budget.of(seconds=1_000.0, clock=lambda: float(next(looks)))
    leaves(states)
    leaves.must_answer = False
    leaves.budget = Budget.of(seconds=2.0, clock=lambda: 0.0)
    later = machine.expand(states[0]).states
    assert len(later) < len(states)
    assert len(leaves(later)) == len(later)


def test_regrets_go_by_the_clock_of_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver makes as many iterations as the clock has seconds, if each takes a second."""
    made, iterate = [0], StateRegrets.iterate

    def counted(regrets: StateRegrets, count: int) -> None:
        made[0] += count
        iterate(regrets, count)

    monkeypatch.setattr(StateRegrets, "iterate", counted)
    given = Budget.of(seconds=60.0, clock=lambda: float(made[0]))
    RegretSolver().solve(build_state_graph(load("goofspiel_4").machine), given)
    assert 50 < made[0] <= 60


def test_iterations_that_do_not_fit_a_turn_are_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """An iteration may take many turns where a state has a thousand joint moves."""
    made, iterate = [0], StateRegrets.iterate

    def counted(regrets: StateRegrets, count: int) -> None:
        made[0] += count
        iterate(regrets, count)

    monkeypatch.setattr(StateRegrets, "iterate", counted)
    # On this clock an iteration takes a second, however few states it is about.
    timed = partial(Budget.of, clock=lambda: float(made[0]))
    solver = RegretSolver()
    solver.solve(build_state_graph(load("goofspiel_4").machine), timed(seconds=60.0))
    before = made[0]
    solver.improve(0, timed(seconds=0.9))
    assert made[0] == before
    solver.improve(0, timed(seconds=2.5))
    assert before < made[0] <= before + 2


def test_the_whole_of_a_game_with_a_thousand_joint_moves_a_state_is_found_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The game has 11,505 non-terminal states, for which Shafiei's start clock was just enough."""
    machine, made, iterate = load("smallest").machine, [0], StateRegrets.iterate

    def counted(regrets: StateRegrets, count: int) -> None:
        made[0] += count
        iterate(regrets, count)

    monkeypatch.setattr(StateRegrets, "iterate", counted)
    # On this clock growing the graph takes no time, and an iteration a second.
    given = Budget.of(seconds=6.0, clock=lambda: float(made[0]))
    player = started(machine, "cfr:99", given)
    assert player.outlook is not None
    assert player.outlook.is_whole
    assert len(player.outlook.graph) == 14_613
    assert given.seconds_left > -0.3


@pytest.mark.parametrize("name", ["cfr:0", "sm-lp:deep"])
def test_a_depth_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="PLY021"):
        make_player(name)


@pytest.mark.parametrize("name", ["cfr", "sm-lp", "cfr:9"])
def test_a_thousand_joint_moves_a_state_make_nobody_late(name: str) -> None:
    machine = load("smallest").machine
    player = started(machine, name, budget(1))
    player.choose(budget(1))
    # Time of this process alone: other work may share the processor.
    given = Budget.of(seconds=0.2, clock=time.process_time)
    player.start(Seat(machine, RoleId(0), 4), given)
    assert given.seconds_left > -0.3
    given = Budget.of(seconds=0.2, clock=time.process_time)
    player.choose(given)
    assert given.seconds_left > -0.3


def test_simulations_bound_what_joint_moves_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state of `smallest` has a thousand joint moves, so that a bound on states is not enough."""
    bounds = list[int]()

    def noted(*args: Any, max_bytes: int, **kwargs: Any) -> StateGraph:
        bounds.append(max_bytes)
        return build_state_graph(*args, max_bytes=max_bytes, **kwargs)

    monkeypatch.setattr("fogspiel.players.solving.lookahead.build_state_graph", noted)
    started(load("goofspiel_4").machine, "sm-lp", budget(500))
    started(load("goofspiel_4").machine, "sm-lp", budget(5_000))
    assert bounds == [2_000_000, 10_000_000]


def test_regrets_go_on_in_every_turn_about_what_can_follow() -> None:
    """Shafiei (2010), section 4.6: the tree above the present node is cut off."""
    machine = load("goofspiel_4").machine
    player = started(machine, "cfr", budget(20))
    assert player.outlook is not None
    assert player.outlook.is_whole
    exact = solve_states(player.outlook.graph)
    joint = [machine.legal(machine.initial(), RoleId(role))[0] for role in range(2)]
    state = machine.step(machine.initial(), joint)
    player.observe(observation_of(machine, machine.initial(), joint, RoleId(0)))
    before = player.outlook.strategy
    player.mixture(budget(3_000))
    (row,) = np.flatnonzero((player.outlook.graph.states == state).all(axis=1))
    values, graph = exact.state_values, player.outlook.graph
    assert values is not None
    stage = graph.joint_values(int(row), values)[..., 0]

    def gap(found: Strategy) -> float:
        """The value of the state less that of the mixture against a best response."""
        assert values is not None
        return float(values[row, 0] - (found.at(graph.decision(int(row), 1)) @ stage).min())

    assert gap(player.outlook.strategy) < 1.0
    assert gap(player.outlook.strategy) < gap(before)


class Metered:
    """A clock on which every playout takes a hundredth of a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, playouts = 0.0, CompiledMachine.playouts

        def slow(machine: CompiledMachine, states: Any, *, count: int, **rest: Any) -> Any:
            self.now += 0.01 * count * len(states)
            return playouts(machine, states, count=count, **rest)

        monkeypatch.setattr(CompiledMachine, "playouts", slow)

    def __call__(self) -> float:
        return self.now


def test_leaves_are_played_out_less_often_where_time_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The probe takes 0.64 s; half of the 1.36 s left allows 4 playouts for each of 16 leaves."""
    machine = load("goofspiel_4").machine
    look_at_goals(machine, budget())
    clock, leaves = Metered(monkeypatch), PlayoutValues(machine, 1)
    leaves.budget = Budget.of(seconds=2.0, clock=clock)
    leaves(machine.expand(machine.initial()).states)
    assert clock.now <= 2.0


def test_too_many_joint_moves_for_a_clock_are_searched_instead() -> None:
    """The initial state has 16 joint moves, estimated to take about a thousandth of a second."""
    machine = load("goofspiel_4").machine
    player = started(machine, "cfr:2", Budget.of(seconds=0.001, clock=lambda: 0.0))
    assert player.outlook is None
    assert player.reason is None
    assert player.mixture(budget()).sum() == pytest.approx(1.0)
    assert player.outlook is not None
