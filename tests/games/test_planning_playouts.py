"""Random play of the POGDDL games on the compiled machine, against what is known or worked out."""

from __future__ import annotations

from functools import cache
from math import comb

import pytest
from planning import planned

from fogspiel.core.terms import RoleId
from fogspiel.games.library import POGDDL, bundled_games
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, Playouts, State
from games_by_language import games_in

COUNT = 20_000


@cache
def compiled(name: str) -> Machine:
    """The compiled machine of a bundled game; a game that falls back to another fails here."""
    return load(name, engine="compiled").machine


@cache
def played(name: str) -> Playouts:
    """Some thousands of random games."""
    machine = compiled(name)
    return machine.playouts(machine.initial()[None, :], seed=7, count=COUNT)


@pytest.mark.parametrize("name", games_in(POGDDL))
def test_all_games_end_by_their_rules(name: str) -> None:
    result = played(name)
    assert (result.stuck, result.cut) == (0, 0)
    assert int(result.counts.sum()) == COUNT
    facts = bundled_games()[name].facts
    if "steps" in facts:
        assert result.steps == COUNT * facts["steps"].value
    if "single-player" not in bundled_games()[name].tags:
        assert int(result.goal_sums.sum()) == 0


@pytest.mark.parametrize("name", ["gops_4_10", "gops_10_40"])
def test_both_players_win_the_game_of_pure_strategy_equally_often(name: str) -> None:
    expected = bundled_games()[name].facts["mean_payoffs"].value
    # Payoffs are at most 1, so their standard error is at most 1/sqrt(20,000); five of them.
    assert played(name).mean_goals == pytest.approx(expected, abs=0.036)


def test_random_shots_sink_a_fleet_as_late_as_arithmetic_says() -> None:
    """A fleet of 17 cells of 100 has sunk after s shots with probability C(s, 17) / C(100, 17)."""
    cells = bundled_games()["battleship_10"].facts["fleet_cells"].value
    afloat = [1 - comb(shots, cells) / comb(100, cells) for shots in range(101)]
    length = 10.0  # steps in which ships are laid out
    for shots in range(100):
        # The first player shoots if both fleets are afloat, the second if that shot sank none.
        length += afloat[shots] ** 2 + afloat[shots] * afloat[shots + 1]
    # The number of steps has a standard deviation of 8; five standard errors.
    assert played("battleship_10").mean_length == pytest.approx(length, abs=0.3)


def test_the_robot_slips_as_often_as_its_weights_say() -> None:
    game = planned("slippery_robot")

    @cache
    def value(key: bytes) -> float:
        state = states[key]
        if game.machine.terminal(state):
            return game.machine.goals(state)[1]
        children = game.position(state).children
        for child in children:
            states[game.machine.key(child.state)] = child.state
        if game.position(state).moves[0] == ("noop",):
            shares = [1 / len(children)] * len(children)
        else:
            shares = game.machine.chance_weights(state).tolist()
        pairs = zip(shares, children, strict=True)
        return sum(share * value(game.machine.key(child.state)) for share, child in pairs)

    start = game.machine.initial()
    states: dict[bytes, State] = {game.machine.key(start): start}
    # Payoffs are within 10 of their mean, so this is five standard errors at most.
    expected = value(game.machine.key(start))
    assert played("slippery_robot").mean_goals[RoleId(1)] == pytest.approx(expected, abs=0.36)
