"""Games in which roles cannot know their legal moves: the referee replaces illegal ones."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from doubtful_game import DOUBTFUL, UNEVEN
from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine
from fogspiel.machine.wrappers.illegal_moves import replace_illegal
from fogspiel.play.loop import play_match
from fogspiel.play.series import Entrant, play_series
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.simple import RandomPlayer

GAMES = 12
BLACK = RoleId(1)
few = partial(Budget.of, simulations=40)


def machine(engine: EngineChoice = "compiled") -> Machine:
    return load_source(Source("doubtful.gdl", DOUBTFUL), engine=engine).machine


@pytest.fixture(scope="module")
def compiled() -> Machine:
    return machine()


@pytest.mark.parametrize("name", PLAYERS)
def test_players_play_on_where_their_moves_are_in_doubt(compiled: Machine, name: str) -> None:
    entrants = [Entrant(player, partial(make_player, player)) for player in (name, name)]
    series = play_series(compiled, entrants, games=GAMES, turn_budget=few, seed=2)
    assert series.goals.sum(axis=1).tolist() == [100] * GAMES
    # White sees its stone; black does not, and knows of one hiding place at most.
    assert sum(white.replaced for white, _ in series.seats) == 0


@pytest.mark.parametrize("name", PLAYERS)
def test_players_play_on_where_they_do_not_even_know_how_many_moves_they_have(name: str) -> None:
    uneven = load_source(Source("uneven.gdl", UNEVEN), engine="compiled").machine
    entrants = [Entrant(player, partial(make_player, player)) for player in (name, name)]
    series = play_series(uneven, entrants, games=GAMES, turn_budget=few, seed=2)
    assert series.goals.sum(axis=1).tolist() == [100] * GAMES


@pytest.mark.parametrize("name", ["ismcts", "shodan", "oos", "hyperplay2"])
def test_matches_repeat_though_the_machine_has_learnt_of_illegal_moves(name: str) -> None:
    fresh = machine()
    entrants = [Entrant(player, partial(make_player, player)) for player in (name, name)]
    play = partial(play_series, fresh, entrants, games=4, turn_budget=few, seed=3)
    first, second = play(), play()
    assert first.goals.tolist() == second.goals.tolist()
    assert first.seats == second.seats


def test_moves_that_only_seemed_legal_are_replaced_and_counted(compiled: Machine) -> None:
    entrants = [Entrant("random", RandomPlayer)] * 2
    series = play_series(compiled, entrants, games=GAMES, turn_budget=few, seed=2)
    replaced = sum(black.replaced for _, black in series.seats)
    assert replaced > 0
    by_role = {tally.role: tally.replaced for tally in series.results()}
    assert by_role["black"] == replaced


class Reckless(RandomPlayer):
    """A player that makes a move that it knows to be illegal."""

    def choose(self, budget: Budget) -> MoveId:
        legal = self.legal_moves(budget)
        return next(
            MoveId(move) for move in range(self.machine.move_count(self.role)) if move not in legal
        )


def test_a_move_that_nobody_could_hold_legal_is_a_fault_of_the_player(compiled: Machine) -> None:
    players = {RoleId(0): RandomPlayer(), BLACK: Reckless()}
    with pytest.raises(PlayError, match="MAT001"):
        play_match(compiled, players, start_budget=few, turn_budget=few, seed=1)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_replaced_move_makes_the_same_step_and_sight_every_time(engine: EngineChoice) -> None:
    strict = machine(engine)
    forgiving = replace_illegal(strict)
    assert replace_illegal(strict) is forgiving
    state = strict.initial()
    for _ in range(2):
        joint = [strict.legal(state, RoleId(role))[0] for role in (0, 1)]
        np.testing.assert_array_equal(forgiving.step(state, joint), strict.step(state, joint))
        state = strict.step(state, joint)
    white = strict.legal(state, RoleId(0))[0]
    legal = strict.legal(state, BLACK)
    wrong = next(MoveId(m) for m in range(strict.move_count(BLACK)) if m not in legal)
    with pytest.raises(PlayError, match="MCH001"):
        strict.step(state, [white, wrong])
    after = forgiving.step(state, [white, wrong])
    counted = [m for m in legal if (strict.step(state, [white, m]) == after).all()]
    assert counted
    seen = forgiving.percepts(state, [white, wrong], RoleId(0))
    assert seen in [strict.percepts(state, [white, m], RoleId(0)) for m in counted]
    with pytest.raises(PlayError, match="MCH001"):
        strict.step(state, [white, wrong])
