"""Players that minimise regrets go on from turn to turn, with the whole game and parts of it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Seat
from fogspiel.players.solving.lookahead import LookaheadPlayer, Outlook
from fogspiel.players.solving.lookahead_solvers import RegretSolver
from fogspiel.solve.regret.cfr_states import StateRegrets

OWN = RoleId(0)
AHEAD = "cfr:2,fluents"  #: Two steps; playouts of their leaves take more simulations than these


class Counted:
    """A clock on which an iteration takes a thousandth of a second, and nothing else any time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.iterations, iterate = 0, StateRegrets.iterate

        def counted(regrets: StateRegrets, count: int) -> None:
            self.iterations += count
            iterate(regrets, count)

        monkeypatch.setattr(StateRegrets, "iterate", counted)

    def __call__(self) -> float:
        return self.iterations / 1_000

    def seconds(self, seconds: float) -> Budget:
        """A budget on this clock."""
        return Budget.of(seconds=seconds, clock=self)


def simulations(count: int) -> Budget:
    return Budget.of(simulations=count)


def started(game: str, name: str, given: Budget, seed: int = 3) -> LookaheadPlayer:
    player = make_player(name)
    assert isinstance(player, LookaheadPlayer)
    player.start(Seat(load(game).machine, OWN, seed), given)
    return player


def regrets_of(player: LookaheadPlayer) -> StateRegrets:
    assert isinstance(player._solver, RegretSolver)
    return player._solver._learnt


def seen(player: LookaheadPlayer) -> Outlook:
    assert player.outlook is not None
    return player.outlook


def step(player: LookaheadPlayer) -> None:
    """Let all roles make their first move."""
    machine, state = player.machine, player.known_state()
    assert state is not None
    roles = map(RoleId, range(len(machine.roles)))
    joint = [MoveId(machine.legal(state, role)[0]) for role in roles]
    player.observe(observation_of(machine, state, joint, OWN))


def test_iterations_go_on_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number of iterations is the last, such as 10,000."""
    clock = Counted(monkeypatch)
    player = started("goofspiel_4", "cfr", clock.seconds(9.0))
    assert 8_500 < clock.iterations <= 9_000
    early = regrets_of(player).exploitability()
    player.choose(clock.seconds(9.0))
    assert 17_500 < clock.iterations <= 18_000
    player.think(clock.seconds(9.0))
    assert 26_500 < clock.iterations <= 27_000
    assert regrets_of(player).iterations == clock.iterations
    assert regrets_of(player).exploitability() < early / 2


def test_simulations_are_iterations_on_top_of_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Counted(monkeypatch)
    player = started("goofspiel_4", "cfr", simulations(11_000))
    assert clock.iterations == 11_000
    player.choose(simulations(500))
    assert clock.iterations == 11_500
    step(player)
    player.choose(simulations(700))
    assert clock.iterations == 12_200
    assert regrets_of(player).iterations == 12_200


def test_nobody_ponders_where_nobody_has_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Counted(monkeypatch)
    player = started("goofspiel_4", "cfr", clock.seconds(0.5))
    for _ in range(3):
        step(player)
    before = clock.iterations
    player.choose(clock.seconds(0.5))
    assert clock.iterations == before


def test_a_depth_goes_on_in_the_same_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shafiei (2010), section 5.2.2: the game of the next steps is solved by regrets."""
    player = started("goofspiel_5", AHEAD, simulations(200))
    once, fresh = regrets_of(player).exploitability(), regrets_of(player)
    player.mixture(simulations(200))
    twice = regrets_of(player)
    assert twice is not fresh
    assert twice.exploitability() < once
    assert twice.iterations == 400
    # Nothing but the number of iterations differs from learning without a pause.
    fresh.iterate(200)
    np.testing.assert_array_equal(twice.average().probabilities, fresh.average().probabilities)


def test_a_depth_takes_over_what_was_learnt_a_step_before() -> None:
    """The state after a step was one step ahead, and was solved with the leaves of then."""
    player, forgetful = (started("goofspiel_5", AHEAD, simulations(1_000)) for _ in range(2))
    assert len(seen(player).graph.level_starts) == 4
    forgetful._solver = RegretSolver()
    for own in (player, forgetful):
        step(own)
    # The first iteration that remembers nothing is about uniform behaviour.
    np.testing.assert_allclose(forgetful.mixture(simulations(1)), 1 / 4)
    assert player.mixture(simulations(1)).max() > 1 / 3


def test_iterations_go_on_while_others_move(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Counted(monkeypatch)
    for name in ("cfr", AHEAD):
        player = started("goofspiel_5", name, simulations(200))
        player.choose(simulations(200))
        before, early = clock.iterations, regrets_of(player).exploitability()
        player.ponder(clock.seconds(2.0))
        assert 1_900 < clock.iterations - before <= 2_000
        assert regrets_of(player).exploitability() < early
        # The strategy is that of all iterations.
        np.testing.assert_array_equal(
            seen(player).strategy.probabilities, regrets_of(player).average().probabilities
        )


def test_a_game_that_was_solved_exactly_stays_as_it_is_while_others_move() -> None:
    player = started("goofspiel_4", "sm-lp", simulations(200))
    before = seen(player)
    player.ponder(simulations(200))
    assert seen(player) is before


def test_one_graph_is_kept() -> None:
    player = started("goofspiel_5", AHEAD, simulations(50))
    first = weakref.ref(seen(player).graph)
    step(player)
    player.mixture(simulations(50))
    gc.collect()
    assert first() is None
    assert seen(player).step == 1


def test_a_turn_without_a_choice_looks_ahead_where_a_clock_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Counted(monkeypatch)
    player = started("goofspiel_5", AHEAD, simulations(50))
    step(player)
    player.think(simulations(50))
    assert seen(player).step == 0
    player.think(clock.seconds(1.0))
    assert seen(player).step == 1
    assert clock.iterations > 500


@pytest.mark.parametrize("name", ["cfr", AHEAD])
def test_the_same_seed_gives_the_same_mixtures(name: str) -> None:
    def mixtures() -> list[bytes]:
        player, found = started("goofspiel_5", name, simulations(30), seed=8), []
        for _ in range(3):
            found.append(player.mixture(simulations(30)).tobytes())
            step(player)
        return found

    assert mixtures() == mixtures()
